#include "unit/cluster_service_sim/fixture.hpp"

namespace acceptd::simulator::testing {
namespace {

class UpgradesTest : public SimulatorTest {
 protected:
  UpgradesTest() {
    json::object body = cluster_body("one");
    body["version"] = json::object{{"id", "openshift-v4.20.8"}, {"channel_group", "stable"}};
    cluster_ = kClusters + "/" + post(kClusters, body).text("/id");
    clock_.advance(10s);
  }
  unsigned upgrade(const std::string& object, std::string_view version) {
    return post(object + (object == cluster_ ? "/control_plane" : "") + "/upgrade_policies", json::object{{"version", version}})
        .status;
  }
  std::string version(const std::string& object) { return get(object).text("/version/id"); }
  std::string policy(std::string_view member) {
    return get(cluster_ + "/control_plane/upgrade_policies").text("/items/0/" + std::string(member));
  }

  std::string cluster_;
};

TEST_F(UpgradesTest, AVersionIsShownOnceItRuns) {
  EXPECT_EQ(policy("version"), "(none)");
  ASSERT_EQ(upgrade(cluster_, "4.20.12"), 201U);
  EXPECT_EQ(get(cluster_).text("/state"), "updating");
  EXPECT_EQ(version(cluster_), "openshift-v4.20.8");
  EXPECT_EQ(policy("state/value"), "started");
  clock_.advance(5s);
  EXPECT_EQ(version(cluster_), "openshift-v4.20.12");
  EXPECT_EQ(policy("state/value"), "completed");
  EXPECT_EQ(get(cluster_).text("/upgrade_asked"), "(none)");
  ASSERT_EQ(patch(cluster_, json::parse(R"({"node_drain_grace_period":{"unit":"minutes","value":5}})")).status, 200U);
  EXPECT_EQ(version(cluster_), "openshift-v4.20.12") << "other work changes nothing of it";
}

TEST_F(UpgradesTest, AFailedOneLeavesTheVersion) {
  script(
      {{"action", "fail"}, {"method", "POST"}, {"route", "/clusters/*/control_plane/upgrade_policies"}, {"message", "no quota"}});
  ASSERT_EQ(upgrade(cluster_, "4.20.12"), 201U);
  clock_.advance(5s);
  EXPECT_EQ(policy("state/value"), "failed");
  EXPECT_EQ(policy("state/description"), "no quota");
  EXPECT_EQ(version(cluster_), "openshift-v4.20.8");
  remove("/simulator/script");
  ASSERT_EQ(upgrade(cluster_, "4.21.0"), 201U);
  clock_.advance(5s);
  EXPECT_EQ(version(cluster_), "openshift-v4.21.0");
}

TEST_F(UpgradesTest, WhatIsNotOfferedIsRefused) {
  EXPECT_EQ(upgrade(cluster_, "4.99.0"), 400U);
  EXPECT_EQ(upgrade(cluster_, "4.21"), 400U);
  EXPECT_EQ(upgrade(kClusters + "/nobody", "4.21.0"), 404U);
  remove(cluster_);
  EXPECT_EQ(upgrade(cluster_, "4.21.0"), 400U);
}

TEST_F(UpgradesTest, NodePoolsHaveTheirOwn) {
  json::object body = node_pool_body("workers");
  body["version"] = json::object{{"id", "openshift-v4.20.8"}, {"channel_group", "stable"}};
  ASSERT_EQ(post(cluster_ + "/node_pools", body).status, 201U);
  const std::string pool = cluster_ + "/node_pools/workers";
  EXPECT_EQ(upgrade(pool, "4.20.12"), 400U) << "it has never been ready";
  clock_.advance(6s);
  ASSERT_EQ(upgrade(pool, "4.20.12"), 201U);
  clock_.advance(3s);
  EXPECT_EQ(version(pool), "openshift-v4.20.12");
  EXPECT_EQ(version(cluster_), "openshift-v4.20.8");
}

}  // namespace
}  // namespace acceptd::simulator::testing
