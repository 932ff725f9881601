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

/// Echoes what it understood; /wait answers when released.
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

  void start(Limits limits = {}) {
    ListenOptions options;
    options.limits = limits;
    auto handler = [this](Request request) { return echo(std::move(request)); };
    server = std::make_unique<Server>(io.get_executor(), options, handler, nullptr, Server::Dependencies{clock, log});
    server->start();
    thread = std::thread([this] { io.run(); });
  }
  void TearDown() override {
    asio::co_spawn(io, server->stop(std::chrono::seconds(5)), asio::use_future).get();
    work.reset();
    thread.join();
  }

  tcp::socket connect() {
    tcp::socket socket(io);
    socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server->port()));
    return socket;
  }
  /// Sends and reads until the server closes.
  std::string talk(std::string_view bytes) {
    tcp::socket socket = connect();
    boost::system::error_code ignored;
    asio::write(socket, asio::buffer(bytes), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    std::string got;
    asio::read(socket, asio::dynamic_buffer(got), ignored);
    return got;
  }
};

inline std::string status_line(const std::string& answer) { return answer.substr(0, answer.find("\r\n")); }

}  // namespace acceptd::http
