#pragma once
/// A server on a loopback port, run by a thread of its own, and raw sockets to talk to it.

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <thread>

#include "http/server.hpp"
#include "runtime/event.hpp"
#include "runtime/system_clock.hpp"

namespace acceptd::http {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

class NoLog : public runtime::Log {
 public:
  void write(runtime::Level, std::string_view, std::initializer_list<Field>) override {}
};

/// Echoes what it understood; some paths do what their name says, /wait answers when released.
struct Echo {
  runtime::Event release;
  std::promise<void> waiting;

  runtime::Task<Response> operator()(Request request) {
    Response response;
    if (request.path == "/throw") throw std::runtime_error("a bug");
    if (request.path == "/wait") {
      waiting.set_value();
      co_await release.wait();
    }
    if (request.path == "/drop") response.status = Response::kDropConnection;
    if (request.path == "/inject") response.headers.add("X-Given", "a\r\nX-Smuggled: b");
    if (request.path == "/who")
      request.body = request.remote_address + (request.loopback ? " loopback" : " remote") + (request.tls ? " tls" : " plain");
    response.headers.add("Content-Type", "text/plain");
    response.body = std::string(to_string(request.method)) + " " + request.path + " " + request.body;
    co_return response;
  }
};

struct ServerTest : ::testing::Test {
  asio::io_context io;
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  runtime::SystemClock clock;
  NoLog log;
  Echo echo;
  std::unique_ptr<Server> server;
  std::thread thread;

  void start(Limits limits = {}, std::optional<TlsFiles> tls = std::nullopt) {
    ListenOptions options;
    options.limits = limits;
    options.tls = std::move(tls);
    auto handler = [this](Request request) { return echo(std::move(request)); };
    server = std::make_unique<Server>(io.get_executor(), options, handler, nullptr, Server::Dependencies{clock, log});
    server->start();
    thread = std::thread([this] { io.run(); });
  }
  void stop(std::chrono::seconds grace) { asio::co_spawn(io, server->stop(grace), asio::use_future).get(); }
  /// What `function` returns on the server's thread.
  template <class Function>
  auto on_server(Function function) {
    return asio::post(io, asio::use_future(std::move(function))).get();
  }
  void TearDown() override {
    stop(std::chrono::seconds(5));
    work.reset();
    thread.join();
  }

  tcp::socket connect() {
    tcp::socket socket(io);
    socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server->port()));
    return socket;
  }
  static void send(tcp::socket& socket, std::string_view bytes) { asio::write(socket, asio::buffer(bytes)); }
  static std::string read_to_end(tcp::socket& socket) {
    std::string got;
    boost::system::error_code ignored;
    asio::read(socket, asio::dynamic_buffer(got), ignored);
    return got;
  }
  /// Sends and reads until the server closes.
  std::string talk(std::string_view bytes) {
    tcp::socket socket = connect();
    boost::system::error_code ignored;
    asio::write(socket, asio::buffer(bytes), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    return read_to_end(socket);
  }
};

inline std::string status_line(const std::string& answer) { return answer.substr(0, answer.find("\r\n")); }

}  // namespace acceptd::http
