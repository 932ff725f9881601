#include "providers/cluster_service/cluster_json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fake_backend.hpp"

namespace acceptd::providers::cluster_service {
namespace {

using boost::json::object;
using boost::json::value;
using model::RequestKind;

engine::Target desired(std::string_view properties, RequestKind request = RequestKind::create) {
  engine::Target target = BackendTest::target(request);
  target.desired = parsed(properties).as_object();
  return target;
}
Options options() {
  Options options;
  options.region = "westus3";
  options.identity_url = "https://identity.example";
  return options;
}

/// One property on both sides, as whole documents with nothing else in them.
struct FieldCase {
  std::string name, arm, cs;
  std::string cs_pointer;  ///< where in a create the property's part of `cs` must be found
};
void PrintTo(const FieldCase& field, std::ostream* out) { *out << field.name; }

#define ETCD R"("etcd":{"dataEncryption":)"
#define CS_ETCD R"("azure":{"etcd_encryption":{"data_encryption":)"
#define CS_ETCD_PATH "/azure/etcd_encryption/data_encryption"
#define MI_PATH "/azure/operators_authentication/managed_identities"
const std::vector<FieldCase> kFields{
    {"version", R"({"version":{"id":"4.20.8","channelGroup":"stable"}})",
     R"({"version":{"id":"openshift-v4.20.8","channel_group":"stable"}})", "/version"},
    {"version_of_a_channel", R"({"version":{"id":"4.20.8","channelGroup":"fast"}})",
     R"({"version":{"id":"openshift-v4.20.8-fast","channel_group":"fast"}})", "/version"},
    {"dns_baseDomainPrefix", R"({"dns":{"baseDomainPrefix":"abc"}})", R"({"domain_prefix":"abc"})", "/domain_prefix"},
    {"network_networkType", R"({"network":{"networkType":"OVNKubernetes"}})", R"({"network":{"type":"OVNKubernetes"}})",
     "/network/type"},
    {"network_podCidr", R"({"network":{"podCidr":"10.128.0.0/14"}})", R"({"network":{"pod_cidr":"10.128.0.0/14"}})",
     "/network/pod_cidr"},
    {"network_serviceCidr", R"({"network":{"serviceCidr":"172.30.0.0/16"}})", R"({"network":{"service_cidr":"172.30.0.0/16"}})",
     "/network/service_cidr"},
    {"network_machineCidr", R"({"network":{"machineCidr":"10.0.0.0/16"}})", R"({"network":{"machine_cidr":"10.0.0.0/16"}})",
     "/network/machine_cidr"},
    {"network_hostPrefix", R"({"network":{"hostPrefix":23}})", R"({"network":{"host_prefix":23}})", "/network/host_prefix"},
    {"api_visibility_Public", R"({"api":{"visibility":"Public"}})", R"({"api":{"listening":"external"}})", "/api/listening"},
    {"api_visibility_Private", R"({"api":{"visibility":"Private"}})", R"({"api":{"listening":"internal"}})", "/api/listening"},
    {"api_authorizedCidrs", R"({"api":{"authorizedCidrs":["10.0.0.0/8","1.2.3.4"]}})",
     R"({"api":{"cidr_block_access":{"allow":{"mode":"allow_list","values":["10.0.0.0/8","1.2.3.4"]}}}})",
     "/api/cidr_block_access"},
    {"api_authorizedCidrs_absent", R"({})", R"({"api":{"cidr_block_access":{"allow":{"mode":"allow_all"}}}})",
     "/api/cidr_block_access"},
    {"platform_managedResourceGroup", R"({"platform":{"managedResourceGroup":"arohcp-x"}})",
     R"({"azure":{"managed_resource_group_name":"arohcp-x"}})", "/azure/managed_resource_group_name"},
    {"platform_subnetId", R"({"platform":{"subnetId":"/subscriptions/S/sub"}})",
     R"({"azure":{"subnet_resource_id":"/subscriptions/S/sub"}})", "/azure/subnet_resource_id"},
    {"platform_networkSecurityGroupId", R"({"platform":{"networkSecurityGroupId":"/subscriptions/S/nsg"}})",
     R"({"azure":{"network_security_group_resource_id":"/subscriptions/S/nsg"}})", "/azure/network_security_group_resource_id"},
    {"platform_vnetIntegrationSubnetId", R"({"platform":{"vnetIntegrationSubnetId":"/subscriptions/S/vnet"}})",
     R"({"azure":{"vnet_integration_subnet_resource_id":"/subscriptions/S/vnet"}})",
     "/azure/vnet_integration_subnet_resource_id"},
    {"platform_outboundType", R"({"platform":{"outboundType":"LoadBalancer"}})",
     R"({"azure":{"nodes_outbound_connectivity":{"outbound_type":"load_balancer"}}})", "/azure/nodes_outbound_connectivity"},
    {"operators_controlPlane",
     R"({"platform":{"operatorsAuthentication":{"userAssignedIdentities":{"controlPlaneOperators":{"ingress":"/mi/1","kms":"/mi/2"},"dataPlaneOperators":{}}}}})",
     R"({"azure":{"operators_authentication":{"managed_identities":{"control_plane_operators_managed_identities":{"ingress":{"resource_id":"/mi/1"},"kms":{"resource_id":"/mi/2"}},"data_plane_operators_managed_identities":{}}}}})",
     MI_PATH "/control_plane_operators_managed_identities"},
    {"operators_dataPlane",
     R"({"platform":{"operatorsAuthentication":{"userAssignedIdentities":{"controlPlaneOperators":{},"dataPlaneOperators":{"disk":"/mi/3"}}}}})",
     R"({"azure":{"operators_authentication":{"managed_identities":{"control_plane_operators_managed_identities":{},"data_plane_operators_managed_identities":{"disk":{"resource_id":"/mi/3"}}}}}})",
     MI_PATH "/data_plane_operators_managed_identities"},
    {"operators_service",
     R"({"platform":{"operatorsAuthentication":{"userAssignedIdentities":{"serviceManagedIdentity":"/mi/4"}}}})",
     R"({"azure":{"operators_authentication":{"managed_identities":{"service_managed_identity":{"resource_id":"/mi/4"}}}}})",
     MI_PATH "/service_managed_identity"},
    {"etcd_CustomerManaged", "{" ETCD R"({"keyManagementMode":"CustomerManaged"}}})",
     "{" CS_ETCD R"({"key_management_mode":"customer_managed"}}}})", CS_ETCD_PATH "/key_management_mode"},
    {"etcd_PlatformManaged", "{" ETCD R"({"keyManagementMode":"PlatformManaged"}}})",
     "{" CS_ETCD R"({"key_management_mode":"platform_managed"}}}})", CS_ETCD_PATH "/key_management_mode"},
    {"etcd_encryptionType", "{" ETCD R"({"customerManaged":{"encryptionType":"KMS"}}}})",
     "{" CS_ETCD R"({"customer_managed":{"encryption_type":"kms"}}}}})", CS_ETCD_PATH "/customer_managed/encryption_type"},
    {"etcd_visibility_Public", "{" ETCD R"({"customerManaged":{"kms":{"visibility":"Public"}}}}})",
     "{" CS_ETCD R"({"customer_managed":{"kms":{"visibility":"public"}}}}}})", CS_ETCD_PATH "/customer_managed/kms/visibility"},
    {"etcd_visibility_Private", "{" ETCD R"({"customerManaged":{"kms":{"visibility":"Private"}}}}})",
     "{" CS_ETCD R"({"customer_managed":{"kms":{"visibility":"private"}}}}}})", CS_ETCD_PATH "/customer_managed/kms/visibility"},
    {"etcd_key", "{" ETCD R"({"customerManaged":{"kms":{"vaultName":"v","activeKey":{"name":"k","version":"1"}}}}}})",
     "{" CS_ETCD R"({"customer_managed":{"kms":{"active_key":{"key_name":"k","key_vault_name":"v","key_version":"1"}}}}}}})",
     CS_ETCD_PATH "/customer_managed/kms/active_key"},
    {"clusterImageRegistry_Enabled", R"({"clusterImageRegistry":{"state":"Enabled"}})",
     R"({"image_registry":{"state":"enabled"}})", "/image_registry"},
    {"clusterImageRegistry_Disabled", R"({"clusterImageRegistry":{"state":"Disabled"}})",
     R"({"image_registry":{"state":"disabled"}})", "/image_registry"},
    {"nodeDrainTimeoutMinutes", R"({"nodeDrainTimeoutMinutes":30})",
     R"({"node_drain_grace_period":{"unit":"minutes","value":30}})", "/node_drain_grace_period"},
    {"autoscaling",
     R"({"autoscaling":{"maxNodesTotal":50,"maxPodGracePeriodSeconds":600,"maxNodeProvisionTimeSeconds":900,"podPriorityThreshold":-10}})",
     R"({"autoscaler":{"max_node_provision_time":"15m","max_pod_grace_period":600,"pod_priority_threshold":-10,"resource_limits":{"max_nodes_total":50}}})",
     "/autoscaler"},
    {"autoscaling_odd_seconds", R"({"autoscaling":{"maxNodeProvisionTimeSeconds":90}})",
     R"({"autoscaler":{"max_node_provision_time":"1.5m"}})", "/autoscaler"},
    {"imageDigestMirrors", R"({"imageDigestMirrors":[{"source":"quay.io/a","mirrors":["mirror.example/a"]}]})",
     R"({"registry_config":{"image_digest_mirrors":[{"source":"quay.io/a","mirrors":["mirror.example/a"]}]}})",
     "/registry_config"},
    {"ingress_type_Public", R"({"ingress":{"type":"Public"}})", R"({"ingresses":[{"default":true,"listening":"external"}]})",
     "/ingresses"},
    {"ingress_type_Private", R"({"ingress":{"type":"Private"}})", R"({"ingresses":[{"default":true,"listening":"internal"}]})",
     "/ingresses"},
    {"cryptoRestrictions_FIPS", R"({"cryptoRestrictions":"FIPS"})", R"({"fips":true})", "/fips"},
    {"cryptoRestrictions_None", R"({"cryptoRestrictions":"None"})", R"({"fips":false})", "/fips"},
};

using HCP_024_ClusterField = ::testing::TestWithParam<FieldCase>;
TEST_P(HCP_024_ClusterField, ToClusterService) {
  const value sent = cluster_to_cs(desired(GetParam().arm), options());
  EXPECT_EQ(at(sent, GetParam().cs_pointer), at(parsed(GetParam().cs), GetParam().cs_pointer));
  EXPECT_FALSE(at(sent, GetParam().cs_pointer).is_null());
}
TEST_P(HCP_024_ClusterField, FromClusterService) {
  EXPECT_EQ(value(cluster_from_cs(parsed(GetParam().cs).as_object())), parsed(GetParam().arm));
}
INSTANTIATE_TEST_SUITE_P(Table, HCP_024_ClusterField, ::testing::ValuesIn(kFields),
                         [](const auto& info) { return info.param.name; });

/// What a create says beside the properties.
struct SentCase {
  std::string name, pointer, expected;
};
void PrintTo(const SentCase& sent, std::ostream* out) { *out << sent.name; }
using HCP_024_ClusterIdentity = ::testing::TestWithParam<SentCase>;
TEST_P(HCP_024_ClusterIdentity, IsSent) {
  EXPECT_EQ(at(cluster_to_cs(desired("{}"), options()), GetParam().pointer), parsed(GetParam().expected));
}
INSTANTIATE_TEST_SUITE_P(
    Table, HCP_024_ClusterIdentity,
    ::testing::Values(
        SentCase{"name", "/name", R"("mycluster")"}, SentCase{"resource_name", "/azure/resource_name", R"("mycluster")"},
        SentCase{"subscription", "/azure/subscription_id", R"("0a1b")"},
        SentCase{"resource_group", "/azure/resource_group_name", R"("my-rg")"},
        SentCase{"tenant", "/azure/tenant_id", R"("tenant-1")"}, SentCase{"region", "/region", R"({"id":"westus3"})"},
        SentCase{"cloud_provider", "/cloud_provider", R"({"id":"azure"})"}, SentCase{"product", "/product", R"({"id":"aro"})"},
        SentCase{"flavour", "/flavour", R"({"id":"osd-4"})"}, SentCase{"hypershift", "/hypershift", R"({"enabled":true})"},
        SentCase{"ccs", "/ccs", R"({"enabled":true})"},
        SentCase{"identity_url", MI_PATH "/managed_identities_data_plane_identity_url", R"("https://identity.example")"},
        SentCase{"stamp_incarnation", "/properties/acceptd_incarnation", R"("11111111-2222-4333-8444-555555555555")"},
        SentCase{"stamp_operation", "/properties/acceptd_operation", R"("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee")"}),
    [](const auto& info) { return info.param.name; });

TEST(ClusterJson, HCP_024_EmptyValuesAreLeftOut) {
  const value sent = cluster_to_cs(
      desired(R"({"dns":{"baseDomainPrefix":""},"platform":{"networkSecurityGroupId":"","vnetIntegrationSubnetId":null}})"),
      options());
  EXPECT_EQ(at(sent, "/domain_prefix"), value());
  EXPECT_EQ(at(sent, "/azure/network_security_group_resource_id"), value());
  EXPECT_EQ(at(sent, "/azure/vnet_integration_subnet_resource_id"), value());
}

TEST(ClusterJson, HCP_024_TheVaultOfAnOlderApiVersionIsSentToo) {
  const value sent =
      cluster_to_cs(desired("{" ETCD R"({"customerManaged":{"kms":{"activeKey":{"vaultName":"old"}}}}}})"), options());
  EXPECT_EQ(at(sent, CS_ETCD_PATH "/customer_managed/kms/active_key/key_vault_name"), "old");
}

TEST(ClusterJson, HCP_024_ServerFlagsAndExperimentsBecomeProperties) {
  engine::Target target = desired(
      R"({"internal":{"experiments":{"cluster.single-replica":"true","cluster.size-override":"false",
          "cluster.control-plane-operator-image-override":"quay.io/x"}}})");
  target.tags = {{"aro-hcp.experimental.cluster.size-override", "Minimal"}};  // the type decides which of them count
  Options server = options();
  server.properties = {{"provisioner_noop_provision", "true"}};
  const value sent = at(cluster_to_cs(target, server), "/properties");
  EXPECT_EQ(
      sent,
      parsed(
          R"({"provisioner_noop_provision":"true","hosted_cluster_single_replica":"true","control_plane_operator_image":"quay.io/x",
                             "acceptd_incarnation":"11111111-2222-4333-8444-555555555555","acceptd_operation":"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"})"));
}

TEST(ClusterJson, HCP_024_TheIdentityUrlOfTheRequestGoesBeforeTheServers) {
  const value sent = cluster_to_cs(desired(R"({"internal":{"identityUrl":"https://front.door/mi"}})"), options());
  EXPECT_EQ(at(sent, "/azure/operators_authentication/managed_identities/managed_identities_data_plane_identity_url"),
            "https://front.door/mi");
  EXPECT_EQ(at(sent, "/internal"), value());
}

TEST(ClusterJson, HCP_024_WhatNobodySetsIsReadBack) {
  const auto cluster = parsed(
      R"({"api":{"url":"https://api.x:443","listening":"external"},"console":{"url":"https://console.x"},"dns":{"base_domain":"x.example"},
    "domain_prefix":"abc","azure":{"oidc_issuer_url":"https://oidc.x","managed_resource_group_name":"mrg","subnet_resource_id":"/s",
      "operators_authentication":{"managed_identities":{
        "control_plane_operators_managed_identities":{"kms":{"resource_id":"/mi/1","client_id":"c1","principal_id":"p1"},"odd":7},
        "data_plane_operators_managed_identities":{"disk":{"resource_id":"/mi/2","client_id":"c2"}},
        "service_managed_identity":{"resource_id":"/mi/3","client_id":"c3","principal_id":"p3"}}}}})");
  EXPECT_EQ(
      value(cluster_observed(cluster.as_object())),
      parsed(
          R"({"api":{"url":"https://api.x:443"},"console":{"url":"https://console.x"},"dns":{"baseDomain":"x.example","baseDomainPrefix":"abc"},
              "platform":{"issuerUrl":"https://oidc.x","managedResourceGroup":"mrg"},
              "identity":{"userAssignedIdentities":{"/mi/1":{"clientId":"c1","principalId":"p1"},"/mi/3":{"clientId":"c3","principalId":"p3"}}}})"));
}

// ---- updates -----------------------------------------------------------------------------------------------------------

TEST(ClusterJson, HCP_024_AnUpdateSendsWhatMayChangeAndDiffers) {
  const auto current = parsed(R"({"name":"mycluster","node_drain_grace_period":{"unit":"minutes","value":10.0},
    "api":{"url":"u","listening":"external","cidr_block_access":{"allow":{"mode":"allow_all"}}},"network":{"host_prefix":23},
    "properties":{"foreign":"kept","hosted_cluster_single_replica":"true","acceptd_operation":"00000000-0000-4000-8000-000000000000"},
    "autoscaler":{"max_node_provision_time":"15m","max_pod_grace_period":600}})");
  const engine::Target target = desired(R"({"nodeDrainTimeoutMinutes":20,"network":{"hostPrefix":24},
    "autoscaling":{"maxPodGracePeriodSeconds":600,"maxNodeProvisionTimeSeconds":900}})",
                                        RequestKind::update);
  EXPECT_EQ(value(cluster_patch(target, options(), current.as_object())),
            parsed(R"({"node_drain_grace_period":{"unit":"minutes","value":20},
              "properties":{"foreign":"kept","acceptd_operation":"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee","acceptd_incarnation":"11111111-2222-4333-8444-555555555555"}})"));
}

TEST(ClusterJson, HCP_024_AnUpdateClearsWhatWasTakenAway) {
  const auto current = parsed(
      R"({"node_drain_grace_period":{"unit":"minutes","value":10},"registry_config":{"image_digest_mirrors":[{"source":"a","mirrors":["b"]}]},
    "api":{"cidr_block_access":{"allow":{"mode":"allow_list","values":["1.2.3.4"]}}}})");
  value patch = cluster_patch(desired("{}", RequestKind::update), options(), current.as_object());
  patch.as_object().erase("properties");
  EXPECT_EQ(patch,
            parsed(R"({"node_drain_grace_period":{"unit":"minutes","value":0},"registry_config":{"image_digest_mirrors":[]},
                              "api":{"cidr_block_access":{"allow":{"mode":"allow_all"}}}})"));
}

TEST(ClusterJson, HCP_002_AnUpdateThatTheClusterHasAlreadyIsNotSentAgain) {
  const auto current = parsed(R"({"properties":{"acceptd_operation":"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"}})");
  EXPECT_TRUE(
      cluster_patch(desired(R"({"nodeDrainTimeoutMinutes":20})", RequestKind::update), options(), current.as_object()).empty());
}

// ---- garbage -----------------------------------------------------------------------------------------------------------

TEST(ClusterJson, DurationsThatAreNoneAreLeftOut) {
  for (const char* text : {"", "m", "15", "-5m", "15d", "1e400m", "nan", "15m5", "9999999999999h"}) {
    const object cluster{{"autoscaler", object{{"max_node_provision_time", text}}}};
    EXPECT_TRUE(cluster_from_cs(cluster).empty()) << text;
  }
}

/// Every member of a valid cluster in turn replaced by something of another type.
void replace_each(value& whole, value& part, const value& wrong, const std::function<void()>& check) {
  if (part.is_object()) {
    for (auto& member : part.get_object()) replace_each(whole, member.value(), wrong, check);
  } else if (part.is_array()) {
    for (value& item : part.get_array()) replace_each(whole, item, wrong, check);
  }
  value right = std::exchange(part, wrong);
  if (whole.is_object()) check();
  part = std::move(right);
}

TEST(ClusterJson, WrongTypesAnywhereAreSurvived) {
  value arm = object(), cs = object();
  for (const FieldCase& field : kFields) {
    for (auto& member : parsed(field.arm).as_object()) arm.as_object()[member.key()] = member.value();
    for (auto& member : parsed(field.cs).as_object()) cs.as_object()[member.key()] = member.value();
  }
  int cases = 0;
  for (const value& wrong : {value(), value(true), value(-7), value(1.5), value("text"), value(boost::json::array{1, nullptr}),
                             value(object{{"a", 1}})}) {
    replace_each(arm, arm, wrong, [&] {
      engine::Target target = BackendTest::target(RequestKind::create);
      target.desired = arm.as_object();
      cluster_to_cs(target, options());
      ++cases;
    });
    replace_each(cs, cs, wrong, [&] {
      cluster_from_cs(cs.as_object());
      cluster_observed(cs.as_object());
      cluster_patch(desired("{}", RequestKind::update), options(), cs.as_object());
      ++cases;
    });
  }
  EXPECT_GT(cases, 300);
}

RC_GTEST_PROP(ClusterJsonProperty, WhatIsSentReadsBackTheSame, ()) {
  const auto text = [] { return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))); };
  object arm{
      {"network", object{{"podCidr", text()}, {"hostPrefix", *rc::gen::inRange<std::int64_t>(0, 100)}}},
      {"nodeDrainTimeoutMinutes", *rc::gen::inRange<std::int64_t>(0, 10081)},
      {"autoscaling", object{{"maxNodeProvisionTimeSeconds", *rc::gen::inRange<std::int64_t>(0, 1'000'000)}}},
      {"imageDigestMirrors", boost::json::array()},
      {"version", object{{"id", "4.20.1"}, {"channelGroup", text()}}},
      {"platform", object{{"operatorsAuthentication",
                           object{{"userAssignedIdentities", object{{"controlPlaneOperators", object{{text(), text()}}},
                                                                    {"dataPlaneOperators", object{{text(), text()}}}}}}}}}};
  engine::Target target = BackendTest::target(RequestKind::create);
  target.desired = arm;
  const object back = cluster_from_cs(cluster_to_cs(target, options()));
  RC_ASSERT(value(back) == value(arm));
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
