// API versions and the stored shape, rendering, billing.

#include "fixture.hpp"
#include "types/hcp/release.hpp"

namespace acceptd::types::hcp {
namespace {

using ::testing::IsEmpty;

class Versions : public testing::Types {};

constexpr const char* kVault = "etcd.dataEncryption.customerManaged.kms.vaultName";
constexpr const char* kVaultOfKey = "etcd.dataEncryption.customerManaged.kms.activeKey.vaultName";

TEST_F(Versions, BothVersionsStoreTheSameShape) {
  EXPECT_EQ(patched(made_cluster(kVersion2024).desired, "{'platform': {'vnetIntegrationSubnetId': null}}"),
            patched(made_cluster(kVersion2025).desired, "{'platform': {'vnetIntegrationSubnetId': null}}"));
  EXPECT_EQ(made_node_pool(kVersion2024).desired, made_node_pool(kVersion2025).desired);
}

TEST_F(Versions, EachVersionShowsTheVaultWhereItKnowsIt) {
  const model::Resource existing = made_cluster();
  const json::object old = cluster().render(existing, kVersion2024)["properties"].get_object();
  const json::object current = cluster().render(existing, kVersion2025)["properties"].get_object();
  EXPECT_EQ(text_at(old, kVaultOfKey), "v");
  EXPECT_FALSE(value_at(old, kVault));
  EXPECT_EQ(text_at(current, kVault), "v");
  EXPECT_FALSE(value_at(current, kVaultOfKey));
}

TEST_F(Versions, HCP_014_AnOlderVersionDoesNotShowOrClearNewerFields) {
  const model::Resource existing =
      made_cluster(kVersion2025,
                   "{'properties': {'imageDigestMirrors': [{'source': 'a'}],"
                   " 'etcd': {'dataEncryption': {'customerManaged': {'kms': {'visibility': 'Private'}}}}}}");
  json::object body = cluster().render(existing, kVersion2024);
  EXPECT_FALSE(value_at(body, "properties.imageDigestMirrors"));
  EXPECT_FALSE(value_at(body, "properties.platform.vnetIntegrationSubnetId"));
  EXPECT_FALSE(value_at(body, "properties.etcd.dataEncryption.customerManaged.kms.visibility"));
  body = patched(std::move(body), "{'properties': {'nodeDrainTimeoutMinutes': 9}}");
  const auto updated = build(cluster(), cluster_id(), kVersion2024, body, &existing);
  ASSERT_TRUE(updated) << shown(updated)[0];
  EXPECT_EQ(updated->properties, patched(existing.desired, "{'nodeDrainTimeoutMinutes': 9}"));
}

TEST_F(Versions, HCP_014_NodePoolsKeepTheirDiskType) {
  const model::Resource existing =
      made_node_pool(kVersion2025, "{'properties': {'platform': {'osDisk': {'diskType': 'Ephemeral'}}}}");
  const model::Resource parent = made_cluster();
  const json::object body = node_pool().render(existing, kVersion2024);
  EXPECT_FALSE(value_at(body, "properties.platform.osDisk.diskType"));
  const auto updated = build(node_pool(), node_pool_id(), kVersion2024, body, &existing, &parent);
  ASSERT_TRUE(updated) << shown(updated)[0];
  EXPECT_EQ(updated->properties, existing.desired);
}

TEST_F(Versions, HCP_014_AnOlderVersionKeepsAControlPlaneThatMovedOn) {
  model::Resource existing = made_cluster();
  existing.desired["version"].get_object()["id"] = "4.21";
  const auto updated = build(cluster(), cluster_id(), kVersion2024,
                             cluster_body(kVersion2024, "{'properties': {'version': {'id': null}}}"), &existing);
  ASSERT_TRUE(updated) << shown(updated)[0];
  EXPECT_EQ(text_at(updated->properties, "version.id"), "4.21");
}

TEST_F(Versions, ResourcesOfAnOlderVersionCanBeUpdatedByANewer) {
  const model::Resource existing = made_cluster(kVersion2024, "{'properties': {'version': {'id': null}, 'etcd': null}}");
  EXPECT_THAT(update_cluster(existing, "{'tags': {'a': 'b'}}"), IsEmpty());
  EXPECT_THAT(update_cluster(existing, "{'properties': {'version': {'id': '4.20'}}}"), IsEmpty());
}

TEST_F(Versions, WhatIsShownCanBeSentBackUnchanged) {
  for (const std::string_view version : {kVersion2024, kVersion2025}) {
    const model::Resource cluster_there = made_cluster(version), pool_there = made_node_pool(version);
    const auto same_cluster = build(cluster(), cluster_id(), version, cluster().render(cluster_there, version), &cluster_there);
    ASSERT_TRUE(same_cluster) << shown(same_cluster)[0];
    EXPECT_EQ(same_cluster->properties, cluster_there.desired);
    const auto same_pool =
        build(node_pool(), node_pool_id(), version, node_pool().render(pool_there, version), &pool_there, &cluster_there);
    ASSERT_TRUE(same_pool) << shown(same_pool)[0];
    EXPECT_EQ(same_pool->properties, pool_there.desired);
  }
}

TEST_F(Versions, UnknownVersionsAreRefused) {
  const auto refused = build(cluster(), cluster_id(), "2030-01-01", cluster_body(kVersion2025));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, model::ErrorKind::unsupported_version);
}

TEST_F(Versions, RenderAddsWhatTheBackendReported) {
  model::Resource existing = made_cluster(
      kVersion2025, fmt::format("{{'identity': {{'type': 'UserAssigned', 'userAssignedIdentities': {{'{0}': {{}}}}}},"
                                " 'properties': {{'platform': {{'operatorsAuthentication': {{'userAssignedIdentities':"
                                " {{'serviceManagedIdentity': '{0}'}}}}}}}}}}",
                                testing::identity("Me")));
  existing.observed = testing::parsed(
      fmt::format("{{'console': {{'url': 'https://c'}}, 'dns': {{'baseDomain': 'd', 'baseDomainPrefix': 'theirs'}}, 'secret': 1,"
                  " 'identity': {{'userAssignedIdentities': {{'{}': {{'clientId': 'c', 'principalId': 'p'}}}}}}}}",
                  model::to_lower(testing::identity("Me"))));
  const json::object shown = cluster().render(existing, kVersion2025);
  EXPECT_EQ(text_at(shown, "properties.console.url"), "https://c");
  EXPECT_EQ(text_at(shown, "properties.dns.baseDomain"), "d");
  EXPECT_EQ(text_at(shown, "properties.dns.baseDomainPrefix"), "cluster1-0a1b2c") << "what was accepted stands";
  EXPECT_FALSE(value_at(shown, "properties.secret"));
  EXPECT_FALSE(value_at(shown, "properties.identity"));
  const json::object& mine = object_at(shown, "identity.userAssignedIdentities")->at(testing::identity("Me")).get_object();
  EXPECT_EQ(text_at(mine, "clientId"), "c");
  EXPECT_EQ(text_at(mine, "principalId"), "p");
}

TEST(Release, ReadsComparesAndSteps) {
  EXPECT_EQ(to_string(*Release::parse("4.20")), "4.20");
  EXPECT_EQ(to_string(*Release::parse("4.20.8")), "4.20.8");
  for (const char* text : {"", "4", "4.", "4.20.", "4.20.8.1", "v4.20", "4.-1", "04.20", "4.20.8-rc", " 4.20"})
    EXPECT_FALSE(Release::parse(text)) << text;
  EXPECT_TRUE(Release::parse("4.9")->compare(*Release::parse("4.10")) < 0);
  EXPECT_TRUE(Release::parse("4.20.9")->compare(*Release::parse("4.20.10")) < 0);
  EXPECT_TRUE(Release::parse("4.20")->compare(*Release::parse("4.20.99")) == 0);
  EXPECT_EQ(refuse_step(*Release::parse("4.20"), *Release::parse("4.21")), "");
}

class Billing : public testing::Types {
 protected:
  Billing() : cluster_(made_cluster()) {
    cluster_.created = model::Time(std::chrono::seconds(1'000));
    cluster_.incarnation = model::uuid_of_name("life 1");
    operation_.initiator.tenant = "tenant-1";
  }
  std::vector<model::Write> event(engine::Event event, std::vector<model::DocumentPtr> existing) const {
    return cluster().companions(event, cluster_, operation_, existing, model::Time(std::chrono::seconds(2'000)));
  }
  static model::DocumentPtr stored(model::Document document) {
    document.etag = "e1";
    return std::make_shared<const model::Document>(std::move(document));
  }
  model::Resource cluster_;
  model::Operation operation_;
};

TEST_F(Billing, HCP_008_OpensWithTheSuccessfulCreateAndClosesWithTheRemoval) {
  const auto opened = event(engine::Event::create_succeeded, {});
  ASSERT_EQ(opened.size(), 1u);
  EXPECT_EQ(opened[0].action, model::Write::Action::create);
  EXPECT_EQ(opened[0].document.key.partition, testing::kSubscription);
  EXPECT_EQ(cluster().companion_ids(cluster_), std::vector{opened[0].document.key.id});
  EXPECT_EQ(testing::parsed(opened[0].document.body),
            testing::parsed(
                "{'creationTime': '1970-01-01T00:16:40Z', 'location': 'here', 'tenantId': 'tenant-1', 'subscriptionId': "
                "'11111111-1111-1111-1111-111111111111',"
                " 'resourceId': '$S/resourceGroups/Group/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/Cluster1', "
                "'managedResourceGroup': 'mrg'}"));
  const auto closed = event(engine::Event::removed, {stored(opened[0].document)});
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_EQ(closed[0].action, model::Write::Action::replace);
  EXPECT_EQ(closed[0].expected, "e1");
  EXPECT_EQ(text_at(testing::parsed(closed[0].document.body), "deletionTime"), "1970-01-01T00:33:20Z");
  EXPECT_EQ(text_at(testing::parsed(closed[0].document.body), "tenantId"), "tenant-1");
}

TEST_F(Billing, HCP_008_IsWrittenOnceAndOnlyForClustersThatLived) {
  const auto opened = event(engine::Event::create_succeeded, {});
  EXPECT_THAT(event(engine::Event::create_succeeded, {stored(opened[0].document)}), IsEmpty());
  EXPECT_THAT(event(engine::Event::removed, {}), IsEmpty());
  const auto closed = event(engine::Event::removed, {stored(opened[0].document)});
  EXPECT_THAT(event(engine::Event::removed, {stored(closed[0].document)}), IsEmpty());
  const auto first_life = cluster().companion_ids(cluster_);
  cluster_.incarnation = model::uuid_of_name("life 2");
  EXPECT_NE(cluster().companion_ids(cluster_), first_life);
}

}  // namespace
}  // namespace acceptd::types::hcp
