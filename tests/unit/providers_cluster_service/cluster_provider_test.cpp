#include "fake_backend.hpp"
#include "model/time.hpp"

namespace acceptd::providers::cluster_service {
namespace {

using namespace std::chrono_literals;
using engine::Observation;
using engine::Submission;
using model::RequestKind;
using model::Status;
using Answer = Submission::Answer;

struct ClusterProviderTest : BackendTest {
  static engine::Target existing(RequestKind request) {
    engine::Target target = BackendTest::target(request);
    target.internal_id = kCluster;
    return target;
  }
  Submission submit(engine::Target target) { return run(clusters().submit(std::move(target))); }
  Observation observe(engine::Target target) { return run(clusters().observe(std::move(target))); }
  engine::SearchResult search(engine::Target target) { return run(clusters().search(std::move(target))); }
  const http::ClientRequest& sent(std::size_t index) { return client.requests.at(index); }
};

constexpr std::string_view kCreated =
    R"({"kind":"Cluster","id":"ABC123","href":"/api/aro_hcp/v1alpha1/clusters/ABC123","domain_prefix":"gen1"})";

TEST_F(ClusterProviderTest, TraitsAreThoseOfABackendWithoutIdempotencyKeys) {
  const auto traits = clusters().traits();
  EXPECT_FALSE(traits.idempotency_keys);
  EXPECT_TRUE(traits.removes_children);
  EXPECT_EQ(traits.request_timeout, limits.request_timeout);
  EXPECT_EQ(traits.settle_time, options.settle_time);
  EXPECT_EQ(traits.concurrency, limits.concurrency);
}

TEST_F(ClusterProviderTest, CreatesWithOnePost) {
  client.answer(201, std::string(kCreated));
  const auto submission = submit(target(RequestKind::create));
  EXPECT_EQ(submission.answer, Answer::accepted);
  EXPECT_EQ(submission.internal_id, kCluster) << "lower case";
  EXPECT_EQ(at(submission.observed, "/dns/baseDomainPrefix"), "gen1");
  EXPECT_EQ(submission.summary, "201");
  ASSERT_EQ(client.requests.size(), 1u);
  EXPECT_EQ(sent(0).method, http::Method::post);
  EXPECT_EQ(sent(0).target, "/api/aro_hcp/v1alpha1/clusters");
  EXPECT_EQ(at(parsed(sent(0).body), "/properties/acceptd_operation"), boost::json::value(kOperation));
}

TEST_F(ClusterProviderTest, HCP_002_ACreateWhoseAnswerCannotBeReadIsUnknown) {
  for (const char* body : {"", "<html>", "[]", "{}", R"({"href":"http://evil.example/"})"}) {
    client.answer(201, body);
    EXPECT_EQ(submit(target(RequestKind::create)).answer, Answer::unknown) << body;
  }
}

TEST_F(ClusterProviderTest, ACreateWithoutATenantIsRefusedWithoutACall) {
  engine::Target target = BackendTest::target(RequestKind::create);
  target.tenant.clear();
  EXPECT_EQ(submit(target).answer, Answer::rejected);
  EXPECT_TRUE(client.requests.empty());
}

TEST_F(ClusterProviderTest, HCP_002_ACreateIsNeverSentTwice) {
  limits.read_attempts_max = 5;
  client.fail(http::Failure::unknown);
  EXPECT_EQ(submit(target(RequestKind::create)).answer, Answer::unknown);
  EXPECT_EQ(client.requests.size(), 1u);
}

TEST_F(ClusterProviderTest, UpdatesWithAPatchOfTheDifference) {
  client.answer(200, R"({"node_drain_grace_period":{"unit":"minutes","value":10}})").answer(200, "{}");
  engine::Target target = existing(RequestKind::update);
  target.desired = {{"nodeDrainTimeoutMinutes", 20}};
  EXPECT_EQ(submit(target).answer, Answer::accepted);
  ASSERT_EQ(client.requests.size(), 2u);
  EXPECT_EQ(sent(0).method, http::Method::get);
  EXPECT_EQ(sent(1).method, http::Method::patch);
  EXPECT_EQ(sent(1).target, kCluster);
  EXPECT_EQ(at(parsed(sent(1).body), "/node_drain_grace_period/value"), 20);
  EXPECT_EQ(at(parsed(sent(1).body), "/name"), boost::json::value());
}

TEST_F(ClusterProviderTest, AnUpdateThatCannotBeComparedIsNotSent) {
  const std::pair<std::function<void()>, Answer> cases[] = {{[&] { client.answer(404); }, Answer::gone},
                                                            {[&] { client.answer(500); }, Answer::unavailable},
                                                            {[&] { client.answer(200, "garbage"); }, Answer::unavailable},
                                                            {[&] { client.fail(http::Failure::unknown); }, Answer::unavailable}};
  for (const auto& [script, answer] : cases) {
    script();
    EXPECT_EQ(submit(existing(RequestKind::update)).answer, answer);
    EXPECT_EQ(client.requests.back().method, http::Method::get);
  }
}

TEST_F(ClusterProviderTest, HCP_002_AnUpdateWhoseAnswerWasLostIsRecognisedByItsStamp) {
  client.answer(200, fmt::format(R"({{"properties":{{"acceptd_operation":"{}"}}}})", kOperation));
  EXPECT_EQ(submit(existing(RequestKind::update)).answer, Answer::accepted);
  EXPECT_EQ(client.requests.size(), 1u);
}

TEST_F(ClusterProviderTest, Deletes) {
  client.answer(204).answer(202).answer(404).answer(500);
  for (const Answer answer : {Answer::accepted, Answer::accepted, Answer::gone, Answer::unknown})
    EXPECT_EQ(submit(existing(RequestKind::remove)).answer, answer);
  EXPECT_EQ(sent(0).method, http::Method::remove);
  EXPECT_EQ(sent(0).target, kCluster);
  EXPECT_EQ(sent(0).body, "");
}

// ---- observe -----------------------------------------------------------------------------------------------------------

TEST_F(ClusterProviderTest, ObservesTheStatus) {
  client.answer(200, R"({"state":"installing","description":"step 2 of 3"})");
  const auto observation = observe(existing(RequestKind::create));
  EXPECT_EQ(observation.kind, Observation::Kind::state);
  EXPECT_EQ(observation.status, Status::provisioning);
  EXPECT_EQ(observation.step, "installing");
  EXPECT_EQ(observation.message, "step 2 of 3");
  EXPECT_EQ(sent(0).target, std::string(kCluster) + "/status");
}

TEST_F(ClusterProviderTest, AReadyClusterIsReadForWhatCallersSee) {
  client.answer(200, R"({"state":"ready"})").answer(200, R"({"api":{"url":"https://api"},"console":{"url":"https://console"}})");
  const auto observation = observe(existing(RequestKind::create));
  EXPECT_EQ(observation.status, Status::succeeded);
  EXPECT_EQ(at(observation.observed, "/api/url"), "https://api");
  EXPECT_EQ(sent(1).target, kCluster);
}

TEST_F(ClusterProviderTest, SuccessWaitsUntilTheReadyClusterCanBeRead) {
  client.answer(200, R"({"state":"ready"})").answer(503);
  EXPECT_EQ(observe(existing(RequestKind::create)).kind, Observation::Kind::unavailable);
  client.answer(200, R"({"state":"ready"})").answer(404);
  EXPECT_EQ(observe(existing(RequestKind::create)).kind, Observation::Kind::gone);
}

TEST_F(ClusterProviderTest, HCP_023_AReadyClusterUnderDeletionIsUnchanged) {
  client.answer(200, R"({"state":"ready"})");
  const auto observation = observe(existing(RequestKind::remove));
  EXPECT_EQ(observation.kind, Observation::Kind::state);
  EXPECT_EQ(observation.status, std::nullopt);
}

TEST_F(ClusterProviderTest, HCP_023_InflightChecksSayWhatFailed) {
  client.answer(200, R"({"state":"error","provision_error_code":"OCM4001"})")
      .answer(200, R"({"total":3,"items":[{"name":"a","state":"failed","details":{"error":"no egress"}},{"state":"passed"},
                                           {"name":"b","state":"failed","details":{"error":"no quota"}}]})");
  const auto observation = observe(existing(RequestKind::create));
  EXPECT_EQ(observation.status, Status::failed);
  ASSERT_TRUE(observation.error);
  EXPECT_EQ(observation.error->code, "MultipleErrorsOccurred");
  ASSERT_EQ(observation.error->details.size(), 2u);
  EXPECT_EQ(observation.error->details[1].message, "no quota");
  EXPECT_TRUE(sent(1).target.starts_with(std::string(kCluster) + "/inflight_checks?"));
}

TEST_F(ClusterProviderTest, HCP_023_AFailureWaitsForItsInflightChecks) {
  client.answer(200, R"({"state":"error","provision_error_code":"OCM4001"})").answer(500);
  EXPECT_EQ(observe(existing(RequestKind::create)).kind, Observation::Kind::unavailable);
  client.answer(200, R"({"state":"error","provision_error_code":"OCM4001"})").answer(404);
  EXPECT_EQ(observe(existing(RequestKind::create)).error->code, "InternalServerError");
}

TEST_F(ClusterProviderTest, HCP_023_AMissingClusterIsGone) {
  client.answer(404, R"({"kind":"Error"})");
  EXPECT_EQ(observe(existing(RequestKind::remove)).kind, Observation::Kind::gone);
}

TEST_F(ClusterProviderTest, HCP_006_AnswersThatTheMappingDoesNotKnowAreUnexpected) {
  client.answer(200, R"({"state":"dreaming"})").answer(200, "garbage").answer(200, "[]").answer(401).answer(302).answer(204);
  for (int i = 0; i < 6; ++i) {
    const auto observation = observe(existing(RequestKind::create));
    EXPECT_EQ(observation.kind, Observation::Kind::unexpected);
    EXPECT_FALSE(observation.summary.empty());
    EXPECT_LE(observation.summary.size(), 200u);
  }
}

TEST_F(ClusterProviderTest, NoAnswerIsUnavailable) {
  client.answer(500).answer(503).answer(429).fail(http::Failure::unknown).fail(http::Failure::not_sent);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(observe(existing(RequestKind::create)).kind, Observation::Kind::unavailable);
}

// ---- search ------------------------------------------------------------------------------------------------------------

std::string cluster_item(std::string_view id, std::string_view name, std::string_view rest = "") {
  return fmt::format(
      R"({{"href":"/api/aro_hcp/v1alpha1/clusters/{}","azure":{{"subscription_id":"0a1b","resource_group_name":"my-rg","resource_name":"{}"}}{}}})",
      id, name, rest);
}

TEST_F(ClusterProviderTest, HCP_002_SearchesByAzureName) {
  client.answer(200, R"({"kind":"ClusterList","page":1,"size":0,"total":0,"items":[]})");
  engine::Target target = BackendTest::target(
      RequestKind::create,
      "/subscriptions/0A1B/resourceGroups/it's/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/MyCluster");
  const auto result = search(target);
  EXPECT_TRUE(result.available);
  EXPECT_TRUE(result.found.empty());
  EXPECT_EQ(
      sent(0).target,
      "/api/aro_hcp/v1alpha1/clusters?search=azure.subscription_id%20%3D%20%270a1b%27%20and%20azure.resource_group_name%20%3D%20"
      "%27it%27%27s%27%20and%20azure.resource_name%20%3D%20%27mycluster%27&page=1&size=100");
}

TEST_F(ClusterProviderTest, HCP_002_ReadsStampAgeAndState) {
  const std::string stamp = fmt::format(
      R"(,"properties":{{"acceptd_incarnation":"{}","acceptd_operation":"{}"}},"creation_timestamp":"2026-01-05T18:30:00Z","status":{{"state":"installing"}})",
      kIncarnation, kOperation);
  const std::string body = fmt::format(
      R"({{"total":4,"items":[{},{},{},{{"href":7}}]}})", cluster_item("a1", "mycluster", stamp),
      cluster_item("a2", "MyCluster", R"(,"status":{"state":"uninstalling"},"properties":{"acceptd_incarnation":"no uuid"})"),
      cluster_item("a3", "mycluster-2"));
  client.answer(200, body);
  const auto result = search(target(RequestKind::create));
  ASSERT_EQ(result.found.size(), 2u) << "other names and unreadable items are left out";
  EXPECT_EQ(result.found[0].internal_id, "/api/aro_hcp/v1alpha1/clusters/a1");
  EXPECT_EQ(result.found[0].incarnation, model::parse_uuid(kIncarnation));
  EXPECT_EQ(result.found[0].operation, model::parse_uuid(kOperation));
  EXPECT_EQ(result.found[0].created, model::parse_rfc3339("2026-01-05T18:30:00Z"));
  EXPECT_FALSE(result.found[0].removing);
  EXPECT_EQ(result.found[1].incarnation, std::nullopt);
  EXPECT_TRUE(result.found[1].removing);
}

TEST_F(ClusterProviderTest, HCP_002_ReadsAllPages) {
  client
      .answer(200,
              fmt::format(R"({{"total":3,"items":[{},{}]}})", cluster_item("a1", "mycluster"), cluster_item("a2", "mycluster")))
      .answer(200, fmt::format(R"({{"total":3,"items":[{}]}})", cluster_item("a3", "mycluster")));
  EXPECT_EQ(search(target(RequestKind::create)).found.size(), 3u);
  EXPECT_TRUE(sent(1).target.ends_with("&page=2&size=100"));

  client.answer(200, fmt::format(R"({{"items":[{}]}})", cluster_item("a1", "mycluster"))).answer(200, R"({"items":[]})");
  EXPECT_EQ(search(target(RequestKind::create)).found.size(), 1u) << "without a total, an empty page is the last";
}

TEST_F(ClusterProviderTest, HCP_002_ASearchThatFailsFindsNothingAndSaysSo) {
  client.answer(500).answer(400).answer(200, "garbage").answer(200, "{}").answer(404).fail(http::Failure::unknown);
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(search(target(RequestKind::create)).available);
  client.answer(200, fmt::format(R"({{"total":2,"items":[{}]}})", cluster_item("a1", "mycluster"))).answer(500);
  EXPECT_FALSE(search(target(RequestKind::create)).available) << "half of a list is no list";
}

TEST_F(ClusterProviderTest, AnEndlessListIsGivenUp) {
  std::string items;
  for (int i = 0; i < 1000; ++i) items += (i ? "," : "") + std::string("{}");
  for (int page = 0; page < 6; ++page) client.answer(200, R"({"total":1000000000,"items":[)" + items + "]}");
  EXPECT_FALSE(search(target(RequestKind::create)).available);
  EXPECT_EQ(client.answers_left(), 0u);
}

// ---- credentials -------------------------------------------------------------------------------------------------------

struct CredentialsTest : ClusterProviderTest {
  static engine::Target action(std::string name, std::string internal_id = "") {
    engine::Target target = BackendTest::target(RequestKind::action);
    target.action = std::move(name);
    target.parent_internal_id = kCluster;
    target.internal_id = std::move(internal_id);
    return target;
  }
  static std::string credential() { return std::string(kCredentials) + "/c1"; }
};

TEST_F(CredentialsTest, ARequestIsAnEmptyPost) {
  client.answer(201, fmt::format(R"({{"id":"c1","href":"{}","status":"created"}})", credential()));
  const auto submission = submit(action("RequestCredential"));
  EXPECT_EQ(submission.answer, Answer::accepted);
  EXPECT_EQ(submission.internal_id, credential());
  EXPECT_EQ(sent(0).method, http::Method::post);
  EXPECT_EQ(sent(0).target, kCredentials);
  EXPECT_EQ(sent(0).body, "{}");
}

TEST_F(CredentialsTest, ARequestWhoseAnswerNamesNoCredentialIsUnknown) {
  client.answer(201, "{}");
  EXPECT_EQ(submit(action("RequestCredential")).answer, Answer::unknown);
}

TEST_F(CredentialsTest, HCP_021_ARefusedRequestIsAnInternalError) {
  client.answer(400, R"({"reason":"not ready"})");
  const auto submission = submit(action("RequestCredential"));
  EXPECT_EQ(submission.answer, Answer::rejected);
  EXPECT_EQ(submission.error->code, "InternalServerError");
  EXPECT_EQ(submission.error->kind, model::ErrorKind::internal);
}

TEST_F(CredentialsTest, ARevocationDeletesTheCollection) {
  client.answer(204);
  const auto submission = submit(action("RevokeCredentials"));
  EXPECT_EQ(submission.answer, Answer::accepted);
  EXPECT_EQ(submission.internal_id, kCredentials);
  EXPECT_EQ(sent(0).method, http::Method::remove);
  EXPECT_EQ(sent(0).target, kCredentials);
}

TEST_F(CredentialsTest, AnActionOnAClusterThatTheBackendDoesNotHaveIsRefusedWithoutACall) {
  engine::Target target = action("RequestCredential");
  target.parent_internal_id.clear();
  EXPECT_EQ(submit(target).answer, Answer::rejected);
  EXPECT_TRUE(client.requests.empty());
}

TEST_F(CredentialsTest, HCP_023_ObservesTheCredentialOrTheWholeCollection) {
  client.answer(200, R"({"status":"issued","kubeconfig":"secret"})");
  const auto issued = observe(action("RequestCredential", credential()));
  EXPECT_EQ(issued.status, Status::succeeded);
  EXPECT_TRUE(issued.observed.empty());
  EXPECT_EQ(sent(0).target, credential());

  client.answer(200, R"({"total":1,"items":[{"status":"awaiting_revocation","expiration_timestamp":"2026-02-01T00:00:00Z"}]})");
  EXPECT_EQ(observe(action("RevokeCredentials", std::string(kCredentials))).status, Status::deleting);
}

TEST_F(CredentialsTest, HCP_002_FindsCredentialsNewestFirst) {
  const auto item = [](std::string_view id, std::string_view expires, std::string_view status) {
    return fmt::format(R"({{"href":"{}/{}","expiration_timestamp":"{}","status":"{}"}})", kCredentials, id, expires, status);
  };
  client.answer(200, fmt::format(R"({{"total":5,"items":[{},{},{},{},7]}})", item("old", "2026-01-06T00:00:00Z", "issued"),
                                 item("new", "2026-01-06T09:00:00Z", "created"), item("odd", "", "created"),
                                 item("mid", "2026-01-06T05:00:00Z", "revoked")));
  const auto result = search(action("RequestCredential"));
  ASSERT_TRUE(result.available);
  std::vector<std::string> order;
  for (const auto& found : result.found)
    order.push_back(found.internal_id.substr(found.internal_id.rfind('/') + 1) + (found.removing ? " leaving" : ""));
  EXPECT_EQ(order, (std::vector<std::string>{"new", "mid leaving", "old", "odd"}));
}

TEST_F(CredentialsTest, ARevocationHasNothingToFind) {
  const auto result = search(action("RevokeCredentials"));
  EXPECT_TRUE(result.available);
  EXPECT_TRUE(result.found.empty());
  EXPECT_TRUE(client.requests.empty());
}

TEST_F(CredentialsTest, HCP_017_TheKubeconfigIsReadEachTime) {
  for (const char* text : {"first", "second"}) {
    client.answer(200,
                  fmt::format(R"({{"status":"issued","kubeconfig":"{}","expiration_timestamp":"2026-01-06T00:00:00Z"}})", text));
    const auto result = run(clusters().result(action("RequestCredential", credential())));
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, parsed(fmt::format(R"({{"kubeconfig":"{}","expirationTimestamp":"2026-01-06T00:00:00Z"}})", text)));
  }
}

TEST_F(CredentialsTest, HCP_017_AResultThatIsNotThereOrCannotBeRead) {
  client.answer(404).answer(200, R"({"status":"revoked"})").answer(500).answer(200, "garbage");
  for (const auto kind :
       {model::ErrorKind::not_found, model::ErrorKind::not_found, model::ErrorKind::unavailable, model::ErrorKind::unavailable}) {
    const auto result = run(clusters().result(action("RequestCredential", credential())));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, kind);
  }
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
