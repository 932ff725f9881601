// What is stored of a cluster for the backend and shown to nobody.

#include "fixture.hpp"
#include "types/hcp/members.hpp"
#include "types/hcp/rules.hpp"

namespace acceptd::types::hcp {
namespace {

class Internal : public testing::Types {};

TEST_F(Internal, HCP_025_ExperimentsNeedTheSubscriptionsFeature) {
  const std::string tags = "{'tags': {'ARO-HCP.experimental.cluster.Single-Replica': 'true', 'team': 'blue'}}";
  const auto experiments = [&](const std::vector<std::string>* features, const model::Resource* existing = nullptr) {
    const json::object body = cluster_body(kVersion2025, tags);
    const engine::BuildInput input{.id = cluster_id(),
                                   .api_version = kVersion2025,
                                   .body = body,
                                   .existing = existing,
                                   .generated = *model::parse_uuid("0a1b2c3d-4e5f-4061-8283-a4b5c6d7e8f9"),
                                   .features = features};
    const auto desired = cluster().build(input);
    EXPECT_TRUE(desired) << shown(desired)[0];
    const json::value* found = value_at(desired->properties, kExperiments);
    return found ? *found : json::value();
  };
  const std::vector<std::string> none, others{"Microsoft.RedHatOpenShift/Other"},
      gate{"Microsoft.RedHatOpenShift/ExperimentalReleaseFeatures"};
  EXPECT_EQ(experiments(&none), json::value());
  EXPECT_EQ(experiments(&others), json::value());
  const json::value asked = experiments(&gate);
  EXPECT_EQ(asked, (json::object{{"cluster.single-replica", "true"}}));
  model::Resource existing = made_cluster();
  put_if_absent(existing.desired, kExperiments, asked);
  EXPECT_EQ(experiments(nullptr, &existing), asked) << "tags that the request did not name mean what they meant";
  EXPECT_EQ(experiments(&none, &existing), json::value());
}

TEST_F(Internal, HCP_024_TheIdentityUrlIsThatOfTheCreationAndNobodySeesIt) {
  const auto built = [&](std::string_view url, const model::Resource* existing) {
    const json::object body = existing ? cluster().render(*existing, kVersion2025) : cluster_body(kVersion2025);
    const engine::BuildInput input{.id = cluster_id(),
                                   .api_version = kVersion2025,
                                   .body = body,
                                   .existing = existing,
                                   .generated = *model::parse_uuid("0a1b2c3d-4e5f-4061-8283-a4b5c6d7e8f9"),
                                   .identity_url = url};
    return cluster().build(input).value();
  };
  const engine::Desired desired = built("https://front.door/mi", nullptr);
  EXPECT_EQ(text_at(desired.properties, kIdentityUrl), "https://front.door/mi");
  const model::Resource existing = resource(cluster_id(), desired);
  for (const std::string_view version : {kVersion2024, kVersion2025})
    EXPECT_EQ(object_at(cluster().render(existing, version), "properties.internal"), nullptr) << version;
  EXPECT_EQ(built("https://elsewhere/", &existing).properties, desired.properties);
  EXPECT_EQ(object_at(built("", nullptr).properties, "internal"), nullptr);
}

}  // namespace
}  // namespace acceptd::types::hcp
