#include "contracts/arm/envelope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/contracts_arm/support.hpp"

namespace acceptd::contracts::arm {
namespace {

namespace json = boost::json;

class EnvelopeTest : public ::testing::Test {
 protected:
  EnvelopeTest() {
    existing_.id = id_;
    existing_.location = "westus3";
    existing_.provisioning_state = model::Status::succeeded;
    existing_.tags = testing::object(R"({"old":"1","both":"1"})");
    existing_.desired = testing::object(R"({"size":1,"colour":{"r":1,"g":2}})");
  }
  EnvelopeInput input(bool exists, bool patch = false, std::string_view type = "contoso.kites/kites") const {
    return {.id = id_,
            .type = types_.type(type),
            .api_version = "2025-01-01",
            .region = "westus3",
            .existing = exists ? &existing_ : nullptr,
            .patch = patch};
  }
  json::object put(std::string_view body, bool exists = false) const {
    return read_envelope(testing::object(body), input(exists)).body;
  }
  json::object patch(std::string_view body) const { return read_envelope(testing::object(body), input(true, true)).body; }
  /// "target: message" of the one problem, or the targets of several.
  std::string problem(std::string_view body, bool exists = false, bool is_patch = false) const {
    return shown(all_mistakes(read_envelope(testing::object(body), input(exists, is_patch)).problems, engine::Desired{}));
  }

  static std::string shown(const std::optional<model::Error>& error) {
    if (!error) return "";
    if (error->details.empty()) return error->code + " " + error->target;
    std::string all = error->code;
    for (const auto& detail : error->details) all += " " + detail.target;
    return all;
  }

  testing::Types types_;
  model::ResourceId id_ = *model::ResourceId::parse(testing::kite_path());
  model::Resource existing_;
};

TEST_F(EnvelopeTest, ARM_015_TheUrlSaysWhatIsMeant) {
  EXPECT_EQ(problem(R"({"name":"red","type":"contoso.kites/KITES","properties":{}})"), "");
  EXPECT_EQ(problem(R"({"name":"Blue"})"), "InvalidRequestContent name");
  EXPECT_EQ(problem(R"({"type":"Contoso.Kites/boats"})"), "InvalidRequestContent type");
  EXPECT_EQ(problem(R"({"id":"/elsewhere","name":7})"), "MultipleErrorsOccurred id name");
  const json::object body = put(R"({"name":"Red","systemData":{"createdBy":"me"},"etag":"x","properties":{"size":1}})");
  EXPECT_EQ(body, testing::object(R"({"properties":{"size":1},"location":"westus3","tags":{}})"));
}

TEST_F(EnvelopeTest, ARM_138_TheStoredProvisioningStateIsIgnored) {
  EXPECT_EQ(put(R"({"properties":{"provisioningState":"Succeeded","size":2}})", true).at("properties"),
            testing::object(R"({"size":2})"));
}

TEST_F(EnvelopeTest, ARM_139_AnotherProvisioningStateIsRefused) {
  EXPECT_EQ(problem(R"({"properties":{"provisioningState":"Failed"}})", true),
            "InvalidRequestContent properties.provisioningState");
  EXPECT_EQ(problem(R"({"properties":{"provisioningState":"Succeeded"}})", false),
            "InvalidRequestContent properties.provisioningState");
  EXPECT_EQ(problem(R"({"properties":{"provisioningState":"Failed"}})", true, true),
            "InvalidRequestContent properties.provisioningState");
}

TEST_F(EnvelopeTest, HCP_016_AnAbsentLocationIsTheServersAndAnotherIsRefused) {
  EXPECT_EQ(put(R"({"properties":{}})").at("location"), "westus3");
  EXPECT_EQ(problem(R"({"location":"eastus"})"), "InvalidRequestContent location");
}

TEST_F(EnvelopeTest, ARM_054_WhereTheTypeDoesNotSayOtherwiseALocationIsRequired) {
  const auto location = [&](std::string_view body, bool patch) {
    const auto read = read_envelope(testing::object(body), input(false, patch, "contoso.kites/kites/tails"));
    return shown(all_mistakes(read.problems, engine::Desired{}));
  };
  EXPECT_EQ(location(R"({"properties":{}})", false), "InvalidRequestContent location");
  EXPECT_EQ(location(R"({"location":null})", false), "InvalidRequestContent location");
  EXPECT_EQ(location(R"({"location":"westus3"})", false), "");
  EXPECT_EQ(location(R"({"properties":{}})", true), "");
}

TEST_F(EnvelopeTest, ARM_043_MistakesOfTheTypeAreToldBesideThoseOfTheEnvelope) {
  const auto found = [&](model::Error of_type) {
    auto problems = read_envelope(testing::object(R"({"location":"eastus","tags":{"n":1,"m":"v"}})"), input(false)).problems;
    return shown(all_mistakes(std::move(problems), std::unexpected(std::move(of_type))));
  };
  const model::Error one{.code = "InvalidRequestContent", .target = "properties.size"};
  EXPECT_EQ(found(one), "MultipleErrorsOccurred location tags[n] properties.size");
  EXPECT_EQ(found({.code = "MultipleErrorsOccurred", .details = {one, one}}),
            "MultipleErrorsOccurred location tags[n] properties.size properties.size");
  EXPECT_EQ(found({.code = "InvalidResourceName"}), "InvalidResourceName ") << "another class of error stands alone";
  EXPECT_EQ(put(R"({"location":"eastus","tags":{"n":1,"m":"v"}})"), testing::object(R"({"location":"westus3","tags":{"m":"v"}})"))
      << "the type does not meet them again";
}

TEST_F(EnvelopeTest, ARM_055_LocationsCompareWithoutCaseAndBlanks) {
  EXPECT_EQ(put(R"({"location":"West US 3"})").at("location"), "westus3");
}

TEST_F(EnvelopeTest, ARM_056_LocationNeverChanges) {
  EXPECT_EQ(problem(R"({"location":"eastus"})", true), "InvalidRequestContent location");
  EXPECT_EQ(problem(R"({"location":"eastus"})", true, true), "InvalidRequestContent location");
  EXPECT_EQ(problem(R"({"location":"WestUS3"})", true), "");
}

std::string tags_of(std::size_t count) {
  std::string text = R"({"tags":{)";
  for (std::size_t i = 0; i < count; ++i) text += fmt::format(R"({}"t{}":"v")", i ? "," : "", i);
  return text + "}}";
}

TEST_F(EnvelopeTest, ARM_057_TagLimits) {
  EXPECT_EQ(problem(tags_of(50)), "");
  EXPECT_EQ(problem(tags_of(51)), "InvalidRequestContent tags");
  const auto tag = [&](const std::string& name, const std::string& value) {
    return problem(json::serialize(json::object{{"tags", json::object{{name, value}}}}));
  };
  EXPECT_EQ(tag(std::string(512, 'n'), std::string(256, 'v')), "");
  EXPECT_NE(tag(std::string(513, 'n'), "v"), "");
  EXPECT_NE(tag("n", std::string(257, 'v')), "");
  std::string umlauts;
  for (int i = 0; i < 256; ++i) umlauts += "ä";
  EXPECT_EQ(tag("ä", umlauts), "");
  for (const char* bad : {"", "a<", "a>", "a%", "a&", "a\\", "a?", "a/", "a\x01", "a\x7f"}) EXPECT_NE(tag(bad, "v"), "") << bad;
  EXPECT_EQ(problem(R"({"tags":{"n":1}})"), "InvalidRequestContent tags[n]");
  EXPECT_EQ(problem(R"({"tags":["n"]})"), "InvalidRequestContent tags");
}

TEST_F(EnvelopeTest, TagsOfAPutThatNamesNoneStay) {
  EXPECT_EQ(put(R"({"properties":{}})", true).at("tags"), existing_.tags);
  EXPECT_EQ(put(R"({"tags":null})", true).at("tags"), existing_.tags);
  EXPECT_EQ(put(R"({"tags":{}})", true).at("tags"), json::object{});
}

TEST_F(EnvelopeTest, ARM_058_TagsOfAPatchReplaceAll) {
  EXPECT_EQ(patch(R"({"tags":{"both":"2","new":"2"}})").at("tags"), testing::object(R"({"both":"2","new":"2"})"));
  EXPECT_EQ(patch(R"({"tags":{"both":null,"new":"2"}})").at("tags"), testing::object(R"({"new":"2"})"));
  EXPECT_EQ(patch(R"({"tags":null})").at("tags"), json::object{});
  EXPECT_EQ(patch(R"({"properties":{}})").at("tags"), existing_.tags);
}

TEST_F(EnvelopeTest, ARM_059_PropertiesOfAPatchMerge) {
  EXPECT_EQ(patch(R"({"properties":{"colour":{"g":null,"b":3},"size":7}})").at("properties"),
            testing::object(R"({"size":7,"colour":{"r":1,"b":3}})"));
}

TEST_F(EnvelopeTest, ARM_060_OtherEnvelopeFieldsOfAPatchLeaveTheRestUntouched) {
  const json::object merged = patch(R"({"sku":{"name":"big"}})");
  EXPECT_EQ(merged.at("sku"), testing::object(R"({"name":"big"})"));
  EXPECT_EQ(merged.at("properties"), existing_.desired);
}

TEST_F(EnvelopeTest, ARM_064_ProxyResourcesHaveNeitherTagsNorLocation) {
  const auto built = read_envelope(testing::object(R"({"properties":{"knots":3}})"), input(false, false, "contoso.kites/winds"));
  EXPECT_EQ(built.problems.size(), 0u);
  EXPECT_EQ(built.body, testing::object(R"({"properties":{"knots":3}})"));
}

}  // namespace
}  // namespace acceptd::contracts::arm
