#include "http/server.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <list>

#include "http/framing.hpp"
#include "http/uri.hpp"
#include "runtime/event.hpp"
#include "runtime/task_group.hpp"

namespace acceptd::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using runtime::Task;
using tcp = asio::ip::tcp;
using Token = asio::as_tuple_t<asio::use_awaitable_t<>>;
constexpr Token kAsTuple{asio::use_awaitable};

Response plain(unsigned status, std::string_view reason) {
  Response response{.status = status};
  response.headers.add("Content-Type", "text/plain");
  response.body = std::string(reason) + "\n";
  return response;
}

Response default_refusal(Refused refused, std::string_view reason) {
  switch (refused) {
    case Refused::malformed: return plain(400, reason);
    case Refused::header_too_large: return plain(431, reason);
    case Refused::body_too_large: return plain(413, reason);
    case Refused::version: return plain(505, reason);
    case Refused::too_many_connections: break;
  }
  Response response = plain(503, reason);
  response.headers.add("Retry-After", "10");
  return response;
}

Method method_of(beast::http::verb verb) {
  switch (verb) {
    case beast::http::verb::get: return Method::get;
    case beast::http::verb::head: return Method::head;
    case beast::http::verb::put: return Method::put;
    case beast::http::verb::patch: return Method::patch;
    case beast::http::verb::post: return Method::post;
    case beast::http::verb::delete_: return Method::remove;
    case beast::http::verb::options: return Method::options;
    default: return Method::other;
  }
}

std::string_view reason_phrase(unsigned status) {
  const auto text = beast::http::obsolete_reason(static_cast<beast::http::status>(status));
  return {text.data(), text.size()};
}

/// A request read so far, or why it was refused.
struct Incoming {
  Request request;
  bool keep_alive = false;
  std::optional<Refused> refused;
  std::string reason;
  bool closed = false;  ///< the peer went away: nothing to answer
};

Incoming refuse(Refused refused, std::string reason) {
  Incoming incoming;
  incoming.refused = refused;
  incoming.reason = std::move(reason);
  return incoming;
}

Incoming gone() {
  Incoming incoming;
  incoming.closed = true;
  return incoming;
}

}  // namespace

struct Server::Impl : std::enable_shared_from_this<Server::Impl> {
  Impl(asio::any_io_executor executor_in, ListenOptions options_in, Handler handler_in, Refuse refuse_in, Dependencies dependencies)
      : executor(executor_in),
        options(std::move(options_in)),
        handler(std::move(handler_in)),
        word(refuse_in ? std::move(refuse_in) : Refuse(default_refusal)),
        clock(dependencies.clock),
        log(dependencies.log),
        acceptor(executor),
        tasks(executor, [&logged = dependencies.log](std::string_view what) { logged.error("http.task_failed", {{"what", what}}); }) {
    listen();
  }

  struct Connection {
    std::function<void()> close;
    bool idle = true;  ///< no request is being read or handled: may be closed at any time
  };

  void listen();
  Task<void> accept_loop();
  template <class Stream>
  Task<void> serve(std::shared_ptr<Stream> stream, Request origin);
  template <class Stream>
  Task<Incoming> read_request(Stream& stream, beast::flat_buffer& buffer, Connection& connection, const Request& origin);
  template <class Stream>
  Task<bool> write_response(Stream& stream, const Response& response, bool keep_alive, bool head_only);
  Task<Response> handle(Request request);
  std::string_view date();

  asio::any_io_executor executor;
  ListenOptions options;
  Handler handler;
  Refuse word;
  runtime::Clock& clock;
  runtime::Log& log;
  tcp::acceptor acceptor;
  std::optional<asio::ssl::context> tls;
  std::list<Connection> connections;
  runtime::Event connection_ended;
  bool stopping = false;
  std::int64_t date_second = -1;
  std::string date_text;
  runtime::TaskGroup tasks;
};

void Server::Impl::listen() {
  try {
    const tcp::endpoint endpoint(asio::ip::make_address(options.address), options.port);
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    if (options.reuse_port)
      acceptor.set_option(asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>(true));
    acceptor.bind(endpoint);
    acceptor.listen(4096);
    if (options.tls) {
      tls.emplace(asio::ssl::context::tls_server);
      tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
      tls->use_certificate_chain_file(options.tls->certificate_chain);
      tls->use_private_key_file(options.tls->private_key, asio::ssl::context::pem);
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("cannot listen on {}:{}: {}", options.address, options.port, error.what()));
  }
}

std::string_view Server::Impl::date() {
  const auto second = std::chrono::floor<std::chrono::seconds>(clock.now());
  if (second.time_since_epoch().count() != date_second) {
    date_second = second.time_since_epoch().count();
    const std::time_t time = static_cast<std::time_t>(date_second);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[40];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    date_text = text;
  }
  return date_text;
}

template <class Stream>
Task<Incoming> Server::Impl::read_request(Stream& stream, beast::flat_buffer& buffer, Connection& connection, const Request& origin) {
  auto& timer = beast::get_lowest_layer(stream);
  connection.idle = buffer.size() == 0;
  if (connection.idle) {
    if (stopping) co_return gone();
    timer.expires_after(options.limits.idle_timeout);
    const auto [error, bytes] = co_await stream.async_read_some(buffer.prepare(4096), kAsTuple);
    if (error) co_return gone();
    buffer.commit(bytes);
  }
  connection.idle = false;
  timer.expires_after(options.limits.header_timeout);
  const auto view = [&] { return std::string_view(static_cast<const char*>(buffer.data().data()), buffer.size()); };
  while (!head_length(view())) {
    if (buffer.size() > options.limits.header_bytes_max)
      co_return refuse(Refused::header_too_large, fmt::format("the header is larger than {} bytes", options.limits.header_bytes_max));
    if (const auto reason = refuse_raw_head(view().substr(0, view().find_last_not_of('\r') + 1)))
      co_return refuse(Refused::malformed, *reason);
    const auto [error, bytes] = co_await stream.async_read_some(buffer.prepare(4096), kAsTuple);
    if (error) co_return gone();
    buffer.commit(bytes);
  }
  const std::size_t length = *head_length(view());
  if (length > options.limits.header_bytes_max)
    co_return refuse(Refused::header_too_large, fmt::format("the header is larger than {} bytes", options.limits.header_bytes_max));
  if (const auto reason = refuse_raw_head(view().substr(0, length))) co_return refuse(Refused::malformed, *reason);

  beast::http::request_parser<beast::http::string_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(options.limits.header_bytes_max));
  parser.body_limit(options.limits.body_bytes_max);
  boost::system::error_code error;
  const std::size_t used = parser.put(asio::buffer(buffer.data().data(), length), error);
  if (error == beast::http::error::bad_version) co_return refuse(Refused::version, "the HTTP version is not supported");
  if (error == beast::http::error::body_limit)
    co_return refuse(Refused::body_too_large, fmt::format("the body is larger than {} bytes", options.limits.body_bytes_max));
  if (error && error != beast::http::error::need_more) co_return refuse(Refused::malformed, error.message());
  buffer.consume(used);

  Incoming incoming;
  incoming.request = origin;
  Request& request = incoming.request;
  for (const auto& field : parser.get()) {
    const auto name = field.name_string();
    const auto value = field.value();
    request.headers.add({name.data(), name.size()}, {value.data(), value.size()});
  }
  if (const auto reason = refuse_fields(request.headers, parser.get().version())) co_return refuse(Refused::malformed, *reason);
  request.method = method_of(parser.get().method());
  const auto raw_target = parser.get().target();
  request.target.assign(raw_target.data(), raw_target.size());
  auto target = parse_target(request.target);
  if (!target) co_return refuse(Refused::malformed, target.error());
  request.path = std::move(target->path);
  request.segments = std::move(target->segments);
  request.query = std::move(target->query);

  if (!parser.is_done()) {
    timer.expires_after(options.limits.body_timeout);
    const auto expect = request.headers.get("Expect");
    if (expect && beast::iequals(beast::string_view(expect->data(), expect->size()), "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      const auto [failed, ignored] = co_await asio::async_write(stream, asio::buffer(kContinue), kAsTuple);
      if (failed) co_return gone();
    }
    const auto [failed, ignored] = co_await beast::http::async_read(stream, buffer, parser, kAsTuple);
    if (failed == beast::http::error::body_limit)
      co_return refuse(Refused::body_too_large, fmt::format("the body is larger than {} bytes", options.limits.body_bytes_max));
    if (failed.category() == beast::http::make_error_code(beast::http::error::bad_chunk).category() &&
        failed != beast::http::error::partial_message && failed != beast::http::error::end_of_stream)
      co_return refuse(Refused::malformed, failed.message());
    if (failed) co_return gone();
  }
  incoming.keep_alive = parser.get().keep_alive();
  request.body = std::move(parser.get().body());
  co_return incoming;
}

template <class Stream>
Task<bool> Server::Impl::write_response(Stream& stream, const Response& response, bool keep_alive, bool head_only) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  for (const auto& [name, value] : response.headers.all()) head.append(name).append(": ").append(value).append("\r\n");
  head.append("Date: ").append(date()).append("\r\n");
  const bool bodiless = response.status == 204 || response.status == 304 || response.status < 200;
  if (!bodiless) fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", response.body.size());
  if (!keep_alive) head.append("Connection: close\r\n");
  head.append("\r\n");
  beast::get_lowest_layer(stream).expires_after(options.limits.write_timeout);
  const bool send_body = !head_only && !bodiless;
  const std::array<asio::const_buffer, 2> parts{asio::buffer(head), send_body ? asio::buffer(response.body) : asio::const_buffer()};
  const auto [error, bytes] = co_await asio::async_write(stream, parts, kAsTuple);
  co_return !error;
}

Task<Response> Server::Impl::handle(Request request) {
  const std::string target = request.path;
  try {
    co_return co_await handler(std::move(request));
  } catch (const boost::system::system_error& error) {
    if (error.code() == asio::error::operation_aborted) throw;
    log.error("http.handler_failed", {{"path", target}, {"what", error.what()}});
  } catch (const std::exception& error) {
    log.error("http.handler_failed", {{"path", target}, {"what", error.what()}});
  }
  co_return plain(500, "internal server error");
}

template <class Stream>
Task<void> Server::Impl::serve(std::shared_ptr<Stream> stream, Request origin) {
  const auto self = shared_from_this();
  const auto here = connections.emplace(connections.end());
  here->close = [weak = std::weak_ptr<Stream>(stream)] {
    if (auto alive = weak.lock()) beast::get_lowest_layer(*alive).close();
  };
  struct Leave {
    Impl& server;
    std::list<Connection>::iterator here;
    ~Leave() {
      server.connections.erase(here);
      server.connection_ended.notify_all();
    }
  } leave{*this, here};

  if constexpr (requires { stream->async_handshake(asio::ssl::stream_base::server, kAsTuple); }) {
    beast::get_lowest_layer(*stream).expires_after(options.limits.header_timeout);
    const auto [error] = co_await stream->async_handshake(asio::ssl::stream_base::server, kAsTuple);
    if (error) co_return;
  }
  beast::flat_buffer buffer;
  for (bool go_on = true; go_on;) {
    Incoming incoming = co_await read_request(*stream, buffer, *here, origin);
    if (incoming.closed) break;
    if (incoming.refused) {
      const Response refusal = word(*incoming.refused, incoming.reason);
      const bool written = co_await write_response(*stream, refusal, false, false);
      if (written) {  // let the peer read the answer before unread bytes reset the connection
        boost::system::error_code ignored;
        beast::get_lowest_layer(*stream).socket().shutdown(tcp::socket::shutdown_send, ignored);
        beast::get_lowest_layer(*stream).expires_after(std::chrono::seconds(1));
        std::array<char, 4096> sink;
        for (int i = 0; i < 64; ++i) {
          const auto [error, bytes] = co_await stream->async_read_some(asio::buffer(sink), kAsTuple);
          if (error) break;
        }
      }
      break;
    }
    beast::get_lowest_layer(*stream).expires_never();
    const bool head_only = incoming.request.method == Method::head;
    const Response response = co_await handle(std::move(incoming.request));
    if (response.status == Response::kDropConnection) break;
    go_on = incoming.keep_alive && !stopping;
    const bool written = co_await write_response(*stream, response, go_on, head_only);
    go_on = go_on && written;
  }
  boost::system::error_code ignored;
  beast::get_lowest_layer(*stream).socket().shutdown(tcp::socket::shutdown_both, ignored);
  beast::get_lowest_layer(*stream).close();
}

Task<void> Server::Impl::accept_loop() {
  while (!stopping) {
    auto [error, socket] = co_await acceptor.async_accept(kAsTuple);
    if (error == asio::error::operation_aborted || stopping) co_return;
    if (error) {  // out of descriptors, mostly: let some connections end
      log.warn("http.accept_failed", {{"error", error.message()}});
      co_await clock.sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const auto remote = socket.remote_endpoint(ignored);
    Request origin;
    origin.remote_address = remote.address().to_string();
    origin.loopback = socket.local_endpoint(ignored).address().is_loopback();
    origin.tls = tls.has_value();
    if (connections.size() >= options.limits.connections_max) {
      beast::tcp_stream stream(std::move(socket));
      const Response refusal = word(Refused::too_many_connections, "too many connections");
      (void)co_await write_response(stream, refusal, false, false);
      continue;
    }
    if (tls) {
      auto stream = std::make_shared<beast::ssl_stream<beast::tcp_stream>>(beast::tcp_stream(std::move(socket)), *tls);
      tasks.spawn(serve(std::move(stream), std::move(origin)));
    } else {
      auto stream = std::make_shared<beast::tcp_stream>(std::move(socket));
      tasks.spawn(serve(std::move(stream), std::move(origin)));
    }
  }
}

Server::Server(asio::any_io_executor executor, ListenOptions options, Handler handler, Refuse refuse, Dependencies dependencies)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options), std::move(handler), std::move(refuse), dependencies)) {}
Server::~Server() = default;

void Server::start() { impl_->tasks.spawn(impl_->accept_loop()); }

std::uint16_t Server::port() const { return impl_->acceptor.local_endpoint().port(); }

std::size_t Server::connections() const { return impl_->connections.size(); }

Task<void> Server::stop(std::chrono::seconds grace) {
  const auto self = impl_;
  self->stopping = true;
  self->acceptor.close();
  for (auto& connection : self->connections)
    if (connection.idle) connection.close();
  const runtime::Monotonic until = self->clock.monotonic() + grace;
  while (!self->connections.empty() && self->clock.monotonic() < until)
    co_await runtime::wait_until(self->connection_ended, self->clock, until);
  for (auto& connection : self->connections) connection.close();
  co_await self->tasks.stop();
}

}  // namespace acceptd::http
