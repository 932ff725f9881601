// Node pools: every property of hcp.md §5, conditions on the cluster, and the last one.

#include "fixture.hpp"

namespace acceptd::types::hcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NodePool : public testing::Types {};

TEST_F(NodePool, MinimalBodyIsAcceptedInBothVersions) {
  EXPECT_THAT(create_node_pool("{}", kVersion2024), IsEmpty());
  EXPECT_THAT(create_node_pool("{}", kVersion2025), IsEmpty());
}

TEST_F(NodePool, HCP_025_DefaultsAreFilledIn) {
  const json::object stored = made_node_pool().desired;
  EXPECT_EQ(text_at(stored, "version.channelGroup"), "stable");
  EXPECT_EQ(text_at(stored, "platform.subnetId"), text_at(made_cluster().desired, "platform.subnetId"));
  EXPECT_EQ(integer_at(stored, "platform.osDisk.sizeGiB"), 64);
  EXPECT_EQ(text_at(stored, "platform.osDisk.diskStorageAccountType"), "Premium_LRS");
  EXPECT_EQ(text_at(stored, "platform.osDisk.diskType"), "Managed");
  EXPECT_EQ(*value_at(stored, "platform.enableEncryptionAtHost"), json::value(false));
  EXPECT_EQ(*value_at(stored, "autoRepair"), json::value(true));
  EXPECT_FALSE(stored.contains("replicas")) << "it scales by itself";
  EXPECT_EQ(integer_at(made_node_pool(kVersion2025, "{'properties': {'autoScaling': null}}").desired, "replicas"), 0);
}

TEST_F(NodePool, FollowsItsClustersChannel) {
  const model::Resource fast = made_cluster(kVersion2025, "{'properties': {'version': {'channelGroup': 'fast'}}}");
  const auto desired = build(node_pool(), node_pool_id(), kVersion2025, node_pool_body(), nullptr, &fast);
  ASSERT_TRUE(desired);
  EXPECT_EQ(text_at(desired->properties, "version.channelGroup"), "fast");
  EXPECT_THAT(
      shown(build(node_pool(), node_pool_id(), kVersion2025,
                  node_pool_body("{'properties': {'version': {'channelGroup': 'stable'}}}"), nullptr, &fast)),
      ElementsAre(
          "properties.version.channelGroup|Invalid value: \"stable\": must be the same as control plane channel group 'fast'"));
}

struct Row {
  const char* patch;
  const char* error;
  std::string_view version = kVersion2025;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.version << " " << row.patch; }
class NodePoolRow : public testing::Types, public ::testing::WithParamInterface<Row> {};

TEST_P(NodePoolRow, HCP_025_PropertyOfCreate) {
  const auto errors = create_node_pool(GetParam().patch, GetParam().version);
  std::string text = errors.empty() ? "" : errors[0];
  std::string expected = GetParam().error;
  for (std::string* one : {&text, &expected}) std::ranges::replace(*one, '\'', '"');
  EXPECT_EQ(text, expected) << GetParam().patch;
  EXPECT_LE(errors.size(), 1u) << GetParam().patch;
}

// Tables: one case a line.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Platform, NodePoolRow, ::testing::Values(
  Row{"{'properties': {'platform': null}}", "properties.platform|Required value"},
  Row{"{'properties': {'platform': {'vmSize': null}}}", "properties.platform.vmSize|Required value"},
  Row{"{'properties': {'platform': {'enableEncryptionAtHost': 'yes'}}}", "properties.platform.enableEncryptionAtHost|Invalid value: 'yes': must be of type boolean"},
  Row{"{'properties': {'platform': {'availabilityZone': '1'}}}", ""},
  Row{"{'properties': {'platform': {'subnetId': '$S/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/VNET/subnets/other'}}}", ""},
  Row{"{'properties': {'platform': {'subnetId': '$S/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/v2/subnets/s'}}}",
      "properties.platform.subnetId|Invalid value: '/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/v2/subnets/s': must belong to the same VNet as the parent cluster VNet '/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/vnet'"},
  Row{"{'properties': {'platform': {'subnetId': '$S/resourceGroups/bar/providers/Microsoft.Network/networkSecurityGroups/n'}}}",
      "properties.platform.subnetId|Invalid value: '/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/bar/providers/Microsoft.Network/networkSecurityGroups/n': resource ID must reference an instance of type 'Microsoft.Network/virtualNetworks/subnets'"},
  Row{"{'properties': {'platform': {'osDisk': {'sizeGiB': 63}}}}", "properties.platform.osDisk.sizeGiB|Invalid value: 63: must be greater than or equal to 64"},
  Row{"{'properties': {'platform': {'osDisk': {'sizeGiB': 4095}}}}", ""},
  Row{"{'properties': {'platform': {'osDisk': {'sizeGiB': 4096}}}}", "properties.platform.osDisk.sizeGiB|Invalid value: 4096: must be less than or equal to 4095"},
  Row{"{'properties': {'platform': {'osDisk': {'sizeGiB': 2040, 'diskType': 'Ephemeral'}}}}", ""},
  Row{"{'properties': {'platform': {'osDisk': {'sizeGiB': 2041, 'diskType': 'Ephemeral'}}}}", "properties.platform.osDisk.sizeGiB|Invalid value: 2041: must be less than or equal to 2040"},
  Row{"{'properties': {'platform': {'osDisk': {'diskType': 'Tape'}}}}", "properties.platform.osDisk.diskType|Unsupported value: 'Tape': supported values: 'Managed', 'Ephemeral'"},
  Row{"{'properties': {'platform': {'osDisk': {'diskType': 'Managed'}}}}", "properties.platform.osDisk.diskType|unknown field 'diskType'", kVersion2024},
  Row{"{'properties': {'platform': {'osDisk': {'diskStorageAccountType': 'Ultra'}}}}",
      "properties.platform.osDisk.diskStorageAccountType|Unsupported value: 'Ultra': supported values: 'Premium_LRS', 'StandardSSD_LRS', 'Standard_LRS'"},
  Row{"{'properties': {'platform': {'osDisk': {'encryptionSetId': '$S/resourceGroups/bar/providers/Microsoft.Compute/diskEncryptionSets/d'}}}}", ""},
  Row{"{'properties': {'platform': {'osDisk': {'encryptionSetId': '$S/resourceGroups/bar/providers/Microsoft.Compute/disks/d'}}}}",
      "properties.platform.osDisk.encryptionSetId|Invalid value: '/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/bar/providers/Microsoft.Compute/disks/d': resource ID must reference an instance of type 'Microsoft.Compute/diskEncryptionSets'"}));

INSTANTIATE_TEST_SUITE_P(Size, NodePoolRow, ::testing::Values(
  Row{"{'properties': {'autoScaling': null, 'replicas': 200}}", ""},
  Row{"{'properties': {'autoScaling': null, 'replicas': -1}}", "properties.replicas|Invalid value: -1: must be greater than or equal to 0"},
  Row{"{'properties': {'autoScaling': null, 'replicas': 201}}", "properties.replicas|Invalid value: 201: must be less than or equal to 200"},
  Row{"{'properties': {'autoScaling': null, 'replicas': 201, 'platform': {'availabilityZone': '1'}}}", ""},
  Row{"{'properties': {'replicas': 3}}", "properties.replicas|Invalid value: 3: must be equal to 0"},
  Row{"{'properties': {'replicas': 0}}", ""},
  Row{"{'properties': {'autoScaling': {'min': null}}}", "properties.autoScaling.min|Required value"},
  Row{"{'properties': {'autoScaling': {'max': null}}}", "properties.autoScaling.max|Required value"},
  Row{"{'properties': {'autoScaling': {'min': 6}}}", "properties.autoScaling.max|Invalid value: 5: must be greater than or equal to 6"},
  Row{"{'properties': {'autoScaling': {'min': 5}}}", ""},
  Row{"{'properties': {'autoScaling': {'max': 201}}}", "properties.autoScaling.max|Invalid value: 201: must be less than or equal to 200"},
  Row{"{'properties': {'autoScaling': {'min': -1}}}", "properties.autoScaling.min|Invalid value: -1: must be greater than or equal to 0"},
  Row{"{'properties': {'nodeDrainTimeoutMinutes': 10081}}", "properties.nodeDrainTimeoutMinutes|Invalid value: 10081: must be less than or equal to 10080"},
  Row{"{'properties': {'nodeDrainTimeoutMinutes': -1}}", "properties.nodeDrainTimeoutMinutes|Invalid value: -1: must be greater than or equal to 0"},
  Row{"{'tags': {'aro-hcp.experimental.nodepool.magic': ''}}", "tags[aro-hcp.experimental.nodepool.magic]|Invalid value: 'aro-hcp.experimental.nodepool.magic': unrecognized experimental tag"}));

INSTANTIATE_TEST_SUITE_P(Version, NodePoolRow, ::testing::Values(
  Row{"{'properties': {'version': null}}", ""}, Row{"{'properties': {'version': {'id': '4.20.9'}}}", ""},
  Row{"{'properties': {'version': {'id': '4.20'}}}", "properties.version.id|Invalid value: '4.20': must be specified as MAJOR.MINOR.PATCH"},
  Row{"{'properties': {'version': {'id': '4.20.7'}}}", "properties.version.id|Invalid value: '4.20.7': must be at least 4.20.8"},
  Row{"{'properties': {'version': {'id': '4.21.0'}}}", "properties.version.id|Invalid value: '4.21.0': invalid node pool version 4.21.0: cannot exceed control plane version 4.20"}));

INSTANTIATE_TEST_SUITE_P(Kubernetes, NodePoolRow, ::testing::Values(
  Row{"{'properties': {'labels': [{'key': 'a.b/c_d', 'value': 'x-1'}, {'key': 'plain'}]}}", ""},
  Row{"{'properties': {'labels': [{'value': 'x'}]}}", "properties.labels[0].key|Required value"},
  Row{"{'properties': {'labels': [{'key': ''}]}}", "properties.labels[0].key|Required value"},
  Row{"{'properties': {'labels': [{'key': '-a'}]}}", "properties.labels[0].key|Invalid value: '-a': name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"},
  Row{"{'properties': {'labels': [{'key': '/a'}]}}", "properties.labels[0].key|Invalid value: '/a': prefix part must be non-empty"},
  Row{"{'properties': {'labels': [{'key': 'a/'}]}}", "properties.labels[0].key|Invalid value: 'a/': name part must be non-empty"},
  Row{"{'properties': {'labels': [{'key': 'A/b'}]}}", "properties.labels[0].key|Invalid value: 'A/b': prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"},
  Row{"{'properties': {'labels': [{'key': 'a', 'value': 'x y'}]}}", "properties.labels[0].value|Invalid value: 'x y': a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"},
  Row{"{'properties': {'labels': [{'key': 'a'}, {'key': 'a'}]}}", "properties.labels[1].key|Duplicate value: 'a'"},
  Row{"{'properties': {'labels': [{'key': 'node-role.kubernetes.io/master'}]}}", "properties.labels[0].key|Invalid value: 'node-role.kubernetes.io/master': label is managed by the cluster and cannot be set"},
  Row{"{'properties': {'labels': [{'key': 'node-role.kubernetes.io/worker'}]}}", "properties.labels[0].key|Invalid value: 'node-role.kubernetes.io/worker': label is managed by the cluster and cannot be set"},
  Row{"{'properties': {'taints': [{'key': 'a', 'effect': 'NoSchedule', 'value': 'b'}, {'key': 'a', 'effect': 'NoExecute'}]}}", ""},
  Row{"{'properties': {'taints': [{'key': 'a', 'effect': 'Never'}]}}", "properties.taints[0].effect|Unsupported value: 'Never': supported values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'"},
  Row{"{'properties': {'taints': [{'effect': 'NoSchedule'}]}}", "properties.taints[0].key|Required value"},
  Row{"{'properties': {'taints': [{'key': 'a'}]}}", "properties.taints[0].effect|Required value"},
  Row{"{'properties': {'taints': [{'key': 'a', 'effect': 'NoSchedule'}, {'key': 'a', 'effect': 'NoSchedule'}]}}", "properties.taints[1].key|Duplicate value: 'a'"},
  Row{"{'properties': {'taints': [{'key': 'a', 'effect': 'NoSchedule', 'value': '-'}]}}", "properties.taints[0].value|Invalid value: '-': a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"}));
// clang-format on

TEST_F(NodePool, HCP_025_UnknownVirtualMachineSizesAreRefused) {
  EXPECT_THAT(create_node_pool("{'properties': {'platform': {'vmSize': 'Standard_Tiny'}}}"),
              ElementsAre(HasSubstr("properties.platform.vmSize|Unsupported value: \"Standard_Tiny\": supported values: "
                                    "\"Standard_D4s_v3\", \"Standard_D8s_v3\"")));
}

TEST_F(NodePool, HCP_025_CreateOnlyPropertiesCannotChange) {
  const model::Resource existing = made_node_pool();
  const auto immutable = [&](const char* patch, const char* path) {
    EXPECT_THAT(update_node_pool(existing, patch), ElementsAre(std::string(path) + "|Forbidden: field is immutable"));
  };
  immutable("{'properties': {'autoRepair': false}}", "properties.autoRepair");
  immutable("{'properties': {'platform': {'vmSize': 'Standard_D4s_v3'}}}", "properties.platform.vmSize");
  immutable("{'properties': {'platform': {'availabilityZone': '1'}}}", "properties.platform.availabilityZone");
  immutable("{'properties': {'platform': {'enableEncryptionAtHost': true}}}", "properties.platform.enableEncryptionAtHost");
  immutable("{'properties': {'platform': {'osDisk': {'sizeGiB': 128}}}}", "properties.platform.osDisk.sizeGiB");
  immutable("{'properties': {'platform': {'osDisk': {'diskType': 'Ephemeral'}}}}", "properties.platform.osDisk.diskType");
  immutable(
      "{'properties': {'platform': {'subnetId': "
      "'$S/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/vnet/subnets/other'}}}",
      "properties.platform.subnetId");
}

TEST_F(NodePool, HCP_025_UpdatablePropertiesCanChange) {
  const model::Resource existing = made_node_pool();
  for (const char* patch : {"{'tags': {'a': 'b'}}", "{'properties': {'autoScaling': null, 'replicas': 3}}",
                            "{'properties': {'autoScaling': {'max': 9}}}", "{'properties': {'labels': [{'key': 'a'}]}}",
                            "{'properties': {'taints': [{'key': 'a', 'effect': 'NoExecute'}]}}",
                            "{'properties': {'nodeDrainTimeoutMinutes': 7}}", "{'properties': {'version': {'id': '4.20.12'}}}"})
    EXPECT_THAT(update_node_pool(existing, patch), IsEmpty()) << patch;
}

TEST_F(NodePool, HCP_025_VersionsStayWithinTheControlPlanesReach) {
  const auto below = [&](const char* control_plane, const char* id) {
    model::Resource parent = made_cluster();
    parent.desired["version"].get_object()["id"] = control_plane;
    return shown(build(node_pool(), node_pool_id(), kVersion2025,
                       node_pool_body(fmt::format("{{'properties': {{'version': {{'id': '{}'}}}}}}", id)), nullptr, &parent));
  };
  EXPECT_THAT(below("4.22", "4.20.8"), IsEmpty());
  EXPECT_THAT(below("4.23", "4.20.8"), ElementsAre(HasSubstr("must be within 2 minor versions of control plane version 4.23")));
  EXPECT_THAT(below("4.21.3", "4.21.4"), ElementsAre(HasSubstr("cannot exceed control plane version 4.21.3")));
  EXPECT_THAT(below("4.21", "4.21.99"), IsEmpty());
}

TEST_F(NodePool, HCP_025_VersionsNeverDecrease) {
  const model::Resource existing = made_node_pool(kVersion2025, "{'properties': {'version': {'id': '4.20.9'}}}");
  EXPECT_THAT(update_node_pool(existing, "{'properties': {'version': {'id': '4.20.8'}}}"),
              ElementsAre("properties.version.id|Invalid value: \"4.20.8\": may not decrease from 4.20.9"));
}

TEST_F(NodePool, AnOldVersionMayStayWhenTheClusterMovedOn) {
  const model::Resource existing = made_node_pool();
  model::Resource parent = made_cluster();
  parent.desired["version"].get_object()["id"] = "4.25";
  EXPECT_TRUE(build(node_pool(), node_pool_id(), kVersion2025,
                    patched(node_pool().render(existing, kVersion2025), "{'tags': {'a': 'b'}}"), &existing, &parent));
}

TEST_F(NodePool, HCP_025_NamesAreJudgedOnCreate) {
  const model::Resource parent = made_cluster();
  for (const char* name : {"p", "pool-1", "a23456789012345"})
    EXPECT_TRUE(build(node_pool(), node_pool_id(name), kVersion2025, node_pool_body(), nullptr, &parent)) << name;
  for (const char* name : {"1p", "p-", "a234567890123456"}) {
    const auto refused = build(node_pool(), node_pool_id(name), kVersion2025, node_pool_body(), nullptr, &parent);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, "InvalidResourceName");
  }
}

TEST_F(NodePool, HCP_012_TheLastOneGoesOnlyWithItsCluster) {
  EXPECT_TRUE(node_pool().needs_sibling_count());
  const model::Resource pool = made_node_pool();
  model::Resource parent = made_cluster();
  const auto remove = [&](std::uint64_t siblings) {
    return node_pool().admit({.request = model::RequestKind::remove, .existing = &pool, .parent = &parent, .siblings = siblings});
  };
  EXPECT_FALSE(remove(2));
  const auto refusal = remove(1);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, model::ErrorKind::invalid);
  EXPECT_THAT(refusal->message, HasSubstr("The last node pool can not be deleted from a cluster."));
  parent.subtree_deleting = true;
  EXPECT_FALSE(remove(1));
  EXPECT_FALSE(node_pool().admit({.request = model::RequestKind::update, .existing = &pool, .siblings = 1}));
}

}  // namespace
}  // namespace acceptd::types::hcp
