#include "runtime/config/section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/config/file.hpp"

namespace acceptd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> problems(const std::string& text, const std::function<void(Section&)>& read) {
  std::vector<std::string> lines;
  const auto whole = [&](Section section) {
    read(section);
    section.finish();
  };
  for (const Problem& problem : read_text(text, whole)) lines.push_back(to_string(problem, "f"));
  return lines;
}

TEST(Section, JsonTypesUnquotedScalarsAsJsonDoes) {
  boost::json::value value;
  const auto read = [&](Section& section) { value = section.json("v").value(); };
  EXPECT_THAT(
      problems(R"(v: {a: 1, b: "1", c: true, d: 'true', e: null, f: ~, g: 1.5, h: text, i: [1, {j: -2}], k: 007, l: "", m: yes})",
               read),
      ElementsAre());
  EXPECT_EQ(value, boost::json::parse(R"({"a":1,"b":"1","c":true,"d":"true","e":null,"f":null,"g":1.5,"h":"text",)"
                                      R"("i":[1,{"j":-2}],"k":"007","l":"","m":"yes"})"));
}

TEST(Section, JsonSaysWhereAKeyIsGivenTwice) {
  const auto read = [](Section& section) { section.json("v"); };
  EXPECT_THAT(problems("v:\n  a: {b: 1, b: 2}\n", read), ElementsAre("f:2:13: v.a.b: is given twice; remove one"));
}

TEST(Section, JsonIsBoundedInDepth) {
  const auto read = [](Section& section) { section.json("v"); };
  EXPECT_THAT(problems("v: " + std::string(40, '[') + std::string(40, ']'), read),
              ElementsAre(HasSubstr("v: is nested too deeply")));
}

TEST(Section, JsonThatIsNotThereIsNothing) {
  const auto read = [](Section& section) { EXPECT_EQ(section.json("v"), std::nullopt); };
  EXPECT_THAT(problems("{}", read), ElementsAre());
}

TEST(Section, KeysAreThoseOfTheFileInItsOrder) {
  const auto read = [](Section& section) {
    Section child = section.child("v");
    EXPECT_THAT(child.keys(), ElementsAre("z", "a"));
    std::string text;
    child.text("z", text);
    EXPECT_EQ(text, "1");
    child.finish();
    EXPECT_THAT(section.child("absent").keys(), ElementsAre());
  };
  EXPECT_THAT(problems("v: {z: 1, a: 2}", read), ElementsAre("f:1:11: v.a: unknown key; known here: z"));
}

TEST(Section, ABooleanIsTrueOrFalse) {
  bool yes = false, kept = true;
  const auto read = [&](Section& section) {
    section.boolean("a", yes);
    section.boolean("b", kept);
    section.boolean("absent", kept);
  };
  EXPECT_THAT(problems("{a: true, b: yes}", read), ElementsAre(HasSubstr("b: expected one of false, true, got \"yes\"")));
  EXPECT_TRUE(yes);
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace acceptd::config
