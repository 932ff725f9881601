/// What store.hpp promises about reads, preconditions and batches, for every store.

#include "store_fixture.hpp"

#include <set>

namespace acceptd::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, ::testing::ValuesIn(store_kinds()), [](const auto& info) { return info.param.name; });

TEST_P(StoreTest, ReadReturnsEveryFieldThatWasWritten) {
  Document document = operation(7, "/subscriptions/x/a");
  document.body = std::string("{\"a\":\"\0\xc3\xa4\"}", 12);
  document.index.created = Time(123'456'789ns);
  document.index.error_code = "Boom";
  document.expires_at = now() + 1h;
  const Etag etag = put(document);
  for (int round = 0; round < 2; ++round) {
    const DocumentPtr found = read(7);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->key, document.key);
    EXPECT_EQ(found->type, document.type);
    EXPECT_EQ(found->body, document.body);
    EXPECT_EQ(found->index, document.index);
    EXPECT_EQ(found->expires_at, document.expires_at);
    EXPECT_EQ(found->etag, etag);
    EXPECT_EQ(found->written_at, now());
    harness_->reopen();  // the second round comes from the disk
  }
}

TEST_P(StoreTest, ReadOfWhatIsNotThereIsNull) {
  EXPECT_FALSE(read(1));
  put(resource(1));
  EXPECT_FALSE(read(Key{"another partition", id_of(1)}));
}

TEST_P(StoreTest, CreateNeedsAnAbsentKey) {
  put(resource(1, "", "first"));
  expect_refused(commit(create(resource(1, "", "second"))), "0");
  EXPECT_EQ(body(1), "first");
}

TEST_P(StoreTest, TheSameIdInAnotherPartitionIsAnotherDocument) {
  put(resource(1, "", "here"));
  Document there = resource(1, "", "there");
  there.key.partition = "p2";
  Batch other{.partition = "p2"};
  other.writes.push_back(create(there));
  EXPECT_TRUE(commit(other).has_value());
  EXPECT_EQ(body(1), "here");
  EXPECT_EQ(read(there.key)->body, "there");
}

TEST_P(StoreTest, ReplaceNeedsTheStoredEtag) {
  const Etag first = put(resource(1, "", "a"));
  expect_refused(commit(replace(resource(1, "", "b"), "")), "0");
  expect_refused(commit(replace(resource(1, "", "b"), first + "0")), "0");
  const auto second = commit(replace(resource(1, "", "b"), first));
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(second->etags.at(0), first);
  expect_refused(commit(replace(resource(1, "", "c"), first)), "0");
  EXPECT_EQ(body(1), "b");
}

TEST_P(StoreTest, ReplaceAndRemoveOfNothingFail) {
  expect_refused(commit(replace(resource(1), "")), "0");
  expect_refused(commit(replace(resource(1), "1")), "0");
  expect_refused(commit(remove(1, "")), "0");
}

TEST_P(StoreTest, RemoveNeedsTheStoredEtag) {
  const Etag etag = put(resource(1));
  expect_refused(commit(remove(1, "x")), "0");
  const auto removed = commit(remove(1, etag));
  ASSERT_TRUE(removed.has_value());
  EXPECT_THAT(removed->etags, ElementsAre(""));
  EXPECT_FALSE(read(1));
}

TEST_P(StoreTest, ARecreatedDocumentHasANewEtag) {
  const Etag first = put(resource(1));
  ASSERT_TRUE(commit(remove(1, first)).has_value());
  EXPECT_NE(put(resource(1)), first);
  expect_refused(commit(replace(resource(1), first)), "0");
}

TEST_P(StoreTest, CheckWritesNothingAndComparesTheEtag) {
  const Etag etag = put(resource(1, "", "a"));
  const auto passed = commit(batch({check(1, etag), check(2, ""), create(resource(3))}));
  ASSERT_TRUE(passed.has_value());
  EXPECT_EQ(passed->etags.at(0), "");
  EXPECT_EQ(passed->etags.at(1), "");
  EXPECT_EQ(read(1)->etag, etag);
  expect_refused(commit(batch({create(resource(4)), check(1, "")})), "1");
  expect_refused(commit(batch({create(resource(4)), check(2, etag)})), "1");
  EXPECT_FALSE(read(4));
}

TEST_P(StoreTest, ABatchIsAllOrNothingAndNamesTheFirstFailure) {
  const Etag etag = put(resource(1, "", "a"));
  expect_refused(
      commit(batch({create(resource(2)), replace(resource(1, "", "b"), etag), remove(3, "x"), check(4, "x")}, {entry("told")})),
      "2");
  EXPECT_FALSE(read(2));
  EXPECT_EQ(body(1), "a");
  EXPECT_THAT(feed(), IsEmpty());
  EXPECT_THAT(select({}), ElementsAre(1));
}

TEST_P(StoreTest, ABatchWritesManyKindsAtOnce) {
  const Etag one = put(resource(1, "", "a"));
  const Etag two = put(resource(2));
  const auto committed = commit(batch({replace(resource(1, "", "b"), one), remove(2, two), create(resource(3, "", "c"))}));
  ASSERT_TRUE(committed.has_value());
  ASSERT_EQ(committed->etags.size(), 3u);
  EXPECT_EQ(read(1)->etag, committed->etags[0]);
  EXPECT_EQ(read(3)->etag, committed->etags[2]);
  EXPECT_FALSE(read(2));
}

TEST_P(StoreTest, PreconditionsSpeakOfTheStateBeforeTheBatch) {
  const Etag etag = put(resource(1, "", "a"));
  EXPECT_TRUE(commit(batch({replace(resource(1, "", "b"), etag), check(1, etag)})).has_value());
  EXPECT_EQ(body(1), "b");
}

TEST_P(StoreTest, NeighboursSeeEachOthersWrites) {
  const Etag etag = put(resource(1, "", "a"));
  std::vector<runtime::Task<Result<Committed>>> tasks;
  auto add = [&](Write write) { tasks.push_back(harness_->store().commit(batch({std::move(write)}))); };
  add(create(resource(2, "", "first")));
  add(create(resource(2, "", "second")));
  add(replace(resource(1, "", "b"), etag));
  add(replace(resource(1, "", "c"), etag));
  add(remove(1, etag));
  add(create(resource(3)));
  const auto results = harness_->run_all(std::move(tasks));
  EXPECT_TRUE(results[0].has_value());
  expect_refused(results[1], "0");
  EXPECT_TRUE(results[2].has_value());
  expect_refused(results[3], "0");
  expect_refused(results[4], "0");
  EXPECT_TRUE(results[5].has_value());
  EXPECT_EQ(body(2), "first");
  EXPECT_EQ(body(1), "b");
  EXPECT_TRUE(read(3));
}

TEST_P(StoreTest, ManyCommitsAtOnceAllLand) {
  std::vector<runtime::Task<Result<Committed>>> tasks;
  for (int i = 0; i < 300; ++i) {
    Document document = resource(static_cast<std::uint8_t>(i % 256));
    document.key.id.data[0] = static_cast<std::uint8_t>(i / 256);
    tasks.push_back(harness_->store().commit(batch({create(document)}, {entry(std::to_string(i))})));
  }
  std::set<Etag> etags;
  for (const auto& result : harness_->run_all(std::move(tasks))) etags.insert(result.value().etags.at(0));
  EXPECT_EQ(etags.size(), 300u);
  const auto payloads = feed(0, 1000);
  ASSERT_EQ(payloads.size(), 300u);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(payloads[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST_P(StoreTest, WhatWasCommittedSurvivesAReopening) {
  const Etag etag = put(resource(1, "/a", "kept"));
  ASSERT_TRUE(commit(batch({create(operation(2))}, {entry("kept too")})).has_value());
  harness_->reopen();
  EXPECT_EQ(body(1), "kept");
  EXPECT_THAT(feed(), ElementsAre("kept too"));
  EXPECT_TRUE(commit(replace(resource(1), etag)).has_value());
  EXPECT_NE(read(1)->etag, etag);
}

}  // namespace
}  // namespace acceptd::testing
