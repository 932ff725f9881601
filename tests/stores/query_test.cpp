/// What store.hpp promises about queries, for every store.

#include "store_fixture.hpp"

namespace acceptd::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
  EXPECT_THAT(select({.kind = DocumentKind::operation, .created_from = Time(2s), .created_until = Time(4s)}), ElementsAre(2, 3));
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

}  // namespace
}  // namespace acceptd::testing
