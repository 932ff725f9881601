// Clusters: every property of hcp.md §5 with its default, bound, visibility and message.

#include "fixture.hpp"

namespace acceptd::types::hcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class Cluster : public testing::Types {};

TEST_F(Cluster, MinimalBodiesOfBothVersionsAreAccepted) {
  EXPECT_THAT(create_cluster("{}", kVersion2024), IsEmpty());
  EXPECT_THAT(create_cluster("{}", kVersion2025), IsEmpty());
  EXPECT_THAT(create_cluster("{'properties': {'etcd': null, 'version': null}}", kVersion2024), IsEmpty())
      << "the oldest version knows neither as required";
}

TEST_F(Cluster, HCP_025_DefaultsAreFilledIn) {
  const json::object stored = made_cluster(kVersion2025, "{'properties': {'version': {'channelGroup': null}}}").desired;
  EXPECT_EQ(text_at(stored, "version.channelGroup"), "stable");
  EXPECT_EQ(text_at(stored, "network.networkType"), "OVNKubernetes");
  EXPECT_EQ(text_at(stored, "network.podCidr"), "10.128.0.0/14");
  EXPECT_EQ(text_at(stored, "network.serviceCidr"), "172.30.0.0/16");
  EXPECT_EQ(text_at(stored, "network.machineCidr"), "10.0.0.0/16");
  EXPECT_EQ(integer_at(stored, "network.hostPrefix"), 23);
  EXPECT_EQ(text_at(stored, "api.visibility"), "Public");
  EXPECT_EQ(text_at(stored, "platform.outboundType"), "LoadBalancer");
  EXPECT_EQ(integer_at(stored, "autoscaling.maxPodGracePeriodSeconds"), 600);
  EXPECT_EQ(integer_at(stored, "autoscaling.maxNodeProvisionTimeSeconds"), 900);
  EXPECT_EQ(integer_at(stored, "autoscaling.podPriorityThreshold"), -10);
  EXPECT_EQ(text_at(stored, "clusterImageRegistry.state"), "Enabled");
  EXPECT_EQ(text_at(stored, "etcd.dataEncryption.customerManaged.kms.visibility"), "Public");
  EXPECT_FALSE(stored.contains("nodeDrainTimeoutMinutes"));
}

TEST_F(Cluster, HCP_025_GeneratedValuesAreFixedWithTheIntent) {
  const json::object stored = made_cluster(kVersion2025, "{'properties': {'platform': {'managedResourceGroup': null}}}").desired;
  EXPECT_EQ(text_at(stored, "platform.managedResourceGroup"), "arohcp-Cluster1-0a1b2c3d-4e5f-4061-8283-a4b5c6d7e8f9");
  EXPECT_EQ(text_at(stored, "dns.baseDomainPrefix"), "cluster1-0a1b2c");
  const auto long_id = cluster_id("a2345678-0123456789012345678901234567890123456789ABCDE");
  const auto desired = build(cluster(), long_id, kVersion2025,
                             cluster_body(kVersion2025, "{'properties': {'platform': {'managedResourceGroup': null}}}"));
  ASSERT_TRUE(desired);
  EXPECT_EQ(text_at(desired->properties, "platform.managedResourceGroup").size(),
            std::string_view("arohcp-").size() + 45 + 1 + 36);
  EXPECT_EQ(text_at(desired->properties, "dns.baseDomainPrefix"), "a2345678-0a1b2c");
}

TEST_F(Cluster, GeneratedValuesStayWhenALaterPutLeavesThemOut) {
  const model::Resource existing = made_cluster(kVersion2025, "{'properties': {'platform': {'managedResourceGroup': null}}}");
  const auto again = build(cluster(), cluster_id(), kVersion2025,
                           cluster_body(kVersion2025, "{'properties': {'platform': {'managedResourceGroup': null}}}"), &existing);
  ASSERT_TRUE(again) << shown(again)[0];
  EXPECT_EQ(again->properties, existing.desired);
}

struct Row {
  const char* patch;
  const char* error;  ///< "target|message", ' for "; "" = accepted
  std::string_view version = kVersion2025;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.version << " " << row.patch; }
class ClusterRow : public testing::Types, public ::testing::WithParamInterface<Row> {};

TEST_P(ClusterRow, HCP_025_PropertyOfCreate) {
  const auto errors = create_cluster(GetParam().patch, GetParam().version);
  std::string text = errors.empty() ? "" : errors[0];
  std::string expected = GetParam().error;
  for (std::string* one : {&text, &expected}) std::ranges::replace(*one, '\'', '"');
  EXPECT_EQ(text, expected) << GetParam().patch;
  EXPECT_LE(errors.size(), 1u) << GetParam().patch;
}

#define SUBNETS                                                                                                              \
  "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/vnet/" \
  "subnets/"

// Tables: one case a line.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Envelope, ClusterRow, ::testing::Values(
  Row{"{'properties': null}", "properties|Required value"},
  Row{"{'location': null}", "location|Required value"},
  Row{"{'location': 3}", "location|Invalid value: 3: must be of type string"},
  Row{"{'tags': {'a': 1}}", "tags[a]|Invalid value: 1: must be of type string"},
  Row{"{'surprise': 1}", "surprise|unknown field 'surprise'"},
  Row{"{'properties': {'surprise': 1}}", "properties.surprise|unknown field 'surprise'"},
  Row{"{'properties': {'provisioningState': 'Whatever'}}", ""},
  Row{"{'properties': {'console': {'url': 'https://x'}, 'dns': {'baseDomain': 'x'}, 'api': {'url': 'x'}, 'platform': {'issuerUrl': 'x'}}}", ""},
  Row{"{'identity': {'type': 'Magic'}}", "identity.state|Unsupported value: 'Magic': supported values: 'None', 'SystemAssigned', 'UserAssigned', 'SystemAssigned,UserAssigned'"},
  Row{"{'identity': {}}", "identity.type|Required value"},
  Row{"{'identity': {'type': 'None'}}", ""}, Row{"{'identity': {'type': 'UserAssigned', 'userAssignedIdentities': {}}}", ""},
  Row{"{'identity': {'type': 'SystemAssigned', 'principalId': 'not a uuid', 'tenantId': 3}}", ""},
  Row{"{'tags': {'aro-hcp.experimental.cluster.single-replica': 'x'}}", ""},
  Row{"{'tags': {'ARO-HCP.experimental.cluster.Magic': 'x'}}", "tags[ARO-HCP.experimental.cluster.Magic]|Invalid value: 'ARO-HCP.experimental.cluster.Magic': unrecognized experimental tag"},
  Row{"{'tags': {'aro-hcp.experimental.nodepool.max-creation-duration': '30m', 'other': 'y'}}", ""}));

INSTANTIATE_TEST_SUITE_P(Version, ClusterRow, ::testing::Values(
  Row{"{'properties': {'version': null}}", "properties.version.id|Required value"},
  Row{"{'properties': {'version': {'id': null}}}", "properties.version.id|Required value"},
  Row{"{'properties': {'version': {'id': ''}}}", "properties.version.id|Required value"},
  Row{"{'properties': {'version': {'id': 4.20}}}", "properties.version.id|Invalid value: 4.2E0: must be of type string"},
  Row{"{'properties': {'version': {'id': 'latest'}}}", "properties.version.id|Invalid value: 'latest': must be specified as MAJOR.MINOR"},
  Row{"{'properties': {'version': {'id': '4.20.1'}}}", "properties.version.id|Invalid value: '4.20.1': must be specified as MAJOR.MINOR; the PATCH value is managed"},
  Row{"{'properties': {'version': {'id': '4.19'}}}", "properties.version.id|Invalid value: '4.19': must be at least 4.20"},
  Row{"{'properties': {'version': {'id': '4.21'}}}", ""}, Row{"{'properties': {'version': {'id': '4.20.1'}}}", "", kVersion2024},
  Row{"{'properties': {'version': {'id': 'latest'}}}", "properties.version.id|Invalid value: 'latest': must be specified as MAJOR.MINOR", kVersion2024},
  Row{"{'properties': {'version': {'channelGroup': 'fast'}}}", ""},
  Row{"{'properties': {'version': {'channelGroup': 'nightly'}}}", "properties.version.channelGroup|Unsupported value: 'nightly': supported values: 'stable', 'fast'"},
  Row{"{'properties': {'version': {'channelGroup': 'Stable'}}}", "properties.version.channelGroup|Unsupported value: 'Stable': supported values: 'stable', 'fast'"}));

INSTANTIATE_TEST_SUITE_P(Network, ClusterRow, ::testing::Values(
  Row{"{'properties': {'dns': {'baseDomainPrefix': 'abc-1'}}}", ""},
  Row{"{'properties': {'dns': {'baseDomainPrefix': 'abcdefghijklmnop'}}}", "properties.dns.baseDomainPrefix|Too long: may not be more than 15 bytes"},
  Row{"{'properties': {'dns': {'baseDomainPrefix': '1abc'}}}", "properties.dns.baseDomainPrefix|Invalid value: '1abc': must match '^[a-z]([-a-z0-9]*[a-z0-9])?$'"},
  Row{"{'properties': {'network': {'networkType': 'Other'}}}", ""},
  Row{"{'properties': {'network': {'networkType': 'Calico'}}}", "properties.network.networkType|Unsupported value: 'Calico': supported values: 'OVNKubernetes', 'Other'"},
  Row{"{'properties': {'network': {'podCidr': '10.128.0.0'}}}", "properties.network.podCidr|Invalid value: '10.128.0.0': invalid CIDR address: 10.128.0.0"},
  Row{"{'properties': {'network': {'serviceCidr': '172.30.0.1/16'}}}", "properties.network.serviceCidr|Invalid value: '172.30.0.1/16': not IPv4 CIDR"},
  Row{"{'properties': {'network': {'machineCidr': 'fd00::/64'}}}", "properties.network.machineCidr|Invalid value: 'fd00::/64': invalid CIDR address: fd00::/64"},
  Row{"{'properties': {'network': {'machineCidr': '172.30.0.0/20'}}}", "properties.network|Invalid value: '172.30.0.0/20': machine CIDR '172.30.0.0/20' and service CIDR '172.30.0.0/16' overlap"},
  Row{"{'properties': {'network': {'machineCidr': '10.129.0.0/16'}}}", "properties.network|Invalid value: '10.129.0.0/16': machine CIDR '10.129.0.0/16' and pod CIDR '10.128.0.0/14' overlap"},
  Row{"{'properties': {'network': {'serviceCidr': '10.128.0.0/9'}}}", "properties.network|Invalid value: '10.128.0.0/9': service CIDR '10.128.0.0/9' and pod CIDR '10.128.0.0/14' overlap"},
  Row{"{'properties': {'network': {'hostPrefix': 22}}}", "properties.network.hostPrefix|Invalid value: 22: must be greater than or equal to 23"},
  Row{"{'properties': {'network': {'hostPrefix': 27}}}", "properties.network.hostPrefix|Invalid value: 27: must be less than or equal to 26"},
  Row{"{'properties': {'network': {'hostPrefix': 26}}}", ""},
  Row{"{'properties': {'api': {'visibility': 'Private'}}}", ""},
  Row{"{'properties': {'api': {'visibility': 'private'}}}", "properties.api.visibility|Unsupported value: 'private': supported values: 'Public', 'Private'"},
  Row{"{'properties': {'api': {'authorizedCidrs': ['10.0.0.1', '10.0.0.0/8']}}}", ""},
  Row{"{'properties': {'api': {'authorizedCidrs': []}}}", "properties.api.authorizedCidrs|Too few: 0: must have at least 1 items"},
  Row{"{'properties': {'api': {'authorizedCidrs': ['']}}}", "properties.api.authorizedCidrs[0]|Required value"},
  Row{"{'properties': {'api': {'authorizedCidrs': ['1.2.3.4', 'x']}}}", "properties.api.authorizedCidrs[1]|Invalid value: 'x': must be an IPv4 address or CIDR block"},
  Row{"{'properties': {'api': {'authorizedCidrs': ['10.0.0.1/8']}}}", "properties.api.authorizedCidrs[0]|Invalid value: '10.0.0.1/8': not IPv4 CIDR"}));

INSTANTIATE_TEST_SUITE_P(Platform, ClusterRow, ::testing::Values(
  Row{"{'properties': {'platform': null}}", "properties.platform|Required value"},
  Row{"{'properties': {'platform': {'subnetId': null}}}", "properties.platform.subnetId|Required value"},
  Row{"{'properties': {'platform': {'networkSecurityGroupId': null}}}", "properties.platform.networkSecurityGroupId|Required value"},
  Row{"{'properties': {'platform': {'vnetIntegrationSubnetId': null}}}", "properties.platform.vnetIntegrationSubnetId|Required value"},
  Row{"{'properties': {'platform': {'vnetIntegrationSubnetId': '" SUBNETS "i'}}}", "properties.platform.vnetIntegrationSubnetId|unknown field 'vnetIntegrationSubnetId'", kVersion2024},
  Row{"{'properties': {'platform': {'managedResourceGroup': 'GROUP'}}}", "properties.platform.managedResourceGroup|Invalid value: 'GROUP': must not be the same resource group name: 'Group'"},
  Row{"{'properties': {'platform': {'managedResourceGroup': 'a.'}}}", "properties.platform.managedResourceGroup|Invalid value: 'a.': must be a valid resource group name: at most 90 letters, digits, '_', '-', '.', '(' and ')', not ending with '.'"},
  Row{"{'properties': {'platform': {'subnetId': '$S/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/vnet'}}}",
      "properties.platform.subnetId|Invalid value: '/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/vnet': resource ID must reference an instance of type 'Microsoft.Network/virtualNetworks/subnets'"},
  Row{"{'properties': {'platform': {'subnetId': '/subscriptions/2/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/v/subnets/s'}}}",
      "properties.platform.subnetId|Invalid value: '/subscriptions/2/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/v/subnets/s': must be in the same Azure subscription: '11111111-1111-1111-1111-111111111111'"},
  Row{"{'properties': {'platform': {'vnetIntegrationSubnetId': '$S/resourceGroups/MRG/providers/Microsoft.Network/virtualNetworks/v/subnets/s'}}}",
      "properties.platform.vnetIntegrationSubnetId|Invalid value: '/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/MRG/providers/Microsoft.Network/virtualNetworks/v/subnets/s': must not be the same resource group name: 'mrg'"},
  Row{"{'properties': {'platform': {'networkSecurityGroupId': 'nsg'}}}", "properties.platform.networkSecurityGroupId|Invalid value: 'nsg': must be a valid resource ID"},
  Row{"{'properties': {'platform': {'outboundType': 'NatGateway'}}}", "properties.platform.outboundType|Unsupported value: 'NatGateway': supported values: 'LoadBalancer'"}));

INSTANTIATE_TEST_SUITE_P(Bounds, ClusterRow, ::testing::Values(
  Row{"{'properties': {'autoscaling': {'maxNodesTotal': 500}}}", ""}, Row{"{'properties': {'autoscaling': {'maxNodesTotal': 0}}}", ""},
  Row{"{'properties': {'autoscaling': {'maxNodesTotal': 501}}}", "properties.autoscaling.maxNodesTotal|Invalid value: 501: must be less than or equal to 500"},
  Row{"{'properties': {'autoscaling': {'maxNodesTotal': -1}}}", "properties.autoscaling.maxNodesTotal|Invalid value: -1: must be greater than or equal to 0"},
  Row{"{'properties': {'autoscaling': {'maxPodGracePeriodSeconds': 0}}}", "properties.autoscaling.maxPodGracePeriodSeconds|Invalid value: 0: must be greater than or equal to 1"},
  Row{"{'properties': {'autoscaling': {'maxNodeProvisionTimeSeconds': 0}}}", "properties.autoscaling.maxNodeProvisionTimeSeconds|Invalid value: 0: must be greater than or equal to 1"},
  Row{"{'properties': {'autoscaling': {'podPriorityThreshold': -2147483649}}}", "properties.autoscaling.podPriorityThreshold|Invalid value: -2147483649: must be a 32-bit integer"},
  Row{"{'properties': {'nodeDrainTimeoutMinutes': 10080}}", ""}, Row{"{'properties': {'nodeDrainTimeoutMinutes': 0}}", ""},
  Row{"{'properties': {'nodeDrainTimeoutMinutes': 10081}}", "properties.nodeDrainTimeoutMinutes|Invalid value: 10081: must be less than or equal to 10080"},
  Row{"{'properties': {'nodeDrainTimeoutMinutes': -1}}", "properties.nodeDrainTimeoutMinutes|Invalid value: -1: must be greater than or equal to 0"},
  Row{"{'properties': {'clusterImageRegistry': {'state': 'Disabled'}}}", ""},
  Row{"{'properties': {'clusterImageRegistry': {'state': 'Off'}}}", "properties.clusterImageRegistry.state|Unsupported value: 'Off': supported values: 'Enabled', 'Disabled'"},
  Row{"{'properties': {'imageDigestMirrors': [{'source': 'a.io', 'mirrors': ['b.io']}]}}", ""},
  Row{"{'properties': {'imageDigestMirrors': [{}]}}", "properties.imageDigestMirrors[0].source|Required value"},
  Row{"{'properties': {'imageDigestMirrors': []}}", "properties.imageDigestMirrors|unknown field 'imageDigestMirrors'", kVersion2024}));

#define KMS(text) "{'properties': {'etcd': {'dataEncryption': {'customerManaged': {'kms': " text "}}}}}"

INSTANTIATE_TEST_SUITE_P(Encryption, ClusterRow, ::testing::Values(
  Row{"{'properties': {'etcd': null}}", "properties.etcd.dataEncryption.keyManagementMode|Required value"},
  Row{"{'properties': {'etcd': {'dataEncryption': {'keyManagementMode': 'PlatformManaged'}}}}", "properties.etcd.dataEncryption.keyManagementMode|Unsupported value: 'PlatformManaged': supported values: 'CustomerManaged'"},
  Row{"{'properties': {'etcd': {'dataEncryption': {'keyManagementMode': null}}}}", "properties.etcd.dataEncryption.keyManagementMode|Required value"},
  Row{"{'properties': {'etcd': {'dataEncryption': {'customerManaged': null}}}}", "properties.etcd.dataEncryption.customerManaged|Required value: must be specified when `keyManagementMode` is 'CustomerManaged'"},
  Row{"{'properties': {'etcd': {'dataEncryption': {'customerManaged': {'kms': null}}}}}", "properties.etcd.dataEncryption.customerManaged.kms|Required value: must be specified when `encryptionType` is 'KMS'"},
  Row{"{'properties': {'etcd': {'dataEncryption': {'customerManaged': {'encryptionType': 'HSM'}}}}}", "properties.etcd.dataEncryption.customerManaged.encryptionType|Unsupported value: 'HSM': supported values: 'KMS'"},
  Row{KMS("{'activeKey': null}"), "properties.etcd.dataEncryption.customerManaged.kms.activeKey|Required value"},
  Row{KMS("{'activeKey': {'name': null}}"), "properties.etcd.dataEncryption.customerManaged.kms.activeKey.name|Required value"},
  Row{KMS("{'activeKey': {'name': ''}}"), "properties.etcd.dataEncryption.customerManaged.kms.activeKey.name|Invalid value: '': must be at least 1 characters long"},
  Row{KMS("{'activeKey': {'version': null}}"), "properties.etcd.dataEncryption.customerManaged.kms.activeKey.version|Required value"},
  Row{KMS("{'vaultName': null}"), "properties.etcd.dataEncryption.customerManaged.kms.vaultName|Required value"},
  Row{KMS("{'activeKey': {'vaultName': null}}"), "properties.etcd.dataEncryption.customerManaged.kms.activeKey.vaultName|Required value", kVersion2024},
  Row{KMS("{'visibility': 'Private'}"), ""},
  Row{KMS("{'visibility': 'None'}"), "properties.etcd.dataEncryption.customerManaged.kms.visibility|Unsupported value: 'None': supported values: 'Public', 'Private'"},
  Row{KMS("{'visibility': 'Public'}"), "properties.etcd.dataEncryption.customerManaged.kms.visibility|unknown field 'visibility'", kVersion2024}));
// clang-format on

TEST_F(Cluster, HCP_025_LongListsAndLongStringsAreRefused) {
  std::string blocks, mirrors;
  for (int i = 0; i < 501; ++i) blocks += fmt::format("{}'10.0.0.{}'", i ? "," : "", i % 250);
  for (int i = 0; i < 241; ++i) mirrors += fmt::format("{}{{'source': 's{}'}}", i ? "," : "", i);
  EXPECT_THAT(create_cluster("{'properties': {'api': {'authorizedCidrs': [" + blocks + "]}}}"),
              ElementsAre("properties.api.authorizedCidrs|Too many: 501: must have at most 500 items"));
  EXPECT_THAT(create_cluster("{'properties': {'imageDigestMirrors': [" + mirrors + "]}}"),
              ElementsAre("properties.imageDigestMirrors|Too many: 241: must have at most 240 items"));
  EXPECT_THAT(
      create_cluster("{'properties': {'etcd': {'dataEncryption': {'customerManaged': {'kms': {'activeKey': {'name': '" +
                     std::string(256, 'k') + "'}}}}}}}"),
      ElementsAre("properties.etcd.dataEncryption.customerManaged.kms.activeKey.name|Too long: may not be more than 255 bytes"));
  EXPECT_THAT(
      create_cluster(fmt::format("{{'properties': {{'platform': {{'managedResourceGroup': '{}'}}}}}}", std::string(91, 'g'))),
      ElementsAre(HasSubstr("at most 90")));
}

TEST_F(Cluster, HCP_025_CreateOnlyPropertiesCannotChange) {
  const model::Resource existing = made_cluster();
  const auto immutable = [&](const char* patch, const char* path) {
    EXPECT_THAT(update_cluster(existing, patch), ElementsAre(std::string(path) + "|Forbidden: field is immutable"));
  };
  immutable("{'location': 'there'}", "location");
  immutable("{'properties': {'dns': {'baseDomainPrefix': 'other'}}}", "properties.dns.baseDomainPrefix");
  immutable("{'properties': {'network': {'networkType': 'Other'}}}", "properties.network.networkType");
  immutable("{'properties': {'network': {'podCidr': '10.132.0.0/14'}}}", "properties.network.podCidr");
  immutable("{'properties': {'network': {'serviceCidr': '172.31.0.0/16'}}}", "properties.network.serviceCidr");
  immutable("{'properties': {'network': {'machineCidr': '10.1.0.0/16'}}}", "properties.network.machineCidr");
  immutable("{'properties': {'network': {'hostPrefix': 24}}}", "properties.network.hostPrefix");
  immutable("{'properties': {'api': {'visibility': 'Private'}}}", "properties.api.visibility");
  immutable("{'properties': {'platform': {'managedResourceGroup': 'other'}}}", "properties.platform.managedResourceGroup");
  immutable("{'properties': {'platform': {'subnetId': '" SUBNETS "other'}}}", "properties.platform.subnetId");
  immutable("{'properties': {'platform': {'vnetIntegrationSubnetId': '" SUBNETS "other'}}}",
            "properties.platform.vnetIntegrationSubnetId");
  immutable("{'properties': {'platform': {'operatorsAuthentication': {'userAssignedIdentities': {}}}}}",
            "properties.platform.operatorsAuthentication");
  immutable("{'properties': {'clusterImageRegistry': {'state': 'Disabled'}}}", "properties.clusterImageRegistry.state");
  immutable(KMS("{'activeKey': {'version': '2'}}"), "properties.etcd.dataEncryption.customerManaged.kms.activeKey.version");
  immutable(KMS("{'visibility': 'Private'}"), "properties.etcd.dataEncryption.customerManaged.kms.visibility");
}

TEST_F(Cluster, HCP_025_UpdatablePropertiesCanChange) {
  const model::Resource existing = made_cluster();
  for (const char* patch :
       {"{'tags': {'a': 'b'}}", "{'identity': {'type': 'SystemAssigned'}}",
        "{'properties': {'version': {'channelGroup': 'fast'}}}", "{'properties': {'api': {'authorizedCidrs': ['1.2.3.4']}}}",
        "{'properties': {'autoscaling': {'maxNodesTotal': 7}}}", "{'properties': {'nodeDrainTimeoutMinutes': 5}}",
        "{'properties': {'imageDigestMirrors': [{'source': 'a'}]}}", "{'properties': {'version': {'id': '4.21'}}}"})
    EXPECT_THAT(update_cluster(existing, patch), IsEmpty()) << patch;
}

TEST_F(Cluster, HCP_025_VersionsStepUpOneMinorAtATime) {
  const model::Resource existing = made_cluster(kVersion2025, "{'properties': {'version': {'id': '4.21'}}}");
  const auto to = [&](const char* id) {
    return update_cluster(existing, fmt::format("{{'properties': {{'version': {{'id': '{}'}}}}}}", id));
  };
  EXPECT_THAT(to("4.22"), IsEmpty());
  EXPECT_THAT(to("4.20"), ElementsAre("properties.version.id|Invalid value: \"4.20\": may not decrease from 4.21"));
  EXPECT_THAT(to("4.23"),
              ElementsAre(HasSubstr("invalid upgrade path from 4.21 to 4.23: skipping minor versions is not allowed")));
  EXPECT_THAT(to("5.0"), ElementsAre(HasSubstr("major version changes are not supported")));
  const model::Resource old = made_cluster(kVersion2024);
  EXPECT_THAT(update_cluster(old, "{'properties': {'version': {'id': '4.21'}}}", kVersion2024),
              ElementsAre("properties.version.id|Forbidden: field is immutable"));
}

TEST_F(Cluster, ReadOnlyPropertiesAreTakenFromWhatIsKnown) {
  model::Resource existing = made_cluster();
  existing.observed = testing::parsed("{'api': {'url': 'https://api'}, 'dns': {'baseDomain': 'd'}}");
  const auto updated =
      build(cluster(), cluster_id(), kVersion2025,
            patched(cluster().render(existing, kVersion2025), "{'properties': {'api': {'url': 'https://mine'}}}"), &existing);
  ASSERT_TRUE(updated) << shown(updated)[0];
  EXPECT_FALSE(value_at(updated->properties, "api.url"));
  EXPECT_EQ(updated->properties, existing.desired);
}

TEST_F(Cluster, HCP_025_PatchThatNullsARequiredPropertySaysSo) {
  const model::Resource existing = made_cluster();
  EXPECT_THAT(update_cluster(existing, "{'properties': {'platform': {'subnetId': null}}}", kVersion2025, true),
              ElementsAre("properties.platform.subnetId|Required value: field cannot be null"));
  EXPECT_THAT(update_cluster(existing, "{'properties': {'version': {'id': null}}}", kVersion2025, true),
              ElementsAre("properties.version.id|Required value: field cannot be null"));
}

TEST_F(Cluster, HCP_021_SeveralErrorsAreDetailsOfOne) {
  const auto refused =
      build(cluster(), cluster_id(), kVersion2025,
            cluster_body(kVersion2025, "{'properties': {'nodeDrainTimeoutMinutes': -1, 'network': {'hostPrefix': 1}}}"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "MultipleErrorsOccurred");
  EXPECT_EQ(refused.error().details.size(), 2u);
  EXPECT_EQ(refused.error().details[0].code, "InvalidRequestContent");
}

TEST_F(Cluster, HCP_025_NamesAreJudgedOnCreate) {
  for (const char* name : {"a", "Cluster-1", "a23456789012345678901234567890123456789012345678901234"})
    EXPECT_TRUE(build(cluster(), cluster_id(name), kVersion2025, cluster_body(kVersion2025))) << name;
  for (const char* name : {"1a", "a-", "a_b", "a234567890123456789012345678901234567890123456789012345"}) {
    const auto refused = build(cluster(), cluster_id(name), kVersion2025, cluster_body(kVersion2025));
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, "InvalidResourceName");
  }
}

class Identities : public testing::Types {
 protected:
  /// `assigned`: names of assigned identities; `operators`: members of operatorsAuthentication.userAssignedIdentities, $a for an
  /// ID.
  std::vector<std::string> check(const std::vector<std::string>& assigned, std::string operators) {
    std::string map;
    for (const std::string& name : assigned) map += fmt::format("{}'{}': {{}}", map.empty() ? "" : ",", testing::identity(name));
    for (const char* name : {"a", "b"})
      for (std::size_t at; (at = operators.find(std::string("$") + name)) != std::string::npos;)
        operators.replace(at, 2, testing::identity(name));
    return create_cluster(
        fmt::format("{{'identity': {{'type': 'UserAssigned', 'userAssignedIdentities': {{{}}}}}, 'properties': {{'platform':"
                    " {{'operatorsAuthentication': {{'userAssignedIdentities': {}}}}}}}}}",
                    map, operators));
  }
  static constexpr std::string_view kBase = "properties.platform.operatorsAuthentication.userAssignedIdentities";
};

TEST_F(Identities, HCP_025_EachIsUsedExactlyOnceAndNotByTheDataPlane) {
  EXPECT_THAT(check({"a", "b"}, "{'controlPlaneOperators': {'x': '$a'}, 'serviceManagedIdentity': '$b'}"), IsEmpty());
  EXPECT_THAT(check({"A"}, "{'controlPlaneOperators': {'x': '$a'}}"), IsEmpty()) << "compared without regard to case";
  EXPECT_THAT(check({"a", "b"}, "{'controlPlaneOperators': {'x': '$a'}}"),
              ElementsAre(HasSubstr("identity is assigned to this resource but not used")));
  EXPECT_THAT(check({"a"}, "{'controlPlaneOperators': {'x': '$a'}, 'serviceManagedIdentity': '$a'}"),
              ElementsAre(HasSubstr("identity is used multiple times")));
  EXPECT_THAT(
      check({}, "{'serviceManagedIdentity': '$a'}"),
      ElementsAre(fmt::format("{}.serviceManagedIdentity|Invalid value: \"{}\": identity is not assigned to this resource", kBase,
                              testing::identity("a"))));
  EXPECT_THAT(check({}, "{'dataPlaneOperators': {'x': '$a'}}"), IsEmpty());
  EXPECT_THAT(check({"a"}, "{'controlPlaneOperators': {'x': '$a'}, 'dataPlaneOperators': {'y': '$a'}}"),
              ElementsAre(HasSubstr("cannot use identity assigned to this resource by .identities.userAssignedIdentities")));
}

TEST_F(Identities, HCP_021_EmptyMapKeysAreShownAsEmptyBrackets) {
  EXPECT_THAT(check({"a"}, "{'controlPlaneOperators': {'': '$a'}}"),
              ElementsAre(fmt::format("{}.controlPlaneOperators[]|Required value", kBase)));
  EXPECT_THAT(check({}, "{'dataPlaneOperators': {'x': ''}}"),
              ElementsAre(fmt::format("{}.dataPlaneOperators[x]|Invalid value: \"\": must be a valid resource ID", kBase)));
}

TEST_F(Identities, HCP_025_ReferencesAreOfTheRightTypeSubscriptionAndGroup) {
  EXPECT_THAT(
      check({}, "{'dataPlaneOperators': {'x': '$S/resourceGroups/g/providers/Microsoft.Network/networkSecurityGroups/n'}}"),
      ElementsAre(HasSubstr("dataPlaneOperators[x]|Invalid value: ")));
  EXPECT_THAT(check({}, fmt::format("{{'dataPlaneOperators': {{'x': '{}'}}}}", testing::identity("a", "MRG"))),
              ElementsAre(HasSubstr("must not be the same resource group name: \"mrg\"")));
  EXPECT_THAT(
      create_cluster("{'identity': {'type': 'UserAssigned', 'userAssignedIdentities': {'x': {}}}}"),
      UnorderedElementsAre(
          HasSubstr("identity.userAssignedIdentities[x]|Invalid value: \"x\": resource ID must reference an instance of type"),
          HasSubstr("identity is assigned to this resource but not used")));
  EXPECT_THAT(create_cluster("{'identity': {'type': 'UserAssigned', 'userAssignedIdentities': {'x': null}}}"), IsEmpty())
      << "null: not this one";
}

TEST_F(Cluster, ClaimsWhatIsUniqueInASubscription) {
  const auto desired = build(cluster(), cluster_id(), kVersion2025, cluster_body(kVersion2025));
  const auto claims = cluster().claims(cluster_id(), *desired);
  ASSERT_EQ(claims.size(), 3u);
  EXPECT_EQ(claims[0].name, "managedresourcegroup:mrg");
  EXPECT_THAT(claims[0].refusal.message, HasSubstr("please provide a unique managed resource group name"));
  EXPECT_EQ(claims[1].refusal.target, "properties.platform.subnetId");
  EXPECT_THAT(claims[1].refusal.message, HasSubstr("is already in use by another cluster"));
  EXPECT_THAT(claims[2].refusal.message, HasSubstr("Network Security Group '"));
}

TEST_F(Cluster, HCP_022_ActionsCarryTheTextsOfConflicts) {
  const engine::ActionInfo* request = cluster().info().action("REQUESTADMINCREDENTIAL");
  const engine::ActionInfo* revoke = cluster().info().action("RevokeCredentials");
  ASSERT_TRUE(request && revoke);
  EXPECT_EQ(request->request, "RequestCredential");
  EXPECT_EQ(request->phrase, "request credential");
  EXPECT_EQ(request->blocked_message, "Cannot request credential while credentials are being revoked");
  EXPECT_TRUE(request->secret_result && request->one_at_a_time && !request->exclusive);
  EXPECT_EQ(revoke->phrase, "revoke credentials");
  EXPECT_EQ(revoke->blocked_message, "Credentials are already being revoked");
  EXPECT_TRUE(revoke->exclusive);
  EXPECT_THAT(revoke->cancels, ElementsAre("RequestCredential"));
}

TEST_F(Cluster, HCP_007_DeadlinesAreThoseOfTheRule) {
  const engine::TypeInfo& info = cluster().info();
  EXPECT_EQ(info.deadlines.create, std::chrono::minutes(60));
  EXPECT_EQ(info.deadlines.update, std::chrono::minutes(60));
  EXPECT_EQ(info.deadlines.remove, std::chrono::hours(12));
  for (const engine::ActionInfo& action : info.actions) EXPECT_EQ(action.deadline, std::chrono::minutes(15));
  EXPECT_EQ(node_pool().info().deadlines.remove, std::chrono::hours(12));
}

}  // namespace
}  // namespace acceptd::types::hcp
