#include "providers/http_backend/read_spec.hpp"

#include "fixture.hpp"

namespace acceptd::providers::http_backend {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ReadSpec, LittleIsRequired) {
  const Spec spec = spec_of(R"({url: "https://x.example:8443", idempotency_header: Idempotency-Key,
    create: {url: /jobs, internal_id: "{operation}"}, delete: {url: "/jobs/{internalId}"}})");
  EXPECT_EQ(spec.origin, "https://x.example:8443");
  EXPECT_EQ(spec.path_prefix, "");
  EXPECT_EQ(spec.create.method, http::Method::post);
  EXPECT_EQ(spec.remove.method, http::Method::remove);
  EXPECT_FALSE(spec.update);
  EXPECT_EQ(spec.create.verdicts.at(200), Verdict::done) << "nothing tells how far it is";
  EXPECT_EQ(spec.calls.concurrency, 64u);
}

TEST(ReadSpec, ReadsEverything) {
  const Spec spec = spec_of(kApi + kProbe + R"(
ca_file: ca.pem
headers: {X-Team: infra, X-Region: "{location}"}
credentials: {file: key.txt, as: header, header: X-Api-Key}
other_error: {code: Failed, message: It failed.}
unique_ids: true
removes_children: true
calls: {concurrency: 3, answer_bytes_max: 2048, request_timeout: 2s, settle_time: 1m, read_attempts: 2, backoff_first: 10ms,
        backoff_max: 20ms, breaker_failures: 4, breaker_open_for: 1s}
push: {name: widgets, url: "https://me:1", proof: hmac, secret_file: s.txt, signature_header: X-Hub, timestamp_header: X-Time,
       answer: {state: /event}}
)");
  EXPECT_EQ(spec.path_prefix, "/v2");
  EXPECT_EQ(spec.headers.size(), 2u);
  EXPECT_EQ(spec.credentials->header, "X-Api-Key");
  EXPECT_EQ(spec.credentials->prefix, "");
  EXPECT_EQ(spec.states.at("building").status, model::Status::provisioning);
  EXPECT_EQ(spec.states.at("stopped").status, model::Status::canceled);
  EXPECT_EQ(spec.states.at("removed").status, std::nullopt);
  EXPECT_EQ(spec.errors.at("QUOTA").code, "QuotaExceeded");
  EXPECT_EQ(spec.other_error->code, "Failed");
  EXPECT_TRUE(spec.unique_ids);
  EXPECT_TRUE(spec.removes_children);
  EXPECT_EQ(spec.update->method, http::Method::patch);
  EXPECT_EQ(spec.update->fields.state->text, "/status") << "as in the general answer";
  EXPECT_TRUE(spec.actions.at("restart").status);
  EXPECT_EQ(spec.probe->internal_id.text, "/id");
  EXPECT_EQ(spec.probe->stamp->text, "/label");
  EXPECT_EQ(spec.push->proof, PushSpec::Proof::hmac);
  EXPECT_EQ(spec.push->fields.state->text, "/event");
  EXPECT_EQ(spec.push->fields.percent->text, "/progress");
  EXPECT_EQ(spec.calls.settle_time, std::chrono::minutes(1));
  EXPECT_EQ(spec.calls.read_attempts, 2u);
}

TEST(ReadSpec, CredentialsAreABearerTokenUnlessSaidOtherwise) {
  const Spec spec = spec_of(kApi + "credentials: {file: token}\n");
  EXPECT_EQ(spec.credentials->header, "Authorization");
  EXPECT_EQ(spec.credentials->prefix, "Bearer ");
}

TEST(ReadSpec, StatusesAreSingleOnesRangesOrClasses) {
  const Spec spec = spec_of(
      with(kApi, "create:\n", "create:\n  answers: {done: [201], accepted: [202-204], rejected: [4xx], unavailable: [5xx]}\n"));
  const Verdicts& verdicts = spec.create.verdicts;
  EXPECT_EQ(verdicts.at(200), Verdict::accepted) << "the default";
  EXPECT_EQ(verdicts.at(201), Verdict::done);
  EXPECT_EQ(verdicts.at(203), Verdict::accepted);
  EXPECT_EQ(verdicts.at(401), Verdict::rejected);
  EXPECT_EQ(verdicts.at(500), Verdict::unavailable);
  EXPECT_EQ(verdicts.at(599), Verdict::unavailable);
}

TEST(ReadSpec, WhatMayHaveBeenCarriedOutIsUnknownByDefault) {
  const Spec spec = spec_of(kApi + kProbe);
  const auto expect = [](const Verdicts& verdicts, std::initializer_list<std::pair<unsigned, Verdict>> expected) {
    for (const auto& [status, verdict] : expected) EXPECT_EQ(verdicts.at(status), verdict) << status;
  };
  expect(spec.create.verdicts, {{200, Verdict::accepted},
                                {302, Verdict::unknown},
                                {400, Verdict::rejected},
                                {401, Verdict::unavailable},
                                {403, Verdict::unavailable},
                                {404, Verdict::rejected},
                                {408, Verdict::unknown},
                                {409, Verdict::exists},
                                {429, Verdict::unavailable},
                                {500, Verdict::unknown},
                                {503, Verdict::unknown}});
  expect(spec.remove.verdicts,
         {{202, Verdict::accepted}, {204, Verdict::done}, {404, Verdict::gone}, {409, Verdict::rejected}, {410, Verdict::gone}});
  expect(spec_of(kApi).create.verdicts, {{409, Verdict::rejected}});
}

TEST(ReadSpec, SaysHowAnObjectIsFoundAgain) {
  const std::string none = with(kApi, "idempotency_header: Idempotency-Key\n", "");
  EXPECT_THAT(problems(none), ElementsAre(HasSubstr("say how an object is found again")));
  EXPECT_THAT(problems(none + kProbe), ElementsAre());
  EXPECT_THAT(problems(with(none, "url: /widgets\n", "url: \"/widgets/{id.name}\"\n  method: PUT\n")), ElementsAre())
      << "a PUT sent twice makes one object";
}

struct Contradiction {
  std::string from, to, problem;
};

TEST(ReadSpec, ContradictionsAreRefused) {
  const std::vector<Contradiction> table{
      {"http://127.0.0.1:1/v2", "ftp://x", "url: expected http://host:port"},
      {"http://127.0.0.1:1/v2", "http://x/a/../b", "url: its path has empty or dot segments"},
      {"http://127.0.0.1:1/v2", "\"http://u:p@x\"", "url: expected http://host:port"},
      {"idempotency_header: Idempotency-Key", "idempotency_header: \"A B\"", "not the name of a header field"},
      {"idempotency_header: Idempotency-Key", "idempotency_header: Content-Length", "not the name of a header field"},
      {"Idempotency-Key", "Authorization\ncredentials: {file: f}", "is the header field of the credentials"},
      {"url: /widgets\n", "url: widgets\n", "create.url: the URL must begin"},
      {"url: /widgets\n", "url: \"/widgets/{internalId}\"\n", "create.url: {internalId} is not known before"},
      {"url: /widgets\n", "url: /widgets\n  method: GET\n", "create.method: expected one of POST, PUT"},
      {"url: /widgets\n", "url: /widgets\n  headers: {Host: x}\n", "create.headers.Host: is not the name"},
      {"url: /widgets\n", "url: /widgets\n  headers: {X-A: \"{x}\"}\n", "create.headers.X-A: {x} stands for nothing"},
      {"url: /widgets\n", "url: /widgets\n  headers: {X-A: \"a\\r\\nb\"}\n", "create.headers.X-A: expected visible ASCII"},
      {"url: /widgets\n", "url: /widgets\n  answers: {done: [200], accepted: [2xx]}\n", "200 is in accepted already"},
      {"url: /widgets\n", "url: /widgets\n  answers: {done: [99]}\n", "expected statuses such as 202"},
      {"url: /widgets\n", "url: /widgets\n  anwers: {}\n", "create.anwers: unknown key; known here: "},
      {"label: \"{incarnation}\", ", "", "probe: looks for a stamp that create does not send"},
      {"spec: $desired", "spec: $wanted", "create.body: \"$wanted\" refers to nothing"},
      {"spec: $desired", "spec: \"{callback}\"", "create.body: {callback} needs push.url"},
      {"method: PATCH, url", "method: PATCH, answers: {exists: [409]}, url", "update.answers: exists means"},
      {"state: /status", "state: status", "answer.state: expected a JSON pointer"},
      {"queued: Accepted", "queued: Waiting", "states.queued: expected one of Accepted, Provisioning"},
      {"code: QuotaExceeded", "code: quota_exceeded", "errors.QUOTA.code: expected PascalCase"},
      {"cancel: ", "other_error: {code: \"Went wrong\", message: m}\ncancel: ", "other_error.code: expected PascalCase"},
      {"  internal_id: /id\n", "", "say where the answer has the object's id"},
      {"code: QuotaExceeded, ", "", "errors.QUOTA.code: is required"},
      {"stamp: /label, ", "", "say how our object is told from a stranger's"},
      {"probe: {url", "probe: {lst: /x, url", "probe.lst: unknown key"},
      {"cancel: ", "credentials: {file: f, header: X}\ncancel: ", "credentials.header: is for \"as: header\""},
      {"cancel: ", "credentials: {file: f, as: header}\ncancel: ", "say which header field holds the secret"},
      {"cancel: ", "credentials: {as: bearer}\ncancel: ", "credentials.file: is required"},
      {"cancel: ", "calls: {backoff_first: 3s}\ncancel: ", "backoff_first: must not be longer than backoff_max"},
      {"cancel: ", "calls: {concurrency: 0}\ncancel: ", "calls.concurrency: expected an integer from 1"},
      {"cancel: ", "push: {name: a, secret_file: f, timestamp_header: X-T}\ncancel: ", "is for \"proof: hmac\""},
      {"cancel: ", "push: {name: A/B, secret_file: f}\ncancel: ", "push.name: expected lower-case letters"},
      {"cancel: ", "push: {name: a, secret_file: f, url: \"http://x/y\"}\ncancel: ", "push.url: expected http://host:port"}};
  for (const auto& [from, to, problem] : table)
    EXPECT_THAT(problems(with(kApi + kProbe, from, to)), Contains(AllOf(HasSubstr("f:"), HasSubstr(problem)))) << to;
}

TEST(ReadSpec, ReportsAreRefusedWhereNothingServesThem) {
  const std::string text = kApi + "push: {name: widgets, secret_file: s.txt}\n";
  EXPECT_THAT(problems(text, Reports::served), ElementsAre());
  EXPECT_THAT(problems(text, Reports::not_served), ElementsAre(HasSubstr("push: is not served yet; remove it")));
  EXPECT_THAT(problems(kApi, Reports::not_served), ElementsAre());
}

TEST(ReadSpec, AnAcceptedRequestNeedsAStatus) {
  const std::string text =
      R"({url: "http://x", idempotency_header: Key, create: {url: /jobs, internal_id: "{operation}", answers: {accepted: [202]}},
    delete: {url: "/jobs/{internalId}"}})";
  EXPECT_THAT(problems(text), ElementsAre(HasSubstr("create.answers: an accepted request is watched by its status")));
}

TEST(ReadSpec, AStateNeedsStates) {
  const std::string text =
      R"({url: "http://x", idempotency_header: Key, answer: {state: /s}, create: {url: /jobs, internal_id: "{operation}"},
    delete: {url: "/jobs/{internalId}"}, status: {url: "/jobs/{internalId}"}})";
  EXPECT_THAT(problems(text), ElementsAre(HasSubstr("say in states what each of the backend's words means")));
}

TEST(ReadSpec, CreateAndDeleteAreRequired) {
  EXPECT_THAT(problems("{url: \"http://x\", idempotency_header: Key}"),
              ElementsAre(HasSubstr("create: is required"), HasSubstr("delete: is required")));
}

}  // namespace
}  // namespace acceptd::providers::http_backend
