#include "providers/cluster_service/node_pool_json.hpp"

#include "fake_backend.hpp"

namespace acceptd::providers::cluster_service {
namespace {

using boost::json::object;
using boost::json::value;
using model::RequestKind;

engine::Target desired(std::string_view properties, RequestKind request = RequestKind::create) {
  engine::Target target = BackendTest::target(request, std::string(BackendTest::kClusterId) + "/nodePools/Pool-1");
  target.desired = parsed(properties).as_object();
  return target;
}

struct FieldCase {
  std::string name, arm, cs, cs_pointer;
};
void PrintTo(const FieldCase& field, std::ostream* out) { *out << field.name; }

const std::vector<FieldCase> kFields{
    {"version", R"({"version":{"id":"4.20.8","channelGroup":"fast"}})",
     R"({"version":{"id":"openshift-v4.20.8-fast","channel_group":"fast"}})", "/version"},
    {"subnetId", R"({"platform":{"subnetId":"/s"}})", R"({"subnet":"/s"})", "/subnet"},
    {"availabilityZone", R"({"platform":{"availabilityZone":"2"}})", R"({"availability_zone":"2"})", "/availability_zone"},
    {"autoRepair_true", R"({"autoRepair":true})", R"({"auto_repair":true})", "/auto_repair"},
    {"autoRepair_false", R"({"autoRepair":false})", R"({"auto_repair":false})", "/auto_repair"},
    {"vmSize", R"({"platform":{"vmSize":"Standard_D8s_v3"}})", R"({"azure_node_pool":{"vm_size":"Standard_D8s_v3"}})",
     "/azure_node_pool/vm_size"},
    {"encryptionAtHost_enabled", R"({"platform":{"enableEncryptionAtHost":true}})",
     R"({"azure_node_pool":{"encryption_at_host":{"state":"enabled"}}})", "/azure_node_pool/encryption_at_host"},
    {"encryptionAtHost_disabled", R"({"platform":{"enableEncryptionAtHost":false}})",
     R"({"azure_node_pool":{"encryption_at_host":{"state":"disabled"}}})", "/azure_node_pool/encryption_at_host"},
    {"osDisk_sizeGiB", R"({"platform":{"osDisk":{"sizeGiB":64}}})", R"({"azure_node_pool":{"os_disk":{"size_gibibytes":64}}})",
     "/azure_node_pool/os_disk/size_gibibytes"},
    {"osDisk_storageAccountType", R"({"platform":{"osDisk":{"diskStorageAccountType":"Premium_LRS"}}})",
     R"({"azure_node_pool":{"os_disk":{"storage_account_type":"Premium_LRS"}}})",
     "/azure_node_pool/os_disk/storage_account_type"},
    {"osDisk_Managed", R"({"platform":{"osDisk":{"diskType":"Managed"}}})",
     R"({"azure_node_pool":{"os_disk":{"persistence":"persistent"}}})", "/azure_node_pool/os_disk/persistence"},
    {"osDisk_Ephemeral", R"({"platform":{"osDisk":{"diskType":"Ephemeral"}}})",
     R"({"azure_node_pool":{"os_disk":{"persistence":"ephemeral"}}})", "/azure_node_pool/os_disk/persistence"},
    {"osDisk_encryptionSetId", R"({"platform":{"osDisk":{"encryptionSetId":"/des"}}})",
     R"({"azure_node_pool":{"os_disk":{"sse_encryption_set_resource_id":"/des"}}})",
     "/azure_node_pool/os_disk/sse_encryption_set_resource_id"},
    {"replicas", R"({"replicas":3})", R"({"replicas":3})", "/replicas"},
    {"autoScaling", R"({"autoScaling":{"min":1,"max":5}})", R"({"autoscaling":{"min_replica":1,"max_replica":5}})",
     "/autoscaling"},
    {"labels", R"({"labels":[{"key":"a","value":"1"},{"key":"b.example/c","value":""}]})",
     R"({"labels":{"a":"1","b.example/c":""}})", "/labels"},
    {"taints", R"({"taints":[{"effect":"NoSchedule","key":"k","value":"v"},{"effect":"NoExecute","key":"k2"}]})",
     R"({"taints":[{"effect":"NoSchedule","key":"k","value":"v"},{"effect":"NoExecute","key":"k2"}]})", "/taints"},
    {"nodeDrainTimeoutMinutes", R"({"nodeDrainTimeoutMinutes":5})", R"({"node_drain_grace_period":{"unit":"minutes","value":5}})",
     "/node_drain_grace_period"},
};

using HCP_024_NodePoolField = ::testing::TestWithParam<FieldCase>;
TEST_P(HCP_024_NodePoolField, ToClusterService) {
  const value sent = node_pool_to_cs(desired(GetParam().arm));
  EXPECT_EQ(at(sent, GetParam().cs_pointer), at(parsed(GetParam().cs), GetParam().cs_pointer));
  EXPECT_FALSE(at(sent, GetParam().cs_pointer).is_null());
}
TEST_P(HCP_024_NodePoolField, FromClusterService) {
  EXPECT_EQ(value(node_pool_from_cs(parsed(GetParam().cs).as_object())), parsed(GetParam().arm));
}
INSTANTIATE_TEST_SUITE_P(Table, HCP_024_NodePoolField, ::testing::ValuesIn(kFields),
                         [](const auto& info) { return info.param.name; });

TEST(NodePoolJson, HCP_024_NameKindAndStampAreSent) {
  const value sent = node_pool_to_cs(desired("{}"));
  EXPECT_EQ(at(sent, "/kind"), "NodePool");
  EXPECT_EQ(at(sent, "/id"), "pool-1");
  EXPECT_EQ(at(sent, "/azure_node_pool/resource_name"), "pool-1");
  EXPECT_EQ(at(sent, "/azure_node_pool/tags/acceptd_incarnation"), boost::json::value(BackendTest::kIncarnation));
  EXPECT_EQ(at(sent, "/azure_node_pool/tags/acceptd_operation"), boost::json::value(BackendTest::kOperation));
}

TEST(NodePoolJson, HCP_024_ReplicasAndAutoscalingExcludeEachOther) {
  EXPECT_EQ(at(node_pool_to_cs(desired(R"({"autoScaling":{"min":1,"max":5}})")), "/replicas"), value());
  EXPECT_EQ(at(node_pool_to_cs(desired(R"({"replicas":2})")), "/autoscaling"), value());
  EXPECT_EQ(at(node_pool_to_cs(desired("{}")), "/replicas"), 0);
}

TEST(NodePoolJson, HCP_024_TheFlatDiskOfTheReferenceEraIsRead) {
  const auto flat = parsed(R"({"azure_node_pool":{"os_disk_size_gibibytes":128,"os_disk_storage_account_type":"Standard_LRS"}})");
  EXPECT_EQ(value(node_pool_from_cs(flat.as_object())),
            parsed(R"({"platform":{"osDisk":{"sizeGiB":128,"diskStorageAccountType":"Standard_LRS"}}})"));
}

TEST(NodePoolJson, HCP_024_AnUpdateSendsWhatMayChangeAndDiffers) {
  const auto current = parsed(R"({"replicas":2,"labels":{"a":"1","b":"2"},"taints":[],"azure_node_pool":{"vm_size":"x"}})");
  const auto patch = node_pool_patch(
      desired(R"({"replicas":3,"labels":[{"key":"a","value":"1"}],"platform":{"vmSize":"y"}})", RequestKind::update),
      current.as_object());
  EXPECT_EQ(value(patch), parsed(R"({"labels":{"a":"1"},"replicas":3})"));
}

TEST(NodePoolJson, HCP_024_AnUpdateMaySwitchToAutoscaling) {
  const auto patch = node_pool_patch(desired(R"({"autoScaling":{"min":1,"max":5}})", RequestKind::update), {{"replicas", 2}});
  EXPECT_EQ(value(patch), parsed(R"({"autoscaling":{"min_replica":1,"max_replica":5}})"));
}

TEST(NodePoolJson, AnUpdateWithoutADifferenceIsEmpty) {
  const auto current = parsed(R"({"replicas":2.0,"labels":{"a":"1"}})");
  EXPECT_TRUE(
      node_pool_patch(desired(R"({"replicas":2,"labels":[{"key":"a","value":"1"}]})", RequestKind::update), current.as_object())
          .empty());
}

TEST(NodePoolJson, WrongTypesAreSurvived) {
  for (const char* wrong : {"7", "\"x\"", "[1,null]", "{\"a\":{}}", "true", "null", "1.5"})
    for (const char* member : {"version", "platform", "labels", "taints", "autoScaling", "autoscaling", "replicas",
                               "azure_node_pool", "node_drain_grace_period", "nodeDrainTimeoutMinutes", "subnet", "autoRepair"}) {
      const object odd{{member, parsed(wrong)}};
      engine::Target target = desired("{}");
      target.desired = odd;
      EXPECT_EQ(at(node_pool_to_cs(target), "/id"), "pool-1");
      node_pool_from_cs(odd);
      node_pool_patch(target, odd);
      node_pool_observed(odd);
    }
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
