#pragma once
/// A cluster type and a node pool type over a backend that is never asked, with bodies that are accepted as they are.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "model/json.hpp"
#include "types/hcp/descriptions.hpp"
#include "types/hcp/hcp.hpp"
#include "types/hcp/members.hpp"

namespace acceptd::types::hcp::testing {

inline constexpr std::string_view kSubscription = "11111111-1111-1111-1111-111111111111";

class NoBackend final : public engine::Provider {
 public:
  engine::ProviderTraits traits() const override { return {}; }
  engine::Task<engine::Submission> submit(engine::Target) override { co_return engine::Submission{}; }
  engine::Task<engine::Observation> observe(engine::Target) override { co_return engine::Observation{}; }
  engine::Task<engine::SearchResult> search(engine::Target) override { co_return engine::SearchResult{}; }
  engine::Task<model::Result<json::value>> result(engine::Target) override { co_return json::value(); }
};

/// ' stands for ", $S for the subscription's path.
inline json::object parsed(std::string text) {
  std::ranges::replace(text, '\'', '"');
  for (std::size_t at; (at = text.find("$S")) != std::string::npos;)
    text.replace(at, 2, fmt::format("/subscriptions/{}", kSubscription));
  auto value = model::parse_json(text);
  if (!value) throw std::runtime_error(value.error().reason + ": " + text);
  return value->get_object();
}

inline std::string identity(std::string_view name, std::string_view group = "bar") {
  return fmt::format("/subscriptions/{}/resourceGroups/{}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{}",
                     kSubscription, group, name);
}

/// One test's types. Bodies are changed by JSON merge patches.
class Types : public ::testing::Test {
 protected:
  static constexpr const char* kCluster2024 = R"({'location': 'here', 'tags': {}, 'properties': {
    'version': {'id': '4.20', 'channelGroup': 'stable'},
    'platform': {'managedResourceGroup': 'mrg',
      'networkSecurityGroupId': '$S/resourceGroups/bar/providers/Microsoft.Network/networkSecurityGroups/nsg',
      'subnetId': '$S/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/vnet/subnets/subnet'},
    'etcd': {'dataEncryption': {'keyManagementMode': 'CustomerManaged', 'customerManaged': {'encryptionType': 'KMS',
      'kms': {'activeKey': {'name': 'k', 'vaultName': 'v', 'version': '1'}}}}}}})";
  static constexpr const char* kTo2025 = R"({'properties': {
    'platform': {'vnetIntegrationSubnetId': '$S/resourceGroups/bar/providers/Microsoft.Network/virtualNetworks/vnet/subnets/integration'},
    'etcd': {'dataEncryption': {'customerManaged': {'kms': {'vaultName': 'v', 'activeKey': {'vaultName': null}}}}}}})";
  static constexpr const char* kNodePool = R"({'location': 'here', 'tags': {}, 'properties': {
    'autoScaling': {'min': 1, 'max': 5}, 'platform': {'vmSize': 'Standard_D8s_v3'}, 'version': {'id': '4.20.8'}}})";

  static const engine::ResourceType& cluster() { return *types()[0]; }
  static const engine::ResourceType& node_pool() { return *types()[1]; }

  static model::ResourceId cluster_id(std::string_view name = "Cluster1") {
    return *model::ResourceId::parse(
        fmt::format("/subscriptions/{}/resourceGroups/Group/providers/{}/{}", kSubscription, kClusterType, name));
  }
  static model::ResourceId node_pool_id(std::string_view name = "pool1") {
    return *model::ResourceId::parse(fmt::format("{}/nodePools/{}", cluster_id().text(), name));
  }

  static json::object patched(json::object body, const std::string& patch) {
    json::value value = std::move(body);
    model::merge_patch(value, parsed(patch));
    return value.get_object();
  }
  static json::object cluster_body(std::string_view version, const std::string& patch = "{}") {
    return patched(version == kVersion2024 ? parsed(kCluster2024) : patched(parsed(kCluster2024), kTo2025), patch);
  }
  static json::object node_pool_body(const std::string& patch = "{}") { return patched(parsed(kNodePool), patch); }

  model::Result<engine::Desired> build(const engine::ResourceType& type, const model::ResourceId& id, std::string_view version,
                                       const json::object& body, const model::Resource* existing = nullptr,
                                       const model::Resource* parent = nullptr, bool patch = false) const {
    const engine::BuildInput input{.id = id,
                                   .api_version = version,
                                   .body = body,
                                   .existing = existing,
                                   .parent = parent,
                                   .patch = patch,
                                   .tenant = "tenant",
                                   .region = "here",
                                   .generated = generated_};
    return type.build(input);
  }
  /// The resource that a successful create leaves behind.
  static model::Resource resource(const model::ResourceId& id, const engine::Desired& desired) {
    model::Resource resource;
    resource.id = id;
    resource.provisioning_state = model::Status::succeeded;
    resource.location = desired.location;
    resource.identity = desired.identity;
    resource.tags = desired.tags;
    resource.desired = desired.properties;
    resource.api_version = desired.api_version;
    return resource;
  }
  model::Resource made_cluster(std::string_view version = kVersion2025, const std::string& patch = "{}") const {
    const auto desired = build(cluster(), cluster_id(), version, cluster_body(version, patch));
    if (!desired) throw std::runtime_error(shown(desired)[0]);
    return resource(cluster_id(), *desired);
  }
  model::Resource made_node_pool(std::string_view version = kVersion2025, const std::string& patch = "{}") const {
    const model::Resource parent = made_cluster();
    const auto desired = build(node_pool(), node_pool_id(), version, node_pool_body(patch), nullptr, &parent);
    if (!desired) throw std::runtime_error(shown(desired)[0]);
    return resource(node_pool_id(), *desired);
  }

  /// "target|message" of every error.
  static std::vector<std::string> shown(const model::Result<engine::Desired>& result) {
    if (result) return {};
    const model::Error& error = result.error();
    if (error.details.empty()) return {error.target + "|" + error.message};
    std::vector<std::string> out;
    for (const model::Error& detail : error.details) out.push_back(detail.target + "|" + detail.message);
    return out;
  }

  std::vector<std::string> create_cluster(const std::string& patch, std::string_view version = kVersion2025) const {
    return shown(build(cluster(), cluster_id(), version, cluster_body(version, patch)));
  }
  std::vector<std::string> update_cluster(const model::Resource& existing, const std::string& patch,
                                          std::string_view version = kVersion2025, bool merge = false) const {
    json::object body = cluster().render(existing, version);
    return shown(build(cluster(), cluster_id(), version, patched(std::move(body), patch), &existing, nullptr, merge));
  }
  std::vector<std::string> create_node_pool(const std::string& patch, std::string_view version = kVersion2025) const {
    const model::Resource parent = made_cluster();
    return shown(build(node_pool(), node_pool_id(), version, node_pool_body(patch), nullptr, &parent));
  }
  std::vector<std::string> update_node_pool(const model::Resource& existing, const std::string& patch,
                                            std::string_view version = kVersion2025) const {
    const model::Resource parent = made_cluster();
    return shown(
        build(node_pool(), node_pool_id(), version, patched(node_pool().render(existing, version), patch), &existing, &parent));
  }

 private:
  /// Immutable: made once for all tests.
  static const std::vector<std::unique_ptr<engine::ResourceType>>& types() {
    static NoBackend backend;
    static const auto kTypes = make_types({}, backend, backend);
    return kTypes;
  }
  model::Uuid generated_ = *model::parse_uuid("0a1b2c3d-4e5f-4061-8283-a4b5c6d7e8f9");
};

}  // namespace acceptd::types::hcp::testing
