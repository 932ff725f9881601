// Loading: references, files, bodies, and what makes a document unusable.

#include <gmock/gmock.h>

#include "schema/format.hpp"
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

TEST(Document, FindsDefinitionsOfBothFormatsAndItsVersion) {
  const auto swagger = Document::load(quoted("{'info': {'version': '2024-01-01'}, 'definitions': {'A': {'type': 'string'}}}"));
  EXPECT_TRUE(swagger->definition("A"));
  EXPECT_FALSE(swagger->definition("B"));
  EXPECT_EQ(swagger->version(), "2024-01-01");
  const auto openapi = Document::load(quoted("{'components': {'schemas': {'A': {'type': 'string'}}}}"));
  EXPECT_TRUE(openapi->definition("A"));
}

TEST(Document, FindsBodiesOfRequestsAndAnswers) {
  const auto swagger = Document::load(
      quoted("{'parameters': {'Body': {'in': 'body', 'name': 'b', 'schema': {'type': 'string'}}},"
             " 'paths': {'/a': {'put': {'parameters': [{'in': 'path', 'name': 'p'}, {'$ref': '#/parameters/Body'}],"
             " 'responses': {'200': {'schema': {'type': 'integer'}}, '204': {'description': ''}}}}}}"));
  ASSERT_TRUE(swagger);
  EXPECT_THAT(validate(*swagger->request_body("/a", "put"), parsed("'x'"), Mode::create), IsEmpty());
  EXPECT_THAT(validate(*swagger->response_body("/a", "put", "200"), parsed("1"), Mode::create), IsEmpty());
  EXPECT_FALSE(swagger->response_body("/a", "put", "204"));
  EXPECT_FALSE(swagger->request_body("/a", "get"));
  const auto openapi = Document::load(
      quoted("{'paths': {'/a': {'post': {'requestBody': {'content': {'application/json': {'schema': {'type': 'string'}}}},"
             " 'responses': {'default': {'content': {'application/json': {'schema': {'type': 'integer'}}}}}}}}}"));
  EXPECT_THAT(shown(validate(*openapi->request_body("/a", "post"), parsed("1"), Mode::create)),
              ElementsAre(HasSubstr("must be of type string")));
  EXPECT_TRUE(openapi->response_body("/a", "post", "default"));
}

TEST(Document, FollowsReferencesAcrossFilesRelativeToEach) {
  const Loader loader = [](std::string_view path) -> std::optional<std::string> {
    if (path == "common/a.json") return quoted("{'definitions': {'A': {'$ref': '../other/b.json#/definitions/B~1C'}}}");
    if (path == "other/b.json")
      return quoted(
          "{'definitions': {'B/C': {'type': 'array', 'items': {'$ref': '#/definitions/D'}}, 'D': {'type': 'integer'}}}");
    return std::nullopt;
  };
  const auto loaded = Document::load(quoted("{'definitions': {'X': {'$ref': './common/a.json#/definitions/A'}}}"), loader);
  ASSERT_TRUE(loaded);
  EXPECT_THAT(shown(validate(*loaded->definition("X"), parsed("[1, 'a']"), Mode::create)), ElementsAre(HasSubstr("[1]|")));
}

TEST(Document, RecursiveSchemasCheckValuesOfAnyDepth) {
  const Document loaded =
      testing::document("{'Tree': {'properties': {'next': {'$ref': '#/definitions/Tree'}, 'n': {'type': 'integer'}}}}");
  EXPECT_THAT(shown(validate(*loaded.definition("Tree"), parsed("{'next': {'next': {'n': 'x'}}}"), Mode::create)),
              ElementsAre(HasSubstr("next.next.n|")));
}

TEST(Document, NestedAlternativesAreBoundedNotExponential) {
  const Document loaded = testing::document(
      "{'T': {'type': 'object', 'anyOf': [{'properties': {'a': {'$ref': '#/definitions/T'}}}, {'properties': {'a': {'$ref': "
      "'#/definitions/T'}}}]}}");
  std::string deep = "1";
  for (int i = 0; i < 30; ++i) deep = "{'a': " + deep + "}";
  EXPECT_THAT(shown(validate(*loaded.definition("T"), parsed(deep), Mode::create)),
              ElementsAre(HasSubstr("the document is too complex")));
}

TEST(Document, SaysWhereItIsUnusable) {
  const auto of = [](const std::string& schema) { return problems("{'definitions': {'A': " + schema + "}}"); };
  EXPECT_THAT(problems("{"), ElementsAre(HasSubstr("is not JSON")));
  EXPECT_THAT(problems("[]"), ElementsAre(HasSubstr("is not a JSON object")));
  EXPECT_THAT(of("{'pattern': '(?=a)'}"), ElementsAre(HasSubstr("/definitions/A/pattern: this pattern is not supported")));
  EXPECT_THAT(of("{'not': {}}"), ElementsAre("/definitions/A/not: the keyword 'not' is not supported"));
  EXPECT_THAT(of("{'properties': {'a/b': {'if': {}}}}"), ElementsAre(HasSubstr("/definitions/A/properties/a~1b/if: ")));
  EXPECT_THAT(of("{'format': 'hostname'}"), ElementsAre(HasSubstr("this format is not supported")));
  EXPECT_THAT(of("{'type': 'file'}"), ElementsAre("/definitions/A/type: not a type"));
  EXPECT_THAT(of("{'items': [{}]}"), ElementsAre(HasSubstr("/definitions/A/items: a schema for each position")));
  EXPECT_THAT(of("{'$ref': '#/definitions/B'}"), ElementsAre(HasSubstr("the reference '#/definitions/B' names nothing")));
  EXPECT_THAT(of("{'$ref': 'b.json#/B'}"), ElementsAre(HasSubstr("the file 'b.json' is not there")));
  EXPECT_THAT(of("{'$ref': '#/definitions/A'}"), ElementsAre(HasSubstr("references go round in a circle")));
  EXPECT_THAT(of("{'allOf': [{'anyOf': [{'$ref': '#/definitions/A'}]}]}"), ElementsAre(HasSubstr("a schema is part of itself")));
  EXPECT_THAT(of("{'enum': []}"), ElementsAre(HasSubstr("at least one value")));
  EXPECT_THAT(of("{'minLength': -1}"), ElementsAre(HasSubstr("whole number")));
  EXPECT_THAT(of("{'minimum': 'a'}"), ElementsAre(HasSubstr("must be a number")));
  EXPECT_THAT(of("{'exclusiveMinimum': true}"), ElementsAre(HasSubstr("beside the limit")));
  EXPECT_THAT(of("{'required': 'a'}"), ElementsAre(HasSubstr("list of member names")));
  EXPECT_THAT(of("{'x-ms-mutability': ['write']}"), IsEmpty()) << "only the place of use has an access";
  EXPECT_THAT(of("{'properties': {'a': {'x-ms-mutability': ['write']}}}"),
              ElementsAre(HasSubstr("must list create, read and update")));
  EXPECT_THAT(of("{'discriminator': {'propertyName': 'k', 'mapping': {'b': '#/definitions/B'}}}"),
              ElementsAre(HasSubstr("the reference '#/definitions/B' names nothing")));
  EXPECT_THAT(of("3"), ElementsAre("/definitions/A: a schema must be an object"));
}

TEST(Document, ReportsSeveralProblemsBounded) {
  std::string schemas = "{";
  for (int i = 0; i < 80; ++i) schemas += fmt::format("{}'D{}': {{'not': {{}}}}", i ? ", " : "", i);
  EXPECT_EQ(problems("{'definitions': " + schemas + "}}").size(), kMaxProblems);
}

TEST(Ipv4Block, OverlapsExactlyWhenOneHoldsTheOther) {
  const auto overlap = [](const char* a, const char* b) { return parse_ipv4_block(a)->overlaps(*parse_ipv4_block(b)); };
  EXPECT_TRUE(overlap("10.0.0.0/8", "10.5.0.0/16"));
  EXPECT_TRUE(overlap("10.5.0.0/16", "10.0.0.0/8"));
  EXPECT_TRUE(overlap("0.0.0.0/0", "192.168.0.0/32"));
  EXPECT_FALSE(overlap("10.0.0.0/16", "10.1.0.0/16"));
  EXPECT_FALSE(overlap("10.128.0.0/14", "10.132.0.0/14"));
  EXPECT_TRUE(parse_ipv4_block("10.0.0.0/16")->canonical());
  EXPECT_FALSE(parse_ipv4_block("10.0.0.1/16")->canonical());
}

}  // namespace
}  // namespace acceptd::schema
