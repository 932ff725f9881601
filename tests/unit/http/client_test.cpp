/// The client against the server, and against peers that misbehave.

#include "http/client.hpp"

#include "loopback.hpp"

namespace acceptd::http {
namespace {

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
