#include "providers/cluster_service/connection.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "fake_backend.hpp"
#include "model/json.hpp"

namespace acceptd::providers::cluster_service {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct ConnectionTest : BackendTest {
  ConnectionTest() {
    limits = ConnectionOptions{};
    limits.backoff_jitter = 0;
    limits.breaker_failures = 100;
  }
  runtime::Task<Reply> get() { return connection().read("/x", "c-1"); }
  runtime::Task<Reply> post() { return connection().write(http::Method::post, "/x", parsed("{}"), "c-1"); }
};

TEST_F(ConnectionTest, SendsWhatTheCallSays) {
  client.answer(201, R"({"id":"a"})");
  const Reply reply = run(connection().write(http::Method::post, "/x?y=z", parsed(R"({"a":1})"), "c-1"));
  EXPECT_TRUE(reply.ok());
  EXPECT_EQ(at(reply.body, "/id"), "a");
  ASSERT_EQ(client.requests.size(), 1u);
  const http::ClientRequest& request = client.requests[0];
  EXPECT_EQ(request.method, http::Method::post);
  EXPECT_EQ(request.target, "/x?y=z");
  EXPECT_EQ(request.body, R"({"a":1})");
  EXPECT_EQ(request.headers.get("Content-Type"), "application/json");
  EXPECT_EQ(request.headers.get("X-Request-ID"), "c-1");
  EXPECT_EQ(request.timeout, limits.request_timeout);
}

TEST_F(ConnectionTest, DoesNotPassOnACorrelationIdThatIsUnfitForAHeader) {
  for (const std::string& id : {std::string("a\r\nX-Evil: 1"), std::string(200, 'a'), std::string(), std::string("\xc3\xa9")}) {
    client.answer(200, "{}");
    run(connection().read("/x", id));
    EXPECT_EQ(client.requests.back().headers.get("X-Request-ID"), std::nullopt);
  }
}

TEST_F(ConnectionTest, ReadsAreTriedAgainWithDoublingPauses) {
  limits.read_attempts_max = 4;
  client.fail(http::Failure::unknown).answer(500).fail(http::Failure::not_sent).answer(200, "{}");
  std::optional<Reply> reply;
  start(get(), reply);
  clock.advance(100ms - 1ns);
  EXPECT_EQ(client.requests.size(), 1u);
  clock.advance(1ns);
  EXPECT_EQ(client.requests.size(), 2u);
  clock.advance(200ms);
  EXPECT_EQ(client.requests.size(), 3u);
  clock.advance(400ms);
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->ok());
  EXPECT_EQ(connection().figures().retries, 3u);
}

TEST_F(ConnectionTest, PausesAreCappedAndAttemptsBounded) {
  limits.read_attempts_max = 4;
  limits.backoff_first = 1s;
  limits.backoff_max = 1500ms;
  for (int i = 0; i < 4; ++i) client.answer(503);
  EXPECT_TRUE(run(get()).is(503));
  EXPECT_EQ(client.requests.size(), 4u);
  EXPECT_EQ(clock.monotonic() - testing::SimClock::kMonotonicStart, 1s + 1500ms + 1500ms);
}

TEST_F(ConnectionTest, PausesAreSpreadByTheJitter) {
  limits.backoff_jitter = 0.5;
  limits.backoff_first = 1s;
  std::vector<runtime::Duration> pauses;
  for (int i = 0; i < 20; ++i) {
    client.answer(500).answer(200, "{}");
    const auto before = clock.monotonic();
    run(get());
    pauses.push_back(clock.monotonic() - before);
    EXPECT_GE(pauses.back(), 500ms);
    EXPECT_LE(pauses.back(), 1500ms);
  }
  EXPECT_GT(*std::ranges::max_element(pauses), *std::ranges::min_element(pauses));
}

TEST_F(ConnectionTest, AReadThatSaysWhenToComeBackIsLeftToTheCaller) {
  client.answer_retry_after(429, "7");
  const Reply reply = run(get());
  EXPECT_TRUE(reply.is(429));
  EXPECT_TRUE(reply.retry_after);
  EXPECT_EQ(client.requests.size(), 1u);
}

TEST_F(ConnectionTest, RefusalsAreNotTriedAgain) {
  for (const unsigned status : {400u, 401u, 403u, 404u, 409u}) {
    client.answer(status);
    EXPECT_TRUE(run(get()).is(status));
  }
  EXPECT_EQ(client.requests.size(), 5u);
}

TEST_F(ConnectionTest, WritesAreSentOnce) {
  client.fail(http::Failure::unknown).fail(http::Failure::not_sent).answer(500);
  EXPECT_EQ(run(post()).kind, Reply::Kind::unknown);
  EXPECT_EQ(run(post()).kind, Reply::Kind::not_sent);
  EXPECT_TRUE(run(post()).is(500));
  EXPECT_EQ(client.requests.size(), 3u);
}

TEST_F(ConnectionTest, NoMoreCallsAreInFlightThanAllowed) {
  limits.concurrency = 3;
  std::vector<std::optional<Reply>> replies(10);
  for (auto& reply : replies) {
    client.answer(200, "{}", 1s);
    start(get(), reply);
  }
  clock.run_until_idle();
  EXPECT_EQ(client.requests.size(), 3u);
  EXPECT_EQ(connection().figures().waiting, 7u);
  clock.advance(4s);
  EXPECT_EQ(client.in_flight_max, 3u);
  for (const auto& reply : replies) EXPECT_TRUE(reply && reply->ok());
}

TEST_F(ConnectionTest, ACallThatWaitedTooLongIsNotMade) {
  limits.concurrency = 1;
  limits.request_timeout = 2s;
  std::optional<Reply> first, second;
  client.answer(200, "{}", 2s);
  start(get(), first);
  start(post(), second);
  clock.advance(2s);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->kind, Reply::Kind::not_sent);
  EXPECT_EQ(client.requests.size(), 1u);
  EXPECT_EQ(connection().figures().in_flight, 0u);
}

TEST_F(ConnectionTest, ACallBeyondTheQueueFailsAtOnce) {
  limits.concurrency = 1;
  limits.waiting_max = 1;
  std::optional<Reply> first, second, third;
  client.answer(200, "{}", 1s).answer(200, "{}", 1s);
  start(post(), first);
  start(post(), second);
  start(post(), third);
  clock.run_until_idle();
  ASSERT_TRUE(third);
  EXPECT_EQ(third->kind, Reply::Kind::not_sent);
  clock.advance(2s);
  EXPECT_TRUE(second && second->ok());
}

TEST_F(ConnectionTest, AfterFailuresInARowNothingIsSentUntilAProbeSucceeds) {
  limits.breaker_failures = 3;
  limits.breaker_open_for = 10s;
  client.answer(500).fail(http::Failure::unknown).answer(429);
  for (int i = 0; i < 3; ++i) run(post());
  EXPECT_TRUE(connection().figures().open);

  EXPECT_EQ(run(post()).kind, Reply::Kind::not_sent);
  EXPECT_EQ(client.requests.size(), 3u);

  clock.advance(10s);
  std::optional<Reply> probe, other;
  client.answer(404, "", 1s);
  start(post(), probe);
  start(post(), other);
  clock.run_until_idle();
  EXPECT_EQ(client.requests.size(), 4u) << "only the probe";
  ASSERT_TRUE(other);
  EXPECT_EQ(other->kind, Reply::Kind::not_sent);
  clock.advance(1s);
  EXPECT_FALSE(connection().figures().open) << "a refusal is an answer too";
  client.answer(200, "{}");
  EXPECT_TRUE(run(post()).ok());
}

TEST_F(ConnectionTest, AnOpenBreakerEndsTheRetriesOfARead) {
  limits.breaker_failures = 2;
  limits.read_attempts_max = 5;
  client.answer(500).answer(500);
  EXPECT_TRUE(run(get()).is(500));
  EXPECT_EQ(client.requests.size(), 2u);
}

TEST_F(ConnectionTest, ACancelledCallGivesItsTurnBack) {
  limits.concurrency = 1;
  client.answer(200, "{}", 1h).answer(200, "{}");
  asio::cancellation_signal signal;
  asio::co_spawn(io, get(), asio::bind_cancellation_slot(signal.slot(), [](std::exception_ptr, Reply) {}));
  clock.run_until_idle();
  EXPECT_EQ(connection().figures().in_flight, 1u);
  signal.emit(asio::cancellation_type::terminal);
  clock.run_until_idle();
  EXPECT_EQ(connection().figures().in_flight, 0u);
  EXPECT_TRUE(run(get()).ok());
}

TEST_F(ConnectionTest, ABodyThatCannotBeReadIsNoBody) {
  const std::string huge = "{\"a\":\"" + std::string(5 * 1024 * 1024, 'x') + "\"}";
  const std::string deep(100, '[');
  for (const std::string& body : {std::string("<html>"), std::string("{\"a\":1,\"a\":2}"), std::string("{"), huge, deep,
                                  std::string("{\"a\":\"\xff\"}"), std::string("\0", 1)}) {
    client.answer(200, body);
    const Reply reply = run(get());
    EXPECT_TRUE(reply.is(200));
    EXPECT_FALSE(reply.readable);
    EXPECT_TRUE(reply.body.is_null());
  }
}

RC_GTEST_PROP(ConnectionProperty, AnyBytesAreReadWithoutAnException, (const std::string& body)) {
  struct Case : BackendTest {
    void TestBody() override {}
  } backend;
  backend.client.answer(200, body);
  const Reply reply = backend.run(backend.connection().read("/x", ""));
  RC_ASSERT(reply.is(200));
  RC_ASSERT(reply.readable == model::parse_json(body).has_value());
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
