/// Continuations and hashes: texts and numbers that leave the program.

#include <gtest/gtest.h>

#include "store/position.hpp"
#include "store/sqlite/file.hpp"

namespace acceptd::testing {
namespace {

using model::DocumentKind;
using store::decode_position;
using store::encode_position;
using store::Position;

TEST(PositionTest, ComesBackAsItWas) {
  Position by_path{.path = "/a/b c:t1"};
  by_path.id.data[3] = 7;
  EXPECT_EQ(decode_position(DocumentKind::resource, encode_position(DocumentKind::resource, by_path)), by_path);
  Position by_time{.created = model::Time(std::chrono::nanoseconds(-5))};
  by_time.id.data[15] = 9;
  EXPECT_EQ(decode_position(DocumentKind::operation, encode_position(DocumentKind::operation, by_time)), by_time);
}

TEST(PositionTest, OtherTextsAreRefused) {
  const std::string id = "00000000-0000-0000-0000-000000000000";
  for (const std::string& text : {std::string(), std::string("t"), "x" + id, "t" + id, "t" + id + "1x", "t" + id + " 1",
                                  "t" + id + "99999999999999999999", "t0" + id.substr(1) + "x", "p" + id + "1"})
    EXPECT_FALSE(decode_position(DocumentKind::operation, text)) << text;
  EXPECT_TRUE(decode_position(DocumentKind::resource, "p" + id));
}

// Stored files and leases depend on these: they never change.
TEST(StoredHashTest, NeverChanges) {
  EXPECT_EQ(model::bucket_of(""), 225u);
  EXPECT_EQ(model::bucket_of("11111111-2222-3333-4444-555555555555"), 209u);
  EXPECT_EQ(store::sqlite::hash_of(""), static_cast<std::int64_t>(0xcbf29ce484222325));
  EXPECT_EQ(store::sqlite::hash_of("a"), static_cast<std::int64_t>(0xaf63dc4c8601ec8c));
}

TEST(StoredHashTest, BucketsAreSpreadEvenly) {
  std::vector<int> counts(model::kBuckets);
  for (int i = 0; i < 25'600; ++i) ++counts[model::bucket_of(fmt::format("tenant-{}", i))];
  for (const int count : counts) {
    EXPECT_GT(count, 50);
    EXPECT_LT(count, 160);
  }
}

TEST(FamilyTest, IsTheTopLevelResource) {
  using store::sqlite::family_of;
  const std::string cluster = "/subscriptions/s/resourcegroups/rg/providers/ns/clusters/c";
  EXPECT_EQ(family_of(cluster), cluster);
  EXPECT_EQ(family_of(cluster + "/pools/p"), cluster);
  EXPECT_EQ(family_of("/short/path"), "/short/path");
  EXPECT_EQ(family_of(""), "");
  EXPECT_EQ(family_of("no/slash/in/front/of/the/first/of/nine/segments"), "no/slash/in/front/of/the/first/of/nine/segments");
}

TEST(FamilyTest, APrefixBelongsToOneFamilyOnceTheResourceIsNamed) {
  using store::sqlite::is_within_family;
  const std::string cluster = "/subscriptions/s/resourcegroups/rg/providers/ns/clusters/c";
  EXPECT_TRUE(is_within_family(cluster + "/"));
  EXPECT_TRUE(is_within_family(cluster + "/pools/"));
  EXPECT_FALSE(is_within_family("/subscriptions/s/resourcegroups/rg/providers/ns/clusters/"));
  EXPECT_FALSE(is_within_family("/"));
  EXPECT_FALSE(is_within_family(""));
}

}  // namespace
}  // namespace acceptd::testing
