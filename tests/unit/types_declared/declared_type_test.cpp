// Bodies through a declared type: checked, completed, stored, and rendered without what nobody may see.

#include "types/declared/declared_type.hpp"

#include <gmock/gmock.h>

#include "support.hpp"

namespace acceptd::types::declared {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::parsed;

constexpr const char* kV1 = "2024-01-01";
constexpr const char* kV2 = "2025-01-01";

/// The request says less than the answer, as public documents do: tags and the host name are the answer's alone.
std::string kites(const std::string& more) {
  const std::string item =
      "{'parameters': [{'name': 'k', 'in': 'path', 'type': 'string', 'maxLength': 8}],"
      " 'get': {'responses': {'200': {'schema': {'$ref': '#/definitions/Kite'}}}},"
      " 'put': {'x-ms-long-running-operation': true, 'parameters': [{'in': 'body', 'name': 'b', 'schema': {'$ref': "
      "'#/definitions/Wish'}}],"
      "  'responses': {'200': {}, '201': {}}},"
      " 'patch': {'parameters': [{'in': 'body', 'name': 'b', 'schema': {'$ref': '#/definitions/Change'}}], 'responses': {'202': "
      "{}}},"
      " 'delete': {'responses': {'202': {}}}}";
  return testing::document(
      {{"~/kites/{k}", item},
       {"~/kites/{k}/fly",
        "{'post': {'parameters': [{'in': 'body', 'name': 'b', 'schema': {'$ref': '#/definitions/Flight'}}],"
        " 'responses': {'202': {}}}}"}},
      "'Flight': {'properties': {'height': {'type': 'integer', 'default': 10}}},"
      "'Wish': {'required': ['properties'], 'properties': {'location': {'type': 'string'}, 'zones': {'type': 'array', 'items': "
      "{'type': 'string'}},"
      "  'properties': {'$ref': '#/definitions/Shape'}}},"
      "'Kite': {'allOf': [{'$ref': '#/definitions/Wish'}], 'properties': {'id': {'type': 'string', 'readOnly': true},"
      "  'tags': {'type': 'object', 'additionalProperties': {'type': 'string'}},"
      "  'properties': {'allOf': [{'$ref': '#/definitions/Shape'}], 'properties': {'host': {'type': 'string', 'readOnly': "
      "true}}}}},"
      "'Change': {'properties': {'tags': {'type': 'object', 'additionalProperties': {'type': 'string'}},"
      "  'properties': {'properties': {'size': {'type': 'integer'}, 'key': {'type': 'string', 'x-ms-secret': true}}}}},"
      "'Shape': {'required': ['key'], 'properties': {'size': {'type': 'integer', 'minimum': 1, 'default': 3},"
      "  'serial': {'type': 'string', 'x-ms-mutability': ['read', 'create']}, 'key': {'type': 'string', 'x-ms-secret': true, "
      "'minLength': 4}" +
          more + "}}");
}

class DeclaredTypeTest : public ::testing::Test {
 protected:
  DeclaredTypeTest() {
    std::vector<Source> sources;
    sources.push_back(testing::source(kV1, kites("")));
    sources.push_back(testing::source(kV2, kites(", 'colour': {'type': 'string', 'enum': ['red', 'blue']}")));
    std::vector<Finding> problems;
    description_ = std::make_shared<Description>(describe("Contoso.Air", std::move(sources), problems));
    EXPECT_THAT(problems, IsEmpty());
    type_ = std::make_unique<DeclaredType>(description_, description_->types.at(0),
                                           TypeSettings{.parent_ready = false, .unique = {"properties.serial"}}, provider_);
  }

  engine::Result<engine::Desired> build(const std::string& body, const char* version = kV2, const json::object* patch = nullptr) {
    const json::object object = parsed(body).get_object();
    return type_->build({.id = id_,
                         .api_version = version,
                         .body = object,
                         .existing = stored_ ? &*stored_ : nullptr,
                         .patch = patch != nullptr,
                         .patch_sent = patch});
  }

  /// Stores what was built, as the engine does.
  void store(const std::string& body, const char* version = kV2) {
    const auto desired = build(body, version);
    ASSERT_TRUE(desired) << desired.error().message;
    stored_ = model::Resource{.id = id_,
                              .location = desired->location,
                              .identity = desired->identity,
                              .tags = desired->tags,
                              .desired = desired->properties,
                              .api_version = desired->api_version};
  }

  std::string target(const engine::Result<engine::Desired>& result) {
    return result ? "built" : result.error().target.empty() ? result.error().code : result.error().target;
  }

  testing::NoProvider provider_;
  std::shared_ptr<const Description> description_;
  std::unique_ptr<DeclaredType> type_;
  const model::ResourceId id_ = *model::ResourceId::parse(
      "/subscriptions/1d3378d3-5a3f-4712-85a1-2485495dfc4b/resourceGroups/rg/providers/Contoso.Air/kites/k1");
  std::optional<model::Resource> stored_;
};

constexpr const char* kBody =
    "{'location': 'westus3', 'tags': {'a': 'b'}, 'zones': ['1'], 'properties': {'key': 'abcd', 'serial': 'S1'}}";

TEST_F(DeclaredTypeTest, DefaultsAreFilledInAndWhatStandsBesidePropertiesIsKept) {
  store(kBody);
  EXPECT_EQ(json::value(stored_->desired), parsed("{'key': 'abcd', 'serial': 'S1', 'size': 3, '$resource': {'zones': ['1']}}"));
  EXPECT_EQ(json::value(stored_->tags), parsed("{'a': 'b'}")) << "though the body of a PUT has none in the document";
  EXPECT_EQ(json::value(type_->render(*stored_, kV2)),
            parsed("{'zones': ['1'], 'properties': {'serial': 'S1', 'size': 3}, 'location': 'westus3', 'tags': {'a': 'b'}}"));
}

TEST_F(DeclaredTypeTest, SecretsAreNeverRenderedInAnyVersion) {
  store(kBody);
  stored_->observed = parsed("{'host': 'h', 'key': 'from-the-backend'}").get_object();
  for (const char* version : {kV1, kV2, "2023-01-01"})
    EXPECT_THAT(json::serialize(type_->render(*stored_, version)), ::testing::Not(HasSubstr("key"))) << version;
  EXPECT_EQ(type_->render(*stored_, kV2).at("properties").at("host"), json::value("h"));
}

TEST_F(DeclaredTypeTest, WhatWasReadCanBeSentBack) {
  store(kBody);
  stored_->observed = parsed("{'host': 'h'}").get_object();
  const std::string read = json::serialize(type_->render(*stored_, kV2));
  const auto again = build(read);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->properties, stored_->desired) << "with the secret that could not be read";
}

TEST_F(DeclaredTypeTest, BodiesAreCheckedByTheirVersion) {
  EXPECT_EQ(target(build("{'properties': {}}")), "properties.key");
  EXPECT_EQ(target(build("{'properties': {'key': 'abcd', 'size': 0}}")), "properties.size");
  EXPECT_EQ(target(build("{'properties': {'key': 'abcd', 'colour': 'green'}}")), "properties.colour");
  EXPECT_EQ(target(build("{'properties': {'key': 'abcd', 'colour': 'red'}}")), "built");
  EXPECT_EQ(target(build("{'properties': {'key': 'abcd', 'colour': 'red'}}", kV1)), "properties.colour");
  EXPECT_EQ(target(build("{'properties': {'key': 'abcd'}, 'strange': 1}")), "strange");
  EXPECT_EQ(target(build("{'properties': {'key': 'abcd', 'host': 'mine'}}")), "built") << "read-only members are ignored";
  const auto short_key = build("{'properties': {'key': 'abc'}}");
  ASSERT_FALSE(short_key);
  EXPECT_THAT(short_key.error().message, ::testing::Not(HasSubstr("abc")));
  EXPECT_EQ(target(build("{'properties': {'key': 'abcd'}}", "2023-01-01")), "InvalidResourceType");
}

TEST_F(DeclaredTypeTest, WhatIsFixedAtCreationStaysAndOtherVersionsMembersSurvive) {
  store("{'properties': {'key': 'abcd', 'serial': 'S1', 'colour': 'red'}}");
  EXPECT_EQ(target(build("{'properties': {'key': 'abcd', 'serial': 'S2'}}")), "properties.serial");
  EXPECT_EQ(target(build("{'properties': {'key': 'abcd'}}")), "properties.serial");
  const auto old = build("{'properties': {'key': 'abcd', 'serial': 'S1', 'size': 9}}", kV1);
  ASSERT_TRUE(old);
  EXPECT_EQ(json::value(old->properties), parsed("{'key': 'abcd', 'serial': 'S1', 'size': 9, 'colour': 'red'}"));
  const auto removed = build("{'properties': {'key': 'abcd', 'serial': 'S1', 'size': 9}}", kV2);
  ASSERT_TRUE(removed);
  EXPECT_FALSE(removed->properties.contains("colour")) << "a PUT in a version that knows it replaces it";
}

TEST_F(DeclaredTypeTest, APatchSaysOnlyWhatItsBodyMaySay) {
  store(kBody);
  json::object merged = type_->render(*stored_, kV2);
  merged["properties"].get_object()["size"] = 5;
  const json::object good = parsed("{'properties': {'size': 5}}").get_object();
  const auto built = build(json::serialize(merged), kV2, &good);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->properties.at("key"), json::value("abcd"));
  EXPECT_EQ(built->properties.at("size"), json::value(5));
  const json::object bad = parsed("{'properties': {'serial': 'S1'}}").get_object();
  EXPECT_EQ(target(build(json::serialize(merged), kV2, &bad)), "properties.serial");
}

TEST_F(DeclaredTypeTest, NamesAndActionParametersAreTheDocuments) {
  EXPECT_TRUE(type_->accepts_name("short"));
  EXPECT_FALSE(type_->accepts_name("much-too-long"));
  const engine::ActionInfo* fly = type_->info().action("fly");
  ASSERT_TRUE(fly);
  EXPECT_EQ(json::value(*type_->build_parameters(*fly, kV2, {})), parsed("{'height': 10}"));
  const auto refused = type_->build_parameters(*fly, kV2, parsed("{'height': 'up'}").get_object());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().target, "height");
}

TEST_F(DeclaredTypeTest, UniqueValuesAreClaimedPerGroup) {
  store(kBody);
  engine::Desired desired{.properties = stored_->desired};
  const auto claims = type_->claims(id_, desired);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_THAT(claims[0].name, HasSubstr("properties.serial:\"s1\""));
  desired.properties.erase("serial");
  EXPECT_THAT(type_->claims(id_, desired), IsEmpty());
}

TEST_F(DeclaredTypeTest, AParentThatIsNotReadyIsWaitedFor) {
  DeclaredType strict(description_, description_->types.at(0), {.parent_ready = true}, provider_);
  model::Resource parent{.id = id_, .provisioning_state = model::Status::provisioning};
  EXPECT_TRUE(strict.admit({.request = model::RequestKind::create, .parent = &parent}));
  EXPECT_FALSE(strict.admit({.request = model::RequestKind::remove, .parent = &parent}));
  parent.provisioning_state = model::Status::succeeded;
  EXPECT_FALSE(strict.admit({.request = model::RequestKind::create, .parent = &parent}));
}

TEST_F(DeclaredTypeTest, WhatOnlyAnswersSayOfTagsIsCheckedToo) {
  EXPECT_EQ(target(build("{'tags': {'a': 1}, 'properties': {'key': 'abcd'}}")), "tags[a]");
}

/// Kites whose properties are open, and whose PUT does not know an identity.
class OpenTypeTest : public ::testing::Test {
 protected:
  static std::string document(const std::string& port) {
    return testing::document(
        {{"~/kites/{k}",
          "{'get': {'responses': {'200': {'schema': {'$ref': '#/definitions/Kite'}}}},"
          " 'put': {'parameters': [{'in': 'body', 'name': 'b', 'schema': {'$ref': '#/definitions/Wish'}}], 'responses': {'200': "
          "{}}}}"}},
        "'Wish': {'properties': {'location': {'type': 'string'}, 'properties': {'properties': {'port': " + port +
            "}, 'additionalProperties': {}}}},"
            "'Kite': {'properties': {'location': {'type': 'string'}, 'properties': {'properties': {'port': " +
            port +
            "}, 'additionalProperties': {}}, 'id': {'type': 'string', 'readOnly': true},"
            "  'tags': {'type': 'object', 'readOnly': true},"
            "  'identity': {'properties': {'type': {'type': 'string', 'enum': ['None', 'Own']},"
            "   'principalId': {'type': 'string', 'readOnly': true}}}}}");
  }
  OpenTypeTest() {
    std::vector<Source> sources;
    sources.push_back(testing::source("2023-01-01", document("{'type': 'string', 'x-ms-secret': true}")));
    sources.push_back(testing::source(kV1, document("{'type': 'string'}")));
    sources.push_back(testing::source(kV2, document("{'type': 'string'}")));
    std::vector<Finding> problems;
    description_ = std::make_shared<Description>(describe("Contoso.Air", std::move(sources), problems));
    EXPECT_THAT(problems, IsEmpty());
    type_ = std::make_unique<DeclaredType>(description_, description_->types.at(0), TypeSettings{}, provider_);
  }
  engine::Result<engine::Desired> build(const std::string& body, const model::Resource* existing = nullptr) {
    const json::object object = parsed(body).get_object();
    return type_->build({.id = id_, .api_version = kV2, .body = object, .existing = existing});
  }
  static model::Resource stored(const engine::Desired& desired) {
    return {.id = id_,
            .location = desired.location,
            .identity = desired.identity,
            .tags = desired.tags,
            .desired = desired.properties,
            .api_version = desired.api_version};
  }

  static inline const model::ResourceId id_ = *model::ResourceId::parse(
      "/subscriptions/1d3378d3-5a3f-4712-85a1-2485495dfc4b/resourceGroups/rg/providers/Contoso.Air/kites/k1");
  testing::NoProvider provider_;
  std::shared_ptr<const Description> description_;
  std::unique_ptr<DeclaredType> type_;
};

TEST_F(OpenTypeTest, CallersCannotSayWhatStandsBesideThePropertiesFromWithin) {
  const auto built = build("{'location': 'w', 'properties': {'a': 1, '$resource': {'id': 'mine', 'sku': 'free'}}}");
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(json::value(built->properties), parsed("{'a': 1}"));
}

TEST_F(OpenTypeTest, WhatThePutDoesNotKnowIsCheckedByTheAnswer) {
  const auto built =
      build("{'location': 'w', 'tags': {'a': 'b'}, 'identity': {'type': 'Own', 'principalId': 'mine'}, 'properties': {}}");
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(json::value(built->identity), parsed("{'type': 'Own'}"));
  EXPECT_THAT(built->tags, IsEmpty()) << "they are read-only";
  const auto refused = build("{'location': 'w', 'identity': {'type': 'Strange'}, 'properties': {}}");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().target, "identity.type");
}

TEST_F(OpenTypeTest, WhatThePutDoesNotKnowIsReplacedByWhatIsSent) {
  const model::Resource before = stored(*build("{'location': 'w', 'identity': {'type': 'Own'}, 'properties': {}}"));
  const auto after = build("{'location': 'w', 'identity': {'type': 'None'}, 'properties': {}}", &before);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(json::value(after->identity), parsed("{'type': 'None'}"));
}

TEST_F(OpenTypeTest, ASecretOfAnyVersionIsOneInAll) {
  const auto built = build("{'location': 'w', 'properties': {'port': 'p', 'a': 1}}");
  ASSERT_TRUE(built) << built.error().message;
  const model::Resource before = stored(*built);
  const json::object seen = type_->render(before, kV1);
  EXPECT_EQ(seen.at("properties"), parsed("{'a': 1}"));
  const auto again = build(json::serialize(seen), &before);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->properties, built->properties);
}

}  // namespace
}  // namespace acceptd::types::declared
