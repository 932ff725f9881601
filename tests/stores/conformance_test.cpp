/// What store.hpp promises, for every store.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness.hpp"
#include "store/limits.hpp"

namespace acceptd::testing {
namespace {

using namespace std::chrono_literals;
using model::Batch;
using model::Document;
using model::DocumentKind;
using model::DocumentPtr;
using model::ErrorKind;
using model::Etag;
using model::Key;
using model::Result;
using model::Time;
using model::Uuid;
using model::Write;
using store::Committed;
using store::Query;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPartition = "11111111-2222-3333-4444-555555555555";

Uuid id_of(std::uint8_t number) {
  Uuid id{};
  id.data[15] = number;
  return id;
}

Document resource(std::uint8_t number, std::string path = "", std::string body = "{}") {
  Document document{.key = {kPartition, id_of(number)}, .type = "ns/things", .body = std::move(body)};
  document.index = {.kind = DocumentKind::resource, .path = std::move(path)};
  return document;
}

Document operation(std::uint8_t number, std::string path = "", bool active = true) {
  Document document = resource(number, std::move(path));
  document.type = "ns/operations";
  document.index.kind = DocumentKind::operation;
  document.index.active = active;
  return document;
}

Write create(Document document) { return {.action = Write::Action::create, .document = std::move(document)}; }
Write replace(Document document, Etag expected) {
  return {.action = Write::Action::replace, .document = std::move(document), .expected = std::move(expected)};
}
Write remove(std::uint8_t number, Etag expected) {
  return {.action = Write::Action::remove, .document = resource(number), .expected = std::move(expected)};
}
Write check(std::uint8_t number, Etag expected) {
  return {.action = Write::Action::check, .document = resource(number), .expected = std::move(expected)};
}
Batch batch(std::vector<Write> writes, std::vector<model::FeedEntry> feed = {}) {
  return {.partition = kPartition, .writes = std::move(writes), .feed = std::move(feed)};
}
model::FeedEntry entry(std::string payload, std::string partition = kPartition) {
  return {.key = {std::move(partition), id_of(1)}, .subject = "test", .payload = std::move(payload)};
}

class StoreTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  Result<Committed> commit(Batch batch) { return harness_->run(harness_->store().commit(std::move(batch))); }
  Result<Committed> commit(Write write) {
    std::vector<Write> writes;
    writes.push_back(std::move(write));
    return commit(batch(std::move(writes)));
  }
  /// Creates or fails the test; returns the etag.
  Etag put(Document document) {
    const auto committed = commit(create(std::move(document)));
    return committed.value().etags.at(0);
  }
  DocumentPtr read(std::uint8_t number) { return read(Key{kPartition, id_of(number)}); }
  DocumentPtr read(Key key) { return harness_->run(harness_->store().read(std::move(key))).value(); }
  std::string body(std::uint8_t number) {
    const DocumentPtr document = read(number);
    return document ? document->body : "none";
  }

  Result<store::Page> page(Query query) {
    query.partition = kPartition;
    return harness_->run(harness_->store().query(std::move(query)));
  }
  /// The last bytes of the ids of all pages, and that count() agrees.
  std::vector<int> select(Query query) {
    std::vector<int> numbers;
    query.partition = kPartition;
    const auto counted = harness_->run(harness_->store().count(query));
    do {
      const store::Page one = page(query).value();
      EXPECT_LE(one.documents.size(), query.limit);
      for (const DocumentPtr& document : one.documents) numbers.push_back(document->key.id.data[15]);
      query.continuation = one.continuation;
    } while (!query.continuation.empty());
    EXPECT_EQ(counted.value(), numbers.size());
    return numbers;
  }
  std::vector<std::string> feed(std::uint64_t after = 0, std::uint32_t limit = 256,
                                const std::string& partition = kPartition) {
    std::vector<std::string> payloads;
    const store::FeedQuery query{.bucket = model::bucket_of(partition), .after = after, .limit = limit};
    for (const store::FeedRecord& record : harness_->run(harness_->store().feed(query)).value()) {
      payloads.push_back(record.entry.payload);
      last_sequence_ = record.sequence;
    }
    return payloads;
  }
  std::uint32_t purge(std::uint32_t limit) { return harness_->run(harness_->store().purge(limit)).value(); }
  Time now() const { return harness_->clock.now(); }
  void expect_refused(const Result<Committed>& result, std::string_view write) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::precondition_failed);
    EXPECT_EQ(result.error().target, write);
  }
  void expect_invalid(Batch batch) {
    const auto result = commit(std::move(batch));
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::invalid) << result.error().message;
  }

  std::unique_ptr<Harness> harness_ = GetParam().make();
  std::uint64_t last_sequence_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, ::testing::ValuesIn(store_kinds()),
                         [](const auto& info) { return info.param.name; });

// Reads and preconditions

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
  expect_refused(commit(batch({create(resource(2)), replace(resource(1, "", "b"), etag), remove(3, "x"), check(4, "x")},
                              {entry("told")})),
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

// Limits

TEST_P(StoreTest, ABatchHoldsAHundredDocuments) {
  std::vector<Write> writes;
  for (int i = 0; i < 100; ++i) writes.push_back(create(resource(static_cast<std::uint8_t>(i))));
  EXPECT_TRUE(commit(batch(writes)).has_value());
  writes.clear();
  for (int i = 0; i < 101; ++i) writes.push_back(create(resource(static_cast<std::uint8_t>(100 + i))));
  expect_invalid(batch(writes));
  EXPECT_FALSE(read(100));
}

TEST_P(StoreTest, ABatchHoldsTwoMebibytes) {
  const std::string half(model::kMaxBatchBytes / 2, 'x');
  EXPECT_TRUE(commit(batch({create(resource(1, "", half)), create(resource(2, "", half))})).has_value());
  EXPECT_EQ(body(2), half);
  expect_invalid(batch({create(resource(3, "", half)), create(resource(4, "", half + "x"))}));
  expect_invalid(batch({create(resource(3, "", half)), create(resource(4, "", half))}, {entry("x")}));
  expect_invalid(batch({create(resource(3, "", std::string(model::kMaxDocumentBytes + 1, 'x')))}));
}

TEST_P(StoreTest, ABatchStaysInItsPartition) {
  Document stray = resource(1);
  stray.key.partition = "elsewhere";
  expect_invalid(batch({create(stray)}));
  expect_invalid(batch({}, {entry("x", "elsewhere")}));
}

TEST_P(StoreTest, APartitionHas1To256Bytes) {
  for (const std::size_t size : {0, 256, 257}) {
    Document document = resource(1);
    document.key.partition = std::string(size, 'p');
    Batch one{.partition = document.key.partition};
    one.writes.push_back(create(document));
    if (size == 256)
      EXPECT_TRUE(commit(one).has_value());
    else
      expect_invalid(one);
  }
}

TEST_P(StoreTest, AKeyIsWrittenAtMostOnceInABatch) {
  expect_invalid(batch({create(resource(1)), create(resource(1))}));
  EXPECT_FALSE(read(1));
}

TEST_P(StoreTest, FeedEntriesAreSmall) {
  EXPECT_TRUE(commit(batch({}, {entry(std::string(store::kMaxPayloadBytes, 'x'))})).has_value());
  expect_invalid(batch({}, {entry(std::string(store::kMaxPayloadBytes + 1, 'x'))}));
  model::FeedEntry long_subject = entry("");
  long_subject.subject = std::string(store::kMaxSubjectBytes + 1, 's');
  expect_invalid(batch({}, {long_subject}));
}

TEST_P(StoreTest, PathsAreLowerCaseAndBounded) {
  expect_invalid(batch({create(resource(1, "/A"))}));
  expect_invalid(batch({create(resource(1, std::string(store::kMaxPathBytes + 1, 'a')))}));
}

TEST_P(StoreTest, QueriesOutOfBoundsAreInvalid) {
  const auto kind_of_error = [&](Query query) { return page(std::move(query)).error().kind; };
  EXPECT_EQ(kind_of_error({.limit = 0}), ErrorKind::invalid);
  EXPECT_EQ(kind_of_error({.limit = 1001}), ErrorKind::invalid);
  EXPECT_EQ(kind_of_error({.path_prefix = "/a"}), ErrorKind::invalid);
  EXPECT_EQ(kind_of_error({.path = "/A"}), ErrorKind::invalid);
  EXPECT_EQ(kind_of_error({.continuation = "nonsense"}), ErrorKind::invalid);
  const store::ActiveQuery backwards{.first_bucket = 2, .last_bucket = 1};
  EXPECT_EQ(harness_->run(harness_->store().active(backwards)).error().kind, ErrorKind::invalid);
  const store::ActiveQuery nonsense{.continuation = "1:2:3:x"};
  EXPECT_EQ(harness_->run(harness_->store().active(nonsense)).error().kind, ErrorKind::invalid);
  const store::FeedQuery no_bucket{.bucket = model::kBuckets};
  EXPECT_EQ(harness_->run(harness_->store().feed(no_bucket)).error().kind, ErrorKind::invalid);
}

TEST_P(StoreTest, AContinuationOfAnotherKindIsInvalid) {
  put(operation(1));
  put(operation(2));
  const auto first = page({.kind = DocumentKind::operation, .limit = 1});
  ASSERT_FALSE(first.value().continuation.empty());
  const auto other = page({.kind = DocumentKind::resource, .continuation = first->continuation});
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().kind, ErrorKind::invalid);
}

// Time to live

TEST_P(StoreTest, AnExpiredDocumentIsNeverSeen) {
  Document document = operation(1, "/a/b");
  document.expires_at = now() + 10s;
  put(document);
  put(operation(2, "/a/c"));
  harness_->clock.advance(10s - 1ns);
  EXPECT_TRUE(read(1));
  EXPECT_THAT(select({.kind = DocumentKind::operation}), ElementsAre(1, 2));
  harness_->clock.advance(1ns);
  EXPECT_FALSE(read(1));
  EXPECT_THAT(select({.kind = DocumentKind::operation}), ElementsAre(2));
  EXPECT_EQ(harness_->run(harness_->store().active({})).value().keys.size(), 1u);
  harness_->reopen();
  EXPECT_FALSE(read(1));
}

TEST_P(StoreTest, AnExpiredDocumentCountsAsAbsent) {
  Document document = resource(1, "", "old");
  document.expires_at = now() + 1s;
  const Etag etag = put(document);
  harness_->clock.advance(1s);
  expect_refused(commit(replace(resource(1), etag)), "0");
  expect_refused(commit(remove(1, etag)), "0");
  expect_refused(commit(check(1, etag)), "0");
  EXPECT_TRUE(commit(batch({check(1, ""), create(resource(2))})).has_value());
  Document fresh = operation(1, "/new");
  fresh.body = "new";
  EXPECT_NE(put(fresh), etag);
  EXPECT_EQ(body(1), "new");
  EXPECT_THAT(select({.kind = DocumentKind::operation}), ElementsAre(1));
  EXPECT_THAT(select({.kind = DocumentKind::resource}), ElementsAre(2));
}

TEST_P(StoreTest, ADocumentThatIsBornExpiredIsAbsent) {
  Document document = resource(1);
  document.expires_at = now();
  put(document);
  EXPECT_FALSE(read(1));
  put(resource(1, "", "second"));
  EXPECT_EQ(body(1), "second");
}

TEST_P(StoreTest, PurgeRemovesWhatExpiredAndNothingElse) {
  for (std::uint8_t i = 1; i <= 5; ++i) {
    Document document = resource(i);
    if (i <= 3) document.expires_at = now() + 1s;
    put(document);
  }
  ASSERT_TRUE(commit(batch({}, {entry("old")})).has_value());
  EXPECT_EQ(purge(100), 0u);
  harness_->clock.advance(1s);
  EXPECT_EQ(purge(0), 0u);
  EXPECT_EQ(purge(2), 2u);
  EXPECT_EQ(purge(100), 1u);
  EXPECT_EQ(purge(100), 0u);
  EXPECT_THAT(select({}), ElementsAre(4, 5));
  EXPECT_TRUE(read(4));
  put(resource(1, "", "again"));
  EXPECT_EQ(body(1), "again");
}

// Queries

TEST_P(StoreTest, ResourcesComeInTheOrderOfTheirPaths) {
  put(resource(1, "/s/b"));
  put(resource(2, "/s/a/x"));
  put(resource(3, "/s/a"));
  put(resource(9, "/s/c"));
  put(resource(4, "/s/c"));
  put(resource(5, "/s/a-b"));
  put(operation(6, "/s/a"));
  EXPECT_THAT(select({}), ElementsAre(3, 5, 2, 1, 4, 9));
  EXPECT_THAT(select({.limit = 1}), ElementsAre(3, 5, 2, 1, 4, 9));
  EXPECT_THAT(select({.limit = 4}), ElementsAre(3, 5, 2, 1, 4, 9));
}

TEST_P(StoreTest, OperationsComeInTheOrderOfTheirCreation) {
  for (const auto& [number, created] : std::vector<std::pair<std::uint8_t, int>>{{1, 30}, {2, 10}, {4, 20}, {3, 20}}) {
    Document document = operation(number, "/p");
    document.index.created = Time(std::chrono::seconds(created));
    put(document);
  }
  put(resource(5, "/p"));
  EXPECT_THAT(select({.kind = DocumentKind::operation}), ElementsAre(2, 3, 4, 1));
  EXPECT_THAT(select({.kind = DocumentKind::operation, .limit = 1}), ElementsAre(2, 3, 4, 1));
  EXPECT_THAT(select({.kind = DocumentKind::operation, .path = "/p", .limit = 3}), ElementsAre(2, 3, 4, 1));
  EXPECT_THAT(select({.kind = DocumentKind::operation, .active = true, .limit = 1}), ElementsAre(2, 3, 4, 1));
}

TEST_P(StoreTest, ATimeRangeIncludesItsStartAndExcludesItsEnd) {
  for (std::uint8_t i = 1; i <= 4; ++i) {
    Document document = operation(i);
    document.index.created = Time(std::chrono::seconds(i));
    put(document);
  }
  EXPECT_THAT(select({.kind = DocumentKind::operation, .created_from = Time(2s), .created_until = Time(4s)}),
              ElementsAre(2, 3));
  EXPECT_THAT(select({.kind = DocumentKind::operation, .created_from = Time(4s)}), ElementsAre(4));
  EXPECT_THAT(select({.kind = DocumentKind::operation, .created_until = Time(1s)}), IsEmpty());
}

TEST_P(StoreTest, APrefixEndsAtASegment) {
  const std::string group = "/subscriptions/s/resourcegroups/rg/providers/ns/clusters/";
  put(resource(1, group + "a"));
  put(resource(2, group + "a/pools/p"));
  put(resource(3, group + "ab"));
  put(resource(4, group + "ab/pools/p"));
  put(resource(5, group + "a/pools/p/parts/q"));
  put(resource(6, "/subscriptions/s/resourcegroups/rg2/providers/ns/clusters/a/pools/p"));
  EXPECT_THAT(select({.path_prefix = group + "a/"}), ElementsAre(2, 5));
  EXPECT_THAT(select({.path_prefix = group + "ab/"}), ElementsAre(4));
  EXPECT_THAT(select({.path_prefix = group}), ElementsAre(1, 2, 5, 3, 4));
  EXPECT_THAT(select({.path_prefix = group, .limit = 2}), ElementsAre(1, 2, 5, 3, 4));
  EXPECT_THAT(select({.path_prefix = "/subscriptions/s/resourcegroups/rg/"}), ElementsAre(1, 2, 5, 3, 4));
  EXPECT_THAT(select({.path_prefix = "/subscriptions/s/"}), ElementsAre(1, 2, 5, 3, 4, 6));
  EXPECT_THAT(select({.path_prefix = group + "a/pools/"}), ElementsAre(2, 5));
  EXPECT_THAT(select({.path = group + "a"}), ElementsAre(1));
  EXPECT_THAT(select({.path = group}), IsEmpty());
  EXPECT_THAT(select({.path_prefix = "/subscriptions/s/", .path = group + "ab"}), ElementsAre(3));
  EXPECT_THAT(select({.path_prefix = group + "a/", .path = group + "ab"}), IsEmpty());
}

TEST_P(StoreTest, OperationsAreFoundByPathAndBelowIt) {
  const std::string group = "/subscriptions/s/resourcegroups/rg/providers/ns/clusters/";
  put(operation(1, group + "a"));
  put(operation(2, group + "a", false));
  put(operation(3, group + "a/pools/p"));
  put(operation(4, group + "ab", false));
  put(operation(5, "/short"));
  put(operation(6, "/short/path", false));
  const auto of = [](Query query) {
    query.kind = DocumentKind::operation;
    return query;
  };
  EXPECT_THAT(select(of({.path = group + "a"})), ElementsAre(1, 2));
  EXPECT_THAT(select(of({.path = group + "a", .active = true})), ElementsAre(1));
  EXPECT_THAT(select(of({.path = group + "a", .active = false})), ElementsAre(2));
  EXPECT_THAT(select(of({.path = group + "a/pools/p"})), ElementsAre(3));
  EXPECT_THAT(select(of({.path_prefix = group + "a/"})), ElementsAre(3));
  EXPECT_THAT(select(of({.path_prefix = group + "a/", .active = true})), ElementsAre(3));
  EXPECT_THAT(select(of({.path_prefix = group})), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(select(of({.path_prefix = group, .limit = 1})), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(select(of({.path = "/short"})), ElementsAre(5));
  EXPECT_THAT(select(of({.path_prefix = "/short/"})), ElementsAre(6));
}

TEST_P(StoreTest, EveryFilterRestricts) {
  Document failed = operation(1, "/a", false);
  failed.index.error_code = "Boom";
  Document other = operation(2, "/a", false);
  other.index.error_code = "Bang";
  other.type = "other/operations";
  put(failed);
  put(other);
  put(operation(3, "/a"));
  const auto of = [](Query query) {
    query.kind = DocumentKind::operation;
    return query;
  };
  EXPECT_THAT(select(of({.type = "ns/operations"})), ElementsAre(1, 3));
  EXPECT_THAT(select(of({.type = "no/such"})), IsEmpty());
  EXPECT_THAT(select(of({.active = true})), ElementsAre(3));
  EXPECT_THAT(select(of({.active = false})), ElementsAre(1, 2));
  EXPECT_THAT(select(of({.error_code = "Boom"})), ElementsAre(1));
  EXPECT_THAT(select(of({.active = true, .error_code = "Boom"})), IsEmpty());
  EXPECT_THAT(select(of({.path = "/a", .error_code = "Bang"})), ElementsAre(2));
  EXPECT_THAT(select(of({.error_code = "None"})), IsEmpty());
}

TEST_P(StoreTest, FiltersHoldForOtherKindsToo) {
  for (std::uint8_t i = 1; i <= 3; ++i) {
    Document document = resource(i, "/r");
    document.index.created = Time(std::chrono::seconds(i));
    document.index.active = i == 2;
    document.index.error_code = i == 3 ? "Boom" : "";
    if (i == 1) document.type = "ns/others";
    put(document);
  }
  Document companion = resource(4, "/r");
  companion.index.kind = DocumentKind::companion;
  put(companion);
  EXPECT_THAT(select({.type = "ns/things"}), ElementsAre(2, 3));
  EXPECT_THAT(select({.active = true}), ElementsAre(2));
  EXPECT_THAT(select({.created_from = Time(2s)}), ElementsAre(2, 3));
  EXPECT_THAT(select({.error_code = "Boom"}), ElementsAre(3));
  EXPECT_THAT(select({.kind = DocumentKind::companion}), ElementsAre(4));
  EXPECT_THAT(select({.kind = DocumentKind::reservation}), IsEmpty());
}

TEST_P(StoreTest, AQueryStaysInItsPartition) {
  put(resource(1, "/a"));
  EXPECT_EQ(harness_->run(harness_->store().count({.partition = "other"})).value(), 0u);
  EXPECT_THAT(harness_->run(harness_->store().query({.partition = "other"})).value().documents, IsEmpty());
}

TEST_P(StoreTest, AReplacedDocumentIsFoundWhereItIsNow) {
  Document document = operation(1, "/a");
  const Etag etag = put(document);
  document.index.active = false;
  document.index.path = "/b";
  document.index.error_code = "Boom";
  document.index.created = Time(5s);
  document.type = "new/type";
  ASSERT_TRUE(commit(replace(document, etag)).has_value());
  const auto of = [](Query query) {
    query.kind = DocumentKind::operation;
    return query;
  };
  EXPECT_THAT(select(of({.path = "/a"})), IsEmpty());
  EXPECT_THAT(select(of({.path = "/b"})), ElementsAre(1));
  EXPECT_THAT(select(of({.active = true})), IsEmpty());
  EXPECT_THAT(select(of({.error_code = "Boom"})), ElementsAre(1));
  EXPECT_THAT(select(of({.type = "new/type"})), ElementsAre(1));
  EXPECT_THAT(select(of({.created_until = Time(6s)})), ElementsAre(1));
  EXPECT_THAT(harness_->run(harness_->store().active({})).value().keys, IsEmpty());
}

TEST_P(StoreTest, AWalkReturnsWhatStaysExactlyOnceWhileOthersComeAndGo) {
  std::vector<Etag> etags(200);
  for (std::uint8_t i = 10; i < 110; i += 10) etags[i] = put(resource(i, fmt::format("/p/{:03}", i)));
  std::vector<int> seen;
  Query query{.path_prefix = "/p/", .limit = 2};
  std::uint8_t around = 10;
  do {
    const store::Page one = page(query).value();
    for (const DocumentPtr& document : one.documents) seen.push_back(document->key.id.data[15]);
    query.continuation = one.continuation;
    // Before and behind the place where the walk is: a new one, a changed one; the last one shown goes.
    put(resource(static_cast<std::uint8_t>(around + 1), fmt::format("/p/{:03}", around + 1)));
    ASSERT_TRUE(commit(replace(resource(30, "/p/030", "changed"), etags[30])).has_value());
    etags[30] = read(30)->etag;
    const int last = seen.back();
    if (last != 30 && last % 10 == 0) ASSERT_TRUE(commit(remove(static_cast<std::uint8_t>(last), etags[last])).has_value());
    around = static_cast<std::uint8_t>(around + 10);
  } while (!query.continuation.empty());
  std::erase_if(seen, [](int number) { return number % 10 != 0; });
  EXPECT_THAT(seen, ElementsAre(10, 20, 30, 40, 50, 60, 70, 80, 90, 100));
}

TEST_P(StoreTest, ThePageThatEndsTheWalkHasNoContinuation) {
  for (std::uint8_t i = 1; i <= 4; ++i) put(resource(i, fmt::format("/p/{}", i)));
  const auto first = page({.limit = 2});
  ASSERT_FALSE(first.value().continuation.empty());
  const auto second = page({.limit = 2, .continuation = first->continuation});
  EXPECT_EQ(second.value().documents.size(), 2u);
  EXPECT_EQ(second->continuation, "");
}

// Active operations

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

// Feed

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
