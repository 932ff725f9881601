#include <fstream>

#include "unit/cluster_service_sim/fixture.hpp"

namespace acceptd::simulator::testing {
namespace {

using RestartTest = SimulatorTest;

TEST_F(RestartTest, LifeGoesOnWhereItWas) {
  const std::string id = create_ready("one");
  post(kClusters + "/" + id + "/node_pools", node_pool_body("workers"));
  const std::string other = create("two");
  clock_.advance(2s);
  const std::string before = get("/simulator/stats").text("/objects");
  restart();
  EXPECT_EQ(get("/simulator/stats").text("/objects"), before);
  stop();
  clock_.advance(8s);
  start();
  EXPECT_EQ(state(other), "ready");
  EXPECT_EQ(pool_state(id, "workers"), "ready");
}

TEST_F(RestartTest, NothingIsForgotten) {
  script({{"action", "fail"}, {"count", 2}, {"method", "POST"}});
  post("/simulator/script", json::parse(R"({"durations":{"cluster_create_seconds":3}})"));
  post("/simulator/advance", json::object{{"seconds", 100}});
  const std::string id = create("one");
  EXPECT_EQ(post(kClusters, cluster_body("one")).status, 409U);
  const std::string now = get("/simulator/stats").text("/now");
  const std::string names = get("/simulator/stats").text("/names");
  const std::string script_before = get("/simulator/script").response.body;
  restart();
  EXPECT_EQ(get("/simulator/stats").text("/now"), now);
  EXPECT_EQ(get("/simulator/stats").text("/names"), names);
  EXPECT_EQ(get("/simulator/script").response.body, script_before);
  clock_.advance(3s);
  EXPECT_EQ(state(id), "error");
  EXPECT_EQ(post(kClusters, cluster_body("one")).status, 409U);
}

TEST_F(RestartTest, IdsAreNotGivenTwice) {
  const std::string first = create("one");
  restart();
  EXPECT_NE(create("two"), first);
}

TEST_F(RestartTest, RemovedObjectsStayAway) {
  const std::string id = create_ready("one");
  post(kClusters + "/" + id + "/node_pools", node_pool_body("workers"));
  remove(kClusters + "/" + id);
  clock_.advance(4s);
  create("two");  // sweeps what is gone
  restart();
  EXPECT_EQ(get(kClusters + "/" + id).status, 404U);
  EXPECT_EQ(get(kClusters).text("/total"), "1");
  EXPECT_EQ(world_->object_count(), 1U);
}

TEST_F(RestartTest, ASecondProcessIsKeptOut) {
  create("one");
  EXPECT_THROW(Journal second(file()), std::runtime_error);
}

TEST_F(RestartTest, AForeignFileIsRefused) {
  stop();
  std::ofstream(file()) << "this is not a database, it is a text that is long enough to look at";
  EXPECT_THROW(Journal second(file()), std::runtime_error);
  std::filesystem::remove(file());
  start();
  create("one");
}

TEST_F(RestartTest, ACommitIsAppliedInOrder) {
  const std::string id = create("one");
  const std::vector<Entry> entries{{"object/x", "1"}, {"object/x", std::nullopt}, {"kept", "yes"}};
  journal_->commit(entries);
  stop();
  const Journal reopened(file());
  const auto stored = reopened.load();
  EXPECT_EQ(stored.at("kept"), "yes");
  EXPECT_EQ(stored.count("object/x"), 0U);
  EXPECT_EQ(stored.count("object/" + key_of(Kind::cluster, id, id)), 1U);
}

}  // namespace
}  // namespace acceptd::simulator::testing
