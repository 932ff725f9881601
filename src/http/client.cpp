#include "http/client.hpp"

#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <deque>
#include <stdexcept>

#include "http/wire.hpp"
#include "runtime/event.hpp"

namespace acceptd::http {

namespace {

using runtime::Task;
using tcp = asio::ip::tcp;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;
using Answer = std::expected<Response, ClientError>;

constexpr std::uint32_t kResponseHeaderBytesMax = 64 * 1024;

std::unexpected<ClientError> failure(Failure kind, std::string reason) {
  return std::unexpected(ClientError{kind, std::move(reason)});
}

bool is_idempotent(Method method) {
  return method == Method::get || method == Method::head || method == Method::put || method == Method::remove;
}

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
  beast::flat_buffer buffer{kResponseHeaderBytesMax + kReadBytesMax};
  runtime::Monotonic idle_since{};
};

/// What became of sending one request on one connection.
struct Exchange {
  Answer answer = failure(Failure::unknown, "no answer");
  bool lost_before_answer = false;  ///< the connection ended before the first byte of an answer
  bool keep = false;                ///< the connection can carry another exchange
};

/// A look-up of the host's addresses. The system's resolver cannot be interrupted: who runs out of time leaves it behind.
struct Lookup {
  explicit Lookup(const asio::any_io_executor& executor) : resolver(executor) {}
  tcp::resolver resolver;
  runtime::Event done;
  boost::system::error_code error;
  tcp::resolver::results_type endpoints;
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
    if (!request.target.starts_with('/') || !is_visible_ascii(request.target))
      co_return failure(Failure::not_sent, "the target is no percent-encoded path");
    const runtime::Monotonic until = clock_.monotonic() + request.timeout;
    if (!co_await take_slot(until)) co_return failure(Failure::not_sent, "no free connection in time");
    const Slot slot(*this);
    std::unique_ptr<Connection> connection = take_idle();
    if (connection) {
      Exchange exchange = co_await exchange_on(*connection, request, until);
      if (!exchange.lost_before_answer || !is_idempotent(request.method))
        co_return settle(std::move(connection), std::move(exchange));
    }
    // The request may have reached the former connection's peer: then it is not certain any more that nothing was sent.
    const Failure failed = connection ? Failure::unknown : Failure::not_sent;
    connection = std::make_unique<Connection>(executor_, tls_ ? &*tls_ : nullptr);
    if (auto problem = co_await connect(*connection, until)) co_return failure(failed, std::move(*problem));
    Exchange exchange = co_await exchange_on(*connection, request, until);
    if (!exchange.answer && failed == Failure::unknown) exchange.answer.error().failure = Failure::unknown;
    co_return settle(std::move(connection), std::move(exchange));
  }

 private:
  /// A place among connections_max; given back when destroyed.
  struct Slot {
    explicit Slot(PooledClient& client) : client_(client) {}
    ~Slot() { client_.give_slot(); }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    PooledClient& client_;
  };

  void give_slot() {
    --in_use_;
    if (waiting_.empty()) return;
    const auto next = waiting_.front();
    waiting_.pop_front();
    ++in_use_;  // goes straight to the next in line
    next->notify_all();
  }

  /// False: none came free in time.
  Task<bool> take_slot(runtime::Monotonic until) {
    if (in_use_ < options_.connections_max) {
      ++in_use_;
      co_return true;
    }
    const auto event = std::make_shared<runtime::Event>();
    waiting_.push_back(event);
    try {
      co_await runtime::wait_until(*event, clock_, until);
    } catch (...) {  // cancelled: leave the line, or pass on what came meanwhile
      if (std::erase(waiting_, event) == 0) give_slot();
      throw;
    }
    co_return std::erase(waiting_, event) == 0;  // not in line any more: it was our turn, perhaps at the last moment
  }

  std::unique_ptr<Connection> take_idle() {
    const auto expired = [this](const auto& connection) {
      return clock_.monotonic() - connection->idle_since >= options_.idle_timeout;
    };
    while (!idle_.empty() && expired(idle_.front())) idle_.pop_front();
    while (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      if (!connection->stale()) return connection;
    }
    return nullptr;
  }

  /// Keeps the connection for the next request if it can carry one.
  Answer settle(std::unique_ptr<Connection> connection, Exchange exchange) {
    if (exchange.keep) {
      connection->idle_since = clock_.monotonic();
      connection->lowest().expires_never();
      idle_.push_back(std::move(connection));
    }
    return std::move(exchange.answer);
  }

  /// nullopt: connected. A text: why not.
  Task<std::optional<std::string>> connect(Connection& connection, runtime::Monotonic until) {
    const auto lookup = std::make_shared<Lookup>(executor_);
    auto found = [lookup](boost::system::error_code error, tcp::resolver::results_type endpoints) {
      lookup->error = error;
      lookup->endpoints = std::move(endpoints);
      lookup->done.notify_all();
    };
    lookup->resolver.async_resolve(url_.host, url_.port, std::move(found));
    if (!co_await runtime::wait_until(lookup->done, clock_, until)) co_return "cannot resolve the host in time";
    if (lookup->error) co_return "cannot resolve the host: " + lookup->error.message();
    connection.lowest().expires_after(until - clock_.monotonic());
    const auto [refused, endpoint] = co_await connection.lowest().async_connect(lookup->endpoints, kAsTuple);
    if (refused) co_return "cannot connect: " + refused.message();
    boost::system::error_code not_an_address;
    connection.lowest().socket().set_option(tcp::no_delay(true), not_an_address);
    if (!connection.secure) co_return std::nullopt;
    asio::ip::make_address(url_.host, not_an_address);
    if (not_an_address && !SSL_set_tlsext_host_name(connection.secure->native_handle(), url_.host.c_str()))
      co_return "cannot set the TLS host name";
    connection.secure->set_verify_callback(asio::ssl::host_name_verification(url_.host));
    const auto [failed] = co_await connection.secure->async_handshake(asio::ssl::stream_base::client, kAsTuple);
    if (failed) co_return "TLS handshake failed: " + failed.message();
    co_return std::nullopt;
  }

  std::string head_of(const ClientRequest& request) const {
    std::string head;
    head.append(to_string(request.method)).append(" ").append(request.target).append(" HTTP/1.1\r\n");
    append_field(head, "Host", url_.authority);
    for (const auto& [name, value] : request.headers.all()) append_field(head, name, value);
    const bool has_body = !request.body.empty() || request.method == Method::put || request.method == Method::post ||
                          request.method == Method::patch;
    if (has_body) append_field(head, "Content-Length", std::to_string(request.body.size()));
    return head.append("\r\n");
  }

  Task<Exchange> exchange_on(Connection& connection, const ClientRequest& request, runtime::Monotonic until) {
    connection.lowest().expires_after(until - clock_.monotonic());
    if (connection.secure) co_return co_await exchange_over(*connection.secure, connection, request);
    co_return co_await exchange_over(*connection.plain, connection, request);
  }

  template <class Stream>
  Task<Exchange> exchange_over(Stream& stream, Connection& connection, const ClientRequest& request) {
    const std::string head = head_of(request);
    const std::array<asio::const_buffer, 2> parts{asio::buffer(head), asio::buffer(request.body)};
    Exchange exchange;
    const auto [unsent, written] = co_await asio::async_write(stream, parts, kAsTuple);
    if (unsent) {
      // TLS counts what it took, not what it passed on.
      const bool nothing_left = written == 0 && !connection.secure;
      exchange.answer = failure(nothing_left ? Failure::not_sent : Failure::unknown, "cannot send: " + unsent.message());
      exchange.lost_before_answer = unsent != beast::error::timeout;
      co_return exchange;
    }
    for (bool interim = false;; interim = true) {
      beast::http::response_parser<beast::http::string_body> parser;
      parser.body_limit(options_.response_bytes_max);
      parser.header_limit(kResponseHeaderBytesMax);
      parser.skip(request.method == Method::head);
      const auto [unread, bytes] = co_await beast::http::async_read(stream, connection.buffer, parser, kAsTuple);
      const bool cut_after_the_end = unread == asio::ssl::error::stream_truncated && parser.is_done();
      if (unread && !cut_after_the_end) {
        exchange.answer = failure(Failure::unknown, "no readable answer: " + unread.message());
        exchange.lost_before_answer = !interim && !parser.got_some() && unread != beast::error::timeout;
        co_return exchange;
      }
      if (parser.get().result_int() < 200) continue;
      Response response{.status = parser.get().result_int(), .headers = headers_of(parser.get())};
      exchange.keep = parser.get().keep_alive() && connection.buffer.size() == 0 && !cut_after_the_end;
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
