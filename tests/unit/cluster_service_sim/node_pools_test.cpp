#include "unit/cluster_service_sim/fixture.hpp"

namespace acceptd::simulator::testing {
namespace {

class NodePoolsTest : public SimulatorTest {
 protected:
  std::string pools() const { return kClusters + "/" + cluster_ + "/node_pools"; }
  std::string cluster_ = create_ready("one");
};

TEST_F(NodePoolsTest, GrowFromValidatingToReady) {
  const Reply created = post(pools(), node_pool_body("Workers"));
  ASSERT_EQ(created.status, 201U);
  EXPECT_EQ(created.text("/id"), "workers");
  EXPECT_EQ(created.text("/href"), pools() + "/workers");
  EXPECT_EQ(created.text("/azure_node_pool/resource_name"), "Workers");
  EXPECT_EQ(pool_state(cluster_, "workers"), "validating");
  EXPECT_EQ(get(pools() + "/workers/status").text("/current_replicas"), "0");
  clock_.advance(6s);
  EXPECT_EQ(pool_state(cluster_, "workers"), "ready");
  EXPECT_EQ(get(pools() + "/workers/status").text("/current_replicas"), "2");
}

TEST_F(NodePoolsTest, HaveTheirNameAsKey) {
  ASSERT_EQ(post(pools(), node_pool_body("workers")).status, 201U);
  EXPECT_EQ(post(pools(), node_pool_body("WORKERS")).status, 409U);
  EXPECT_EQ(get("/simulator/stats").text("/names/node_pool~1" + cluster_ + "~1workers/refused"), "1");
  ASSERT_EQ(remove(pools() + "/workers").status, 204U);
  EXPECT_EQ(post(pools(), node_pool_body("workers")).status, 409U) << "it is still being removed";
  clock_.advance(4s);
  EXPECT_EQ(get(pools() + "/workers").status, 404U);
  EXPECT_EQ(post(pools(), node_pool_body("workers")).status, 201U);
}

TEST_F(NodePoolsTest, ScaleOrAreScaled) {
  json::object both = node_pool_body("workers");
  both["autoscaling"] = json::object{{"min_replica", 1}, {"max_replica", 3}};
  EXPECT_EQ(post(pools(), both).status, 400U);
  both.erase("replicas");
  EXPECT_EQ(post(pools(), both).status, 201U);
  clock_.advance(6s);
  const Reply fixed = patch(pools() + "/workers", json::object{{"replicas", 4}});
  EXPECT_EQ(fixed.status, 200U);
  EXPECT_EQ(fixed.text("/autoscaling"), "(none)");
  EXPECT_EQ(pool_state(cluster_, "workers"), "validating_update");
  clock_.advance(3s);
  EXPECT_EQ(pool_state(cluster_, "workers"), "ready");
  const Reply scaling = patch(pools() + "/workers", json::parse(R"({"autoscaling":{"min_replica":2,"max_replica":1}})"));
  EXPECT_EQ(scaling.status, 400U);
  EXPECT_EQ(get(pools() + "/workers").text("/replicas"), "4") << "a refused change changes nothing";
}

TEST_F(NodePoolsTest, ReplaceLabelsAndTaintsAsAWhole) {
  json::object body = node_pool_body("workers");
  body["labels"] = json::object{{"a", "1"}, {"b", "2"}};
  ASSERT_EQ(post(pools(), body).status, 201U);
  clock_.advance(6s);
  const Reply changed = patch(pools() + "/workers",
                              json::parse(R"({"labels":{"c":"3"},"taints":[{"effect":"NoSchedule","key":"k","value":"v"}]})"));
  EXPECT_EQ(changed.text("/labels"), R"({"c":"3"})");
  EXPECT_EQ(changed.text("/taints/0/key"), "k");
  EXPECT_EQ(patch(pools() + "/workers", json::parse(R"({"azure_node_pool":{"vm_size":"other"}})")).status, 400U);
}

TEST_F(NodePoolsTest, NeedTheirClusterAndAValidBody) {
  EXPECT_EQ(post(kClusters + "/missing/node_pools", node_pool_body("workers")).status, 404U);
  json::object unnamed = node_pool_body("workers");
  unnamed.erase("id");
  EXPECT_EQ(post(pools(), unnamed).status, 400U);
  EXPECT_EQ(post(pools(), node_pool_body("a-name-far-too-long")).status, 400U);
  json::object text = node_pool_body("workers");
  text["replicas"] = "two";
  EXPECT_EQ(post(pools(), text).status, 400U);
  EXPECT_EQ(get(pools()).text("/total"), "0");
}

TEST_F(NodePoolsTest, AreListedWithTheirCluster) {
  post(pools(), node_pool_body("a"));
  post(pools(), node_pool_body("b"));
  post(kClusters + "/" + create("two") + "/node_pools", node_pool_body("c"));
  const Reply list = get(pools());
  EXPECT_EQ(list.text("/kind"), "NodePoolList");
  EXPECT_EQ(list.text("/total"), "2");
  EXPECT_EQ(list.text("/items/1/id"), "b");
}

class CredentialsTest : public SimulatorTest {
 protected:
  std::string credentials() const { return kBreakGlass + "/" + cluster_ + "/break_glass_credentials"; }
  std::string request_one() { return post(credentials(), json::object()).text("/id"); }
  std::string status(const std::string& id) { return get(credentials() + "/" + id).text("/status"); }
  std::string cluster_ = create_ready("one");
};

TEST_F(CredentialsTest, AreIssuedWithAKubeconfig) {
  const Reply created = post(credentials(), json::object());
  ASSERT_EQ(created.status, 201U);
  const std::string id = created.text("/id");
  EXPECT_EQ(created.text("/href"), credentials() + "/" + id);
  EXPECT_EQ(created.text("/status"), "created");
  EXPECT_EQ(get(credentials() + "/" + id).text("/kubeconfig"), "(none)");
  clock_.advance(2s);
  const Reply issued = get(credentials() + "/" + id);
  EXPECT_EQ(issued.text("/status"), "issued");
  EXPECT_NE(issued.text("/kubeconfig").find("server: https://api."), std::string::npos);
  EXPECT_EQ(get(credentials()).text("/items/0/kubeconfig"), "(none)") << "only a GET of one shows it";
}

TEST_F(CredentialsTest, AreRevokedTogether) {
  const std::string issued = request_one();
  clock_.advance(2s);
  const std::string fresh = request_one();
  EXPECT_EQ(remove(credentials()).status, 204U);
  EXPECT_EQ(status(issued), "awaiting_revocation");
  EXPECT_EQ(status(fresh), "awaiting_revocation");
  clock_.advance(2s);
  EXPECT_EQ(status(issued), "revoked");
  EXPECT_EQ(status(fresh), "revoked");
  EXPECT_EQ(remove(credentials()).status, 204U) << "nothing left to revoke";
  EXPECT_EQ(status(issued), "revoked");
}

TEST_F(CredentialsTest, Expire) {
  const std::string id = request_one();
  clock_.advance(24h);
  EXPECT_EQ(status(id), "expired");
  remove(credentials());
  EXPECT_EQ(status(id), "expired");
}

TEST_F(CredentialsTest, NeedAReadyCluster) {
  const std::string young = create("two");
  EXPECT_EQ(post(kBreakGlass + "/" + young + "/break_glass_credentials", json::object()).status, 400U);
  EXPECT_EQ(post(kBreakGlass + "/missing/break_glass_credentials", json::object()).status, 404U);
}

}  // namespace
}  // namespace acceptd::simulator::testing
