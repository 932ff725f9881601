#include "apps/cluster-service-sim/simulator/search.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace acceptd::simulator {
namespace {

const json::object kObject{{"id", "abc"},
                           {"name", "it's"},
                           {"azure", json::object{{"resource_name", "one"}, {"replicas", 3}, {"private", true}}},
                           {"properties", json::object{{"acceptd.io/operation", "op-1"}}}};

bool finds(std::string_view text) {
  const auto search = Search::parse(text);
  EXPECT_TRUE(search.has_value()) << text;
  return search && search->matches(kObject);
}

TEST(Search, ComparesFieldsByTheirPath) {
  EXPECT_TRUE(finds(""));
  EXPECT_TRUE(finds("  "));
  EXPECT_TRUE(finds("id = 'abc'"));
  EXPECT_FALSE(finds("id = 'abd'"));
  EXPECT_TRUE(finds("azure.resource_name='one'"));
  EXPECT_FALSE(finds("azure.resource_name='ONE'"));
  EXPECT_TRUE(finds("azure.replicas = '3' and azure.private = 'true'"));
  EXPECT_TRUE(finds("name = 'it''s'"));
}

TEST(Search, TakesWhatFollowsPropertiesAsOneKey) {
  EXPECT_TRUE(finds("properties.acceptd.io/operation = 'op-1'"));
  EXPECT_FALSE(finds("properties.acceptd.io/operation = 'op-2'"));
}

TEST(Search, TakesAnAbsentFieldForAnEmptyOne) {
  EXPECT_TRUE(finds("azure.tenant_id = ''"));
  EXPECT_FALSE(finds("azure.tenant_id = 'x'"));
  EXPECT_TRUE(finds("id.deeper = ''"));
}

TEST(Search, JoinsTermsWithAnd) {
  EXPECT_TRUE(finds("id = 'abc' AND azure.resource_name = 'one'"));
  EXPECT_FALSE(finds("id = 'abc' and azure.resource_name = 'two'"));
  EXPECT_TRUE(finds("id in ('x','abc') and name = 'it''s'"));
  EXPECT_FALSE(finds("id in ('x')"));
}

class BadSearch : public ::testing::TestWithParam<std::string> {};
TEST_P(BadSearch, IsRefusedWith400) {
  const auto search = Search::parse(GetParam());
  ASSERT_FALSE(search.has_value());
  EXPECT_EQ(search.error().status, 400U);
}
INSTANTIATE_TEST_SUITE_P(Texts, BadSearch,
                         ::testing::Values("id", "id =", "id = abc", "id = 'abc", "= 'abc'", "id = 'a' or id = 'b'",
                                           "id = 'a' and", "id = 'a' id = 'b'", "id in 'a'", "id in ()", "id in ('a',)",
                                           "id in ('a'", "id like 'a%'", "id != 'a'", "(id = 'a')"));

RC_GTEST_PROP(SearchProperty, FindsAnyValueThatIsQuoted, (const std::string& value)) {
  std::string quoted;
  for (const char c : value) quoted += c == '\'' ? "''" : std::string(1, c);
  const auto search = Search::parse("id = '" + quoted + "' and name in ('" + quoted + "','other')");
  RC_ASSERT(search.has_value());
  RC_ASSERT(search->matches({{"id", value}, {"name", value}}));
  RC_ASSERT(!search->matches({{"id", value + "x"}, {"name", value}}));
}

RC_GTEST_PROP(SearchProperty, RefusesOrAcceptsAnyTextWithoutHarm, (const std::string& text)) {
  const auto search = Search::parse(text);
  if (!search) RC_ASSERT(search.error().status == 400U);
}

}  // namespace
}  // namespace acceptd::simulator
