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

struct NodePoolProviderTest : BackendTest {
  static engine::Target target(RequestKind request) {
    engine::Target target = BackendTest::target(request, std::string(kClusterId) + "/nodePools/Pool-1");
    target.parent_internal_id = kCluster;
    if (request != RequestKind::create) target.internal_id = pool();
    return target;
  }
  static std::string pool() { return std::string(kCluster) + "/node_pools/pool-1"; }
  Submission submit(engine::Target target) { return run(node_pools().submit(std::move(target))); }
  engine::SearchResult search(engine::Target target) { return run(node_pools().search(std::move(target))); }
  const http::ClientRequest& sent(std::size_t index) { return client.requests.at(index); }

  /// What a search makes of a pool with these further members.
  std::optional<model::Uuid> stamp_of(std::string_view members) {
    client.answer(200, fmt::format(R"({{"href":"{}",{}}})", pool(), members));
    const auto result = search(target(RequestKind::create));
    return result.found.at(0).incarnation;
  }
};

TEST_F(NodePoolProviderTest, TraitsLeaveChildrenAlone) { EXPECT_FALSE(node_pools().traits().removes_children); }

TEST_F(NodePoolProviderTest, CreatesBelowItsCluster) {
  client.answer(201, fmt::format(R"({{"id":"pool-1","href":"{}","subnet":"/s"}})", pool()));
  const auto submission = submit(target(RequestKind::create));
  EXPECT_EQ(submission.answer, Answer::accepted);
  EXPECT_EQ(submission.internal_id, pool());
  EXPECT_EQ(at(submission.observed, "/platform/subnetId"), "/s");
  EXPECT_EQ(sent(0).target, std::string(kCluster) + "/node_pools");
  EXPECT_EQ(at(parsed(sent(0).body), "/id"), "pool-1");
}

TEST_F(NodePoolProviderTest, AnAnswerWithoutAnHrefIsUnderstoodByTheName) {
  client.answer(201, "garbage");
  EXPECT_EQ(submit(target(RequestKind::create)).internal_id, pool());
}

TEST_F(NodePoolProviderTest, HCP_021_ACreateBelowAMissingClusterNamesTheCluster) {
  client.answer(404);
  const auto answered = submit(target(RequestKind::create));
  engine::Target orphan = target(RequestKind::create);
  orphan.parent_internal_id.clear();
  const auto unasked = submit(orphan);
  EXPECT_EQ(client.requests.size(), 1u);
  for (const auto& submission : {answered, unasked}) {
    EXPECT_EQ(submission.answer, Answer::rejected);
    EXPECT_EQ(submission.error->code, "ResourceNotFound");
    EXPECT_NE(submission.error->message.find("hcpOpenShiftClusters/MyCluster'"), std::string::npos);
  }
}

TEST_F(NodePoolProviderTest, UpdatesWithTheDifferenceOrNotAtAll) {
  client.answer(200, R"({"replicas":2})").answer(200, "{}");
  engine::Target update = target(RequestKind::update);
  update.desired = {{"replicas", 3}};
  EXPECT_EQ(submit(update).answer, Answer::accepted);
  EXPECT_EQ(parsed(sent(1).body), parsed(R"({"replicas":3})"));

  client.answer(200, R"({"replicas":3})");
  EXPECT_EQ(submit(update).answer, Answer::accepted) << "there already, perhaps by a PATCH whose answer was lost";
  EXPECT_EQ(client.requests.size(), 3u);
}

TEST_F(NodePoolProviderTest, Deletes) {
  client.answer(200, "{}").answer(204);
  EXPECT_EQ(submit(target(RequestKind::remove)).answer, Answer::accepted);
  EXPECT_EQ(sent(1).target, pool());
  EXPECT_EQ(sent(1).method, http::Method::remove);
  client.answer(404);
  EXPECT_EQ(submit(target(RequestKind::remove)).answer, Answer::gone);
  client.answer(200, "{}").answer(404);
  EXPECT_EQ(submit(target(RequestKind::remove)).answer, Answer::gone);
  client.answer(503);
  EXPECT_EQ(submit(target(RequestKind::remove)).answer, Answer::unavailable) << "whose it is has not been told";
  EXPECT_EQ(client.requests.size(), 6u);
}

/// Pools that lie at the address of the target and are not the target's.
std::vector<std::string> others() {
  return {R"({"azure_node_pool":{"tags":{"acceptd_incarnation":"99999999-2222-4333-8444-555555555555"}}})",
          R"({"azure_node_pool":{"tags":{"acceptd_incarnation":"rewritten"}}})",
          fmt::format(R"({{"azure_node_pool":{{"tags":{{"team":"blue"}}}},"creation_timestamp":"{}"}})",
                      model::format_rfc3339(testing::SimClock::kStart - 6s)),
          fmt::format(R"({{"creation_timestamp":"{}"}})", model::format_rfc3339(testing::SimClock::kStart - 6s))};
}

TEST_F(NodePoolProviderTest, HCP_002_WhatIsAnothersIsNeitherDeletedNorChanged) {
  engine::Target update = target(RequestKind::update);
  update.desired = {{"replicas", 3}};
  for (const std::string& other : others()) {
    client.answer(200, other).answer(200, other);
    EXPECT_EQ(submit(target(RequestKind::remove)).answer, Answer::gone) << other;
    EXPECT_EQ(submit(update).answer, Answer::gone) << other;
  }
  for (const auto& request : client.requests) EXPECT_EQ(request.method, http::Method::get);
}

TEST_F(NodePoolProviderTest, HCP_002_APoolWithOurStampIsDeleted) {
  client.answer(200, fmt::format(R"({{"azure_node_pool":{{"tags":{{"acceptd_incarnation":"{}"}}}}}})", kIncarnation)).answer(204);
  EXPECT_EQ(submit(target(RequestKind::remove)).answer, Answer::accepted);
}

TEST_F(NodePoolProviderTest, HCP_002_APoolWhoseTagsLostOurStampIsStillOurs) {
  for (const char* tags : {"{}", R"({"team":"blue"})"}) {
    client
        .answer(200, fmt::format(R"({{"azure_node_pool":{{"tags":{}}},"creation_timestamp":"{}"}})", tags,
                                 model::format_rfc3339(testing::SimClock::kStart + 1s)))
        .answer(204);
    EXPECT_EQ(submit(target(RequestKind::remove)).answer, Answer::accepted) << tags;
  }
}

TEST_F(NodePoolProviderTest, HCP_002_ASuccessorSaysThatThePoolIsGone) {
  const std::string ready = R"({"state":{"node_pool_state_value":"ready"}})";
  for (const std::string& other : others()) {
    client.answer(200, ready).answer(200, other);
    EXPECT_EQ(run(node_pools().observe(target(RequestKind::remove))).kind, Observation::Kind::gone) << other;
  }
  client.answer(200, ready).answer(200, "{}");
  const auto ours = run(node_pools().observe(target(RequestKind::remove)));
  EXPECT_EQ(ours.kind, Observation::Kind::state);
  EXPECT_EQ(ours.status, std::nullopt) << "not begun yet";
  client.answer(200, R"({"state":{"node_pool_state_value":"uninstalling"}})");
  EXPECT_EQ(run(node_pools().observe(target(RequestKind::remove))).status, Status::deleting);
}

TEST_F(NodePoolProviderTest, HasNoActions) {
  engine::Target action = target(RequestKind::action);
  EXPECT_EQ(submit(action).answer, Answer::rejected);
  EXPECT_FALSE(run(node_pools().result(action)));
  EXPECT_TRUE(client.requests.empty());
}

TEST_F(NodePoolProviderTest, HCP_023_Observes) {
  client.answer(200, R"({"state":{"node_pool_state_value":"installing"},"message":"1 of 3","current_replicas":1})");
  const auto installing = run(node_pools().observe(target(RequestKind::update)));
  EXPECT_EQ(installing.status, Status::provisioning);
  EXPECT_EQ(installing.message, "1 of 3");
  EXPECT_EQ(sent(0).target, pool() + "/status");

  client.answer(200, R"({"state":{"node_pool_state_value":"ready"}})").answer(200, R"({"subnet":"/s"})");
  const auto ready = run(node_pools().observe(target(RequestKind::update)));
  EXPECT_EQ(ready.status, Status::succeeded);
  EXPECT_EQ(at(ready.observed, "/platform/subnetId"), "/s");

  client.answer(404);
  EXPECT_EQ(run(node_pools().observe(target(RequestKind::remove))).kind, Observation::Kind::gone);
}

TEST_F(NodePoolProviderTest, HCP_002_FindsByName) {
  client.answer(200, fmt::format(R"({{"href":"{}","status":{{"state":{{"node_pool_state_value":"uninstalling"}}}}}})", pool()));
  const auto result = search(target(RequestKind::create));
  ASSERT_EQ(result.found.size(), 1u);
  EXPECT_EQ(result.found[0].internal_id, pool());
  EXPECT_TRUE(result.found[0].removing);
  EXPECT_EQ(sent(0).target, pool());
}

TEST_F(NodePoolProviderTest, HCP_002_FindsNothing) {
  client.answer(404);
  EXPECT_TRUE(search(target(RequestKind::create)).available);
  engine::Target orphan = target(RequestKind::create);
  orphan.parent_internal_id.clear();
  EXPECT_TRUE(search(orphan).available);
  client.answer(500).answer(200, "garbage").fail(http::Failure::unknown);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(search(target(RequestKind::create)).available);
}

TEST_F(NodePoolProviderTest, HCP_002_TheStampIsReadFromTheTags) {
  EXPECT_EQ(stamp_of(fmt::format(R"("azure_node_pool":{{"tags":{{"acceptd_incarnation":"{}"}}}})", kIncarnation)),
            model::parse_uuid(kIncarnation));
  EXPECT_EQ(stamp_of(R"("azure_node_pool":{"tags":{"acceptd_incarnation":"99999999-2222-4333-8444-555555555555"}})"),
            model::parse_uuid("99999999-2222-4333-8444-555555555555"));
}

TEST_F(NodePoolProviderTest, HCP_002_AStampThatIsNoneIsAStrangers) {
  EXPECT_EQ(
      stamp_of(
          R"("azure_node_pool":{"resource_name":"pool-1","tags":{"acceptd_incarnation":"x"}},"creation_timestamp":"2026-01-05T19:00:00Z")"),
      std::nullopt);
}

TEST_F(NodePoolProviderTest, HCP_002_WithoutAStampOurNameAndAgeCountAsOurs) {
  const auto pool_of = [](std::string_view name, model::Time created, std::string_view more = "") {
    return fmt::format(R"("azure_node_pool":{{"resource_name":"{}"{}}},"creation_timestamp":"{}")", name, more,
                       model::format_rfc3339(created));
  };
  const model::Time intent = testing::SimClock::kStart;
  EXPECT_EQ(stamp_of(pool_of("pool-1", intent + 1s)), model::parse_uuid(kIncarnation));
  EXPECT_EQ(stamp_of(pool_of("pool-1", intent + 1s, R"(,"tags":{})")), model::parse_uuid(kIncarnation));
  EXPECT_EQ(stamp_of(pool_of("pool-1", intent - 6s, R"(,"tags":{})")), std::nullopt) << "a predecessor's";
  EXPECT_EQ(stamp_of(pool_of("pool-1", intent - 5s)), model::parse_uuid(kIncarnation)) << "clocks may differ by as much";
  EXPECT_EQ(stamp_of(pool_of("pool-1", intent - 6s)), std::nullopt) << "a predecessor's";
  EXPECT_EQ(stamp_of(pool_of("pool-2", intent + 1s)), std::nullopt);
  EXPECT_EQ(stamp_of(R"("azure_node_pool":{"resource_name":"pool-1"})"), std::nullopt) << "of unknown age";
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
