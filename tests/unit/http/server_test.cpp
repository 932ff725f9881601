/// The server over real sockets: raw bytes in, raw bytes out.

#include "http/server.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <thread>

#include "http/client.hpp"
#include "runtime/event.hpp"
#include "runtime/system_clock.hpp"

namespace acceptd::http {
namespace {

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

std::string status_line(const std::string& answer) { return answer.substr(0, answer.find("\r\n")); }

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  const std::string answer = talk("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPUT /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto first = answer.find("GET /1 "), second = answer.find("PUT /2 hi"), third = answer.find("GET /3 ");
  ASSERT_NE(third, std::string::npos) << answer;
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
}

TEST_F(ServerTest, ChunkedBodiesArriveWhole) {
  start();
  const std::string answer = talk("POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_NE(answer.find("POST /c abcde"), std::string::npos) << answer;
}

TEST_F(ServerTest, AHeadRequestGetsNoBody) {
  start();
  const std::string answer = talk("HEAD /h HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
  EXPECT_NE(answer.find("Content-Length: 8"), std::string::npos) << answer;
}

TEST_F(ServerTest, ARM_002_EveryAnswerIsDated) {
  start();
  EXPECT_NE(talk("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").find("\r\nDate: "), std::string::npos);
}

TEST_F(ServerTest, AnExceptionCostsOneRequest) {
  start();
  const std::string answer = talk("GET /throw HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(status_line(answer), "HTTP/1.1 500 Internal Server Error");
  EXPECT_NE(answer.find("GET /next"), std::string::npos);
}

TEST_F(ServerTest, ContinueIsAnsweredBeforeTheBody) {
  start();
  tcp::socket socket = connect();
  asio::write(socket, asio::buffer(std::string_view("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")));
  std::string interim(25, '\0');
  asio::read(socket, asio::buffer(interim));
  EXPECT_EQ(interim, "HTTP/1.1 100 Continue\r\n\r\n");
  asio::write(socket, asio::buffer(std::string_view("ok")));
  std::string rest;
  boost::system::error_code ignored;
  asio::read(socket, asio::dynamic_buffer(rest), ignored);
  EXPECT_NE(rest.find("PUT /x ok"), std::string::npos);
}

struct Malformed {
  const char* name;
  std::string bytes;
  const char* status;
};
class MalformedRequest : public ServerTest, public ::testing::WithParamInterface<Malformed> {};
TEST_P(MalformedRequest, IsRefusedAndTheConnectionClosed) {
  start();
  const std::string answer = talk(GetParam().bytes + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(status_line(answer).starts_with(std::string("HTTP/1.1 ") + GetParam().status)) << answer;
  EXPECT_EQ(answer.find("smuggled"), std::string::npos) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos) << answer;
  EXPECT_NE(talk("GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").find("GET /alive"), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(
    Http, MalformedRequest,
    ::testing::Values(
        Malformed{"chunked in 1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
        Malformed{"chunked twice", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "400"},
        Malformed{"gzip, chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "400"},
        Malformed{"folded line", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", "400"},
        Malformed{"no host", "GET / HTTP/1.1\r\nX: b\r\n\r\n", "400"},
        Malformed{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"},
        Malformed{"non-ASCII target", "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
        Malformed{"length and chunked", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
        Malformed{"two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", "400"},
        Malformed{"negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "400"},
        Malformed{"bare LF", "GET / HTTP/1.1\nHost: a\r\n\r\n", "400"},
        Malformed{"NUL", std::string("GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", 38), "400"},
        Malformed{"dot segment", "GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
        Malformed{"encoded dot segment", "GET /a/%2e%2e/b HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
        Malformed{"empty segment", "GET /a//b HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
        Malformed{"bad percent", "GET /a%zz HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
        Malformed{"garbage", "\x16\x03\x01\x02\r\n\r\n", "400"},
        Malformed{"space before colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "400"},
        Malformed{"HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505"},
        Malformed{"large header", "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(20000, 'x') + "\r\n\r\n", "431"},
        Malformed{"large body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n", "413"},
        Malformed{"bad chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"}),
    [](const auto& param) {
      std::string name = param.param.name;
      for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      return name;
    });

TEST_F(ServerTest, AChunkedBodyBeyondTheLimitIsRefused) {
  Limits limits;
  limits.body_bytes_max = 1000;
  start(limits);
  const std::string chunk = "800\r\n" + std::string(0x800, 'x') + "\r\n0\r\n\r\n";
  EXPECT_EQ(status_line(talk("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk)), "HTTP/1.1 413 Payload Too Large");
}

TEST_F(ServerTest, AConnectionWhoseHeaderIsSlowIsClosed) {
  Limits limits;
  limits.header_timeout = std::chrono::seconds(1);
  start(limits);
  tcp::socket socket = connect();
  asio::write(socket, asio::buffer(std::string_view("GET / HTTP/1.1\r\n")));
  std::string got;
  boost::system::error_code ignored;
  asio::read(socket, asio::dynamic_buffer(got), ignored);
  EXPECT_EQ(got, "") << "closed, not answered";
  EXPECT_NE(talk("GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").find("GET /alive"), std::string::npos);
}

TEST_F(ServerTest, BeyondTheCapAConnectionIsTurnedAway) {
  Limits limits;
  limits.connections_max = 1;
  start(limits);
  tcp::socket first = connect();
  asio::write(first, asio::buffer(std::string_view("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")));
  std::string some(12, '\0');
  asio::read(first, asio::buffer(some));
  tcp::socket second = connect();
  std::string got;
  boost::system::error_code ignored;
  asio::read(second, asio::dynamic_buffer(got), ignored);
  EXPECT_EQ(status_line(got), "HTTP/1.1 503 Service Unavailable");
  EXPECT_NE(got.find("Retry-After: "), std::string::npos);
}

TEST_F(ServerTest, StoppingFinishesWhatIsBeingHandled) {
  start();
  tcp::socket socket = connect();
  asio::write(socket, asio::buffer(std::string_view("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")));
  echo.waiting.get_future().wait();
  auto stopped = asio::co_spawn(io, server->stop(std::chrono::seconds(30)), asio::use_future);
  asio::post(io, [this] { echo.release.notify_all(); });
  std::string got;
  boost::system::error_code ignored;
  asio::read(socket, asio::dynamic_buffer(got), ignored);
  EXPECT_EQ(status_line(got), "HTTP/1.1 200 OK");
  EXPECT_NE(got.find("Connection: close"), std::string::npos);
  stopped.get();
}

TEST_F(ServerTest, APortInUseIsAClearError) {
  start();
  ListenOptions options;
  options.port = server->port();
  try {
    Server second(io.get_executor(), options, nullptr, nullptr, Server::Dependencies{clock, log});
    FAIL() << "listened twice";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot listen on 127.0.0.1:"), std::string::npos) << error.what();
  }
}

// ---- the client against it

struct ClientTest : ServerTest {
  std::expected<Response, ClientError> send(Client& client, ClientRequest request) {
    return asio::co_spawn(io, client.send(std::move(request)), asio::use_future).get();
  }
  std::unique_ptr<Client> client(std::size_t bytes_max = 1 << 20) {
    ClientOptions options{.url = "http://127.0.0.1:" + std::to_string(server->port()), .response_bytes_max = bytes_max};
    return make_client(io.get_executor(), options, clock);
  }
};

TEST_F(ClientTest, SendsAndKeepsTheConnection) {
  start();
  const auto http = client();
  for (int i = 0; i < 3; ++i) {
    const auto answer = send(*http, ClientRequest{.method = Method::post, .target = "/x", .body = "hello"});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "POST /x hello");
  }
  EXPECT_EQ(server->connections(), 1u);
}

TEST_F(ClientTest, ATimeOutIsOfUnknownOutcome) {
  start();
  const auto http = client();
  const auto answer = send(*http, ClientRequest{.target = "/wait", .timeout = std::chrono::milliseconds(50)});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().failure, Failure::unknown);
  asio::post(io, [this] { echo.release.notify_all(); });
}

TEST_F(ClientTest, NobodyListensMeansNotSent) {
  start();
  tcp::acceptor closed(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  ClientOptions options{.url = "http://127.0.0.1:" + std::to_string(closed.local_endpoint().port())};
  closed.close();
  const auto http = make_client(io.get_executor(), options, clock);
  const auto answer = send(*http, ClientRequest{.target = "/"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().failure, Failure::not_sent);
}

TEST_F(ClientTest, AnAnswerBeyondTheBoundIsAnError) {
  start();
  const auto http = client(100);
  const auto answer = send(*http, ClientRequest{.method = Method::post, .target = "/x", .body = std::string(1000, 'b')});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().failure, Failure::unknown);
}

TEST_F(ClientTest, APeerThatClosesWithoutAnAnswerLeavesTheOutcomeUnknown) {
  start();
  tcp::acceptor peer(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  const std::uint16_t port = peer.local_endpoint().port();
  auto accepted = std::async(std::launch::async, [&peer] {
    tcp::socket socket = peer.accept();
    std::array<char, 4096> some;
    socket.read_some(asio::buffer(some));
  });
  const auto http = make_client(io.get_executor(), ClientOptions{.url = "http://127.0.0.1:" + std::to_string(port)}, clock);
  const auto answer = send(*http, ClientRequest{.method = Method::post, .target = "/", .body = "x"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().failure, Failure::unknown);
  accepted.get();
}

TEST_F(ClientTest, ABadOriginIsRefusedAtOnce) {
  start();
  for (const char* url : {"", "127.0.0.1:80", "http://h/path", "ftp://h"})
    EXPECT_THROW(make_client(io.get_executor(), ClientOptions{.url = url}, clock), std::runtime_error) << url;
}

}  // namespace
}  // namespace acceptd::http
