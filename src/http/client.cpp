#include "http/client.hpp"

#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <deque>
#include <stdexcept>

#include "http/uri.hpp"
#include "runtime/event.hpp"

namespace acceptd::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using runtime::Task;
using tcp = asio::ip::tcp;
constexpr asio::as_tuple_t<asio::use_awaitable_t<>> kAsTuple{asio::use_awaitable};
using TlsStream = beast::ssl_stream<beast::tcp_stream>;
using Answer = std::expected<Response, ClientError>;
using Deadline = std::chrono::steady_clock::time_point;

ClientError failure(Failure kind, std::string reason) { return ClientError{kind, std::move(reason)}; }

/// One connection to the origin, plain or TLS.
struct Connection {
  explicit Connection(asio::any_io_executor executor, asio::ssl::context* tls) {
    if (tls)
      secure.emplace(beast::tcp_stream(std::move(executor)), *tls);
    else
      plain.emplace(std::move(executor));
  }
  beast::tcp_stream& lowest() { return secure ? beast::get_lowest_layer(*secure) : *plain; }

  /// Whether the peer closed it, or sent something that nobody asked for, while it was idle.
  bool stale() {
    char byte = 0;
    const auto got = ::recv(lowest().socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  }

  std::optional<beast::tcp_stream> plain;
  std::optional<TlsStream> secure;
  beast::flat_buffer buffer;
  runtime::Monotonic idle_since{};
  bool used = false;  ///< carried an exchange before
};

/// What became of sending one request on one connection.
struct Exchange {
  std::optional<Answer> answer;
  bool lost_before_answer = false;  ///< the connection ended before the first byte of an answer
  bool keep = false;
};

class PooledClient final : public Client {
 public:
  PooledClient(asio::any_io_executor executor, ClientOptions options, runtime::Clock& clock)
      : executor_(std::move(executor)), options_(std::move(options)), clock_(clock) {
    const auto url = parse_url(options_.url);
    if (!url || (!url->path.empty() && url->path != "/") || !url->query.empty())
      throw std::runtime_error("not an http or https origin: \"" + options_.url + "\" (expected e.g. http://127.0.0.1:8203)");
    url_ = *url;
    if (url_.scheme == "https") {
      tls_.emplace(asio::ssl::context::tls_client);
      tls_->set_verify_mode(asio::ssl::verify_peer);
      if (options_.ca_file.empty())
        tls_->set_default_verify_paths();
      else
        tls_->load_verify_file(options_.ca_file);
    }
  }

  Task<Answer> send(ClientRequest request) override {
    const runtime::Monotonic until = clock_.monotonic() + request.timeout;
    if (!co_await take_slot(until)) co_return std::unexpected(failure(Failure::not_sent, "no free connection in time"));
    const Slot slot(*this);
    bool may_resend = request.method == Method::get || request.method == Method::head || request.method == Method::put ||
                      request.method == Method::remove;
    for (;;) {
      const auto left = until - clock_.monotonic();
      if (left <= runtime::Duration::zero()) co_return std::unexpected(failure(Failure::not_sent, "timed out before sending"));
      std::unique_ptr<Connection> connection = take_idle();
      if (!connection) {
        connection = std::make_unique<Connection>(executor_, tls_ ? &*tls_ : nullptr);
        connection->lowest().expires_after(left);
        if (const auto problem = co_await connect(*connection)) co_return std::unexpected(failure(Failure::not_sent, *problem));
      } else {
        connection->lowest().expires_after(left);
      }
      const bool reused = connection->used;
      Exchange exchange = connection->secure ? co_await run(*connection->secure, *connection, request)
                                             : co_await run(*connection->plain, *connection, request);
      if (exchange.lost_before_answer && reused && may_resend) {
        may_resend = false;
        continue;
      }
      if (exchange.keep) {
        connection->used = true;
        connection->idle_since = clock_.monotonic();
        connection->lowest().expires_never();
        idle_.push_back(std::move(connection));
      }
      co_return std::move(*exchange.answer);
    }
  }

 private:
  /// A place among connections_max; given back when destroyed.
  struct Slot {
    explicit Slot(PooledClient& client) : client_(client) {}
    ~Slot() {
      --client_.in_use_;
      if (client_.waiting_.empty()) return;
      const auto next = client_.waiting_.front();
      client_.waiting_.pop_front();
      ++client_.in_use_;  // goes straight to the next in line
      next->notify_all();
    }
    PooledClient& client_;
  };

  Task<bool> take_slot(runtime::Monotonic until) {
    if (in_use_ < options_.connections_max) {
      ++in_use_;
      co_return true;
    }
    const auto event = std::make_shared<runtime::Event>();
    waiting_.push_back(event);
    const bool came = co_await runtime::wait_until(*event, clock_, until);
    const bool passed_to_us = std::erase(waiting_, event) == 0;
    co_return came || passed_to_us;
  }

  std::unique_ptr<Connection> take_idle() {
    while (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      if (clock_.monotonic() - connection->idle_since < options_.idle_timeout && !connection->stale()) return connection;
    }
    return nullptr;
  }

  Task<std::optional<std::string>> connect(Connection& connection) {
    tcp::resolver resolver(executor_);
    const auto [unresolved, endpoints] = co_await resolver.async_resolve(url_.host, url_.port, kAsTuple);
    if (unresolved) co_return "cannot resolve the host: " + unresolved.message();
    const auto [refused, endpoint] = co_await connection.lowest().async_connect(endpoints, kAsTuple);
    if (refused) co_return "cannot connect: " + refused.message();
    boost::system::error_code ignored;
    connection.lowest().socket().set_option(tcp::no_delay(true), ignored);
    if (!connection.secure) co_return std::nullopt;
    if (!SSL_set_tlsext_host_name(connection.secure->native_handle(), url_.host.c_str())) co_return "cannot set the TLS host name";
    connection.secure->set_verify_callback(asio::ssl::host_name_verification(url_.host));
    const auto [failed] = co_await connection.secure->async_handshake(asio::ssl::stream_base::client, kAsTuple);
    if (failed) co_return "TLS handshake failed: " + failed.message();
    co_return std::nullopt;
  }

  std::string head_of(const ClientRequest& request) const {
    std::string head;
    head.append(to_string(request.method)).append(" ").append(request.target).append(" HTTP/1.1\r\nHost: ").append(url_.authority);
    head.append("\r\n");
    for (const auto& [name, value] : request.headers.all()) head.append(name).append(": ").append(value).append("\r\n");
    const bool has_body = !request.body.empty() || request.method == Method::put || request.method == Method::post ||
                          request.method == Method::patch;
    if (has_body) head.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
    return head.append("\r\n");
  }

  template <class Stream>
  Task<Exchange> run(Stream& stream, Connection& connection, const ClientRequest& request) {
    const std::string head = head_of(request);
    const std::array<asio::const_buffer, 2> parts{asio::buffer(head), asio::buffer(request.body)};
    Exchange exchange;
    const auto [unsent, written] = co_await asio::async_write(stream, parts, kAsTuple);
    if (unsent) {
      exchange.lost_before_answer = unsent != beast::error::timeout;
      exchange.answer = std::unexpected(failure(written == 0 && !connection.used ? Failure::not_sent : Failure::unknown,
                                                "cannot send: " + unsent.message()));
      co_return exchange;
    }
    for (;;) {
      beast::http::response_parser<beast::http::string_body> parser;
      parser.body_limit(options_.response_bytes_max);
      parser.header_limit(64 * 1024);
      if (request.method == Method::head) parser.skip(true);
      const auto [unread, bytes] = co_await beast::http::async_read(stream, connection.buffer, parser, kAsTuple);
      const bool truncated_tls = unread == asio::ssl::error::stream_truncated && parser.is_done();
      if (unread && !truncated_tls) {
        exchange.lost_before_answer = !parser.got_some() && unread != beast::error::timeout;
        exchange.answer = std::unexpected(failure(Failure::unknown, "no readable answer: " + unread.message()));
        co_return exchange;
      }
      if (parser.get().result_int() < 200) continue;  // an interim answer
      Response response{.status = parser.get().result_int()};
      for (const auto& field : parser.get()) {
        const auto name = field.name_string();
        const auto value = field.value();
        response.headers.add({name.data(), name.size()}, {value.data(), value.size()});
      }
      exchange.keep = parser.get().keep_alive() && connection.buffer.size() == 0 && !truncated_tls;
      response.body = std::move(parser.get().body());
      exchange.answer = std::move(response);
      co_return exchange;
    }
  }

  asio::any_io_executor executor_;
  ClientOptions options_;
  runtime::Clock& clock_;
  Url url_;
  std::optional<asio::ssl::context> tls_;
  std::deque<std::unique_ptr<Connection>> idle_;
  std::deque<std::shared_ptr<runtime::Event>> waiting_;
  std::size_t in_use_ = 0;
};

}  // namespace

std::unique_ptr<Client> make_client(asio::any_io_executor executor, ClientOptions options, runtime::Clock& clock) {
  return std::make_unique<PooledClient>(std::move(executor), std::move(options), clock);
}

}  // namespace acceptd::http
