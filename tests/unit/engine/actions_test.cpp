/// Actions, and what they cancel.

#include "unit/engine/fixture.hpp"

namespace acceptd::engine {
namespace {

TEST_F(EngineTest, AnActionDoesNotTouchTheState) {
  ready(cluster);
  provider.submissions = {{.answer = Submission::Answer::accepted, .internal_id = "/cred/1"}};
  ActionRequest request{.id = *ResourceId::parse(cluster), .action = "REQUESTcredential", .caller = alice, .api_version = "1"};
  request.operation_path = [](Uuid op) { return "/operations/" + model::to_string(op); };
  const auto accepted = run(engine->act(request));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->operation->action, "RequestCredential");
  EXPECT_EQ(state_of(cluster), "Succeeded");
  clock.advance(1min);
  EXPECT_EQ(status_of(*accepted, alice), "Succeeded");
  const auto op = run(engine->operation("s", accepted->operation->id, alice));
  EXPECT_FALSE(op->result) << "HCP-017: never stored";
  const auto result = run(engine->action_result(*op));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->at("kubeconfig"), "secret");
}

TEST_F(EngineTest, WhatAnActionMadeIsKeptUnlessItIsSecretOrTooLarge) {
  ready(cluster);
  const auto result_of = [this](const std::string& name, boost::json::value made) {
    provider.submissions = {accepts("/checks/1")};
    provider.observations = {{.kind = Observation::Kind::state, .status = Status::succeeded, .result = std::move(made)}};
    const auto accepted = run(engine->act(action(name)));
    clock.advance(1min);
    return run(engine->operation("s", accepted.value().operation->id, alice)).value().result;
  };
  EXPECT_EQ(result_of("check", {{"healthy", true}}), (boost::json::value{{"healthy", true}}));
  EXPECT_FALSE(result_of("check", boost::json::string(100'000, 'x')));
  EXPECT_FALSE(result_of("requestCredential", {{"kubeconfig", "secret"}}));
}

TEST_F(EngineTest, AnActionWaitsForAHiddenUpdateToBecomeOneThingOrTheOther) {
  ready(cluster);
  provider.delay = 3s;
  provider.submissions = {refuses(), accepts("/cred/1")};
  const auto update = begin(engine->write(put(cluster, 2)));
  const auto credential = begin(engine->act(action("requestCredential")));
  EXPECT_FALSE(*credential) << "neither refused nor accepted yet";
  clock.advance(10s);
  ASSERT_TRUE(*update && *credential);
  EXPECT_FALSE((*update)->has_value());
  EXPECT_TRUE((*credential)->has_value());
}

TEST_F(EngineTest, AnActionDoesNotMoveTheEntityTag) {
  ready(cluster);
  const std::string etag = resource_of(cluster).etag;
  provider.submissions = {accepts("/cred/1")};
  const auto accepted = run(engine->act(action("revokeCredentials")));
  ASSERT_TRUE(accepted);
  clock.advance(1min);
  EXPECT_EQ(status_of(*accepted, alice), "Succeeded");
  EXPECT_EQ(resource_of(cluster).etag, etag);
}

TEST_F(EngineTest, ARevokeAsksTheBackendOnlyWhenALostRequestCannotComeTrueAnyMore) {
  ready(cluster);
  provider.submissions = {{.answer = Submission::Answer::unknown}, accepts("/revocation/1")};
  const auto lost = run(engine->act(action("requestCredential")));
  ASSERT_TRUE(lost);
  const auto requested_at = clock.now();
  const auto revoke = run(engine->act(action("revokeCredentials")));
  ASSERT_TRUE(revoke);
  EXPECT_EQ(status_of(*lost, alice), "Canceled");
  EXPECT_EQ(provider.submitted.back().action, "RequestCredential");
  EXPECT_EQ(status_of(*revoke, alice), "Accepted") << "the caller need not wait for the backend's time-outs";
  clock.advance(10s);
  EXPECT_EQ(provider.submitted.back().action, "RequestCredential");
  clock.advance(10s);
  ASSERT_EQ(provider.submitted.back().action, "RevokeCredentials");
  EXPECT_GE(clock.now() - requested_at, 10s);
  EXPECT_EQ(status_of(*revoke, alice), "Succeeded");
}

TEST_F(EngineTest, ARevokeCancelsEveryRequestHoweverMany) {
  ready(cluster);
  constexpr int kMany = 230;
  std::vector<model::Operation> requests;
  for (int i = 0; i < kMany; ++i) {
    model::Operation op;
    op.id = model::uuid_of_name("request " + std::to_string(i));
    op.partition = "s";
    op.request = RequestKind::action;
    op.action = "RequestCredential";
    op.target = *ResourceId::parse(cluster);
    op.incarnation = resource_of(cluster).incarnation;
    op.initiator = {alice.tenant, alice.client};
    op.exposed = op.initiator;
    op.start = op.last_transition = clock.now();
    op.deadline = op.start + 1h;
    op.stage = model::Stage::watch;
    op.internal_id = "/cred/" + std::to_string(i);
    write_document(to_document(op));
    requests.push_back(op);
  }
  backend_says(Status::provisioning);
  provider.submissions = {accepts("/revocation/1")};
  ASSERT_TRUE(run(engine->act(action("revokeCredentials"))));
  for (const model::Operation& op : requests) EXPECT_EQ(run(engine->operation("s", op.id, alice))->status, Status::canceled);
}

}  // namespace
}  // namespace acceptd::engine
