/// What is sent for a request, and what the answers to it mean.

#include "fixture.hpp"

namespace acceptd::providers::http_backend {
namespace {

using engine::Submission;
using model::RequestKind;
using Answer = engine::Submission::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct SubmitTest : ScriptedTest {
  Submission submit(RequestKind request) { return run(backend().submit(target(request))); }
};

TEST_F(SubmitTest, ACreateIsSentAsDescribed) {
  answer(202, R"({"id":"i-7","status":"queued","endpoint":"https://w1"})");
  const Submission submission = submit(RequestKind::create);
  EXPECT_EQ(submission.answer, Answer::accepted);
  EXPECT_EQ(submission.internal_id, "i-7");
  EXPECT_EQ(submission.status, model::Status::accepted);
  EXPECT_EQ(submission.observed, (json::object{{"address", "https://w1"}}));
  EXPECT_EQ(submission.summary, "202");
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].method, http::Method::post);
  EXPECT_EQ(requests[0].target, "/v2/widgets");
  EXPECT_EQ(json::parse(requests[0].body),
            json::parse(R"({"name":"w1","label":"11111111-2222-4333-8444-555555555555","spec":{"size":3}})"));
  EXPECT_EQ(requests[0].headers.get("Content-Type"), "application/json");
  EXPECT_EQ(requests[0].headers.get("Idempotency-Key"), kOperation);
  EXPECT_EQ(requests[0].headers.get("X-Request-ID"), "correlation-1");
  EXPECT_TRUE(backend().traits().idempotency_keys);
}

TEST_F(SubmitTest, UpdateDeleteAndActionsAreSentAsDescribed) {
  answer(200, "{}").answer(202).answer(202, R"({"id":"job-1"})");
  EXPECT_EQ(submit(RequestKind::update).answer, Answer::accepted);
  EXPECT_EQ(submit(RequestKind::remove).answer, Answer::accepted);
  EXPECT_EQ(submit(RequestKind::action).internal_id, "job-1");
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].method, http::Method::patch);
  EXPECT_EQ(requests[0].target, "/v2/widgets/i-7");
  EXPECT_EQ(requests[0].body, R"({"size":3})");
  EXPECT_EQ(requests[1].method, http::Method::remove);
  EXPECT_EQ(requests[1].body, "");
  EXPECT_EQ(requests[1].headers.get("Content-Type"), std::nullopt);
  EXPECT_EQ(requests[2].target, "/v2/widgets/i-7/restart");
}

TEST_F(SubmitTest, WhatTheDescriptionDoesNotHaveIsRejected) {
  api = with(api, "update: {method: PATCH, url: \"/widgets/{internalId}\", body: {size: $desired/size}}\n", "");
  const Submission submission = submit(RequestKind::update);
  EXPECT_EQ(submission.answer, Answer::rejected);
  EXPECT_EQ(submission.error->code, "NotSupported");
}

TEST_F(SubmitTest, AnswersMeanWhatTheDescriptionSays) {
  struct Case {
    unsigned status;
    RequestKind request;
    Answer expected;
  };
  for (const auto& [status, request, expected] :
       {Case{400, RequestKind::create, Answer::rejected}, Case{401, RequestKind::create, Answer::unavailable},
        Case{403, RequestKind::remove, Answer::unavailable}, Case{404, RequestKind::update, Answer::gone},
        Case{404, RequestKind::remove, Answer::gone}, Case{204, RequestKind::remove, Answer::gone},
        Case{409, RequestKind::create, Answer::rejected}, Case{429, RequestKind::create, Answer::unavailable},
        Case{500, RequestKind::create, Answer::unknown}, Case{301, RequestKind::create, Answer::unknown},
        Case{408, RequestKind::action, Answer::unknown}, Case{600, RequestKind::create, Answer::unknown}}) {
    answer(status);
    EXPECT_EQ(submit(request).answer, expected) << status;
  }
}

TEST_F(SubmitTest, WhetherItWasSentDecidesWhatALossMeans) {
  fail(http::Failure::not_sent).fail(http::Failure::unknown);
  EXPECT_EQ(submit(RequestKind::create).answer, Answer::unavailable);
  const Submission lost = submit(RequestKind::create);
  EXPECT_EQ(lost.answer, Answer::unknown);
  EXPECT_EQ(lost.summary, "no answer: scripted");
}

TEST_F(SubmitTest, A503ThatSaysWhenToComeBackWasTurnedAwayAtTheDoor) {
  answer(503).answer(503, "", "7");
  EXPECT_EQ(submit(RequestKind::create).answer, Answer::unknown);
  EXPECT_EQ(submit(RequestKind::create).answer, Answer::unavailable);
}

TEST_F(SubmitTest, ErrorsAreToldAsTheMapSays) {
  answer(400, R"({"error":{"code":"QUOTA","text":"3 of 3 disks"}})");
  const Submission submission = submit(RequestKind::create);
  EXPECT_EQ(submission.error->code, "QuotaExceeded");
  EXPECT_EQ(submission.error->message, "The quota is used up: 3 of 3 disks");
  EXPECT_EQ(submission.error->kind, model::ErrorKind::invalid);
  EXPECT_EQ(submission.summary, "400 QUOTA");
}

TEST_F(SubmitTest, ErrorsThatNobodyMappedTellNothingOfTheBackend) {
  answer(400, R"({"error":{"code":"E_PG_17","text":"postgres at 10.0.0.3: relation missing"}})");
  const Submission refused = submit(RequestKind::create);
  EXPECT_EQ(refused.error->code, "RequestRejected");
  EXPECT_THAT(refused.error->message, ::testing::Not(HasSubstr("postgres")));
  answer(409, "stack trace");
  EXPECT_EQ(submit(RequestKind::create).error->kind, model::ErrorKind::conflict);
}

TEST_F(SubmitTest, TheBackendsWordsAreBoundedAndCleaned) {
  json::object error{{"code", "QUOTA"}, {"text", "a\r\nb" + std::string(3000, 'x')}};
  answer(400, json::serialize(json::object{{"error", error}}));
  const std::string message = submit(RequestKind::create).error->message;
  EXPECT_THAT(message, HasSubstr("used up: a  bxxx"));
  EXPECT_LT(message.size(), 1100u);
}

TEST_F(SubmitTest, ACreateWhoseAnswerTellsNoIdIsUnknown) {
  for (const std::string body : {"", "<html>", "{}", R"({"id":""})", R"({"id":{}})", "[1", R"({"id":"a","id":"b"})"}) {
    answer(201, body);
    const Submission submission = submit(RequestKind::create);
    EXPECT_EQ(submission.answer, Answer::unknown) << body;
    EXPECT_THAT(submission.summary, HasSubstr("without an id")) << body;
  }
}

TEST_F(SubmitTest, AnIdMayBeMadeOfWhatIsKnown) {
  api = with(api, "  url: /widgets\n", "  url: /widgets\n  internal_id: \"{id.group}-{id.name}\"\n");
  answer(202, "no JSON at all");
  const Submission submission = submit(RequestKind::create);
  EXPECT_EQ(submission.answer, Answer::accepted);
  EXPECT_EQ(submission.internal_id, "Rg-w1");
}

TEST_F(SubmitTest, NothingIsSentWithoutWhatTheUrlNeeds) {
  engine::Target lost = target(RequestKind::remove);
  lost.internal_id = "";
  const Submission submission = run(backend().submit(lost));
  EXPECT_EQ(submission.answer, Answer::rejected);
  EXPECT_EQ(submission.error->code, "InternalServerError");
  EXPECT_THAT(submission.summary, HasSubstr("{internalId} is not known"));
  EXPECT_TRUE(requests.empty());
}

TEST_F(SubmitTest, NoHeaderIsSentThatACallersTextCouldBreak) {
  api = with(api, "create:\n", "headers: {X-Object: \"{internalId}\"}\ncreate:\n");
  engine::Target update = target(RequestKind::update);
  update.internal_id = "i\r\nX-Evil: 1";
  EXPECT_EQ(run(backend().submit(update)).answer, Answer::rejected);
  EXPECT_TRUE(requests.empty());
  engine::Target create = target(RequestKind::create);
  create.correlation_id = "a\r\nX-Evil: 1";
  answer(202, R"({"id":"a"})");
  run(backend().submit(create));
  EXPECT_EQ(requests.at(0).headers.get("X-Request-ID"), std::nullopt);
}

TEST_F(SubmitTest, WhatIsDoneAtOnceIsNotAskedAbout) {
  api = with(api, "create:\n", "create:\n  answers: {done: [201]}\n");
  answer(201, R"({"id":"i-7","endpoint":"https://w1"})");
  const Submission submission = submit(RequestKind::create);
  EXPECT_EQ(submission.answer, Answer::accepted);
  EXPECT_EQ(submission.observed, (json::object{{"address", "https://w1"}}));
  EXPECT_EQ(run(backend().observe(target(RequestKind::create))).status, model::Status::succeeded);
  EXPECT_EQ(requests.size(), 1u);
}

TEST_F(SubmitTest, AnActionThatIsDoneAtOnceHasItsResult) {
  api = with(api, "restart: {", "restart: {answers: {done: [200]}, ");
  answer(200, R"({"output":{"port":5}})");
  engine::Target action = target(RequestKind::action);
  const Submission submission = run(backend().submit(action));
  EXPECT_EQ(submission.answer, Answer::unknown) << "its status is asked for by an id";
  answer(200, R"({"id":"job-1","output":{"port":5}})");
  EXPECT_EQ(run(backend().submit(action)).internal_id, "job-1");
  EXPECT_EQ(run(backend().result(action)), json::parse(R"({"port":5})"));
}

TEST_F(SubmitTest, ABackendWithoutStatusIsDoneWhenItSaysSo) {
  api = R"({url: "http://127.0.0.1:1", idempotency_header: Key, create: {url: /jobs, internal_id: "{id.name}"},
    update: {url: "/jobs/{internalId}"}, delete: {url: "/jobs/{internalId}"}})";
  answer(200).answer(200).answer(200);
  EXPECT_EQ(submit(RequestKind::create).answer, Answer::accepted);
  EXPECT_EQ(run(backend().observe(target(RequestKind::create))).status, model::Status::succeeded);
  EXPECT_EQ(submit(RequestKind::update).answer, Answer::accepted);
  // Also when nothing is remembered of it, as after a restart.
  engine::Target other = target(RequestKind::update);
  other.operation = {};
  EXPECT_EQ(run(backend().observe(other)).status, model::Status::succeeded);
  EXPECT_EQ(submit(RequestKind::remove).answer, Answer::gone);
}

TEST_F(SubmitTest, TheAnswerMaySayWhenToLook) {
  answer(202, R"({"id":"i-7","status":"queued"})", "30");
  submit(RequestKind::create);
  engine::Target create = target(RequestKind::create);
  create.internal_id = "i-7";
  clock.advance(std::chrono::seconds(29));
  EXPECT_EQ(run(backend().observe(create)).status, std::nullopt);
  clock.advance(std::chrono::seconds(1));
  answer(200, R"({"status":"ready"})");
  EXPECT_EQ(run(backend().observe(create)).status, model::Status::succeeded);
}

TEST_F(SubmitTest, CancelAsksTheBackend) {
  answer(204).answer(404);
  engine::Target create = target(RequestKind::create);
  create.internal_id = "i-7";
  EXPECT_EQ(run(backend().cancel(create)).answer, Answer::accepted);
  EXPECT_EQ(run(backend().cancel(create)).answer, Answer::gone);
  EXPECT_EQ(requests[0].target, "/v2/widgets/i-7/cancel");
}

TEST_F(SubmitTest, CancelThatIsNotDescribedIsRejected) {
  api = with(api, "cancel: {url: \"/widgets/{internalId}/cancel\"}\n", "");
  EXPECT_EQ(run(backend().cancel(target(RequestKind::update))).answer, Answer::rejected);
}

}  // namespace
}  // namespace acceptd::providers::http_backend
