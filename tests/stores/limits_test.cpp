/// What store.hpp promises about limits and time to live, for every store.

#include "store_fixture.hpp"

#include "store/limits.hpp"

namespace acceptd::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace acceptd::testing
