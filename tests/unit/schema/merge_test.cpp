// What callers could not send, and need not have.

#include <gmock/gmock.h>

#include "support.hpp"

namespace acceptd::schema {
namespace {

using testing::document;
using testing::parsed;

TEST(RestoreHidden, GivesBackSecretsThatCallersCannotHaveRead) {
  const Document loaded = document(
      "{'it': {'properties': {'name': {'type': 'string'}, 'key': {'type': 'string', 'x-ms-secret': true},"
      "  'inner': {'properties': {'pin': {'type': 'string', 'x-ms-mutability': ['create', 'update']}}},"
      "  'list': {'type': 'array', 'items': {'properties': {'id': {'type': 'string'}, 'key': {'type': 'string', 'x-ms-secret': "
      "true}}}}}}}");
  const json::value before =
      parsed("{'name': 'a', 'key': 'k', 'inner': {'pin': '1'}, 'list': [{'id': 'x', 'key': 'kx'}, {'id': 'y', 'key': 'ky'}]}");
  const auto restored = [&](const char* sent) {
    json::value value = parsed(sent);
    restore_hidden(*loaded.definition("it"), before, value);
    return value;
  };
  EXPECT_EQ(restored("{'name': 'b'}"), parsed("{'name': 'b', 'key': 'k'}"));
  EXPECT_EQ(restored("{'key': 'new'}"), parsed("{'key': 'new'}"));
  EXPECT_EQ(restored("{'key': null}"), parsed("{'key': null}")) << "removed on purpose";
  EXPECT_EQ(restored("{'key': '', 'inner': {}}"), parsed("{'key': '', 'inner': {'pin': '1'}}"));
  EXPECT_EQ(restored("{'key': '', 'list': [{'id': 'x'}, {'id': 'z'}]}"),
            parsed("{'key': '', 'list': [{'id': 'x', 'key': 'kx'}, {'id': 'z'}]}"));
}

TEST(KeepKnown, AnAlternativeDoesNotRemoveWhatOthersKnow) {
  const Document loaded = document(
      "{'it': {'properties': {'a': {'type': 'string'}}, 'oneOf': [{'properties': {'b': {'type': 'string'}}},"
      "  {'properties': {'c': {'type': 'string'}}}]}}");
  json::value value = parsed("{'a': '1', 'b': '2', 'd': '3'}");
  keep_known(*loaded.definition("it"), value);
  EXPECT_EQ(value, parsed("{'a': '1', 'b': '2'}"));
}

TEST(CopyUnknown, KeepsWhatAnotherVersionKnows) {
  const Document loaded = document(
      "{'it': {'properties': {'a': {'type': 'integer'}, 'inner': {'properties': {'b': {'type': 'integer'}}}, 'map': "
      "{'additionalProperties': {}}}}}");
  json::value value = parsed("{'inner': {'b': 2}, 'map': {}}");
  copy_unknown(*loaded.definition("it"), parsed("{'a': 1, 'new': 3, 'inner': {'b': 1, 'newer': 4}, 'map': {'gone': 1}}"), value);
  EXPECT_EQ(value, parsed("{'inner': {'b': 2, 'newer': 4}, 'map': {}, 'new': 3}"));
}

TEST(CopyKinds, SaysWhichSubtypeAPatchIsAbout) {
  const Document loaded = document(
      "{'it': {'properties': {'shape': {'$ref': '#/definitions/Shape'}}},"
      " 'Shape': {'discriminator': 'kind', 'properties': {'kind': {'type': 'string'}}},"
      " 'Round': {'allOf': [{'$ref': '#/definitions/Shape'}], 'properties': {'radius': {'type': 'integer'}}}}");
  json::value value = parsed("{'shape': {'radius': 2}}");
  copy_kinds(*loaded.definition("it"), parsed("{'shape': {'kind': 'Round', 'radius': 1}}"), value);
  EXPECT_EQ(value, parsed("{'shape': {'radius': 2, 'kind': 'Round'}}"));
  json::value other = parsed("{'shape': {'kind': 'Square'}}");
  copy_kinds(*loaded.definition("it"), parsed("{'shape': {'kind': 'Round'}}"), other);
  EXPECT_EQ(other, parsed("{'shape': {'kind': 'Square'}}"));
}

TEST(DropAnswered, TakesOffWhatOnlyAnswersHave) {
  const Document loaded = document(
      "{'request': {'properties': {'a': {'type': 'integer'}, 'inner': {'properties': {'b': {'type': 'integer'}}}}},"
      " 'answer': {'properties': {'a': {'type': 'integer'}, 'host': {'type': 'string'},"
      "  'inner': {'properties': {'b': {'type': 'integer'}, 'port': {'type': 'integer'}}}}}}");
  json::value value = parsed("{'a': 1, 'host': 'h', 'strange': 1, 'inner': {'b': 2, 'port': 3}}");
  drop_answered(*loaded.definition("request"), *loaded.definition("answer"), value);
  EXPECT_EQ(value, parsed("{'a': 1, 'strange': 1, 'inner': {'b': 2}}"));
}

TEST(Hidden, ListsOfHiddenItemsAreEmptiedAndGivenBack) {
  const Document loaded = document(
      "{'it': {'properties': {'pins': {'type': 'array', 'items': {'type': 'string', 'x-ms-secret': true}},"
      "  'keys': {'type': 'array', 'items': {'$ref': '#/definitions/Key'}}}},"
      " 'Key': {'type': 'string', 'x-ms-secret': true}}");
  const Schema& it = *loaded.definition("it");
  const json::value before = parsed("{'pins': ['1', '2'], 'keys': ['k']}");
  json::value seen = before;
  keep_visible(it, seen);
  EXPECT_EQ(seen, parsed("{'pins': [], 'keys': []}"));
  EXPECT_TRUE(restore_hidden(it, before, seen));
  EXPECT_EQ(seen, before);
  json::value sent = parsed("{'pins': ['3']}");
  EXPECT_TRUE(restore_hidden(it, before, sent));
  EXPECT_EQ(sent, parsed("{'pins': ['3']}"));
}

TEST(Hidden, ASecretOfAPartStaysOneHoweverItIsRedeclared) {
  const Document loaded = document(
      "{'Base': {'properties': {'key': {'type': 'string', 'x-ms-secret': true}, 'inner': {'properties': {'pin': {'type': "
      "'string', "
      "'x-ms-secret': true}}}}},"
      " 'it': {'allOf': [{'$ref': '#/definitions/Base'}], 'properties': {'key': {'type': 'string'},"
      "  'inner': {'properties': {'pin': {'type': 'string'}, 'name': {'type': 'string'}}}}}}");
  const Schema& it = *loaded.definition("it");
  const json::value before = parsed("{'key': 'k', 'inner': {'pin': 'p', 'name': 'n'}}");
  json::value seen = before;
  keep_visible(it, seen);
  EXPECT_EQ(seen, parsed("{'inner': {'name': 'n'}}"));
  EXPECT_THAT(secrets(it, before), ::testing::UnorderedElementsAre("/key", "/inner/pin"));
  EXPECT_TRUE(restore_hidden(it, before, seen));
  EXPECT_EQ(seen, before);
}

/// Two alternatives that lead to the same values, 32 levels deep: 2^32 ways.
class Recursive : public ::testing::Test {
 protected:
  static json::value body(int depth) {
    json::value value = parsed("{'gone': null, 'made': 'x', 'key': 'k'}");
    for (int level = 0; level < depth; ++level) value = json::object{{"left", value}};
    return value;
  }
  static std::string text(const std::string& alternatives) {
    const std::string sides =
        "'left': {'$ref': '#/definitions/Expr'}, 'right': {'$ref': '#/definitions/Expr'}, 'gone': {'type': 'string'},"
        " 'made': {'type': 'string', 'readOnly': true}, 'key': {'type': 'string', 'x-ms-secret': true}";
    return "{'Expr': {'" + alternatives + "': [{'$ref': '#/definitions/And'}, {'$ref': '#/definitions/Or'}]}," +
           " 'And': {'properties': {" + sides + "}}, 'Or': {'properties': {" + sides + "}}}";
  }
  const Document loaded = document(text("oneOf"));
  const Schema& expr = *loaded.definition("Expr");
};

TEST_F(Recursive, WalksSeeEachValueOncePerSchema) {
  const json::value whole = body(32);
  json::value value = whole;
  EXPECT_TRUE(drop_nulls(expr, value));
  EXPECT_TRUE(strip_read_only(expr, value));
  EXPECT_EQ(secrets(expr, value).size(), 1U);
  json::value seen = value;
  keep_visible(expr, seen);
  const std::string text = json::serialize(seen);
  for (const char* name : {"gone", "made", "key"}) EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr(name)));
  EXPECT_THAT(text, ::testing::HasSubstr("left"));
  EXPECT_TRUE(restore_hidden(expr, whole, seen));
  EXPECT_EQ(seen, value);
}

TEST_F(Recursive, ChecksStopAndRefuse) {
  EXPECT_THAT(testing::shown(validate(expr, body(32), Mode::create)),
              ::testing::ElementsAre("|Invalid value: the document is too complex"));
  const Document parts = document(text("allOf"));
  json::value value = body(32);
  EXPECT_TRUE(drop_nulls(*parts.definition("Expr"), value));
  EXPECT_THAT(testing::shown(validate(*parts.definition("Expr"), value, Mode::create)),
              ::testing::ElementsAre("|Invalid value: the document is too complex"));
}

TEST_F(Recursive, WhatIsTooComplexIsRefusedOrNotShown) {
  json::array many;
  for (std::size_t i = 0; i <= kMaxTrialSteps / 4; ++i) many.push_back(json::object{{"key", "k"}, {"made", "x"}});
  const Document lists = document(
      "{'it': {'type': 'array', 'items': {'oneOf': [{'$ref': '#/definitions/A'}, {'$ref': '#/definitions/B'},"
      "  {'$ref': '#/definitions/C'}, {'$ref': '#/definitions/D'}]}},"
      " 'A': {'properties': {'key': {'type': 'string', 'x-ms-secret': true}, 'made': {'type': 'string', 'readOnly': true}}},"
      " 'B': {'properties': {'b': {}}}, 'C': {'properties': {'c': {}}}, 'D': {'properties': {'d': {}}}}");
  const Schema& it = *lists.definition("it");
  const json::value whole = many;
  json::value value = whole;
  EXPECT_FALSE(strip_read_only(it, value));
  EXPECT_TRUE(value == whole);
  EXPECT_FALSE(restore_hidden(it, whole, value));
  EXPECT_THAT(secrets(it, value), ::testing::ElementsAre(""));
  keep_visible(it, value);
  EXPECT_EQ(value, parsed("[]"));
}

}  // namespace
}  // namespace acceptd::schema
