#include "http/server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <list>

#include "http/wire.hpp"
#include "runtime/event.hpp"
#include "runtime/task_group.hpp"

namespace acceptd::http {

namespace {

using runtime::Task;
using tcp = asio::ip::tcp;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

/// Connections over the cap that are being told so, at a time; further ones are just closed.
constexpr std::size_t kTurnedAwayMax = 64;

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

template <class Stream>
std::function<void()> closer_of(const std::shared_ptr<Stream>& stream) {
  return [weak = std::weak_ptr<Stream>(stream)] {
    if (auto alive = weak.lock()) beast::get_lowest_layer(*alive).close();
  };
}

asio::ip::address plain_address(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  return address;
}

}  // namespace

struct Server::Impl : std::enable_shared_from_this<Server::Impl> {
  Impl(asio::any_io_executor executor_in, ListenOptions options_in, Handler handler_in, Refuse refuse_in,
       Dependencies dependencies)
      : executor(executor_in),
        options(std::move(options_in)),
        handler(std::move(handler_in)),
        word(refuse_in ? std::move(refuse_in) : Refuse(default_refusal)),
        clock(dependencies.clock),
        log(dependencies.log),
        acceptor(executor),
        tasks(executor,
              [&logged = dependencies.log](std::string_view what) { logged.error("http.task_failed", {{"what", what}}); }) {
    listen();
  }

  struct Connection {
    std::function<void()> close = [] {};
    bool idle = true;  ///< no request is being read or handled: may be closed at any time
  };

  /// A place in a list of connections, given up with the task that holds it, even if that never ran.
  struct Member {
    Member(std::shared_ptr<Impl> server_in, std::list<Connection>& list_in)
        : server(std::move(server_in)), list(list_in), here(list.emplace(list.end())) {}
    ~Member() {
      list.erase(here);
      server->connection_ended.notify_all();
    }
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    std::shared_ptr<Impl> server;
    std::list<Connection>& list;
    std::list<Connection>::iterator here;
  };

  void listen();
  Task<void> accept_loop();
  template <class Stream>
  Task<void> serve(std::shared_ptr<Stream> stream, Request origin, std::unique_ptr<Member> member);
  Task<void> turn_away(std::shared_ptr<beast::tcp_stream> stream, std::unique_ptr<Member> member);
  void take(tcp::socket socket);
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
  std::list<Connection> connections, turned_away;
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
    if (options.reuse_port) acceptor.set_option(asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>(true));
    acceptor.bind(endpoint);
    acceptor.listen(4096);
    if (options.tls) {
      tls.emplace(asio::ssl::context::tls_server);
      tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
      tls->use_certificate_chain_file(options.tls->certificate_chain);
      tls->use_private_key_file(options.tls->private_key, asio::ssl::context::pem);
    }
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error(fmt::format("cannot listen on {}:{}: {}", options.address, options.port, error.code().message()));
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

Task<Response> Server::Impl::handle(Request request) {
  const std::string target = request.path;
  try {
    co_return co_await handler(std::move(request));
  } catch (const boost::system::system_error& error) {
    if (stopping && error.code() == asio::error::operation_aborted) throw;
    log.error("http.handler_failed", {{"path", target}, {"what", error.what()}});
  } catch (const std::exception& error) {
    log.error("http.handler_failed", {{"path", target}, {"what", error.what()}});
  }
  co_return plain(500, "internal server error");
}

template <class Stream>
Task<void> Server::Impl::serve(std::shared_ptr<Stream> stream, Request origin, std::unique_ptr<Member> member) {
  member->here->close = closer_of(stream);
  if constexpr (requires { stream->async_handshake(asio::ssl::stream_base::server, kAsTuple); }) {
    beast::get_lowest_layer(*stream).expires_after(options.limits.header_timeout);
    const auto [error] = co_await stream->async_handshake(asio::ssl::stream_base::server, kAsTuple);
    if (error) co_return;
  }
  RequestReader<Stream> reader(*stream, options.limits);
  for (bool go_on = true; go_on && !stopping;) {
    Incoming incoming = co_await reader.read(origin, member->here->idle);
    if (incoming.closed) break;
    Answering answering{.date = date()};
    if (incoming.refused) {
      const Response refusal = word(*incoming.refused, incoming.reason);
      if (co_await write_response(*stream, refusal, answering, options.limits)) co_await linger(*stream);
      break;
    }
    beast::get_lowest_layer(*stream).expires_never();
    answering.head_only = incoming.request.method == Method::head;
    const Response response = co_await handle(std::move(incoming.request));
    if (response.status == Response::kDropConnection) break;
    go_on = incoming.keep_alive && !stopping;
    answering.keep_alive = go_on;
    answering.date = date();
    if (!co_await write_response(*stream, response, answering, options.limits)) break;
  }
  boost::system::error_code ignored;
  beast::get_lowest_layer(*stream).socket().shutdown(tcp::socket::shutdown_both, ignored);
  beast::get_lowest_layer(*stream).close();
}

Task<void> Server::Impl::turn_away(std::shared_ptr<beast::tcp_stream> stream, std::unique_ptr<Member> member) {
  member->here->close = closer_of(stream);
  const Response refusal = word(Refused::too_many_connections, "too many connections");
  const Answering answering{.date = date()};
  if (co_await write_response(*stream, refusal, answering, options.limits)) co_await linger(*stream);
}

void Server::Impl::take(tcp::socket socket) {
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  if (connections.size() >= options.limits.connections_max) {
    if (tls || turned_away.size() >= kTurnedAwayMax) return;  // no handshake only to say no
    auto member = std::make_unique<Member>(shared_from_this(), turned_away);
    tasks.spawn(turn_away(std::make_shared<beast::tcp_stream>(std::move(socket)), std::move(member)));
    return;
  }
  Request origin;
  origin.remote_address = plain_address(socket.remote_endpoint(ignored).address()).to_string();
  origin.loopback = plain_address(socket.local_endpoint(ignored).address()).is_loopback();
  origin.tls = tls.has_value();
  auto member = std::make_unique<Member>(shared_from_this(), connections);
  if (tls)
    tasks.spawn(
        serve(std::make_shared<TlsStream>(beast::tcp_stream(std::move(socket)), *tls), std::move(origin), std::move(member)));
  else
    tasks.spawn(serve(std::make_shared<beast::tcp_stream>(std::move(socket)), std::move(origin), std::move(member)));
}

Task<void> Server::Impl::accept_loop() {
  while (!stopping) {
    auto [error, socket] = co_await acceptor.async_accept(kAsTuple);
    if (error == asio::error::operation_aborted || stopping) co_return;
    if (!error) {
      take(std::move(socket));
      continue;
    }
    // Out of descriptors, mostly: let some connections end.
    log.warn("http.accept_failed", {{"error", error.message()}});
    co_await clock.sleep_for(std::chrono::milliseconds(100));
  }
}

Server::Server(asio::any_io_executor executor, ListenOptions options, Handler handler, Refuse refuse, Dependencies dependencies)
    : impl_(
          std::make_shared<Impl>(std::move(executor), std::move(options), std::move(handler), std::move(refuse), dependencies)) {}
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
  for (auto& connection : self->turned_away) connection.close();
  co_await self->tasks.stop();
}

}  // namespace acceptd::http
