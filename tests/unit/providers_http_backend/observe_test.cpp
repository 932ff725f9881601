/// What the backend says of its work, and how objects are found again.

#include "fixture.hpp"
#include "providers/http_backend/answers.hpp"

namespace acceptd::providers::http_backend {
namespace {

using engine::Observation;
using model::RequestKind;
using model::Status;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Kind = engine::Observation::Kind;

struct ObserveTest : ScriptedTest {
  Observation observe(RequestKind request = RequestKind::update) { return run(backend().observe(target(request))); }
};

TEST_F(ObserveTest, TellsStateProgressAndWhatItSees) {
  answer(200, R"({"status":"building","progress":41.5,"phase":"disks","note":"2 of 5","endpoint":"https://w1"})");
  const Observation observation = observe();
  EXPECT_EQ(observation.kind, Kind::state);
  EXPECT_EQ(observation.status, Status::provisioning);
  EXPECT_EQ(observation.percent, 41.5);
  EXPECT_EQ(observation.step, "disks");
  EXPECT_EQ(observation.message, "2 of 5");
  EXPECT_EQ(observation.observed, (json::object{{"address", "https://w1"}}));
  EXPECT_EQ(requests.at(0).target, "/v2/widgets/i-7");
  EXPECT_EQ(requests.at(0).method, http::Method::get);
}

TEST_F(ObserveTest, WhatIsObservedHasABound) {
  const std::size_t around = json::serialize(json::object{{"address", ""}}).size();
  for (const std::size_t over : {0U, 1U}) {
    answer(200,
           json::serialize(json::object{{"status", "ready"}, {"endpoint", std::string(kObservedBytesMax - around + over, 'x')}}));
    const Observation observation = observe();
    EXPECT_EQ(observation.status, Status::succeeded);
    EXPECT_EQ(observation.observed.empty(), over == 1) << over;
    EXPECT_EQ(observation.summary.find("dropped") != std::string::npos, over == 1) << observation.summary;
  }
}

TEST_F(ObserveTest, StatesMeanWhatTheMapSays) {
  for (const auto& [state, status] :
       {std::pair("queued", Status::accepted), std::pair("changing", Status::updating), std::pair("leaving", Status::deleting),
        std::pair("ready", Status::succeeded), std::pair("broken", Status::failed), std::pair("stopped", Status::canceled)}) {
    answer(200, json::serialize(json::object{{"status", state}}));
    const Observation observation = observe();
    EXPECT_EQ(observation.kind, Kind::state);
    EXPECT_EQ(observation.status, status) << state;
    EXPECT_EQ(observation.error.has_value(), status == Status::failed || status == Status::canceled) << state;
  }
  answer(200, R"({"status":"removed"})");
  EXPECT_EQ(observe(RequestKind::remove).kind, Kind::gone);
}

TEST_F(ObserveTest, AFailureIsToldAsTheMapSays) {
  answer(200, R"({"status":"broken","error":{"code":"DISK","text":"sdb is on fire"}})");
  EXPECT_EQ(observe().error->message, "A disk could not be made.");
  answer(200, R"({"status":"broken","error":{"code":"E17","text":"host 10.0.0.3"}})");
  const Observation observation = observe();
  EXPECT_EQ(observation.error->code, "BackendFailed");
  EXPECT_THAT(observation.error->message, ::testing::Not(HasSubstr("10.0.0.3")));
}

TEST_F(ObserveTest, WhatCannotBeReadIsUnexpected) {
  for (const std::string body : {"", "<html>", "{}", "[]", R"({"status":{}})", R"({"status":"odd"})", R"({"state":"ready"})"}) {
    answer(200, body);
    const Observation observation = observe();
    EXPECT_EQ(observation.kind, Kind::unexpected) << body;
    EXPECT_NE(observation.summary, "200") << body;
  }
}

TEST_F(ObserveTest, AnswersThatAreNoStates) {
  for (const auto& [status, kind] :
       {std::pair(404u, Kind::gone), std::pair(410u, Kind::gone), std::pair(401u, Kind::unavailable),
        std::pair(403u, Kind::unavailable), std::pair(429u, Kind::unavailable), std::pair(500u, Kind::unavailable),
        std::pair(302u, Kind::unexpected), std::pair(400u, Kind::unexpected)}) {
    answer(status);
    EXPECT_EQ(observe().kind, kind) << status;
  }
  fail(http::Failure::unknown);
  EXPECT_EQ(observe().kind, Kind::unavailable);
}

TEST_F(ObserveTest, AnActionIsWatchedByItsOwnStatus) {
  engine::Target action = target(RequestKind::action);
  action.internal_id = "job-1";
  answer(200, R"({"status":"ready","output":{"key":1}})").answer(200, R"({"status":"ready","output":{"key":1}})");
  EXPECT_EQ(run(backend().observe(action)).status, Status::succeeded);
  EXPECT_EQ(run(backend().result(action)), json::parse(R"({"key":1})"));
  EXPECT_EQ(requests[0].target, "/v2/jobs/job-1");
}

TEST_F(ObserveTest, AResultThatIsNotThereIsNotFound) {
  engine::Target action = target(RequestKind::action);
  action.internal_id = "job-1";
  answer(404).answer(200, "{}").answer(500);
  EXPECT_EQ(run(backend().result(action)).error().kind, model::ErrorKind::not_found);
  EXPECT_EQ(run(backend().result(action)).error().kind, model::ErrorKind::not_found);
  EXPECT_EQ(run(backend().result(action)).error().kind, model::ErrorKind::unavailable);
}

TEST_F(ObserveTest, WithoutAStateTheObjectsPresenceIsAllThereIs) {
  api = with(api, "  state: /status\n", "");
  answer(200, "no JSON").answer(200, "{}").answer(404);
  EXPECT_EQ(observe().status, Status::succeeded);
  const Observation still_there = observe(RequestKind::remove);
  EXPECT_EQ(still_there.kind, Kind::state);
  EXPECT_EQ(still_there.status, std::nullopt);
  EXPECT_EQ(observe(RequestKind::remove).kind, Kind::gone);
}

TEST_F(ObserveTest, RetryAfterIsHonoured) {
  answer(200, R"({"status":"building"})", "30");
  observe();
  clock.advance(29s);
  const Observation early = observe();
  EXPECT_EQ(early.kind, Kind::state);
  EXPECT_EQ(early.status, std::nullopt) << "unchanged";
  EXPECT_EQ(requests.size(), 1u);
  clock.advance(1s);
  answer(200, R"({"status":"ready"})");
  EXPECT_EQ(observe().status, Status::succeeded);
}

TEST_F(ObserveTest, RetryAfterMayBeADateAndIsBounded) {
  http::Headers headers;
  const runtime::Time now = testing::SimClock::kStart;  // Mon, 05 Jan 2026 18:29:58 GMT
  const auto read = [&](std::string_view value) {
    headers.set("Retry-After", value);
    return retry_after_of(headers, now);
  };
  EXPECT_EQ(read("0"), 0s);
  EXPECT_EQ(read("Mon, 05 Jan 2026 18:30:08 GMT"), 10s);
  EXPECT_EQ(read("Mon, 05 Jan 2026 18:29:08 GMT"), 0s);
  EXPECT_EQ(read("86400"), 10min);
  EXPECT_EQ(read("18446744073709551615"), 10min);
  EXPECT_EQ(read("soon"), std::nullopt);
  EXPECT_EQ(read("-1"), std::nullopt);
  EXPECT_EQ(retry_after_of({}, now), std::nullopt);
}

struct SearchTest : ScriptedTest {
  SearchTest() { api = with(kApi, "idempotency_header: Idempotency-Key\n", "") + kProbe + "calls: {read_attempts: 1}\n"; }
  engine::SearchResult search() { return run(backend().search(target(RequestKind::create, "w 1"))); }
};

TEST_F(SearchTest, FindsObjectsByTheirStamp) {
  answer(200, R"({"items":[
    {"id":"a","label":"11111111-2222-4333-8444-555555555555","made":"2026-01-05T18:29:58Z","status":"building","endpoint":"x"},
    {"id":"b","label":"99999999-2222-4333-8444-555555555555","status":"leaving"},
    {"id":"c"},{"label":"11111111-2222-4333-8444-555555555555"},{"id":"d","status":"removed"}]})");
  const auto result = search();
  EXPECT_TRUE(result.available);
  ASSERT_EQ(result.found.size(), 3u);
  EXPECT_EQ(result.found[0].internal_id, "a");
  EXPECT_EQ(result.found[0].incarnation, model::parse_uuid(kIncarnation));
  EXPECT_EQ(result.found[0].created, testing::SimClock::kStart);
  EXPECT_FALSE(result.found[0].removing);
  EXPECT_EQ(result.found[0].observed, (json::object{{"address", "x"}}));
  EXPECT_TRUE(result.found[1].removing);
  EXPECT_NE(result.found[1].incarnation, model::parse_uuid(kIncarnation));
  EXPECT_EQ(result.found[2].incarnation, std::nullopt) << "a stranger's";
  EXPECT_EQ(requests.at(0).target, "/v2/widgets?name=w%201");
  EXPECT_FALSE(backend().traits().idempotency_keys);
}

TEST_F(SearchTest, NoAnswerMeansNothing) {
  for (const unsigned status : {500u, 401u, 302u, 400u}) {
    answer(status, R"({"items":[]})");
    EXPECT_FALSE(search().available) << status;
  }
  for (const std::string body : {"", "<html>", "{}", R"({"items":7})"}) {
    answer(200, body);
    EXPECT_FALSE(search().available) << body;
  }
  json::array many(1001, json::object{{"id", "x"}});
  answer(200, json::serialize(json::object{{"items", std::move(many)}}));
  EXPECT_FALSE(search().available);
}

TEST_F(SearchTest, NothingThereIsAnAnswer) {
  answer(200, R"({"items":[]})").answer(404);
  EXPECT_TRUE(search().available);
  const auto missing = search();
  EXPECT_TRUE(missing.available);
  EXPECT_TRUE(missing.found.empty());
}

TEST_F(SearchTest, AnObjectMayBeOursByItsName) {
  api = with(api, "stamp: /label", "name: /name");
  answer(200, R"({"items":[{"id":"a","name":"other"},{"id":"b","name":"W 1"}]})");
  const auto result = search();
  ASSERT_EQ(result.found.size(), 1u);
  EXPECT_EQ(result.found[0].internal_id, "b");
  EXPECT_EQ(result.found[0].incarnation, model::parse_uuid(kIncarnation));
}

TEST_F(SearchTest, TheAnswerMayBeOneObject) {
  api = with(api, "list: /items", "list: \"#\"");
  answer(200, R"({"id":"a","label":"11111111-2222-4333-8444-555555555555"})");
  EXPECT_EQ(search().found.size(), 1u);
}

TEST_F(SearchTest, WithoutAProbeNothingIsFound) {
  api = kApi;
  const auto result = search();
  EXPECT_TRUE(result.available);
  EXPECT_TRUE(result.found.empty());
  EXPECT_THAT(result.summary, HasSubstr("no probe"));
}

}  // namespace
}  // namespace acceptd::providers::http_backend
