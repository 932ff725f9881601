/// The simulation attacks the engine at random; here each promise has its story.

#include "unit/engine/fixture.hpp"

namespace acceptd::engine {
namespace {

TEST_F(EngineTest, ACreateIsShownAcceptedThenProvisioningThenSucceeded) {
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->outcome, Accepted::Outcome::created);
  EXPECT_EQ(accepted->operation->status, Status::accepted);
  EXPECT_EQ(accepted->resource->provisioning_state, Status::accepted);
  EXPECT_EQ(accepted->resource->internal_id, "/c/1");
  clock.advance(5s);
  EXPECT_EQ(state_of(cluster), "Provisioning");
  EXPECT_EQ(status_of(*accepted, alice), "Provisioning");
  backend_says(Status::succeeded);
  clock.advance(1min);
  EXPECT_EQ(state_of(cluster), "Succeeded");
  EXPECT_EQ(status_of(*accepted, alice), "Succeeded");
}

TEST_F(EngineTest, HCP_009_OnlyTheInitiatorSeesAnOperation) {
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(status_of(*accepted, bob), "NotFound");
  EXPECT_EQ(status_of(*accepted, Caller{}), "NotFound");
}

TEST_F(EngineTest, ARejectedCreateLeavesNothing) {
  provider.submissions = {{.answer = Submission::Answer::rejected,
                           .error = Error{.kind = model::ErrorKind::invalid, .code = "InvalidRequestContent", .message = "no"}}};
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_FALSE(accepted);
  EXPECT_EQ(accepted.error().code, "InvalidRequestContent");
  EXPECT_EQ(state_of(cluster), "ResourceNotFound");
}

TEST_F(EngineTest, ARejectedUpdateLeavesTheResourceAsItWas) {
  ready(cluster);
  provider.submissions = {{.answer = Submission::Answer::rejected,
                           .error = Error{.kind = model::ErrorKind::invalid, .code = "InvalidRequestContent", .message = "no"}}};
  ASSERT_FALSE(run(engine->write(put(cluster, 2))));
  const auto resource = run(engine->get(*ResourceId::parse(cluster)));
  EXPECT_EQ(resource->desired.at("size"), 1);
  EXPECT_EQ(resource->provisioning_state, Status::succeeded);
  EXPECT_FALSE(resource->active_operation);
}

TEST_F(EngineTest, AnUpdateIsShownWithItsTargetValues) {
  ready(cluster);
  backend_says(Status::updating);
  const auto accepted = run(engine->write(put(cluster, 2)));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->outcome, Accepted::Outcome::updated);
  EXPECT_EQ(accepted->resource->desired.at("size"), 2);
  clock.advance(2s);
  EXPECT_EQ(state_of(cluster), "Updating");
  const auto second = run(engine->write(put(cluster, 3)));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "Cannot update resource while resource is \"updating\"");
}

TEST_F(EngineTest, ALostAnswerIsSearchedForAndTheObjectAdopted) {
  provider.submissions = {{.answer = Submission::Answer::unknown}};
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted) << "a lost answer is no reason to break the promise";
  Found ours{.internal_id = "/c/9", .incarnation = accepted->resource->incarnation};
  provider.searches = {{.available = true, .found = {ours}}};
  backend_says(Status::succeeded);
  clock.advance(1min);
  EXPECT_EQ(state_of(cluster), "Succeeded");
  EXPECT_EQ(provider.submitted.size(), 1u);
  EXPECT_EQ(engine->figures().adoptions, 1u);
}

TEST_F(EngineTest, ALostRequestIsSentAgainOnlyAfterASearchLaterThanItsTimeOut) {
  provider.submissions = {{.answer = Submission::Answer::unknown},
                          {.answer = Submission::Answer::accepted, .internal_id = "/c/2"}};
  ASSERT_TRUE(run(engine->write(put(cluster))));
  clock.advance(14s);  // a claim is good for 5 s, then the time-out and what the backend may still carry out: 20 s
  EXPECT_EQ(provider.submitted.size(), 1u);
  EXPECT_GE(provider.searched.size(), 1u);
  clock.advance(10s);
  EXPECT_EQ(provider.submitted.size(), 2u);
  EXPECT_EQ(state_of(cluster), "Provisioning");
}

TEST_F(EngineTest, AStrangersObjectIsNeverAdopted) {
  provider.submissions = {{.answer = Submission::Answer::exists}};
  provider.searches = {{.available = true, .found = {Found{.internal_id = "/c/7", .incarnation = model::uuid_of_name("other")}}}};
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_FALSE(accepted);
  EXPECT_EQ(accepted.error().kind, model::ErrorKind::conflict);
  EXPECT_EQ(state_of(cluster), "ResourceNotFound");
}

TEST_F(EngineTest, ABackendThatIsDownDoesNotBreakThePromise) {
  provider.submissions = {{.answer = Submission::Answer::unavailable}};
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted);
  clock.advance(1h);
  EXPECT_EQ(status_of(*accepted, alice), "Accepted");
  provider.submissions = {{.answer = Submission::Answer::accepted, .internal_id = "/c/1"}};
  backend_says(Status::succeeded);
  clock.advance(2min);
  EXPECT_EQ(status_of(*accepted, alice), "Succeeded");
}

TEST_F(EngineTest, AWorkerThatTakesOverAfterACrashSearchesBeforeItSends) {
  provider.delay = 1h;  // the call hangs when the process dies
  std::optional<Result<Accepted>> got;
  boost::asio::co_spawn(io, engine->write(put(cluster)),
                        [&](std::exception_ptr, Result<Accepted> value) { got = std::move(value); });
  clock.advance(1s);
  EXPECT_FALSE(got);
  ASSERT_EQ(provider.submitted.size(), 1u);
  EXPECT_EQ(state_of(cluster), "ResourceNotFound") << "a hidden intent is not there for readers";

  acceptd::testing::ModelStore store_after(state, clock);
  EngineOptions options;
  options.epoch = 2;
  Engine successor(io.get_executor(), options, Engine::Dependencies{store_after, types, clock, random, log});
  ASSERT_TRUE(run(successor.start()));
  provider.searches = {
      {.available = true, .found = {Found{.internal_id = "/c/1", .incarnation = provider.submitted[0].incarnation}}}};
  backend_says(Status::succeeded);
  clock.advance(30s);
  const auto resource = run(successor.get(*ResourceId::parse(cluster)));
  ASSERT_TRUE(resource);
  EXPECT_EQ(resource->provisioning_state, Status::succeeded);
  EXPECT_EQ(provider.submitted.size(), 1u);
  run_void(successor.stop());
}

TEST_F(EngineTest, HCP_007_AnAnswerOfAnyKindEndsThePause) {
  provider.submissions = {{.answer = Submission::Answer::unavailable}, {.answer = Submission::Answer::unknown}};
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted);
  clock.advance(5s);
  const auto op = run(engine->operation("s", accepted->operation->id, alice));
  ASSERT_TRUE(op);
  EXPECT_EQ(provider.submitted.size(), 2u);
  EXPECT_FALSE(op->unreachable_since);
  clock.advance(2h);
  EXPECT_EQ(status_of(*accepted, alice), "Failed") << "the deadline ran";
}

TEST_F(EngineTest, ASearchThatIsAnsweredEndsThePause) {
  provider.submissions = {{.answer = Submission::Answer::unknown}};
  provider.searches = {{.available = false}, {.available = true}};
  const auto accepted = run(engine->write(put(cluster)));
  clock.advance(5s);
  EXPECT_GE(provider.searched.size(), 2u);
  EXPECT_FALSE(run(engine->operation("s", accepted->operation->id, alice))->unreachable_since);
}

TEST_F(EngineTest, WhatIsSentAgainIsSentLessAndLessOften) {
  ready(cluster);
  provider.submissions = {{.answer = Submission::Answer::unknown}};
  backend_says(Status::succeeded);
  const auto deleted = run(engine->remove(del(cluster)));
  ASSERT_TRUE(deleted);
  clock.advance(10min);
  EXPECT_LE(provider.submitted.size(), 90u) << "not every second";
  EXPECT_GE(provider.submitted.size(), 40u);
}

TEST_F(EngineTest, ConcurrentWritersOfOneResourceMakeOneOperation) {
  std::vector<Result<Accepted>> answers;
  for (int i = 0; i < 5; ++i)
    boost::asio::co_spawn(io, engine->write(put(cluster, i)),
                          [&](std::exception_ptr, Result<Accepted> value) { answers.push_back(std::move(value)); });
  clock.advance(1s);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(std::ranges::count_if(answers, [](const auto& answer) { return answer.has_value(); }), 1);
  EXPECT_EQ(provider.submitted.size(), 1u);
}

}  // namespace
}  // namespace acceptd::engine
