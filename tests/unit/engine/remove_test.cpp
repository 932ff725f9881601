/// Deletes: of what is lost, refused, watched by many or cannot be read.

#include "unit/engine/fixture.hpp"

namespace acceptd::engine {
namespace {

TEST_F(EngineTest, HCP_007_ACreateThatNeverFinishesFailsAndItsRemainsAreRemoved) {
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted);
  clock.advance(61min);
  EXPECT_EQ(status_of(*accepted, alice), "Failed");
  EXPECT_EQ(state_of(cluster), "Failed");
  ASSERT_EQ(provider.submitted.size(), 2u);
  EXPECT_EQ(provider.submitted[1].request, RequestKind::remove);
  EXPECT_EQ(provider.submitted[1].internal_id, "/c/1");
  const auto refused = run(engine->write(put(cluster)));
  ASSERT_FALSE(refused) << "its remains are still there";
  backend_has_nothing();
  clock.advance(10min);
  EXPECT_TRUE(run(engine->write(put(cluster))));
}

TEST_F(EngineTest, ADeleteCancelsTheCreateBelowItAndEndsWhenAllIsGone) {
  ready(cluster);
  backend_says(Status::provisioning);
  const auto child = run(engine->write(put(pool)));
  ASSERT_TRUE(child);
  backend_says(Status::deleting);
  const auto deleted = run(engine->remove(del(cluster)));
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->outcome, Accepted::Outcome::started);
  EXPECT_EQ(status_of(*child, alice), "Canceled");
  EXPECT_EQ(state_of(pool), "Deleting");
  EXPECT_EQ(state_of(cluster), "Deleting");
  clock.advance(10s);
  EXPECT_EQ(status_of(*child, alice), "Canceled");
  backend_has_nothing();
  clock.advance(1min);
  EXPECT_EQ(status_of(*deleted, alice), "Succeeded");
  EXPECT_EQ(state_of(cluster), "ResourceNotFound");
  EXPECT_EQ(state_of(pool), "ResourceNotFound");
}

TEST_F(EngineTest, ARM_156_ASecondDeleteJoinsTheFirst) {
  ready(cluster);
  backend_says(Status::deleting);
  const auto first = run(engine->remove(del(cluster)));
  const auto again = run(engine->remove(del(cluster)));
  EXPECT_EQ(first->operation->id, again->operation->id);
  RemoveRequest by_bob = del(cluster);
  by_bob.caller = bob;
  const auto other = run(engine->remove(by_bob));
  EXPECT_NE(first->operation->id, other->operation->id);
  EXPECT_EQ(status_of(*other, bob), "Deleting");
  backend_has_nothing();
  clock.advance(1min);
  EXPECT_EQ(status_of(*other, bob), "Succeeded");
  EXPECT_EQ(run(engine->remove(del(cluster)))->outcome, Accepted::Outcome::absent);
}

TEST_F(EngineTest, ADeleteOfAnUnknownCreateLooksUntilItIsQuiet) {
  provider.submissions = {{.answer = Submission::Answer::unknown}};
  const auto created = run(engine->write(put(cluster)));
  ASSERT_TRUE(created);
  const auto deleted = run(engine->remove(del(cluster)));
  ASSERT_TRUE(deleted);
  clock.advance(3s);
  EXPECT_EQ(status_of(*deleted, alice), "Deleting") << "the lost create may still come true";
  Found late{.internal_id = "/c/5", .incarnation = created->resource->incarnation};
  provider.searches = {{.available = true, .found = {late}}, {.available = true}};
  provider.submissions = {{.answer = Submission::Answer::accepted}};
  backend_has_nothing();
  clock.advance(1min);
  EXPECT_EQ(status_of(*deleted, alice), "Succeeded");
  EXPECT_EQ(provider.submitted.back().request, RequestKind::remove);
  EXPECT_EQ(provider.submitted.back().internal_id, "/c/5");
}

TEST_F(EngineTest, ARM_268_ADeletedSubscriptionTakesItsResourcesAlong) {
  ready(cluster);
  backend_has_nothing();
  model::Subscription deleted{.id = "s", .state = "Deleted", .body = {{"state", "Deleted"}}};
  ASSERT_TRUE(run(engine->put_subscription(deleted)));
  clock.advance(1min);
  EXPECT_EQ(state_of(cluster), "ResourceNotFound");
}

TEST_F(EngineTest, ADeleteThatNamesAnEntityTagDoesNotMeanAHiddenCreation) {
  provider.delay = 3s;
  const auto create = begin(engine->write(put(cluster)));
  RemoveRequest conditional = del(cluster);
  conditional.preconditions.if_match = "of a former one";
  EXPECT_EQ(run(engine->remove(conditional))->outcome, Accepted::Outcome::absent);
  clock.advance(5s);
  ASSERT_TRUE(*create);
  EXPECT_TRUE((*create)->has_value());
}

TEST_F(EngineTest, FollowersOfADeleteAreBounded) {
  ready(cluster);
  backend_says(Status::deleting);
  ASSERT_TRUE(run(engine->remove(del(cluster))));
  std::set<Uuid> made;
  const auto delete_by = [&](const std::string& client) {
    RemoveRequest request = del(cluster);
    request.caller.client = client;
    auto answer = run(engine->remove(request));
    if (answer) made.insert(answer->operation->id);
    return answer;
  };
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(delete_by("bob"));
  EXPECT_EQ(made.size(), 1u) << "the same caller joins its own";
  for (int i = 0; i < 40; ++i) (void)delete_by("client" + std::to_string(i));
  EXPECT_EQ(made.size(), 16u);
  const auto refused = delete_by("one too many");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, model::ErrorKind::conflict);
  EXPECT_TRUE(refused.error().retry_after);
  EXPECT_TRUE(delete_by("bob"));
}

TEST_F(EngineTest, ADeleteThatTheBackendIsCarryingOutAlreadyGoesOn) {
  ready(cluster);
  provider.submissions = {{.answer = Submission::Answer::unknown}, refuses()};
  backend_says(Status::deleting);
  const auto deleted = run(engine->remove(del(cluster)));
  ASSERT_TRUE(deleted);
  clock.advance(1min);
  EXPECT_EQ(status_of(*deleted, alice), "Deleting");
  backend_has_nothing();
  clock.advance(1min);
  EXPECT_EQ(status_of(*deleted, alice), "Succeeded");
}

TEST_F(EngineTest, ADeleteThatTheBackendRefusesForGoodFails) {
  ready(cluster);
  provider.submissions = {refuses()};
  const auto deleted = run(engine->remove(del(cluster)));
  clock.advance(1min);
  EXPECT_EQ(status_of(*deleted, alice), "Failed");
  EXPECT_EQ(state_of(cluster), "Failed");
}

TEST_F(EngineTest, ARefusedCleanUpAsksAgainWhateverIsSaidOfTheObject) {
  provider.submissions = {accepts("/c/1"), refuses(), accepts("/c/1")};
  ASSERT_TRUE(run(engine->write(put(cluster))));
  clock.advance(59min);
  backend_says(Status::deleting);
  clock.advance(2min);
  backend_says(Status::succeeded);
  clock.advance(5min);
  EXPECT_GE(provider.submitted.size(), 3u);
  backend_has_nothing();
  clock.advance(10min);
  EXPECT_TRUE(run(engine->write(put(cluster)))) << "nothing is left of it";
}

TEST_F(EngineTest, ARefusedDeleteOfWhatIsGoneSucceeds) {
  ready(cluster);
  provider.submissions = {refuses()};
  backend_has_nothing();
  const auto deleted = run(engine->remove(del(cluster)));
  clock.advance(1min);
  EXPECT_EQ(status_of(*deleted, alice), "Succeeded");
}

TEST_F(EngineTest, AnAddressIsFreeOnlyWhenNoLostDeleteCanHitASuccessor) {
  provider.unique_addresses = false;
  ready(cluster);
  provider.submissions = {{.answer = Submission::Answer::unknown}, {.answer = Submission::Answer::gone}};
  const auto deleted = run(engine->remove(del(cluster)));
  clock.advance(12s);
  EXPECT_EQ(provider.submitted.back().request, RequestKind::remove);
  EXPECT_EQ(status_of(*deleted, alice), "Deleting") << "the first request may still be carried out";
  backend_has_nothing();
  clock.advance(10s);
  EXPECT_EQ(status_of(*deleted, alice), "Succeeded");
}

TEST_F(EngineTest, AnAnsweredDeleteDoesNotWaitForAnything) {
  provider.unique_addresses = false;
  ready(cluster);
  provider.submissions = {{.answer = Submission::Answer::gone}};
  const auto deleted = run(engine->remove(del(cluster)));
  clock.advance(1s);
  EXPECT_EQ(status_of(*deleted, alice), "Succeeded");
}

TEST_F(EngineTest, AFailedDeleteOfAnUnknownCreateHasItsRemainsRemoved) {
  provider.submissions = {{.answer = Submission::Answer::unknown}};
  const auto created = run(engine->write(put(cluster)));
  const auto deleted = run(engine->remove(del(cluster)));
  ASSERT_TRUE(created && deleted);
  provider.searches = {{.available = false}};
  clock.advance(48h);
  EXPECT_EQ(status_of(*deleted, alice), "Failed");
  provider.searches = {
      {.available = true, .found = {Found{.internal_id = "/c/5", .incarnation = created->resource->incarnation}}}};
  provider.submissions = {{.answer = Submission::Answer::accepted}};
  backend_has_nothing();
  clock.advance(2min);
  EXPECT_EQ(provider.submitted.back().request, RequestKind::remove);
  EXPECT_EQ(provider.submitted.back().internal_id, "/c/5");
}

TEST_F(EngineTest, OneUnreadableDocumentDoesNotHideTheOthersFromAList) {
  const std::string other = cluster + "2";
  ready(cluster);
  provider.submissions = {accepts("/c/2")};
  ready(other);
  make_unreadable(cluster);
  const auto page = run(engine->list({.subscription = "s", .type_key = "ns.x/clusters"}));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->resources.size(), 1u);
  EXPECT_EQ(page->resources[0].id.text(), other);
  EXPECT_EQ(engine->figures().unreadable_documents, 1u);
}

TEST_F(EngineTest, AnUnreadableDocumentKeepsOnlyItsOwnParentFromGoing) {
  ready(cluster);
  ready(pool);
  const std::string broken = cluster + "/pools/p0";
  ready(broken);
  make_unreadable(broken);
  backend_has_nothing();
  const auto deleted = run(engine->remove(del(cluster)));
  ASSERT_TRUE(deleted);
  clock.advance(2min);
  EXPECT_EQ(state_of(pool), "ResourceNotFound");
  const auto op = run(engine->operation("s", deleted->operation->id, alice));
  ASSERT_EQ(op->status, Status::failed);
  EXPECT_NE(op->error->message.find("pools/p0"), std::string::npos);
}

}  // namespace
}  // namespace acceptd::engine
