#include "unit/cluster_service_sim/fixture.hpp"

namespace acceptd::simulator::testing {
namespace {

using FaultsTest = SimulatorTest;

TEST_F(FaultsTest, AnswerInsteadOfWorkingAsOftenAsTold) {
  script({{"action", "answer"}, {"method", "POST"}, {"route", "/clusters"}, {"count", 1}, {"status", 503}, {"reason", "busy"}});
  const Reply refused = post(kClusters, cluster_body("one"));
  EXPECT_EQ(refused.status, 503U);
  EXPECT_EQ(refused.text("/reason"), "busy");
  EXPECT_EQ(get(kClusters).text("/total"), "0");
  EXPECT_EQ(post(kClusters, cluster_body("one")).status, 201U);
}

TEST_F(FaultsTest, ConcernOnlyNamesWithThePrefix) {
  script({{"action", "reject"}, {"method", "POST"}, {"name_prefix", "bad"}, {"code", "C-7"}, {"reason", "no"}});
  const Reply refused = post(kClusters, cluster_body("bad-1"));
  EXPECT_EQ(refused.status, 400U);
  EXPECT_EQ(refused.text("/code"), "C-7");
  const std::string id = create_ready("good");
  EXPECT_EQ(post(kClusters + "/" + id + "/node_pools", node_pool_body("bad")).status, 400U);
}

TEST_F(FaultsTest, FailTheProvisioningWithItsInflightChecks) {
  script({{"action", "fail"},
          {"method", "POST"},
          {"route", "/clusters"},
          {"code", "OCM4001"},
          {"message", "checks failed"},
          {"inflight_checks", json::parse(R"([{"name":"quota","error":"no cores left"},{"name":"dns","error":"no zone"}])")}});
  const std::string id = create("one");
  EXPECT_EQ(get(kClusters + "/" + id + "/inflight_checks").text("/total"), "2");
  clock_.advance(9999ms);
  EXPECT_EQ(state(id), "installing");
  clock_.advance(1ms);
  const Reply status = get(kClusters + "/" + id + "/status");
  EXPECT_EQ(status.text("/state"), "error");
  EXPECT_EQ(status.text("/provision_error_code"), "OCM4001");
  EXPECT_EQ(status.text("/provision_error_message"), "checks failed");
  const Reply checks = get(kClusters + "/" + id + "/inflight_checks?search=" + http::percent_encode("state = 'failed'"));
  EXPECT_EQ(checks.text("/total"), "2");
  EXPECT_EQ(checks.text("/items/0/details/error"), "no cores left");
  EXPECT_EQ(post(kClusters + "/" + id + "/node_pools", node_pool_body("workers")).status, 400U);
  EXPECT_EQ(get(kClusters + "/" + id).text("/api/url"), "(none)");
}

TEST_F(FaultsTest, FailNodePoolsCredentialsAndRemovals) {
  const std::string id = create_ready("one");
  const std::string credentials = kBreakGlass + "/" + id + "/break_glass_credentials";
  script({{"action", "fail"}, {"message", "no machines"}});
  post(kClusters + "/" + id + "/node_pools", node_pool_body("workers"));
  const std::string credential = post(credentials, json::object()).text("/id");
  clock_.advance(6s);
  EXPECT_EQ(pool_state(id, "workers"), "error");
  EXPECT_EQ(get(kClusters + "/" + id + "/node_pools/workers/status").text("/message"), "no machines");
  EXPECT_EQ(get(credentials + "/" + credential).text("/status"), "failed");
  remove(kClusters + "/" + id);
  clock_.advance(4s);
  EXPECT_EQ(state(id), "error");
  remove("/simulator/script");
  EXPECT_EQ(remove(kClusters + "/" + id).status, 204U) << "a removal that failed can be tried again";
  clock_.advance(4s);
  EXPECT_EQ(get(kClusters + "/" + id).status, 404U);
}

TEST_F(FaultsTest, NeverFinish) {
  script({{"action", "never_finish"}, {"method", "DELETE"}});
  const std::string id = create_ready("one");
  remove(kClusters + "/" + id);
  clock_.advance(1000h);
  EXPECT_EQ(state(id), "uninstalling");
}

TEST_F(FaultsTest, LieAboutTheState) {
  script({{"action", "lie"},
          {"method", "POST"},
          {"route", "/clusters"},
          {"states", json::array{"installing", "ready", "pending", "weird"}}});
  const std::string id = create("one");
  std::string told;
  for (int quarter = 0; quarter < 4; ++quarter) {
    told += state(id) + " ";
    clock_.advance(2500ms);
  }
  EXPECT_EQ(told + state(id), "installing ready pending weird ready");
}

TEST_F(FaultsTest, SlowDownOneCreation) {
  script({{"action", "slow"}, {"name_prefix", "slow"}, {"seconds", 60}});
  const std::string slow = create("slow");
  const std::string quick = create("quick");
  clock_.advance(10s);
  EXPECT_EQ(state(quick), "ready");
  EXPECT_EQ(state(slow), "validating");
  clock_.advance(50s);
  EXPECT_EQ(state(slow), "ready");
}

TEST_F(FaultsTest, AllowDuplicatesAndCountThem) {
  script({{"action", "allow_duplicate"}, {"method", "POST"}, {"count", 2}});
  create("one");
  create("one");
  EXPECT_EQ(get("/simulator/stats").text("/duplicates"), "1");
  EXPECT_EQ(post(kClusters, cluster_body("one")).status, 409U);
}

TEST_F(FaultsTest, TellTheServerWhenToDropAndWait) {
  for (const char* action : {"drop_before_work", "drop_reply_after_work"}) script({{"action", action}, {"method", "DELETE"}});
  script({{"action", "delay"}, {"delay_ms", 20}, {"route", "/versions"}});
  const Treatment drop = simulator_->treat(request(http::Method::remove, kClusters + "/x"));
  EXPECT_TRUE(drop.drop_before_work);
  EXPECT_TRUE(drop.drop_reply_after_work);
  const Treatment wait = simulator_->treat(request(http::Method::get, "/api/aro_hcp/v1alpha1/versions"));
  EXPECT_EQ(wait.delay_before, 20ms);
  EXPECT_FALSE(wait.drop_before_work);
}

TEST_F(FaultsTest, ComeByChanceTheSameWithTheSameSeed) {
  const auto run = [this] {
    script({{"action", "answer"}, {"probability", 0.5}, {"route", "/versions"}});
    std::string answers;
    for (int call = 0; call < 64; ++call) answers += get("/api/aro_hcp/v1alpha1/versions").status == 200 ? '.' : 'x';
    return answers;
  };
  const std::string first = run();
  post("/simulator/reset", json::object());
  EXPECT_EQ(run(), first);
  EXPECT_NE(first.find('.'), std::string::npos);
  EXPECT_NE(first.find('x'), std::string::npos);
}

TEST_F(FaultsTest, AreShownAndTakenBack) {
  script({{"action", "never_finish"}, {"count", 3}});
  create("one");
  const Reply shown = get("/simulator/script");
  EXPECT_EQ(shown.text("/rules/0/count"), "2");
  EXPECT_EQ(shown.text("/rules/0/applied"), "1");
  EXPECT_EQ(remove("/simulator/script").status, 204U);
  EXPECT_EQ(get("/simulator/script").text("/rules"), "[]");
}

TEST_F(FaultsTest, AreRefusedWholeWhenOneIsWrong) {
  const Reply refused = post(
      "/simulator/script",
      json::parse(R"({"rules":[{"action":"never_finish"},{"action":"nonsense"}],"durations":{"cluster_create_seconds":1}})"));
  EXPECT_EQ(refused.status, 400U);
  EXPECT_EQ(get("/simulator/script").text("/rules"), "[]");
  EXPECT_EQ(get("/simulator/script").text("/durations/cluster_create_seconds"), "10");
  EXPECT_EQ(post("/simulator/script", json::object{{"rulez", json::array()}}).status, 400U);
  EXPECT_EQ(post("/simulator/script", json::parse(R"({"durations":{"cluster_create_second":1}})")).status, 400U);
  EXPECT_EQ(post("/simulator/script", json::parse(R"({"durations":{"cluster_create_seconds":-1}})")).status, 400U);
}

using ControlTest = SimulatorTest;

TEST_F(ControlTest, ChangesDurationsOfWorkThatIsBegunLater) {
  const std::string before = create("before");
  post("/simulator/script", json::parse(R"({"durations":{"cluster_create_seconds":1}})"));
  const std::string after = create("after");
  clock_.advance(1s);
  EXPECT_EQ(state(before), "validating");
  EXPECT_EQ(state(after), "ready");
  remove("/simulator/script");
  EXPECT_EQ(get("/simulator/script").text("/durations/cluster_create_seconds"), "10");
}

TEST_F(ControlTest, AdvancesTime) {
  const std::string id = create("one");
  EXPECT_EQ(post("/simulator/advance", json::object{{"seconds", 9.5}}).text("/now"), "2026-01-05T18:30:07.500000Z");
  EXPECT_EQ(state(id), "installing");
  post("/simulator/advance", json::object{{"seconds", 0.5}});
  EXPECT_EQ(state(id), "ready");
  EXPECT_EQ(post("/simulator/advance", json::object{{"seconds", -1}}).status, 400U);
  EXPECT_EQ(post("/simulator/advance", json::object()).status, 400U);
}

TEST_F(ControlTest, CountsCallsAndRemembersRequestIds) {
  http::Request list = request(http::Method::get, kClusters);
  list.headers.add("X-Request-Id", "r-1");
  send(list);
  get(kClusters);
  get(kClusters + "/none/status");
  const Reply stats = get("/simulator/stats");
  EXPECT_EQ(stats.text("/calls/GET ~1clusters"), "2");
  EXPECT_EQ(stats.text("/calls/GET ~1clusters~1*~1status"), "1");
  EXPECT_EQ(stats.text("/request_ids"), R"([{"route":"GET /clusters","id":"r-1"}])");
  for (std::size_t call = 0; call < Simulator::kRequestIdsMax + 5; ++call) send(list);
  EXPECT_EQ(get("/simulator/stats").body.at("request_ids").as_array().size(), Simulator::kRequestIdsMax);
}

TEST_F(ControlTest, RepeatsTheRequestIdInErrors) {
  http::Request missing = request(http::Method::get, kClusters + "/none");
  missing.headers.add("X-Request-ID", "r-2");
  EXPECT_EQ(send(missing).text("/operation_id"), "r-2");
}

TEST_F(ControlTest, ListsLiveObjectsWithTheirProperties) {
  json::object body = cluster_body("one");
  body["properties"] = json::object{{"stamp", "s-1"}};
  post(kClusters, body);
  const Reply stats = get("/simulator/stats");
  EXPECT_EQ(stats.text("/alive/cluster"), "1");
  EXPECT_EQ(stats.text("/objects/0/properties/stamp"), "s-1");
}

TEST_F(ControlTest, ForgetsEverythingOnReset) {
  create("one");
  script({{"action", "never_finish"}});
  EXPECT_EQ(post("/simulator/reset", json::object()).status, 204U);
  const Reply stats = get("/simulator/stats");
  EXPECT_EQ(stats.text("/alive/cluster"), "0");
  EXPECT_EQ(stats.text("/names"), "{}");
  EXPECT_EQ(stats.text("/calls"), "{}");
  restart();
  EXPECT_EQ(get(kClusters).text("/total"), "0");
  EXPECT_EQ(get("/simulator/script").text("/rules"), "[]");
}

}  // namespace
}  // namespace acceptd::simulator::testing
