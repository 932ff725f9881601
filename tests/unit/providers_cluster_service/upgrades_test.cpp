/// Upgrades of control planes and node pools: which is wanted, how it is asked for, when it is done.

#include "providers/cluster_service/upgrades.hpp"

#include "fake_backend.hpp"

namespace acceptd::providers::cluster_service {
namespace {

using boost::json::object;
using engine::Observation;
using model::RequestKind;
using model::Status;
using Answer = engine::Submission::Answer;

struct VersionCase {
  std::string name, wanted, current;
  bool is_wanted;
};
void PrintTo(const VersionCase& version, std::ostream* out) { *out << version.name; }
using WantedVersion = ::testing::TestWithParam<VersionCase>;
TEST_P(WantedVersion, IsANewerOne) {
  const object wanted{{"version", object{{"id", GetParam().wanted}, {"channelGroup", "stable"}}}};
  const object current{{"version", object{{"id", GetParam().current}, {"channel_group", "stable"}}}};
  EXPECT_EQ(wanted_version(wanted, current), GetParam().is_wanted ? std::optional(GetParam().wanted) : std::nullopt);
}
INSTANTIATE_TEST_SUITE_P(Table, WantedVersion,
                         ::testing::Values(VersionCase{"same", "4.20.8", "openshift-v4.20.8", false},
                                           VersionCase{"minor_is_satisfied", "4.20", "openshift-v4.20.8", false},
                                           VersionCase{"next_minor", "4.21", "openshift-v4.20.8", true},
                                           VersionCase{"numbers_not_text", "4.20.10", "openshift-v4.20.9", true},
                                           VersionCase{"never_back", "4.19", "openshift-v4.20.8", false},
                                           VersionCase{"running_a_candidate", "4.20.8", "openshift-v4.20.0-rc.3", true},
                                           VersionCase{"satisfied_by_a_candidate", "4.20", "openshift-v4.20.0-rc.3", false},
                                           VersionCase{"wanting_a_candidate", "4.21.0-rc.1", "openshift-v4.20.8", true},
                                           VersionCase{"no_version", "4", "openshift-v4.20.8", false},
                                           VersionCase{"unknown", "4.21", "", false},
                                           VersionCase{"unset", "", "openshift-v4.20.8", false}),
                         [](const auto& info) { return info.param.name; });

struct UpgradeTest : BackendTest {
  static constexpr const char* kOldPool = R"({"version":{"id":"openshift-v4.20.8"},"replicas":0})";
  static constexpr const char* kReady = R"({"state":"ready"})";
  static constexpr const char* kOldCluster = R"({"version":{"id":"openshift-v4.20.8"}})";

  static engine::Target pool(std::string_view version) {
    engine::Target target = BackendTest::target(RequestKind::update, std::string(kClusterId) + "/nodePools/pool-1");
    target.internal_id = std::string(kCluster) + "/node_pools/pool-1";
    target.desired = {{"version", object{{"id", version}, {"channelGroup", "stable"}}}, {"replicas", 0}};
    return target;
  }
  static engine::Target cluster(std::string_view version) {
    engine::Target target = BackendTest::target(RequestKind::update);
    target.internal_id = kCluster;
    target.desired = {{"version", object{{"id", version}, {"channelGroup", "stable"}}}};
    return target;
  }
  std::string sent(std::size_t index) const {
    const auto& request = client.requests.at(index);
    return std::string(to_string(request.method)) + " " + request.target.substr(request.target.rfind("/clusters/abc123") + 16) +
           (request.body.empty() ? "" : " " + request.body);
  }
};

TEST_F(UpgradeTest, HCP_024_AnUpgradeIsAPolicyAndNoPatch) {
  client.answer(200, kOldPool).answer(200, R"({"items":[],"total":0})").answer(201, "{}");
  EXPECT_EQ(run(node_pools().submit(pool("4.20.12"))).answer, Answer::accepted);
  ASSERT_EQ(client.requests.size(), 3u);
  EXPECT_EQ(sent(1), "GET /node_pools/pool-1/upgrade_policies?order=creation_timestamp%20desc&page=1&size=100");
  EXPECT_EQ(sent(2), R"(POST /node_pools/pool-1/upgrade_policies {"version":"4.20.12"})");
}

TEST_F(UpgradeTest, HCP_024_AMinorVersionMeansTheNewestThatIsOffered) {
  client
      .answer(
          200,
          R"({"version":{"id":"openshift-v4.20.8"},"properties":{"acceptd_operation":"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"}})")
      .answer(200, R"({"total":6,"items":[7,
        {"raw_id":"4.21.9","channel_group":"stable","enabled":true},{"raw_id":"4.21.10","channel_group":"stable","enabled":true},
        {"raw_id":"4.21.11","channel_group":"stable","enabled":false},{"raw_id":"4.21.12","channel_group":"fast","enabled":true},
        {"raw_id":"4.22.0","channel_group":"stable","enabled":true}]})")
      .answer(200, R"({"items":[],"total":0})")
      .answer(201, "{}");
  EXPECT_EQ(run(clusters().submit(cluster("4.21"))).answer, Answer::accepted) << "the PATCH was sent before";
  EXPECT_EQ(sent(3), R"(POST /control_plane/upgrade_policies {"version":"4.21.10"})");
}

TEST_F(UpgradeTest, AVersionThatIsNotOfferedIsRefusedByName) {
  client
      .answer(
          200,
          R"({"version":{"id":"openshift-v4.20.8"},"properties":{"acceptd_operation":"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"}})")
      .answer(200, R"({"items":[],"total":0})");
  const auto refused = run(clusters().submit(cluster("4.21")));
  EXPECT_EQ(refused.answer, Answer::rejected);
  EXPECT_EQ(refused.error->target, "properties.version.id");
  EXPECT_EQ(refused.error->message, "Invalid value: '4.21': not available in channel group 'stable'");
}

TEST_F(UpgradeTest, HCP_002_AnUpgradeIsAskedForOnceUnlessItFailed) {
  const auto policies = [](std::string_view state) {
    return fmt::format(R"({{"total":2,"items":[{{"version":"4.20.9","creation_timestamp":"2026-01-01T00:00:00Z"}},
      {{"version":"4.20.12","creation_timestamp":"2026-01-02T00:00:00Z","state":{{"value":"{}"}}}}]}})",
                       state);
  };
  for (const char* state : {"pending", "scheduled", "started", "completed", ""}) {
    client.answer(200, kOldPool).answer(200, policies(state));
    EXPECT_EQ(run(node_pools().submit(pool("4.20.12"))).answer, Answer::accepted) << state;
  }
  EXPECT_EQ(client.requests.size(), 10u) << "nothing was sent";
  client.answer(200, kOldPool).answer(200, policies("failed")).answer(201, "{}");
  EXPECT_EQ(run(node_pools().submit(pool("4.20.12"))).answer, Answer::accepted);
}

TEST_F(UpgradeTest, AnUpgradeThatCannotBeAskedForNowIsTriedAgain) {
  client.answer(200, kOldPool).answer(503);
  EXPECT_EQ(run(node_pools().submit(pool("4.20.12"))).answer, Answer::unavailable);
  client.answer(200, kOldPool).answer(200, R"({"items":[],"total":0})").fail(http::Failure::unknown);
  EXPECT_EQ(run(node_pools().submit(pool("4.20.12"))).answer, Answer::unknown);
  client.answer(200, kOldPool).answer(404);
  EXPECT_EQ(run(node_pools().submit(pool("4.20.12"))).answer, Answer::gone);
}

TEST_F(UpgradeTest, HCP_023_ReadyIsNotSucceededBeforeTheWantedVersionRuns) {
  const auto look = [&](std::string_view policies) {
    client.answer(200, kReady).answer(200, kOldCluster).answer(200, std::string(policies));
    return run(clusters().observe(cluster("4.21")));
  };
  const auto started = look(R"({"total":1,"items":[{"version":"4.21.0","state":{"value":"started","description":"half way"}}]})");
  EXPECT_EQ(started.status, Status::updating);
  EXPECT_EQ(started.message, "half way");
  const auto failed = look(R"({"total":1,"items":[{"version":"4.21.0","state":{"value":"failed","description":"no quota"}}]})");
  EXPECT_EQ(failed.status, Status::failed);
  EXPECT_EQ(failed.error->message, "no quota");
  const auto cancelled = look(R"({"total":1,"items":[{"version":"4.21.0","state":{"value":"cancelled"}}]})");
  EXPECT_EQ(cancelled.error->message, "The upgrade to version 4.21.0 has been cancelled.");
  EXPECT_EQ(look(R"({"total":0,"items":[]})").kind, Observation::Kind::unexpected);

  for (const char* odd : {R"({"version":{"id":"nightly"}})", R"({"version":{}})"}) {
    client.answer(200, kReady).answer(200, odd);
    EXPECT_EQ(run(clusters().observe(cluster("4.21"))).kind, Observation::Kind::unexpected) << odd;
  }

  client.answer(200, kReady).answer(200, R"({"version":{"id":"openshift-v4.21.0"}})");
  EXPECT_EQ(run(clusters().observe(cluster("4.21"))).status, Status::succeeded);
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
