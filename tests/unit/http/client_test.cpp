/// The client against the server, and against peers that misbehave.

#include "http/client.hpp"

#include <boost/asio/read_until.hpp>

#include "loopback.hpp"

namespace acceptd::http {
namespace {

struct ClientTest : ServerTest {
  using Answer = std::expected<Response, ClientError>;
  std::future<Answer> begin(Client& client, ClientRequest request) {
    return asio::co_spawn(io, client.send(std::move(request)), asio::use_future);
  }
  Answer send(Client& client, ClientRequest request) { return begin(client, std::move(request)).get(); }
  std::unique_ptr<Client> client(std::size_t bytes_max = 1 << 20) {
    return make_client(io.get_executor(), ClientOptions{.url = origin(), .response_bytes_max = bytes_max}, clock);
  }
  std::string origin() const { return "http://127.0.0.1:" + std::to_string(server->port()); }
};

TEST_F(ClientTest, SendsAndKeepsTheConnection) {
  start();
  const auto http = client();
  for (int i = 0; i < 3; ++i) {
    const auto answer = send(*http, ClientRequest{.method = Method::post, .target = "/x", .body = "hello"});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "POST /x hello");
  }
  EXPECT_EQ(on_server([this] { return server->connections(); }), 1u);
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

TEST_F(ClientTest, WhoeverWaitsForAConnectionIsServedInOrder) {
  start();
  const auto http = make_client(io.get_executor(), ClientOptions{.url = origin(), .connections_max = 1}, clock);
  auto first = begin(*http, ClientRequest{.target = "/wait"});
  echo.waiting.get_future().wait();
  const auto impatient = send(*http, ClientRequest{.target = "/x", .timeout = std::chrono::milliseconds(1)});
  ASSERT_FALSE(impatient);
  EXPECT_EQ(impatient.error().failure, Failure::not_sent);
  std::vector<std::future<Answer>> waiting;
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) {
    auto noted = [&, i]() -> runtime::Task<Answer> {
      Answer answer = co_await http->send(ClientRequest{.target = "/x"});
      order.push_back(i);
      co_return answer;
    };
    waiting.push_back(asio::co_spawn(io, std::move(noted), asio::use_future));
  }
  asio::post(io, [this] { echo.release.notify_all(); });
  EXPECT_TRUE(first.get());
  for (auto& answer : waiting) EXPECT_TRUE(answer.get());
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST_F(ClientTest, ATargetThatWouldBreakTheRequestLineIsNotSent) {
  start();
  const auto http = client();
  for (const char* target : {"/a b", "/a\r\nX: y", ""}) {
    const auto answer = send(*http, ClientRequest{.target = target});
    ASSERT_FALSE(answer) << target;
    EXPECT_EQ(answer.error().failure, Failure::not_sent);
  }
}

TEST_F(ClientTest, AHeadAnswerHasNoBody) {
  start();
  const auto http = client();
  for (int i = 0; i < 2; ++i) {
    const auto answer = send(*http, ClientRequest{.method = Method::head, .target = "/x"});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "");
    EXPECT_EQ(answer->headers.get("content-length"), "8");
  }
  EXPECT_EQ(on_server([this] { return server->connections(); }), 1u);
}

/// A peer that follows a script: for each connection in turn, for each request what to answer; then it closes.
class Peer {
 public:
  using Script = std::vector<std::vector<std::string>>;
  explicit Peer(Script script) : script_(std::move(script)), thread_([this] { run(); }) {}
  ~Peer() { thread_.join(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Returns once the first connection is closed.
  void wait_closed() { closed_.get_future().wait(); }

 private:
  void run() {
    for (std::size_t i = 0; i < script_.size(); ++i) {
      {
        tcp::socket socket = acceptor_.accept();
        for (const std::string& answer : script_[i]) {
          std::string request;
          boost::system::error_code gone;
          asio::read_until(socket, asio::dynamic_buffer(request), "\r\n\r\n", gone);
          if (gone) break;
          asio::write(socket, asio::buffer(answer), gone);
        }
      }
      if (i == 0) closed_.set_value();
    }
  }

  asio::io_context io_;
  tcp::acceptor acceptor_{io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  std::uint16_t port_ = acceptor_.local_endpoint().port();
  Script script_;
  std::promise<void> closed_;
  std::thread thread_;
};

constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
constexpr const char* kNothing = "";

TEST_F(ClientTest, APeerThatClosesWithoutAnAnswerLeavesTheOutcomeUnknown) {
  start();
  for (const std::string cut :
       {"", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", "nonsense\r\n\r\n"}) {
    Peer peer({{cut}});
    const auto http = make_client(io.get_executor(), ClientOptions{.url = peer.url()}, clock);
    const auto answer = send(*http, ClientRequest{.target = "/"});
    ASSERT_FALSE(answer) << cut;
    EXPECT_EQ(answer.error().failure, Failure::unknown) << cut;
  }
}

TEST_F(ClientTest, AConnectionClosedWhileIdleIsReplaced) {
  start();
  Peer peer({{kOk}, {kOk}});
  const auto http = make_client(io.get_executor(), ClientOptions{.url = peer.url()}, clock);
  EXPECT_TRUE(send(*http, ClientRequest{.target = "/"}));
  peer.wait_closed();
  EXPECT_TRUE(send(*http, ClientRequest{.method = Method::post, .target = "/", .body = "x"}));
}

TEST_F(ClientTest, ALostKeepAliveRequestIsSentAgainIfItsMethodAllows) {
  start();
  Peer peer({{kOk, kNothing}, {kOk}});
  const auto http = make_client(io.get_executor(), ClientOptions{.url = peer.url()}, clock);
  EXPECT_TRUE(send(*http, ClientRequest{.target = "/"}));
  EXPECT_TRUE(send(*http, ClientRequest{.method = Method::put, .target = "/", .body = "x"}));
}

TEST_F(ClientTest, ALostPostIsNotSentAgain) {
  start();
  Peer peer({{kOk, kNothing}});
  const auto http = make_client(io.get_executor(), ClientOptions{.url = peer.url()}, clock);
  EXPECT_TRUE(send(*http, ClientRequest{.target = "/"}));
  const auto answer = send(*http, ClientRequest{.method = Method::post, .target = "/", .body = "x"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().failure, Failure::unknown);
}

TEST_F(ClientTest, ARequestLostTwiceIsOfUnknownOutcome) {
  start();
  Peer peer({{kOk, kNothing}, {kNothing}});
  const auto http = make_client(io.get_executor(), ClientOptions{.url = peer.url()}, clock);
  EXPECT_TRUE(send(*http, ClientRequest{.target = "/"}));
  const auto answer = send(*http, ClientRequest{.target = "/"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().failure, Failure::unknown);
}

TEST_F(ClientTest, ReadsEveryFramingOfAnAnswer) {
  start();
  for (const std::string& text :
       {std::string(kOk), std::string("HTTP/1.1 100 Continue\r\n\r\n") + kOk,
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\n\r\nok")}) {
    Peer peer({{text}});
    const auto http = make_client(io.get_executor(), ClientOptions{.url = peer.url()}, clock);
    const auto answer = send(*http, ClientRequest{.target = "/"});
    ASSERT_TRUE(answer) << answer.error().reason;
    EXPECT_EQ(answer->body, "ok");
  }
}

TEST_F(ClientTest, ABadOriginIsRefusedAtOnce) {
  start();
  for (const char* url : {"", "127.0.0.1:80", "http://h/path", "ftp://h"})
    EXPECT_THROW(make_client(io.get_executor(), ClientOptions{.url = url}, clock), std::runtime_error) << url;
}

}  // namespace
}  // namespace acceptd::http
