#include "http/framing.hpp"

#include <gtest/gtest.h>

namespace acceptd::http {
namespace {

using namespace std::string_literals;

TEST(Framing, FindsTheEndOfTheHead) {
  EXPECT_FALSE(head_length("GET / HTTP/1.1\r\nHost: a\r\n"));
  EXPECT_EQ(head_length("GET / HTTP/1.1\r\n\r\nbody"), 18u);
}

class RawHead : public ::testing::TestWithParam<std::string> {};
TEST_P(RawHead, IsRefused) { EXPECT_TRUE(refuse_raw_head(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Framing, RawHead,
                         ::testing::Values("GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
                                           "GET / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n", "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
                                           "GET / HTTP/1.1\r\nA: b\0c\r\n\r\n"s));

Headers headers(std::initializer_list<std::pair<const char*, const char*>> fields) {
  Headers out;
  for (const auto& [name, value] : fields) out.add(name, value);
  return out;
}

TEST(Framing, OneHostAndAtMostOneChunkedCoding) {
  EXPECT_FALSE(refuse_fields(headers({{"Host", "a"}}), 11));
  EXPECT_FALSE(refuse_fields(headers({{"Host", "a"}, {"Transfer-Encoding", "Chunked"}}), 11));
  EXPECT_FALSE(refuse_fields(headers({}), 10));
  EXPECT_TRUE(refuse_fields(headers({}), 11));
  EXPECT_TRUE(refuse_fields(headers({{"Host", "a"}, {"host", "a"}}), 11));
  EXPECT_TRUE(refuse_fields(headers({{"Host", "a"}, {"Transfer-Encoding", "chunked, chunked"}}), 11));
  EXPECT_TRUE(refuse_fields(headers({{"Host", "a"}, {"Transfer-Encoding", "gzip, chunked"}}), 11));
  EXPECT_TRUE(refuse_fields(headers({{"Host", "a"}, {"Transfer-Encoding", "chunked"}, {"transfer-encoding", "chunked"}}), 11));
  EXPECT_TRUE(refuse_fields(headers({{"Transfer-Encoding", "chunked"}}), 10));
  EXPECT_TRUE(refuse_fields(headers({{"Host", "a"}, {"Transfer-Encoding", "chunked"}, {"Content-Length", "3"}}), 11));
}

}  // namespace
}  // namespace acceptd::http
