/// The cache in front of the embedded store: it never shows what is older than what somebody may have seen.

#include <gtest/gtest.h>

#include "store/sqlite/document_cache.hpp"

namespace acceptd::testing {
namespace {

using model::Document;
using model::DocumentPtr;
using model::Key;
using store::sqlite::DocumentCache;

Key key_of(std::uint8_t number) {
  Key key{.partition = "p"};
  key.id.data[0] = number;
  return key;
}

DocumentPtr document(std::uint8_t number, std::string etag, std::size_t size = 10) {
  return std::make_shared<Document>(Document{.key = key_of(number), .body = std::string(size, 'x'), .etag = std::move(etag)});
}

TEST(DocumentCacheTest, AReaderCannotBringBackWhatACommitReplaced) {
  DocumentCache cache(1 << 20);
  const std::uint64_t began = cache.begin_read();
  cache.hide({{key_of(1), document(1, "2")}}, 2);
  cache.publish({{key_of(1), document(1, "2")}}, 2);
  cache.fill(document(1, "1"), began);
  EXPECT_EQ(cache.find(key_of(1))->etag, "2");
}

TEST(DocumentCacheTest, AReaderCannotBringBackWhatACommitRemoved) {
  DocumentCache cache(1 << 20);
  const std::uint64_t began = cache.begin_read();
  cache.hide({{key_of(1), nullptr}}, 2);
  cache.publish({{key_of(1), nullptr}}, 2);
  cache.fill(document(1, "1"), began);
  EXPECT_FALSE(cache.find(key_of(1)));
}

TEST(DocumentCacheTest, NothingOfAGroupIsServedOrFilledWhileItCommits) {
  DocumentCache cache(1 << 20);
  cache.fill(document(1, "1"), cache.begin_read());
  ASSERT_TRUE(cache.find(key_of(1)));
  cache.hide({{key_of(1), document(1, "2")}}, 2);
  EXPECT_FALSE(cache.find(key_of(1)));
  cache.fill(document(1, "1"), cache.begin_read());
  EXPECT_FALSE(cache.find(key_of(1)));
  cache.publish({{key_of(1), document(1, "2")}}, 2);
  EXPECT_EQ(cache.find(key_of(1))->etag, "2");
}

TEST(DocumentCacheTest, ALaterReaderMayFillAgain) {
  DocumentCache cache(1 << 20);
  cache.hide({{key_of(1), nullptr}}, 2);
  cache.publish({{key_of(1), nullptr}}, 2);
  cache.fill(document(1, "1"), cache.begin_read());
  EXPECT_TRUE(cache.find(key_of(1)));
}

TEST(DocumentCacheTest, TheLeastRecentlyUsedGoesFirst) {
  DocumentCache cache(5000);
  for (std::uint8_t i = 0; i < 3; ++i) cache.fill(document(i, "1", 1000), cache.begin_read());
  ASSERT_TRUE(cache.find(key_of(0)));
  cache.fill(document(3, "1", 1000), cache.begin_read());
  EXPECT_TRUE(cache.find(key_of(0)));
  EXPECT_FALSE(cache.find(key_of(1)));
  cache.fill(document(4, "1", 6000), cache.begin_read());
  EXPECT_FALSE(cache.find(key_of(4))) << "larger than the cache";
  EXPECT_TRUE(cache.find(key_of(0)));
}

}  // namespace
}  // namespace acceptd::testing
