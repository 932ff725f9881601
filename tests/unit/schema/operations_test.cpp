// What is read of the methods on a description's paths, and what a lenient load leaves out.

#include <gmock/gmock.h>

#include "support.hpp"

namespace acceptd::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::parsed;
using testing::problems;
using testing::quoted;
using testing::shown;

std::vector<std::string> notes(const std::string& definitions) {
  const Document loaded = testing::document(definitions, {.lenient = true});
  std::vector<std::string> out;
  for (const Problem& note : loaded.notes()) out.push_back(note.pointer + ": " + note.reason);
  return out;
}

TEST(Operations, SayWhatSwaggerSays) {
  const auto loaded = Document::load(quoted(
      "{'parameters': {'Name': {'name': 'n', 'in': 'path', 'type': 'string', 'minLength': 2, 'maxLength': 9, 'pattern': '^a'},"
      "  'Other': {'name': 'o', 'in': 'path', 'type': 'string', 'enum': ['x', 'y']}},"
      " 'paths': {'/a/{n}/b/{o}': {'parameters': [{'$ref': '#/parameters/Other'}],"
      "  'put': {'x-ms-long-running-operation': true, 'x-ms-long-running-operation-options': {'final-state-via': 'location'},"
      "   'parameters': [{'$ref': '#/parameters/Name'}, {'in': 'body', 'name': 'b', 'required': true, 'schema': {'type': "
      "'object'}}],"
      "   'responses': {'201': {'schema': {'type': 'string'}}, '202': {'description': ''}}},"
      "  'get': {'responses': {}}}, 'x-other': 1}}"));
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->operations().size(), 2U);
  const Operation& put = loaded->operations()[0];
  EXPECT_EQ(put.path, "/a/{n}/b/{o}");
  EXPECT_EQ(put.method, "put");
  EXPECT_EQ(put.pointer, "/paths/~1a~1{n}~1b~1{o}/put");
  EXPECT_TRUE(put.long_running);
  EXPECT_EQ(put.final_state_via, "location");
  EXPECT_TRUE(put.body && put.body_required);
  ASSERT_TRUE(put.answer("201") && put.answer("202"));
  EXPECT_TRUE(put.answer("201")->body);
  EXPECT_FALSE(put.answer("202")->body);
  EXPECT_FALSE(put.answer("200"));
  ASSERT_TRUE(put.parameter("n") && put.parameter("o"));
  EXPECT_EQ(put.parameter("n")->length_least, 2U);
  EXPECT_EQ(put.parameter("n")->length_most, 9U);
  EXPECT_EQ(put.parameter("n")->pattern, "^a");
  EXPECT_THAT(put.parameter("o")->allowed, ElementsAre("x", "y"));
  EXPECT_FALSE(loaded->operations()[1].long_running);
}

TEST(Operations, SayWhatOpenApi3Says) {
  const auto loaded = Document::load(quoted(
      "{'paths': {'/a/{n}': {'put': {'parameters': [{'name': 'n', 'in': 'path', 'schema': {'type': 'string', 'pattern': '^z'}}],"
      " 'requestBody': {'required': true, 'content': {'application/json; charset=utf-8': {'schema': {'type': 'object'}}}},"
      " 'responses': {'200': {'content': {'text/plain': {'schema': {'type': 'string'}}}}}}}}}"));
  ASSERT_TRUE(loaded);
  const Operation& put = loaded->operations().at(0);
  EXPECT_TRUE(put.body && put.body_required);
  EXPECT_EQ(put.parameter("n")->pattern, "^z");
  EXPECT_FALSE(put.answer("200")->body);
}

TEST(Operations, SayWhereTheyAreMalformed) {
  EXPECT_THAT(problems("{'paths': {'/a': {'put': {'parameters': {}}}}}"),
              ElementsAre(HasSubstr("/paths/~1a/put/parameters: must be a list")));
  EXPECT_THAT(problems("{'paths': {'/a': {'put': {'responses': []}}}}"),
              ElementsAre("/paths/~1a/put/responses: must be an object"));
  EXPECT_THAT(problems("{'paths': {'/a': {'put': {'parameters': [{'$ref': '#/parameters/No'}]}}}}"),
              ::testing::Contains(HasSubstr("the reference '#/parameters/No' names nothing")));
}

TEST(LenientLoad, NotesWhatItDoesNotCheck) {
  EXPECT_THAT(notes("{'A': {'type': 'string', 'format': 'hostname'}}"),
              ElementsAre("/definitions/A/format: not checked: this format is not supported"));
  EXPECT_THAT(notes("{'A': {'type': 'string', 'pattern': '(?=a)b'}}"),
              ElementsAre(HasSubstr("/definitions/A/pattern: not checked")));
  EXPECT_THAT(notes("{'A': {'not': {}}}"), ElementsAre(HasSubstr("/definitions/A/not: not checked")));
  EXPECT_THAT(notes("{'A': {'properties': {'a': {'type': 'integer', 'default': 'five'}}}}"),
              ElementsAre("/definitions/A/properties/a/default: not used: the default is not a valid value"));
  EXPECT_THAT(notes("{'A': {'required': ['b'], 'properties': {'a': {}}}}"),
              ElementsAre(HasSubstr("'b' is required and not declared")));
  const Document loaded =
      testing::document("{'it': {'type': 'string', 'pattern': '(?=a)b', 'format': 'hostname'}}", {.lenient = true});
  EXPECT_THAT(shown(validate(*loaded.definition("it"), parsed("'anything'"), Mode::create)), IsEmpty());
}

TEST(Document, RefusesWhatContradictsItself) {
  const auto of = [](const std::string& schema) { return problems("{'definitions': {'A': " + schema + "}}"); };
  for (const char* schema :
       {"{'minimum': 3, 'maximum': 2}", "{'minimum': 3, 'maximum': 3, 'exclusiveMaximum': true}",
        "{'minLength': 2, 'maxLength': 1}", "{'minItems': 2, 'maxItems': 1}", "{'type': 'integer', 'enum': ['a', 'b']}"})
    EXPECT_THAT(of(schema), ElementsAre(HasSubstr("/definitions/A: contradicts itself"))) << schema;
  for (const char* schema :
       {"{'minimum': 3, 'maximum': 3}", "{'minLength': 1, 'maxLength': 1}", "{'type': 'integer', 'enum': [1]}"})
    EXPECT_THAT(of(schema), IsEmpty()) << schema;
}

TEST(Document, RefusesARecursionThatNoValueEnds) {
  const auto of = [](const std::string& schema) { return problems("{'definitions': {'A': " + schema + "}}"); };
  EXPECT_THAT(of("{'required': ['a'], 'properties': {'a': {'$ref': '#/definitions/A'}}}"),
              ElementsAre(HasSubstr("/definitions/A: recursive without end")));
  EXPECT_THAT(of("{'type': 'array', 'minItems': 1, 'items': {'$ref': '#/definitions/A'}}"),
              ElementsAre(HasSubstr("recursive without end")));
  EXPECT_THAT(of("{'properties': {'a': {'$ref': '#/definitions/A'}}}"), IsEmpty());
  EXPECT_THAT(of("{'type': 'array', 'items': {'$ref': '#/definitions/A'}}"), IsEmpty());
  EXPECT_THAT(of("{'required': ['a'], 'properties': {'a': {'readOnly': true, '$ref': '#/definitions/A'}}}"), IsEmpty());
  EXPECT_THAT(of("{'required': ['a'], 'properties': {'a': {'type': 'array', 'items': {'$ref': '#/definitions/A'}}}}"), IsEmpty());
}

TEST(Defaults, FillAbsentObjectsUnlessToldNotTo) {
  const std::string text =
      "{'it': {'properties': {'a': {'$ref': '#/definitions/A'}}}, 'A': {'properties': {'b': {'$ref': '#/definitions/it'},"
      " 'x': {'type': 'integer', 'default': 1}}}}";
  json::value filled = parsed("{}"), left = parsed("{}");
  apply_defaults(*testing::document(text).definition("it"), filled);
  EXPECT_EQ(filled, parsed("{'a': {'x': 1}}"));
  apply_defaults(*testing::document(text, {.fill_absent_objects = false}).definition("it"), left);
  EXPECT_EQ(left, parsed("{}"));
  apply_defaults(*testing::document(text, {.fill_absent_objects = false}).definition("it"), left = parsed("{'a': {}}"));
  EXPECT_EQ(left, parsed("{'a': {'x': 1}}"));
}

/// Each level refers to the next one ten times: what is tried again and again would not end.
TEST(Defaults, AreWorkedOutOncePerSchema) {
  std::string text = "{";
  for (int level = 0; level < 30; ++level) {
    text += fmt::format("{}'L{}': {{'properties': {{", level ? ", " : "", level);
    for (int i = 0; i < 10; ++i)
      text += fmt::format("{}'m{}': {{'$ref': '#/definitions/L{}'}}", i ? ", " : "", i, (level + 1) % 30);
    text += "}}";
  }
  json::value value = parsed("{}");
  apply_defaults(*testing::document(text + "}").definition("L0"), value);
  EXPECT_EQ(value, parsed("{}"));
}

TEST(Document, RefusesPartsThatMultiply) {
  std::string text = "{'definitions': {'P0': {}";
  for (int level = 1; level < 20; ++level)
    text += fmt::format(", 'P{0}': {{'allOf': [{{'$ref': '#/definitions/P{1}'}}, {{'$ref': '#/definitions/P{1}'}}]}}", level,
                        level - 1);
  EXPECT_THAT(problems(text + "}}"), ElementsAre(HasSubstr("schemas apply to one value")));
  text = "{'definitions': {'P0': {}";
  for (int level = 1; level < 200; ++level)
    text += fmt::format(", 'P{}': {{'allOf': [{{'$ref': '#/definitions/P{}'}}]}}", 200 - level, 200 - level - 1);
  EXPECT_THAT(problems(text + "}}"), ElementsAre(HasSubstr("levels")));
}

TEST(Document, AFileThatRefersBackToItMeansIt) {
  const Loader loader = [](std::string_view path) -> std::optional<std::string> {
    if (path == "b.json") return quoted("{'definitions': {'B': {'properties': {'a': {'$ref': './a.json#/definitions/A'}}}}}");
    return std::nullopt;
  };
  const std::string text = quoted("{'definitions': {'A': {'properties': {'b': {'$ref': 'b.json#/definitions/B'}}}}}");
  EXPECT_TRUE(Document::load(text, loader, {.name = "a.json"}));
  EXPECT_FALSE(Document::load(text, loader));
}

TEST(Document, SubtypesInAnotherFileAreKnownThoughNothingRefersToThem) {
  const Loader loader = [](std::string_view) -> std::optional<std::string> {
    return quoted(
        "{'definitions': {'Shape': {'discriminator': 'kind', 'required': ['kind'], 'properties': {'kind': {'type': 'string'}}},"
        " 'Round': {'x-ms-discriminator-value': 'round', 'allOf': [{'$ref': '#/definitions/Shape'}],"
        " 'properties': {'radius': {'type': 'integer'}}}}}");
  };
  const auto loaded = Document::load(quoted("{'definitions': {'A': {'$ref': 'shapes.json#/definitions/Shape'}}}"), loader);
  ASSERT_TRUE(loaded);
  EXPECT_THAT(shown(validate(*loaded->definition("A"), parsed("{'kind': 'round', 'radius': 2}"), Mode::create)), IsEmpty());
  EXPECT_THAT(shown(validate(*loaded->definition("A"), parsed("{'kind': 'round', 'radius': 'x'}"), Mode::create)),
              ElementsAre(HasSubstr("radius|")));
}

TEST(Document, AMappingNamesTheSubtypes) {
  const Document loaded = testing::document(
      "{'it': {'discriminator': {'propertyName': 'kind', 'mapping': {'r': '#/definitions/Round'}}, 'required': ['kind'],"
      "  'properties': {'kind': {'type': 'string'}}},"
      " 'Round': {'allOf': [{'$ref': '#/definitions/it'}], 'properties': {'radius': {'type': 'integer'}}}}");
  EXPECT_THAT(shown(validate(*loaded.definition("it"), parsed("{'kind': 'r', 'radius': 1}"), Mode::create)), IsEmpty());
  EXPECT_THAT(shown(validate(*loaded.definition("it"), parsed("{'kind': 'Round'}"), Mode::create)),
              ElementsAre(HasSubstr("kind|Unsupported value")));
}

}  // namespace
}  // namespace acceptd::schema
