#include "apps/cluster-service-sim/simulator/script.hpp"

#include <gtest/gtest.h>

namespace acceptd::simulator {
namespace {

using namespace std::chrono_literals;

Rule rule(const char* text) {
  auto parsed = parse_rule(json::parse(text));
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().reason);
  return parsed.value_or(Rule{});
}
constexpr Subject kCreate{"POST", "/clusters", "demo-1"};
double never_drawn() {
  ADD_FAILURE() << "a rule without probability must not draw";
  return 0;
}

TEST(Rule, ChoosesCallsByMethodRouteAndName) {
  const Rule one = rule(R"({"action":"drop_before_work","method":"GET","route":"/clusters/*/status","name_prefix":"demo"})");
  EXPECT_TRUE(concerns(one, {"GET", "/clusters/2ab/status", "demo-1"}));
  EXPECT_FALSE(concerns(one, {"PATCH", "/clusters/2ab/status", "demo-1"}));
  EXPECT_FALSE(concerns(one, {"GET", "/clusters/2ab", "demo-1"}));
  EXPECT_FALSE(concerns(one, {"GET", "/clusters/2ab/status/more", "demo-1"}));
  EXPECT_FALSE(concerns(one, {"GET", "/clusters/2ab/status", "other"}));
  EXPECT_TRUE(concerns(rule(R"({"action":"drop_before_work"})"), {"DELETE", "/versions", ""}));
}

TEST(Rule, ThatBendsWorkIsNotUsedUpByReading) {
  for (const char* text : {R"({"action":"never_finish"})", R"({"action":"fail"})", R"({"action":"lie","states":["ready"]})",
                           R"({"action":"slow","seconds":1})", R"({"action":"allow_duplicate"})"}) {
    EXPECT_FALSE(concerns(rule(text), {"GET", "/clusters/2ab/status", "demo-1"})) << text;
    EXPECT_TRUE(concerns(rule(text), kCreate)) << text;
  }
}

TEST(Rule, SkipsThenCountsDown) {
  Rule one = rule(R"({"action":"drop_before_work","skip":1,"count":2})");
  std::string applied;
  for (int call = 0; call < 5; ++call) {
    Treatment treatment;
    apply(one, kCreate, never_drawn, treatment);
    applied += treatment.drop_before_work ? 'x' : '-';
  }
  EXPECT_EQ(applied, "-xx--");
  EXPECT_EQ(one.applied, 2U);
}

TEST(Rule, IsNotChangedByCallsThatItDoesNotConcern) {
  Rule one = rule(R"({"action":"drop_before_work","method":"GET","count":1})");
  Treatment treatment;
  EXPECT_FALSE(apply(one, kCreate, never_drawn, treatment));
  EXPECT_EQ(one.count, 1U);
  EXPECT_FALSE(treatment.drop_before_work);
}

TEST(Rule, DrawsItsChance) {
  Rule one = rule(R"({"action":"drop_reply_after_work","probability":0.25})");
  Treatment unlucky;
  EXPECT_FALSE(apply(one, kCreate, [] { return 0.25; }, unlucky));
  EXPECT_FALSE(unlucky.drop_reply_after_work);
  Treatment lucky;
  EXPECT_TRUE(apply(one, kCreate, [] { return 0.2499; }, lucky));
  EXPECT_TRUE(lucky.drop_reply_after_work);
}

TEST(Rule, AddsUpWithOthers) {
  Treatment treatment;
  for (const char* text :
       {R"({"action":"delay","delay_ms":30})", R"({"action":"delay","delay_ms":20})",
        R"({"action":"delay","delay_ms":5,"when":"after_work"})",
        R"({"action":"fail","code":"OCM4001","message":"m","inflight_checks":[{"name":"quota","error":"none left"}]})",
        R"({"action":"lie","states":["ready","pending"]})", R"({"action":"slow","seconds":1.5})",
        R"({"action":"allow_duplicate"})"}) {
    Rule one = rule(text);
    EXPECT_TRUE(apply(one, kCreate, never_drawn, treatment));
  }
  EXPECT_EQ(treatment.delay_before, 50ms);
  EXPECT_EQ(treatment.delay_after, 5ms);
  EXPECT_EQ(treatment.outcome, Outcome::fail);
  EXPECT_EQ(treatment.failure.code, "OCM4001");
  ASSERT_EQ(treatment.failure.checks.size(), 1U);
  EXPECT_EQ(treatment.failure.checks[0].name, "quota");
  EXPECT_EQ(treatment.lies, (std::vector<std::string>{"ready", "pending"}));
  EXPECT_EQ(treatment.duration, 1500ms);
  EXPECT_TRUE(treatment.allow_duplicate);
}

TEST(Rule, AnswersWithTheGivenError) {
  Treatment treatment;
  Rule server = rule(R"({"action":"answer","status":503,"code":"C-1","reason":"busy"})");
  apply(server, kCreate, never_drawn, treatment);
  EXPECT_EQ(treatment.answer->status, 503U);
  EXPECT_EQ(treatment.answer->code, "C-1");
  EXPECT_EQ(treatment.answer->reason, "busy");
  Rule reject = rule(R"({"action":"reject","reason":"no"})");
  apply(reject, kCreate, never_drawn, treatment);
  EXPECT_EQ(treatment.answer->status, 400U);
}

class BadRule : public ::testing::TestWithParam<std::string> {};
TEST_P(BadRule, IsRefusedWith400) {
  const auto parsed = parse_rule(json::parse(GetParam()));
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().status, 400U);
}
INSTANTIATE_TEST_SUITE_P(
    Texts, BadRule,
    ::testing::Values("[]", "{}", R"({"action":"explode"})", R"({"action":7})", R"({"action":"delay"})",
                      R"({"action":"delay","delay_ms":0})", R"({"action":"delay","delay_ms":"5"})",
                      R"({"action":"delay","delay_ms":5,"when":"later"})", R"({"action":"answer","status":200})",
                      R"({"action":"drop_before_work","delay_ms":5})", R"({"action":"never_finish","count":-1})",
                      R"({"action":"never_finish","probability":1.5})", R"({"action":"lie"})", R"({"action":"lie","states":[]})",
                      R"({"action":"lie","states":[1]})", R"({"action":"slow"})", R"({"action":"fail","inflight_checks":[{}]})",
                      R"({"action":"fail","mesage":"misspelt"})", R"({"action":"never_finish","name_prefx":"misspelt"})"));

TEST(Rule, ReadsBackAsItWasWritten) {
  for (
      const char* text :
      {R"({"action":"fail","method":"POST","route":"/clusters","name_prefix":"d","count":3,"skip":1,"probability":0.5,"code":"c","message":"m","inflight_checks":[{"name":"n","error":"e"}]})",
       R"({"action":"answer","status":503,"code":"c","reason":"r"})", R"({"action":"lie","states":["ready"]})",
       R"({"action":"slow","seconds":0.25})", R"({"action":"delay","delay_ms":7,"when":"after_work"})"}) {
    const json::object once = to_json(rule(text));
    EXPECT_EQ(to_json(rule(json::serialize(once).c_str())), once) << text;
  }
}

}  // namespace
}  // namespace acceptd::simulator
