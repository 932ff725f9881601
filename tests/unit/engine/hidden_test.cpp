/// While an intent is hidden nobody sees any of it; a failed update leaves nothing.

#include "unit/engine/fixture.hpp"

namespace acceptd::engine {
namespace {

TEST_F(EngineTest, ARM_136_AFailedUpdateGivesBackTagsIdentityAndApiVersion) {
  WriteRequest create = put(cluster);
  create.build = [](const Resource*, const Resource*) -> Result<Desired> {
    return Desired{.properties = {{"size", 1}}, .tags = {{"team", "a"}}, .identity = {{"type", "None"}}, .api_version = "1"};
  };
  ASSERT_TRUE(run(engine->write(create)));
  backend_says(Status::succeeded);
  clock.advance(1min);
  WriteRequest update = put(cluster);
  update.api_version = "2";
  update.build = [](const Resource*, const Resource*) -> Result<Desired> {
    return Desired{
        .properties = {{"size", 2}}, .tags = {{"team", "b"}}, .identity = {{"type", "UserAssigned"}}, .api_version = "2"};
  };
  const auto accepted = run(engine->write(update));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->resource->tags.at("team"), "b");
  backend_says(Status::failed);
  clock.advance(1min);
  const Resource after = resource_of(cluster);
  EXPECT_EQ(after.provisioning_state, Status::failed);
  EXPECT_EQ(after.desired.at("size"), 1);
  EXPECT_EQ(after.tags.at("team"), "a");
  EXPECT_EQ(after.identity.at("type"), "None");
  EXPECT_EQ(after.api_version, "1");
}

TEST_F(EngineTest, AHiddenUpdateIsNotSeenAndNobodysIfMatchFailsOfIt) {
  ready(cluster);
  const Resource before = resource_of(cluster);
  provider.delay = 3s;
  provider.submissions = {refuses()};
  const auto update = begin(engine->write(put(cluster, 2)));
  EXPECT_FALSE(*update);
  EXPECT_EQ(resource_of(cluster).etag, before.etag);
  EXPECT_TRUE(reads_alike(resource_of(cluster), before));
  clock.advance(5s);
  ASSERT_TRUE(*update);
  EXPECT_FALSE((*update)->has_value());
  EXPECT_EQ(resource_of(cluster).etag, before.etag) << "nothing happened";
  provider.submissions = {accepts("/c/1")};
  WriteRequest conditional = put(cluster, 3);
  conditional.preconditions.if_match = before.etag;
  EXPECT_TRUE(run(engine->write(conditional)));
}

TEST_F(EngineTest, AHiddenCreationInPlaceOfAFailedOneIsNotSeen) {
  const auto first = run(engine->write(put(cluster)));
  ASSERT_TRUE(first);
  clock.advance(61min);
  backend_has_nothing();
  clock.advance(10min);
  const Resource before = resource_of(cluster);
  ASSERT_EQ(before.provisioning_state, Status::failed);
  provider.delay = 3s;
  provider.submissions = {accepts("/c/2")};
  const auto again = begin(engine->write(put(cluster, 7)));
  EXPECT_FALSE(*again);
  EXPECT_TRUE(reads_alike(resource_of(cluster), before));
  EXPECT_EQ(resource_of(cluster).etag, before.etag);
  backend_says(Status::succeeded);
  clock.advance(5s);
  ASSERT_TRUE(*again && (*again)->has_value());
  EXPECT_EQ((**again)->resource->desired.at("size"), 7);
  EXPECT_EQ(provider.submitted.back().desired.at("size"), 7);
  clock.advance(1min);
  EXPECT_EQ(state_of(cluster), "Succeeded");
}

TEST_F(EngineTest, ARejectedCreationInPlaceOfAFailedOneLeavesItAsItWas) {
  ASSERT_TRUE(run(engine->write(put(cluster))));
  clock.advance(61min);
  backend_has_nothing();
  clock.advance(10min);
  const Resource before = resource_of(cluster);
  provider.submissions = {refuses()};
  EXPECT_FALSE(run(engine->write(put(cluster, 7))));
  EXPECT_TRUE(reads_alike(resource_of(cluster), before));
  EXPECT_FALSE(resource_of(cluster).active_operation);
  EXPECT_FALSE(resource_of(cluster).uncertain_until);
}

}  // namespace
}  // namespace acceptd::engine
