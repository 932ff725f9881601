// The simulator as its callers meet it: over a loopback socket.

#include <boost/asio/co_spawn.hpp>
#include <functional>

#include "apps/cluster-service-sim/simulator/serve.hpp"
#include "http/client.hpp"
#include "http/server.hpp"
#include "runtime/json_log.hpp"
#include "runtime/system_clock.hpp"
#include "unit/cluster_service_sim/fixture.hpp"

namespace acceptd::simulator::testing {
namespace {

using Exchange = std::expected<http::Response, http::ClientError>;

class HttpTest : public SimulatorTest {
 protected:
  /// Runs `story` as the only client; returns when it and the server have ended.
  void run(std::function<runtime::Task<void>()> story) {
    http::Server server(io_.get_executor(), http::ListenOptions(), make_handler(*simulator_, system_clock_), make_refuse(),
                        {system_clock_, log_});
    server.start();
    http::ClientOptions options;
    options.url = "http://127.0.0.1:" + std::to_string(server.port());
    client_ = http::make_client(io_.get_executor(), options, system_clock_);
    const auto play = [&]() -> runtime::Task<void> {
      co_await story();
      client_.reset();
      co_await server.stop(std::chrono::seconds(5));
    };
    std::exception_ptr failure;
    const auto ended = [&failure](std::exception_ptr error) { failure = error; };
    boost::asio::co_spawn(io_, play(), ended);
    io_.restart();
    io_.run();
    if (failure) std::rethrow_exception(failure);
  }
  runtime::Task<Exchange> exchange(http::Method method, std::string target, json::value body = nullptr) {
    http::ClientRequest request;
    request.method = method;
    request.target = std::move(target);
    if (!body.is_null()) request.body = json::serialize(body);
    co_return co_await client_->send(std::move(request));
  }
  runtime::Task<json::value> read(std::string target) {
    const Exchange answer = co_await exchange(http::Method::get, std::move(target));
    EXPECT_TRUE(answer.has_value());
    EXPECT_EQ(answer->status, 200U) << answer->body;
    co_return json::parse(answer->body);
  }
  runtime::Task<void> order(json::object rule) {
    json::object script{{"rules", json::array{std::move(rule)}}};
    const Exchange answer = co_await exchange(http::Method::post, "/simulator/script", std::move(script));
    EXPECT_EQ(answer->status, 200U);
  }

  runtime::Task<void> advance(int seconds) {
    json::object body{{"seconds", seconds}};
    const Exchange answer = co_await exchange(http::Method::post, "/simulator/advance", std::move(body));
    EXPECT_EQ(answer->status, 200U);
  }

  runtime::SystemClock system_clock_;
  runtime::JsonLog log_{STDERR_FILENO, runtime::Level::warn, system_clock_};
  std::unique_ptr<http::Client> client_;
};

TEST_F(HttpTest, CreatesSearchesAndRemoves) {
  run([this]() -> runtime::Task<void> {
    const Exchange created = co_await exchange(http::Method::post, kClusters, cluster_body("one"));
    EXPECT_EQ(created->status, 201U);
    EXPECT_EQ(created->headers.get("X-Simulator"), "cluster-service-sim");
    const std::string href = json::parse(created->body).at("href").as_string().c_str();
    co_await advance(10);
    const json::value found = co_await read(kClusters + "?search=azure.resource_name%20%3D%20%27one%27&page=1");
    EXPECT_EQ(found.at("items").at(0).at("status").at("state"), "ready");
    const Exchange removed = co_await exchange(http::Method::remove, href);
    EXPECT_EQ(removed->status, 204U);
    co_await advance(4);
    const Exchange gone = co_await exchange(http::Method::get, href + "/status");
    EXPECT_EQ(gone->status, 404U);
  });
}

TEST_F(HttpTest, DropsTheReplyAfterTheWork) {
  run([this]() -> runtime::Task<void> {
    co_await order({{"action", "drop_reply_after_work"}, {"method", "POST"}, {"route", "/clusters"}, {"count", 1}});
    const Exchange lost = co_await exchange(http::Method::post, kClusters, cluster_body("one"));
    EXPECT_FALSE(lost.has_value());
    const json::value list = co_await read(kClusters);
    EXPECT_EQ(list.at("total"), 1);
    const Exchange again = co_await exchange(http::Method::post, kClusters, cluster_body("one"));
    EXPECT_EQ(again->status, 409U);
  });
}

TEST_F(HttpTest, DropsTheCallBeforeTheWork) {
  run([this]() -> runtime::Task<void> {
    co_await order({{"action", "drop_before_work"}, {"method", "POST"}, {"route", "/clusters"}, {"count", 1}});
    const Exchange lost = co_await exchange(http::Method::post, kClusters, cluster_body("one"));
    EXPECT_FALSE(lost.has_value());
    const json::value list = co_await read(kClusters);
    EXPECT_EQ(list.at("total"), 0);
  });
}

TEST_F(HttpTest, WordsRefusalsOfTheServerAsItsOwn) {
  run([this]() -> runtime::Task<void> {
    const Exchange refused = co_await exchange(http::Method::get, kClusters + "/%2e%2e/x");
    EXPECT_EQ(refused->status, 400U);
    const json::value body = json::parse(refused->body);
    EXPECT_EQ(body.at("kind"), "Error");
  });
}

}  // namespace
}  // namespace acceptd::simulator::testing
