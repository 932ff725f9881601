#include "http/uri.hpp"

#include <gtest/gtest.h>

namespace acceptd::http {
namespace {

TEST(Target, IsDecodedOncePerSegment) {
  const auto target = parse_target("/a%2Fb/c%20d/?x=1%262&y&z=a+b");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, (std::vector<std::string>{"a/b", "c d"}));
  ASSERT_EQ(target->query.size(), 3u);
  EXPECT_EQ(target->query[0].value, "1&2");
  EXPECT_EQ(target->query[1].value, "");
  EXPECT_EQ(target->query[2].value, "a+b") << "'+' is no space in a URI";
}

TEST(Target, MayBeginWithTwoSlashes) {
  const auto target = parse_target("//a/b");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/a/b");
  EXPECT_EQ(target->segments, (std::vector<std::string>{"a", "b"}));
}

TEST(Target, MayBeAbsolute) {
  const auto target = parse_target("HTTP://Example.org:8443/a%2Fb/c?x=http://y/z");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->authority, "Example.org:8443");
  EXPECT_EQ(target->path, "/a%2Fb/c");
  EXPECT_EQ(target->segments, (std::vector<std::string>{"a/b", "c"}));
  ASSERT_EQ(target->query.size(), 1u);
  EXPECT_EQ(target->query[0].value, "http://y/z");
  EXPECT_EQ(parse_target("https://[::1]?a=b")->path, "/");
  EXPECT_EQ(parse_target("/a?b=http://c/")->authority, "");
}

class BadTarget : public ::testing::TestWithParam<std::string> {};
TEST_P(BadTarget, IsRefused) { EXPECT_FALSE(parse_target(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Uri, BadTarget,
                         ::testing::Values("", "*", "a/b", "h:443", "ftp://h/a", "http:///a", "http://u@h/a", "http://h:x/a",
                                           "http://h:123456/a", "http://h/a/../b", "http://h h/a", "http//h/a", "/a//b", "//",
                                           "///a", "/a/./b", "/a/../b", "/a/%2e%2E/b", "/%2e", "/a/%zz", "/a/%2", "/a?x=%g0",
                                           "/a b", "/\xc3\xa9", "/a#b"));

TEST(Url, HasItsParts) {
  const auto url = parse_url("https://Example.org:8443/base/?q=1#f");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->authority, "Example.org:8443");
  EXPECT_EQ(url->host, "Example.org");
  EXPECT_EQ(url->port, "8443");
  EXPECT_EQ(url->path, "/base/");
  EXPECT_EQ(url->query, "q=1");
  EXPECT_EQ(parse_url("http://[::1]:1/")->host, "::1");
  EXPECT_EQ(parse_url("http://h")->port, "80");
}

class BadUrl : public ::testing::TestWithParam<std::string> {};
TEST_P(BadUrl, IsRefused) { EXPECT_FALSE(parse_url(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Uri, BadUrl,
                         ::testing::Values("", "/a", "ftp://h/", "http:///a", "http://u:p@h/", "http://h:x/", "mailto:a@b"));

TEST(PercentEncode, ReadsBack) {
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  EXPECT_EQ(percent_decode(percent_encode(every)), every);
  EXPECT_EQ(percent_encode("a/b c"), "a%2Fb%20c");
}

TEST(QueryString, ReadsBack) {
  EXPECT_EQ(query_string({}), "");
  const std::string text = query_string({{"a b", "1&2"}, {"c", "=?"}});
  EXPECT_EQ(text, "?a%20b=1%262&c=%3D%3F");
  const auto target = parse_target("/x" + text);
  ASSERT_TRUE(target);
  ASSERT_EQ(target->query.size(), 2u);
  EXPECT_EQ(target->query[0].name, "a b");
  EXPECT_EQ(target->query[1].value, "=?");
}

}  // namespace
}  // namespace acceptd::http
