/// Retries, breaker, credentials: all in virtual time.

#include "providers/http_backend/calls.hpp"

#include "fixture.hpp"

namespace acceptd::providers::http_backend {
namespace {

using namespace std::chrono_literals;
using model::RequestKind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = engine::Observation::Kind;

const std::string kReady = R"({"status":"ready"})";

struct CallsTest : ScriptedTest {
  Kind look() { return run(backend().observe(target(RequestKind::update))).kind; }
};

TEST_F(CallsTest, ReadsAreTriedAgainWithGrowingPauses) {
  api = kApi + "calls: {read_attempts: 4, backoff_first: 100ms, backoff_max: 250ms}\n";
  fail(http::Failure::unknown).answer(500).fail(http::Failure::not_sent).answer(200, kReady);
  EXPECT_EQ(look(), Kind::state);
  EXPECT_EQ(requests.size(), 4u);
  EXPECT_EQ(backend().figures().retries, 3u);
  const auto passed = clock.monotonic() - testing::SimClock::kMonotonicStart;
  EXPECT_GE(passed, (100ms + 200ms + 250ms) * 8 / 10);
  EXPECT_LE(passed, (100ms + 200ms + 250ms) * 12 / 10);
}

TEST_F(CallsTest, AttemptsAreBoundedAndEndWhenTheBackendSaysWhen) {
  api = kApi + "calls: {read_attempts: 2}\n";
  answer(500).answer(500);
  EXPECT_EQ(look(), Kind::unavailable);
  answer(429, "", "7");
  EXPECT_EQ(look(), Kind::unavailable);
}

TEST_F(CallsTest, WritesAreSentOnce) {
  api = kApi;
  fail(http::Failure::unknown);
  run(backend().submit(target(RequestKind::create)));
  EXPECT_EQ(requests.size(), 1u);
}

TEST_F(CallsTest, ABackendThatFailsIsLeftAloneForAWhile) {
  api = kApi + "calls: {read_attempts: 1, breaker_failures: 3, breaker_open_for: 5s}\n";
  for (int i = 0; i < 3; ++i) fail(http::Failure::unknown);
  for (int i = 0; i < 3; ++i) look();
  EXPECT_TRUE(backend().figures().open);
  EXPECT_EQ(look(), Kind::unavailable);
  EXPECT_EQ(requests.size(), 3u);
  EXPECT_EQ(backend().figures().refused, 1u);
  clock.advance(5s);
  answer(200, kReady);
  EXPECT_EQ(look(), Kind::state);
  EXPECT_FALSE(backend().figures().open);
}

TEST_F(CallsTest, CredentialsAreSentAndReadAgainWhenTheFileChanges) {
  TemporaryFile token("first\n");
  api += "credentials: {file: " + token.path() + "}\n";
  answer(200, kReady).answer(200, kReady).answer(200, kReady);
  look();
  EXPECT_EQ(requests.back().headers.get("Authorization"), "Bearer first");
  token.write("second");
  clock.advance(1s);
  look();
  EXPECT_EQ(requests.back().headers.get("Authorization"), "Bearer second");
  token.remove();
  clock.advance(1s);
  look();
  EXPECT_EQ(requests.back().headers.get("Authorization"), "Bearer second") << "the last good one stays";
}

TEST_F(CallsTest, CredentialsMayGoIntoAnyHeader) {
  TemporaryFile key("k-1");
  api += "credentials: {file: " + key.path() + ", as: header, header: X-Api-Key}\n";
  answer(200, kReady);
  look();
  EXPECT_EQ(requests.back().headers.get("X-Api-Key"), "k-1");
  EXPECT_EQ(requests.back().headers.get("Authorization"), std::nullopt);
}

TEST_F(CallsTest, WithoutCredentialsNothingIsSentAndOperatorsAreTold) {
  TemporaryFile token("a\nb");
  api += "credentials: {file: " + token.path() + "}\n";
  EXPECT_EQ(look(), Kind::unavailable);
  const auto submission = run(backend().submit(target(RequestKind::create)));
  EXPECT_EQ(submission.answer, engine::Submission::Answer::unavailable);
  EXPECT_THAT(submission.summary, HasSubstr("no credentials"));
  EXPECT_THAT(log.events, ElementsAre("http_backend.no_credentials")) << "once, not for every call";
  token.write("good");
  clock.advance(1s);
  answer(200, kReady);
  EXPECT_EQ(look(), Kind::state);
}

TEST_F(CallsTest, RefusedCredentialsAreToldOnceAndNeverShown) {
  TemporaryFile token("hush-hush");
  api += "credentials: {file: " + token.path() + "}\n";
  answer(401, "hush-hush").answer(403).answer(200, kReady).answer(401);
  EXPECT_EQ(look(), Kind::unavailable);
  EXPECT_EQ(look(), Kind::unavailable);
  EXPECT_EQ(look(), Kind::state);
  EXPECT_EQ(look(), Kind::unavailable);
  EXPECT_THAT(log.events, ElementsAre("http_backend.credentials_refused", "http_backend.credentials_accepted",
                                      "http_backend.credentials_refused"));
  EXPECT_THAT(log.text, Not(HasSubstr("hush")));
  EXPECT_EQ(backend().figures().unauthorized, 3u);
}

TEST(SecretFile, SaysWhatIsWrongWithoutShowingIt) {
  boost::asio::io_context io;
  testing::SimClock clock(io);
  for (const std::string& text :
       {std::string(), std::string(" \n"), std::string("a\nsecret"), std::string("s\xc3\xa9"), std::string(20'000, 's')}) {
    TemporaryFile file(text);
    SecretFile secret(file.path(), clock);
    ASSERT_FALSE(secret.get()) << text;
    EXPECT_THAT(secret.get().error(), HasSubstr(file.path()));
    EXPECT_THAT(secret.get().error(), Not(HasSubstr("asecret")));
  }
  SecretFile missing("/nowhere/at/all", clock);
  EXPECT_THAT(missing.get().error(), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace acceptd::providers::http_backend
