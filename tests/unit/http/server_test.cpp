/// The server over real sockets: raw bytes in, raw bytes out.

#include "loopback.hpp"

namespace acceptd::http {
namespace {

using namespace std::string_literals;

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  const std::string answer = talk(
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPUT /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET /3 HTTP/1.1\r\nHost: "
      "a\r\n\r\n");
  const auto first = answer.find("GET /1 "), second = answer.find("PUT /2 hi"), third = answer.find("GET /3 ");
  ASSERT_NE(third, std::string::npos) << answer;
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
}

TEST_F(ServerTest, ChunkedBodiesArriveWhole) {
  start();
  const std::string answer =
      talk("POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
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
  send(socket, "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n");
  std::string interim(25, '\0');
  asio::read(socket, asio::buffer(interim));
  EXPECT_EQ(interim, "HTTP/1.1 100 Continue\r\n\r\n");
  send(socket, "ok");
  const std::string rest = read_to_end(socket);
  EXPECT_NE(rest.find("PUT /x ok"), std::string::npos);
}

struct Malformed {
  const char* name;
  std::string bytes;
  const char* status;
};
void PrintTo(const Malformed& request, std::ostream* out) { *out << request.name; }
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
        Malformed{"length and chunked",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
        Malformed{"two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", "400"},
        Malformed{"negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "400"},
        Malformed{"bare LF", "GET / HTTP/1.1\nHost: a\r\n\r\n", "400"},
        Malformed{"NUL", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"s, "400"},
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
  EXPECT_EQ(status_line(talk("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk)),
            "HTTP/1.1 413 Payload Too Large");
}

TEST_F(ServerTest, AChunkExtensionIsBounded) {
  start();
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;";
  EXPECT_EQ(status_line(talk(head + std::string(200'000, 'x'))), "HTTP/1.1 400 Bad Request");
}

TEST_F(ServerTest, ARequestOfHttp10IsAnsweredAndTheConnectionClosed) {
  start();
  tcp::socket socket = connect();
  send(socket, "GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string answer = read_to_end(socket);
  EXPECT_NE(answer.find("GET /old"), std::string::npos);
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST_F(ServerTest, AHandlerMayDropTheConnection) {
  start();
  EXPECT_EQ(talk("GET /drop HTTP/1.1\r\nHost: a\r\n\r\n"), "");
}

TEST_F(ServerTest, AHeaderValueCannotAddAField) {
  start();
  const std::string answer = talk("GET /inject HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(answer.find("\r\nX-Given: aX-Smuggled: b\r\n"), std::string::npos) << answer;
}

TEST_F(ServerTest, TellsWhereARequestComesFrom) {
  start();
  EXPECT_NE(talk("GET /who HTTP/1.1\r\nHost: a\r\n\r\n").find("127.0.0.1 loopback plain"), std::string::npos);
}

TEST_F(ServerTest, AnIdleConnectionIsClosed) {
  Limits limits;
  limits.idle_timeout = std::chrono::seconds(1);
  start(limits);
  tcp::socket socket = connect();
  send(socket, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(read_to_end(socket).find("GET /1"), std::string::npos);
}

TEST_F(ServerTest, AConnectionWhoseBodyIsSlowIsClosed) {
  Limits limits;
  limits.body_timeout = std::chrono::seconds(1);
  start(limits);
  tcp::socket socket = connect();
  send(socket, "PUT /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_EQ(read_to_end(socket), "");
}

TEST_F(ServerTest, AConnectionWhoseHeaderIsSlowIsClosed) {
  Limits limits;
  limits.header_timeout = std::chrono::seconds(1);
  start(limits);
  tcp::socket socket = connect();
  send(socket, "GET / HTTP/1.1\r\n");
  const std::string got = read_to_end(socket);
  EXPECT_EQ(got, "") << "closed, not answered";
  EXPECT_NE(talk("GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").find("GET /alive"), std::string::npos);
}

TEST_F(ServerTest, BeyondTheCapAConnectionIsTurnedAway) {
  Limits limits;
  limits.connections_max = 1;
  start(limits);
  tcp::socket first = connect();
  send(first, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  std::string some(12, '\0');
  asio::read(first, asio::buffer(some));
  tcp::socket second = connect();
  const std::string got = read_to_end(second);
  EXPECT_EQ(status_line(got), "HTTP/1.1 503 Service Unavailable");
  EXPECT_NE(got.find("Retry-After: "), std::string::npos);
}

TEST_F(ServerTest, StoppingFinishesWhatIsBeingHandled) {
  start();
  tcp::socket socket = connect();
  send(socket, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  echo.waiting.get_future().wait();
  auto stopped = asio::co_spawn(io, server->stop(std::chrono::seconds(30)), asio::use_future);
  asio::post(io, [this] { echo.release.notify_all(); });
  const std::string got = read_to_end(socket);
  EXPECT_EQ(status_line(got), "HTTP/1.1 200 OK");
  EXPECT_NE(got.find("Connection: close"), std::string::npos);
  stopped.get();
}

TEST_F(ServerTest, StoppingClosesIdleConnections) {
  start();
  tcp::socket socket = connect();
  send(socket, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  std::string some(12, '\0');
  asio::read(socket, asio::buffer(some));
  stop(std::chrono::hours(1));
  EXPECT_NE(read_to_end(socket).find("GET /1"), std::string::npos);
  EXPECT_EQ(on_server([this] { return server->connections(); }), 0u);
}

TEST_F(ServerTest, StoppingGivesUpOnWhatOutlivesTheGrace) {
  start();
  tcp::socket socket = connect();
  send(socket, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  echo.waiting.get_future().wait();
  stop(std::chrono::seconds(0));
  EXPECT_EQ(read_to_end(socket), "");
  EXPECT_EQ(on_server([this] { return server->connections(); }), 0u);
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

}  // namespace
}  // namespace acceptd::http
