#include "model/json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <set>

namespace acceptd::model {
namespace {

struct Read {
  const char* text;
  const char* written;
};
void PrintTo(const Read& read, std::ostream* out) { *out << read.written; }
class ReadsAndWrites : public ::testing::TestWithParam<Read> {};
TEST_P(ReadsAndWrites, TheSameValue) {
  const auto value = parse_json(GetParam().text);
  ASSERT_TRUE(value) << value.error().reason;
  EXPECT_EQ(to_text(*value), GetParam().written);
}
INSTANTIATE_TEST_SUITE_P(
    Json, ReadsAndWrites,
    ::testing::Values(Read{R"({"b":1,"a":{"b":[true,false,null,"x"]}})", R"({"b":1,"a":{"b":[true,false,null,"x"]}})"},
                      Read{" \r\n\t[ ] ", "[]"}, Read{"{}", "{}"},
                      Read{"\"\\u00e9\\ud83d\\ude00\\n\"", "\"\xc3\xa9\xf0\x9f\x98\x80\\n\""},
                      Read{"-9223372036854775808", "-9223372036854775808"}, Read{"18446744073709551615", "18446744073709551615"},
                      Read{"1e-400", "0E0"}, Read{"-1e-400", "-0E0"},
                      Read{R"({"a":{"x":1},"b":{"x":1}})", R"({"a":{"x":1},"b":{"x":1}})"},
                      Read{R"([{"a":1},{"a":1}])", R"([{"a":1},{"a":1}])"}));

struct Refused {
  std::string text;
  std::size_t offset;
  const char* reason;
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.text.substr(0, 40); }
class RefusesJson : public ::testing::TestWithParam<Refused> {};
TEST_P(RefusesJson, WithTheOffsetAndTheReason) {
  const auto value = parse_json(GetParam().text);
  ASSERT_FALSE(value) << to_text(*value);
  EXPECT_EQ(value.error().offset, GetParam().offset);
  EXPECT_EQ(value.error().reason, GetParam().reason);
}
INSTANTIATE_TEST_SUITE_P(Json, RefusesJson,
                         ::testing::Values(Refused{R"({"a":1,"a":2})", 12, "an object has the same key twice"},
                                           Refused{R"({"a":1,"\u0061":2})", 17, "an object has the same key twice"},
                                           Refused{R"({"x":{"a":1,"b":2,"a":3},"y":1})", 23, "an object has the same key twice"},
                                           Refused{"[1e400]", 6, "a number is out of range"},
                                           Refused{"-1e400", 6, "a number is out of range"},
                                           Refused{std::string(400, '9'), 400, "a number is out of range"},
                                           Refused{"[1] x", 4, "there is something after the value"},
                                           Refused{"", 0, "incomplete JSON"}));

class NotJson : public ::testing::TestWithParam<std::string> {};
TEST_P(NotJson, IsRefused) { EXPECT_FALSE(parse_json(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Json, NotJson,
                         ::testing::Values("[1,]", "{\"a\":1,}", "{a:1}", "'a'", "[1", "NaN", "Infinity", "-", "01", "1.", ".5",
                                           "+1", "// c\n1", "/**/1", "\"\x01\"", "\"\\x\"", "\"\\ud800\"", "\"\xff\"",
                                           "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\xef\xbb\xbf{}",
                                           "[1] [2]", std::string("1\0", 2)));

TEST(Json, IsBoundedInDepth) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth)));
  EXPECT_FALSE(parse_json(nested(kMaxJsonDepth + 1)));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(Json, ADoubleIsTheNearestToItsText) {
  // 2^53 + 1 lies between two doubles; the stock parser is a unit off for the second and third.
  EXPECT_EQ(parse_json("9007199254740993.0")->get_double(), 9007199254740992.0);
  EXPECT_EQ(parse_json("0.49999999999999994")->get_double(), 0x1.fffffffffffffp-2);
  EXPECT_EQ(parse_json("2.2250738585072011e-308")->get_double(), 2.2250738585072011e-308);
  EXPECT_EQ(parse_json("1" + std::string(400, '0') + "e-400")->get_double(), 1.0);
  EXPECT_EQ(parse_json("0." + std::string(400, '0') + "1e401")->get_double(), 1.0);
}

RC_GTEST_PROP(Json, EveryFiniteDoubleReadsBack, (std::uint64_t seed)) {
  const std::uint64_t bits = seed * 0x9e3779b97f4a7c15;  // spreads small seeds over all exponents
  const double number = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(number));
  const auto back = parse_json(to_text(json::value(number)));
  RC_ASSERT(back.has_value());
  RC_ASSERT(std::bit_cast<std::uint64_t>(back->get_double()) == bits);
}

RC_GTEST_PROP(Json, EverySignedIntegerReadsBack, (std::int64_t number)) {
  const auto back = parse_json(to_text(json::value(number)));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->to_number<std::int64_t>() == number);
}

RC_GTEST_PROP(Json, EveryUnsignedIntegerReadsBack, (std::uint64_t number)) {
  const auto back = parse_json(to_text(json::value(number)));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->to_number<std::uint64_t>() == number);
}

RC_GTEST_PROP(Json, KeysAreDistinctOrTheObjectIsRefused, (const std::vector<unsigned char>& letters)) {
  std::string text = "{";
  std::set<unsigned char> seen;
  for (const unsigned char letter : letters) {
    text += text.size() > 1 ? "," : "";
    text += "\"k" + std::to_string(letter) + "\":0";
    seen.insert(letter);
  }
  const auto value = parse_json(text + "}");
  RC_ASSERT(value.has_value() == (seen.size() == letters.size()));
  if (value) RC_ASSERT(value->get_object().size() == letters.size());
}

TEST(Json, MembersOfTheWrongTypeCountAsAbsent) {
  const json::object object = parse_json(R"({"s":"x","n":1,"o":{"a":1}})")->get_object();
  EXPECT_EQ(string_at(object, "s"), "x");
  EXPECT_EQ(string_at(object, "n"), "");
  EXPECT_EQ(string_at(object, "?"), "");
  ASSERT_NE(object_at(object, "o"), nullptr);
  EXPECT_EQ(object_at(object, "s"), nullptr);
}

struct Patch {
  const char *target, *patch, *result;
};
void PrintTo(const Patch& patch, std::ostream* out) { *out << patch.target << " with " << patch.patch; }
class MergePatch : public ::testing::TestWithParam<Patch> {};
TEST_P(MergePatch, FollowsTheExamplesOfTheRfc) {
  json::value target = *parse_json(GetParam().target);
  merge_patch(target, *parse_json(GetParam().patch));
  EXPECT_EQ(target, *parse_json(GetParam().result)) << to_text(target);
}
INSTANTIATE_TEST_SUITE_P(Json, MergePatch,  // RFC 7396, appendix A
                         ::testing::Values(Patch{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
                                           Patch{R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
                                           Patch{R"({"a":"b"})", R"({"a":null})", "{}"},
                                           Patch{R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
                                           Patch{R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
                                           Patch{R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
                                           Patch{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
                                           Patch{R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
                                           Patch{R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
                                           Patch{R"({"a":"b"})", R"(["c"])", R"(["c"])"}, Patch{R"({"a":"foo"})", "null", "null"},
                                           Patch{R"({"a":"foo"})", R"("bar")", R"("bar")"},
                                           Patch{R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
                                           Patch{"[1,2]", R"({"a":"b","c":null})", R"({"a":"b"})"},
                                           Patch{"{}", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"}));

}  // namespace
}  // namespace acceptd::model
