#include "providers/http_backend/push.hpp"

#include <openssl/hmac.h>

#include "fixture.hpp"

namespace acceptd::providers::http_backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBody = R"({"status":"ready","progress":100,"phase":"done","endpoint":"https://w1"})";

std::string hmac(const std::string& secret, const std::string& text) {
  unsigned char bytes[32];
  unsigned size = sizeof bytes;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), bytes, &size);
  std::string hex = "sha256=";
  for (const unsigned char byte : bytes)
    for (const int digit : {byte >> 4, byte & 15}) hex += "0123456789abcdef"[digit];
  return hex;
}

struct PushTest : ScriptedTest {
  PushTest() { api = kApi + "push: {name: widgets, url: \"https://me:8204\", secret_file: " + secret.path() + "}\n"; }

  Push& push() {
    if (!push_) {
      auto report = [this](model::Key operation, const engine::Provider& from,
                           engine::Observation observation) -> runtime::Task<model::Result<void>> {
        if (&from != &backend()) co_return std::unexpected(model::Error{.kind = model::ErrorKind::not_found});
        reported.emplace_back(std::move(operation), std::move(observation));
        co_return outcome;
      };
      push_.emplace(Push::Dependencies{.report = report, .clock = clock, .log = log});
      push_->add(backend());
    }
    return *push_;
  }
  static http::Request request(std::string body = kBody) {
    http::Request request;
    request.method = http::Method::post;
    request.segments = {"push", "widgets", "Sub", std::string(kOperation)};
    request.body = std::move(body);
    request.remote_address = "10.1.1.1";
    return request;
  }
  http::Request proven(std::string body = kBody) {
    http::Request made = request(std::move(body));
    made.headers.add("Authorization", "Bearer s3cret");
    return made;
  }
  unsigned send(http::Request request) { return run(push().handle(std::move(request))).status; }

  TemporaryFile secret{"s3cret\n"};
  std::vector<std::pair<model::Key, engine::Observation>> reported;
  model::Result<void> outcome;
  std::vector<const engine::Provider*> asked;

 private:
  std::optional<Push> push_;
};

TEST_F(PushTest, TheEngineIsToldAsIfItHadAsked) {
  EXPECT_EQ(send(proven()), 204u);
  ASSERT_EQ(reported.size(), 1u);
  const auto& [key, observation] = reported[0];
  EXPECT_EQ(key.partition, "sub");
  EXPECT_EQ(key.id, model::parse_uuid(kOperation));
  EXPECT_EQ(observation.kind, engine::Observation::Kind::state);
  EXPECT_EQ(observation.status, model::Status::succeeded);
  EXPECT_EQ(observation.percent, 100);
  EXPECT_EQ(observation.step, "done");
  EXPECT_EQ(observation.observed, (json::object{{"address", "https://w1"}}));
}

TEST_F(PushTest, TheBackendIsToldWhereItReports) {
  api = with(api, "label: ", "callback: \"{callback}\", label: ");
  answer(202, R"({"id":"a"})");
  run(backend().submit(target(model::RequestKind::create)));
  EXPECT_EQ(json::parse(requests.at(0).body).at("callback").as_string(),
            "https://me:8204/push/widgets/sub/" + std::string(kOperation));
}

TEST_F(PushTest, AFailureIsToldAsTheMapSays) {
  EXPECT_EQ(send(proven(R"({"status":"broken","error":{"code":"DISK","text":"secret host"}})")), 204u);
  EXPECT_EQ(reported.at(0).second.error->code, "StorageFailed");
  EXPECT_THAT(reported.at(0).second.error->message, Not(HasSubstr("secret host")));
}

TEST_F(PushTest, ProgressMayBeToldAlone) {
  EXPECT_EQ(send(proven(R"({"progress":10})")), 204u);
  EXPECT_EQ(reported.at(0).second.kind, engine::Observation::Kind::state);
  EXPECT_EQ(reported.at(0).second.status, std::nullopt) << "unchanged";
  EXPECT_EQ(reported.at(0).second.percent, 10);
}

TEST_F(PushTest, WithoutProofNothingIsTaken) {
  EXPECT_EQ(send(request()), 401u);
  for (const std::string value : {"Bearer s3cre", "Bearer s3cret2", "bearer s3cret", "s3cret", "", "Bearer "}) {
    http::Request wrong = request();
    wrong.headers.add("Authorization", value);
    EXPECT_EQ(send(std::move(wrong)), 401u) << value;
  }
  EXPECT_TRUE(reported.empty());
  EXPECT_THAT(log.events, ::testing::Each("http_backend.push_refused"));
  EXPECT_THAT(log.text, Not(HasSubstr("s3cre")));
}

TEST_F(PushTest, WithoutASecretNobodyIsBelieved) {
  secret.write("");
  http::Request empty = request();
  empty.headers.add("Authorization", "Bearer ");
  EXPECT_EQ(send(std::move(empty)), 401u);
  EXPECT_THAT(log.events, ElementsAre("http_backend.no_push_secret", "http_backend.push_refused"));
}

TEST_F(PushTest, TheSecretIsReadAgain) {
  EXPECT_EQ(send(proven()), 204u);
  secret.write("other");
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(send(proven()), 401u);
}

TEST_F(PushTest, ASignatureProvesTheBody) {
  api = with(api, "push: {", "push: {proof: hmac, signature_header: X-Hub-Signature-256, ");
  const auto signed_with = [&](const std::string& signature) {
    http::Request made = request();
    made.headers.add("X-Hub-Signature-256", signature);
    return send(std::move(made));
  };
  EXPECT_EQ(signed_with(hmac("s3cret", kBody)), 204u);
  EXPECT_EQ(signed_with(hmac("s3cret", kBody + " ")), 401u);
  EXPECT_EQ(signed_with(hmac("other", kBody)), 401u);
  EXPECT_EQ(signed_with(""), 401u);
  EXPECT_EQ(send(proven()), 401u) << "the other proof does not do";
}

TEST_F(PushTest, ASignatureMayBeBoundToATime) {
  api = with(api, "push: {", "push: {proof: hmac, timestamp_header: X-Time, ");
  const auto signed_at = [&](const std::string& stamp, const std::string& claimed) {
    http::Request made = request();
    made.headers.add("X-Signature", hmac("s3cret", stamp + "." + kBody));
    made.headers.add("X-Time", claimed);
    return send(std::move(made));
  };
  const auto now = std::chrono::floor<std::chrono::seconds>(testing::SimClock::kStart).time_since_epoch().count();
  EXPECT_EQ(signed_at(std::to_string(now - 299), std::to_string(now - 299)), 204u);
  EXPECT_EQ(signed_at(std::to_string(now + 299), std::to_string(now + 299)), 204u);
  EXPECT_EQ(signed_at(std::to_string(now - 301), std::to_string(now - 301)), 401u);
  EXPECT_EQ(signed_at(std::to_string(now), std::to_string(now + 1)), 401u);
  EXPECT_EQ(signed_at("", ""), 401u);
  http::Request unstamped = request();
  unstamped.headers.add("X-Signature", hmac("s3cret", kBody));
  EXPECT_EQ(send(std::move(unstamped)), 401u);
}

TEST_F(PushTest, WhatIsNoReportIsRefused) {
  const auto status = [&](const std::function<void(http::Request&)>& change) {
    http::Request made = proven();
    change(made);
    return send(std::move(made));
  };
  EXPECT_EQ(status([](auto& r) { r.method = http::Method::get; }), 405u);
  EXPECT_EQ(status([](auto& r) { r.segments[1] = "others"; }), 404u);
  EXPECT_EQ(status([](auto& r) { r.segments.pop_back(); }), 404u);
  EXPECT_EQ(status([](auto& r) { r.segments[3] = "7"; }), 404u);
  EXPECT_EQ(status([](auto& r) { r.segments[2] = std::string(65, 's'); }), 404u);
  EXPECT_EQ(status([](auto& r) { r.body = "<html>"; }), 400u);
  EXPECT_EQ(status([](auto& r) { r.body = "[]"; }), 422u);
  EXPECT_EQ(status([](auto& r) { r.body = R"({"status":"odd"})"; }), 422u);
  EXPECT_EQ(status([](auto& r) { r.body = std::string(300'000, ' '); }), 413u);
  EXPECT_TRUE(reported.empty());
}

TEST_F(PushTest, WhatTheEngineDoesNotTakeIsSentAgain) {
  outcome = std::unexpected(model::Error{.kind = model::ErrorKind::unavailable});
  const auto response = run(push().handle(proven()));
  EXPECT_EQ(response.status, 503u);
  EXPECT_EQ(response.headers.get("Retry-After"), "1");
  outcome = std::unexpected(model::Error{.kind = model::ErrorKind::not_found});
  EXPECT_EQ(send(proven()), 404u);
}

TEST_F(PushTest, TheTypesOfOneApiMayShareAName) {
  push();
  Calls::Dependencies dependencies{std::make_unique<FakeClient>(script, requests), clock, random, log};
  const auto other = make_provider(spec_of(api), std::move(dependencies));
  Push both(Push::Dependencies{
      .report = [&](model::Key, const engine::Provider& from, engine::Observation) -> runtime::Task<model::Result<void>> {
        asked.push_back(&from);
        if (&from == other.get()) co_return std::unexpected(model::Error{.kind = model::ErrorKind::not_found});
        co_return model::Result<void>{};
      },
      .clock = clock,
      .log = log});
  both.add(*other);
  both.add(backend());
  EXPECT_EQ(run(both.handle(proven())).status, 204u);
  EXPECT_THAT(asked, ElementsAre(other.get(), &backend()));
}

TEST_F(PushTest, PathsAreItsOwn) {
  EXPECT_TRUE(Push::is_for(request()));
  http::Request other = request();
  other.segments = {"metrics"};
  EXPECT_FALSE(Push::is_for(other));
}

}  // namespace
}  // namespace acceptd::providers::http_backend
