// Who may send, change and see a member: modes of validation, and the transformations.

#include <gmock/gmock.h>

#include "schema/message.hpp"
#include "support.hpp"

namespace acceptd::schema {
namespace {

using testing::document;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::parsed;
using testing::shown;
using ::testing::UnorderedElementsAre;

const char* const kResource = R"({
  'Base': {'properties': {'id': {'type': 'string', 'readOnly': true}, 'tags': {'type': 'object', 'additionalProperties': {'type': 'string'}},
           'location': {'type': 'string', 'x-ms-mutability': ['read', 'create']}}, 'required': ['location']},
  'it': {'allOf': [{'$ref': '#/definitions/Base'}], 'required': ['properties'],
         'properties': {'properties': {'$ref': '#/definitions/Properties'}}},
  'Properties': {'required': ['size', 'state'], 'properties': {
    'state': {'$ref': '#/definitions/State', 'readOnly': true},
    'size': {'type': 'integer'},
    'network': {'$ref': '#/definitions/Network', 'x-ms-mutability': ['create', 'read']},
    'names': {'type': 'object', 'additionalProperties': {'type': 'string'}, 'x-ms-mutability': ['create', 'read']},
    'password': {'type': 'string', 'minLength': 8, 'x-ms-secret': true},
    'later': {'type': 'string', 'x-ms-mutability': ['read', 'update']},
    'note': {'type': 'string', 'x-nullable': true},
    'keys': {'type': 'array', 'items': {'$ref': '#/definitions/Key'}}}},
  'Network': {'properties': {'cidr': {'type': 'string', 'default': '10.0.0.0/16'}, 'ip': {'type': 'string', 'readOnly': true}, 'ports': {'type': 'array', 'items': {'type': 'integer'}}}},
  'Key': {'required': ['name'], 'properties': {'name': {'type': 'string'}, 'value': {'type': 'string', 'writeOnly': true}, 'kind': {'type': 'string', 'default': 'rsa'}}},
  'State': {'type': 'string', 'enum': ['Good']}})";

class Access : public ::testing::Test {
 protected:
  std::vector<std::string> create(const char* value) { return shown(validate(it_, parsed(value), Mode::create)); }
  std::vector<std::string> update(const char* value, const char* existing, Mode mode = Mode::update) {
    const json::value old = parsed(existing);
    return shown(validate(it_, parsed(value), mode, &old));
  }
  template <class Change>
  json::value changed(const char* value, Change change) {
    json::value out = parsed(value);
    change(it_, out);
    return out;
  }
  Document document_ = document(kResource);
  const Schema& it_ = *document_.definition("it");
};

TEST_F(Access, CreateIgnoresReadOnlyMembersAndNeedsNone) {
  EXPECT_THAT(create("{'location': 'l', 'id': 7, 'properties': {'size': 1, 'state': 'Bad'}}"), IsEmpty());
}

TEST_F(Access, CreateCollectsAllThatIsWrong) {
  EXPECT_THAT(
      create("{'x': 1, 'tags': {'a': 1}, 'properties': {'later': 'a', 'keys': [{}]}}"),
      UnorderedElementsAre("location|Required value", "x|unknown field \"x\"", "tags[a]|Invalid value: 1: must be of type string",
                           "properties.size|Required value", "properties.later|Forbidden: field may not be set on creation",
                           "properties.keys[0].name|Required value"));
}

TEST_F(Access, ReadOnlyMembersMayBeSentBackButNotChanged) {
  const char* existing = "{'location': 'l', 'id': 'i', 'properties': {'size': 1, 'state': 'Good'}}";
  EXPECT_THAT(update(existing, existing), IsEmpty());
  EXPECT_THAT(update("{'location': 'l', 'properties': {'size': 2}}", existing), IsEmpty());
  EXPECT_THAT(update("{'location': 'l', 'id': 'j', 'properties': {'size': 2}}", existing),
              ElementsAre("id|Forbidden: field is read-only"));
}

TEST_F(Access, CreateOnlyMembersMayNotChangeAppearOrVanish) {
  const char* existing = "{'location': 'l', 'properties': {'size': 1, 'network': {'cidr': 'a', 'ip': 'x'}, 'names': {'n': 'v'}}}";
  const auto with = [&](const std::string& rest) {
    return update(("{'location': 'l', 'properties': {'size': 1" + rest + "}}").c_str(), existing);
  };
  EXPECT_THAT(with(", 'network': {'cidr': 'a'}, 'names': {'n': 'v'}"), IsEmpty());
  EXPECT_THAT(with(", 'network': {'cidr': 'b'}, 'names': {'n': 'v'}"),
              ElementsAre("properties.network.cidr|Forbidden: field is immutable"));
  EXPECT_THAT(with(", 'network': {'cidr': 'a', 'ports': [1]}, 'names': {'n': 'v'}"),
              ElementsAre("properties.network.ports|Forbidden: field is immutable"));
  EXPECT_THAT(with(", 'network': {}, 'names': {'n': 'v'}"), ElementsAre("properties.network.cidr|Forbidden: field is immutable"));
  EXPECT_THAT(with(", 'names': {'n': 'v'}"), ElementsAre("properties.network|Forbidden: field is immutable"));
  EXPECT_THAT(with(", 'network': {'cidr': 'a'}, 'names': {'m': 'v'}"),
              UnorderedElementsAre("properties.names[m]|Forbidden: field is immutable",
                                   "properties.names[n]|Forbidden: field is immutable"));
  EXPECT_THAT(update("{'location': 'm', 'properties': {'size': 1}}", "{'location': 'l', 'properties': {'size': 1}}"),
              ElementsAre("location|Forbidden: field is immutable"));
}

TEST_F(Access, PatchCallsAMissingRequiredMemberNulled) {
  const char* existing = "{'location': 'l', 'properties': {'size': 1}}";
  EXPECT_THAT(update("{'location': 'l', 'properties': {}}", existing, Mode::patch),
              ElementsAre("properties.size|Required value: field cannot be null"));
  EXPECT_THAT(update("{'location': 'l', 'properties': {}}", existing, Mode::update),
              ElementsAre("properties.size|Required value"));
}

TEST_F(Access, SecretsAreNeverRepeated) {
  const auto violations = create("{'location': 'l', 'properties': {'size': 1, 'password': 'hunter2'}}");
  EXPECT_THAT(violations, ElementsAre("properties.password|Invalid value: must be at least 8 characters long"));
}

TEST_F(Access, ViolationsAreBounded) {
  std::string keys;
  for (int i = 0; i < 300; ++i) keys += i ? ",{}" : "{}";
  EXPECT_EQ(create(("{'location': 'l', 'properties': {'size': 1, 'keys': [" + keys + "]}}").c_str()).size(), kMaxViolations);
}

TEST_F(Access, DropNullsKeepsThoseThatMeanSomething) {
  EXPECT_EQ(changed("{'location': null, 'x': null, 'tags': {'a': null, 'b': 'c'}, 'properties': {'note': null, 'size': null, "
                    "'keys': [{'name': null}]}}",
                    drop_nulls),
            parsed("{'x': null, 'tags': {'b': 'c'}, 'properties': {'note': null, 'keys': [{}]}}"));
}

TEST_F(Access, DefaultsFillObjectsThatNeedNothingElse) {
  EXPECT_EQ(changed("{'properties': {'keys': [{'name': 'a'}, {'name': 'b', 'kind': 'ec'}]}}", apply_defaults),
            parsed("{'properties': {'keys': [{'name': 'a', 'kind': 'rsa'}, {'name': 'b', 'kind': 'ec'}], 'network': {'cidr': "
                   "'10.0.0.0/16'}}}"));
  EXPECT_EQ(changed("{}", apply_defaults), parsed("{}")) << "properties needs a size";
}

TEST_F(Access, StripReadOnlyAndCopyReadOnly) {
  const char* full = "{'id': 'i', 'properties': {'state': 'Good', 'size': 1, 'network': {'ip': 'x', 'cidr': 'c'}}}";
  EXPECT_EQ(changed(full, strip_read_only), parsed("{'properties': {'size': 1, 'network': {'cidr': 'c'}}}"));
  json::value target =
      parsed("{'id': 'forged', 'properties': {'size': 2, 'network': {'cidr': 'd', 'ip': 'forged'}, 'state': 'Bad'}}");
  copy_read_only(it_, parsed("{'id': 'i', 'properties': {'state': 'Good', 'size': 1, 'network': {'cidr': 'c'}}}"), target);
  EXPECT_EQ(target, parsed("{'id': 'i', 'properties': {'size': 2, 'network': {'cidr': 'd'}, 'state': 'Good'}}"));
}

TEST_F(Access, KeepVisibleRemovesSecretsAndWhatIsWriteOnly) {
  const char* full = "{'properties': {'password': 'p', 'size': 1, 'keys': [{'name': 'n', 'value': 'v'}]}}";
  EXPECT_EQ(changed(full, keep_visible), parsed("{'properties': {'size': 1, 'keys': [{'name': 'n'}]}}"));
  EXPECT_THAT(secrets(it_, parsed(full)), ElementsAre("/properties/password"));
  EXPECT_THAT(secrets(it_, parsed("{'properties': {'size': 1}}")), IsEmpty());
}

TEST_F(Access, KeepKnownRemovesOnlyWhatTheSchemaDoesNotKnow) {
  EXPECT_EQ(changed("{'x': 1, 'tags': {'any': 'thing'}, 'properties': {'size': 1, 'y': 2, 'keys': [{'z': 3}]}}", keep_known),
            parsed("{'tags': {'any': 'thing'}, 'properties': {'size': 1, 'keys': [{}]}}"));
}

TEST(Discriminator, ChoosesAmongAllThatAreBuiltOnIt) {
  const Document loaded = document(R"({
    'Pet': {'discriminator': 'kind', 'required': ['kind'], 'properties': {'kind': {'type': 'string'}}},
    'Dog': {'allOf': [{'$ref': '#/definitions/Pet'}], 'x-ms-discriminator-value': 'dog', 'required': ['bark'], 'properties': {'bark': {'type': 'string', 'x-ms-secret': true}}},
    'Puppy': {'allOf': [{'$ref': '#/definitions/Dog'}], 'properties': {'age': {'type': 'integer'}}}})");
  const Schema& pet = *loaded.definition("Pet");
  const auto check = [&](const char* value) { return shown(validate(pet, parsed(value), Mode::create)); };
  EXPECT_THAT(check("{'kind': 'dog', 'bark': 'w'}"), IsEmpty());
  EXPECT_THAT(check("{'kind': 'dog', 'bark': 'w', 'age': 1}"), ElementsAre("age|unknown field \"age\""));
  EXPECT_THAT(check("{'kind': 'Puppy', 'bark': 'w', 'age': 1}"), IsEmpty());
  EXPECT_THAT(check("{'kind': 'Puppy', 'age': 'x'}"),
              UnorderedElementsAre("bark|Required value", "age|Invalid value: \"x\": must be of type integer"));
  EXPECT_THAT(check("{'kind': 'cat'}"), ElementsAre("kind|Unsupported value: \"cat\": supported values: \"Puppy\", \"dog\""));
  EXPECT_THAT(check("{}"), ElementsAre("kind|Required value"));
  EXPECT_THAT(secrets(pet, parsed("{'kind': 'dog', 'bark': 'w'}")), ElementsAre("/bark"));
}

TEST(Closed, ObjectsAcceptWhatAnyOfTheirPartsAndAlternativesDeclares) {
  const Document loaded = document(
      "{'it': {'properties': {'a': {}}, 'allOf': [{'properties': {'b': {}}}], 'oneOf': [{'required': ['c'], 'properties': {'c': "
      "{}}}, {'required': ['d'], 'properties': {'d': {}}}]},"
      " 'free': {'type': 'object'}}");
  const auto check = [&](const char* name, const char* value) {
    return shown(validate(*loaded.definition(name), parsed(value), Mode::create));
  };
  EXPECT_THAT(check("it", "{'a': 1, 'b': 1, 'c': 1}"), IsEmpty());
  EXPECT_THAT(check("it", "{'a': 1, 'b': 1, 'c': 1, 'e': 1}"), ElementsAre("e|unknown field \"e\""));
  EXPECT_THAT(check("free", "{'anything': 1}"), IsEmpty());
}

TEST(OpenEnums, AcceptWhatIsNotListed) {
  const char* text = "{'it': {'type': 'string', 'enum': ['a'], 'x-ms-enum': {'name': 'E', 'modelAsString': true}}}";
  const Document open = document(text, {.open_enums = true});
  EXPECT_THAT(validate(*open.definition("it"), parsed("'b'"), Mode::create), IsEmpty());
  EXPECT_THAT(shown(validate(*open.definition("it"), parsed("1"), Mode::create)),
              ElementsAre("|Invalid value: 1: must be of type string"));
}

TEST(ToError, OneIsTheErrorItselfSeveralAreDetails) {
  const Violation one{"a.b", Rule::required, "Required value"}, two{"c", Rule::invalid, "Invalid value: 1: no"};
  const model::Error single = to_error({one});
  EXPECT_EQ(single.code + single.target + single.message, "InvalidRequestContenta.bRequired value");
  const model::Error several = to_error({one, two});
  EXPECT_EQ(several.code, "MultipleErrorsOccurred");
  ASSERT_EQ(several.details.size(), 2u);
  EXPECT_EQ(several.details[1].target, "c");
}

TEST(Message, LongValuesAreCutBetweenCharacters) {
  const std::string text = message::shown(json::value(std::string(message::kMaxShownBytes - 2, 'a') + "ü and more"));
  EXPECT_EQ(text, "\"" + std::string(message::kMaxShownBytes - 2, 'a') + "...");
}

TEST(MakeIntegers, WholeNumbersAreIntegersHoweverTheyWereWritten) {
  json::value value =
      parsed("{'a': 1e3, 'b': [30.0, -2.50e1, 1.5], 'c': {'d': -0.0, 'e': 1e19, 'f': 1e300, 'g': 9.2e18}, 'h': '1e3'}");
  make_integers(value);
  EXPECT_EQ(value, parsed("{'a': 1000, 'b': [30, -25, 1.5], 'c': {'d': 0, 'e': 10000000000000000000, 'f': 1e300,"
                          " 'g': 9200000000000000000}, 'h': '1e3'}"));
  EXPECT_EQ(json::serialize(value.at("b")), "[30,-25,1.5E0]");
}

}  // namespace
}  // namespace acceptd::schema
