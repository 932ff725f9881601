/// What store.hpp promises about the walk of active operations and the feed, for every store.

#include "store_fixture.hpp"

#include <set>

namespace acceptd::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(StoreTest, TheActiveWalkFindsEachActiveOperationOnce) {
  std::set<Key> expected;
  std::set<std::uint32_t> buckets;
  for (std::uint8_t i = 0; i < 40; ++i) {
    Document document = operation(i, "", i % 4 != 0);
    document.key.partition = fmt::format("tenant-{}", i % 13);
    if (i % 4 != 0) expected.insert(document.key);
    buckets.insert(model::bucket_of(document.key.partition));
    Batch one{.partition = document.key.partition};
    one.writes.push_back(create(document));
    ASSERT_TRUE(commit(one).has_value());
  }
  Document no_operation = resource(99);
  no_operation.index.active = true;
  put(no_operation);
  ASSERT_GT(buckets.size(), 1u);

  std::vector<Key> found;
  for (const auto& [first, last] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 99}, {100, 100}, {101, 255}}) {
    store::ActiveQuery query{.first_bucket = first, .last_bucket = last, .limit = 3};
    do {
      const store::ActivePage one = harness_->run(harness_->store().active(query)).value();
      EXPECT_LE(one.keys.size(), 3u);
      for (const Key& key : one.keys) {
        found.push_back(key);
        EXPECT_GE(model::bucket_of(key.partition), first);
        EXPECT_LE(model::bucket_of(key.partition), last);
      }
      query.continuation = one.continuation;
    } while (!query.continuation.empty());
  }
  EXPECT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::set<Key>(found.begin(), found.end()), expected);
}

TEST_P(StoreTest, TheActiveWalkIsStableWhileOperationsEndAndStart) {
  std::vector<Etag> etags(256);
  for (std::uint8_t i = 1; i <= 10; ++i) etags[i] = put(operation(i));
  std::vector<int> found;
  store::ActiveQuery query{.limit = 3};
  std::uint8_t fresh = 100;
  do {
    const store::ActivePage one = harness_->run(harness_->store().active(query)).value();
    for (const Key& key : one.keys) found.push_back(key.id.data[15]);
    query.continuation = one.continuation;
    const auto last = static_cast<std::uint8_t>(found.back());
    if (last <= 10) ASSERT_TRUE(commit(replace(operation(last, "", false), etags[last])).has_value());
    put(operation(fresh++));
  } while (!query.continuation.empty() && fresh < 120);
  std::erase_if(found, [](int number) { return number >= 100; });
  EXPECT_THAT(found, ::testing::UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST_P(StoreTest, TheFeedKeepsTheOrderOfCommitsAndResumes) {
  EXPECT_THAT(feed(), IsEmpty());
  ASSERT_TRUE(commit(batch({create(resource(1))}, {entry("a"), entry("b")})).has_value());
  ASSERT_TRUE(commit(batch({}, {entry("c")})).has_value());
  EXPECT_THAT(feed(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(feed(0, 2), ElementsAre("a", "b"));
  EXPECT_THAT(feed(last_sequence_), ElementsAre("c"));
  EXPECT_THAT(feed(last_sequence_), IsEmpty());
  harness_->reopen();
  ASSERT_TRUE(commit(batch({}, {entry("d")})).has_value());
  EXPECT_THAT(feed(last_sequence_), ElementsAre("d"));
}

TEST_P(StoreTest, AFeedRecordHoldsItsEntry) {
  const Etag etag = put(resource(1));
  model::FeedEntry deletion{.key = {kPartition, id_of(1)}, .subject = "resource.deleted", .payload = "{\"n\":1}"};
  ASSERT_TRUE(commit(batch({remove(1, etag)}, {deletion})).has_value());
  const store::FeedQuery query{.bucket = model::bucket_of(kPartition)};
  const auto records = harness_->run(harness_->store().feed(query)).value();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_GT(records[0].sequence, 0u);
  EXPECT_EQ(records[0].entry.key, deletion.key);
  EXPECT_EQ(records[0].entry.subject, deletion.subject);
  EXPECT_EQ(records[0].entry.payload, deletion.payload);
  EXPECT_EQ(records[0].written_at, now());
}

TEST_P(StoreTest, EachBucketHasItsOwnFeed) {
  std::string other = "other-0";
  for (int i = 1; model::bucket_of(other) == model::bucket_of(kPartition); ++i) other = fmt::format("other-{}", i);
  ASSERT_TRUE(commit(batch({}, {entry("mine")})).has_value());
  Batch theirs{.partition = other};
  theirs.feed.push_back(entry("theirs", other));
  ASSERT_TRUE(commit(theirs).has_value());
  EXPECT_THAT(feed(), ElementsAre("mine"));
  EXPECT_THAT(feed(0, 256, other), ElementsAre("theirs"));
  EXPECT_THAT(feed(~std::uint64_t{0}), IsEmpty());
}

TEST_P(StoreTest, FeedEntriesExpireAfterADay) {
  ASSERT_TRUE(commit(batch({}, {entry("old")})).has_value());
  harness_->clock.advance(1h);
  ASSERT_TRUE(commit(batch({}, {entry("young")})).has_value());
  harness_->clock.advance(23h - 1ns);
  EXPECT_THAT(feed(), ElementsAre("old", "young"));
  EXPECT_EQ(purge(100), 0u);
  harness_->clock.advance(1ns);
  EXPECT_THAT(feed(), ElementsAre("young"));
  EXPECT_EQ(purge(100), 1u);
  EXPECT_THAT(feed(), ElementsAre("young"));
  ASSERT_TRUE(commit(batch({}, {entry("new")})).has_value());
  EXPECT_THAT(feed(), ElementsAre("young", "new"));
}

TEST_P(StoreTest, SequencesAreNotReusedAfterAPurge) {
  ASSERT_TRUE(commit(batch({}, {entry("old")})).has_value());
  feed();
  const std::uint64_t old = last_sequence_;
  harness_->clock.advance(25h);
  EXPECT_EQ(purge(100), 1u);
  harness_->reopen();
  ASSERT_TRUE(commit(batch({}, {entry("new")})).has_value());
  EXPECT_THAT(feed(old), ElementsAre("new"));
}

}  // namespace
}  // namespace acceptd::testing
