/// Against a real server on a loopback port: what misbehaving backends do to a provider.

#include "fixture.hpp"

namespace acceptd::providers::http_backend {
namespace {

using engine::Observation;
using model::RequestKind;
using Answer = engine::Submission::Answer;
using Kind = engine::Observation::Kind;
using ::testing::HasSubstr;

const std::string kOnce = kApi + kProbe + "calls: {read_attempts: 1, answer_bytes_max: 4096, request_timeout: 100ms}\n";

struct BadBackends : LoopbackTest {
  BadBackends() { describe(kOnce); }
  engine::Submission create() { return run(backend->submit(target(RequestKind::create))); }
  Observation look() { return run(backend->observe(target(RequestKind::update))); }
};

TEST_F(BadBackends, AGoodOneFirst) {
  say(202, R"({"id":"i-7","status":"queued"})");
  EXPECT_EQ(create().answer, Answer::accepted);
  EXPECT_EQ(requests.at(0).path, "/v2/widgets");
  EXPECT_EQ(requests.at(0).headers.get("Idempotency-Key"), kOperation);
  say(200, R"({"status":"ready"})");
  EXPECT_EQ(look().status, model::Status::succeeded);
}

TEST_F(BadBackends, OneThatAnswersGarbage) {
  for (const std::string body : {"<html><body>It works!</body></html>", "\xff\xfe\x01", "{\"status\":\"ready\"", "null"}) {
    say(200, body);
    EXPECT_EQ(create().answer, Answer::unknown) << body;
    EXPECT_EQ(look().kind, Kind::unexpected) << body;
    EXPECT_FALSE(run(backend->search(target(RequestKind::create))).available) << body;
  }
}

TEST_F(BadBackends, OneThatAnswersMoreThanCanBeTaken) {
  say(200, R"({"id":"i-7","status":"ready","x":")" + std::string(5000, 'x') + "\"}");
  EXPECT_EQ(create().answer, Answer::unknown);
  EXPECT_EQ(look().kind, Kind::unavailable);
}

TEST_F(BadBackends, OneThatSendsElsewhere) {
  for (const unsigned status : {301u, 302u, 303u, 307u, 308u}) {
    say(status, R"({"id":"i-7","status":"ready"})");
    answer.headers.add("Location", "http://127.0.0.1:" + std::to_string(server->port()) + "/elsewhere");
    const std::size_t before = requests.size();
    EXPECT_EQ(create().answer, Answer::unknown) << status;
    EXPECT_EQ(look().kind, Kind::unexpected) << status;
    EXPECT_EQ(requests.size(), before + 2) << "a redirect is not followed";
  }
}

TEST_F(BadBackends, OneThatNeverAnswers) {
  silent = true;
  EXPECT_EQ(create().answer, Answer::unknown);
  EXPECT_EQ(look().kind, Kind::unavailable);
  release.notify_all();
}

TEST_F(BadBackends, OneThatClosesTheConnection) {
  say(http::Response::kDropConnection, "");
  EXPECT_EQ(create().answer, Answer::unknown);
  EXPECT_EQ(look().kind, Kind::unavailable);
}

TEST_F(BadBackends, OneThatIsNotThere) {
  Spec spec = spec_of(kOnce);  // port 1: nobody listens
  Calls::Dependencies dependencies{http::make_client(io.get_executor(), client_options(spec), clock), clock, random, log};
  backend = make_provider(std::move(spec), std::move(dependencies));
  EXPECT_EQ(create().answer, Answer::unavailable) << "certainly not carried out";
  EXPECT_EQ(look().kind, Kind::unavailable);
}

TEST_F(BadBackends, OneThatDoesNotKnowUs) {
  for (const unsigned status : {401u, 403u}) {
    say(status, "");
    EXPECT_EQ(create().answer, Answer::unavailable);
    EXPECT_EQ(look().kind, Kind::unavailable) << "the operation waits and its deadline stands still";
  }
  EXPECT_THAT(log.events, ::testing::ElementsAre("http_backend.credentials_refused"));
}

TEST_F(BadBackends, OneThatForgotTheObject) {
  say(404, R"({"error":{"code":"NOT_FOUND"}})");
  EXPECT_EQ(look().kind, Kind::gone);
  EXPECT_EQ(run(backend->submit(target(RequestKind::remove))).answer, Answer::gone);
}

TEST_F(BadBackends, OneThatWasReplacedByAVersionWithOtherFields) {
  say(200, R"({"identifier":"i-7","state":{"phase":"ready"}})");
  EXPECT_EQ(create().answer, Answer::unknown);
  const Observation observation = look();
  EXPECT_EQ(observation.kind, Kind::unexpected);
  EXPECT_THAT(observation.summary, HasSubstr("no state at /status"));
}

TEST_F(BadBackends, OneWithANewState) {
  say(200, R"({"status":"hibernating"})");
  const Observation observation = look();
  EXPECT_EQ(observation.kind, Kind::unexpected);
  EXPECT_THAT(observation.summary, HasSubstr("unknown state \"hibernating\""));
}

TEST_F(BadBackends, OneWithAPercentageThatIsNone) {
  for (const std::string percent : {"\"half\"", "null", "{}"}) {
    say(200, R"({"status":"building","progress":)" + percent + "}");
    EXPECT_EQ(look().percent, std::nullopt) << percent;
  }
  say(200, R"({"status":"building","progress":1e6})");
  EXPECT_EQ(look().percent, 100);
  say(200, R"({"status":"building","progress":-3})");
  EXPECT_EQ(look().percent, 0);
}

}  // namespace
}  // namespace acceptd::providers::http_backend
