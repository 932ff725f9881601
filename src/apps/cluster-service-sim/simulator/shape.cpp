#include "apps/cluster-service-sim/simulator/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/cluster-service-sim/simulator/search.hpp"

namespace acceptd::simulator {
namespace {

#define ACCEPTD_IDENTITIES "azure.operators_authentication.managed_identities."
#define ACCEPTD_ENCRYPTION "azure.etcd_encryption.data_encryption."

constexpr std::array kClusterFields{
    Field{"name"},
    Field{"domain_prefix"},
    Field{"region.id"},
    Field{"cloud_provider.id"},
    Field{"product.id"},
    Field{"flavour.id"},
    Field{"hypershift.enabled", Type::boolean},
    Field{"ccs.enabled", Type::boolean},
    Field{"multi_az", Type::boolean},
    Field{"fips", Type::boolean},
    Field{"version.id"},
    Field{"version.channel_group"},
    Field{"network.type"},
    Field{"network.pod_cidr"},
    Field{"network.service_cidr"},
    Field{"network.machine_cidr"},
    Field{"network.host_prefix", Type::integer},
    Field{"api.listening"},
    Field{"api.cidr_block_access", Type::object, true},
    Field{"azure.subscription_id"},
    Field{"azure.tenant_id"},
    Field{"azure.resource_group_name"},
    Field{"azure.resource_name"},
    Field{"azure.managed_resource_group_name"},
    Field{"azure.subnet_resource_id"},
    Field{"azure.network_security_group_resource_id"},
    Field{"azure.vnet_integration_subnet_resource_id"},
    Field{"azure.nodes_outbound_connectivity.outbound_type"},
    Field{ACCEPTD_IDENTITIES "managed_identities_data_plane_identity_url"},
    Field{ACCEPTD_IDENTITIES "control_plane_operators_managed_identities", Type::object},
    Field{ACCEPTD_IDENTITIES "data_plane_operators_managed_identities", Type::object},
    Field{ACCEPTD_IDENTITIES "service_managed_identity", Type::object},
    Field{ACCEPTD_ENCRYPTION "key_management_mode"},
    Field{ACCEPTD_ENCRYPTION "customer_managed.encryption_type"},
    Field{ACCEPTD_ENCRYPTION "customer_managed.kms.visibility"},
    Field{ACCEPTD_ENCRYPTION "customer_managed.kms.active_key.key_name"},
    Field{ACCEPTD_ENCRYPTION "customer_managed.kms.active_key.key_vault_name"},
    Field{ACCEPTD_ENCRYPTION "customer_managed.kms.active_key.key_version", Type::string, true},
    Field{"image_registry.state"},
    Field{"node_drain_grace_period.unit", Type::string, true},
    Field{"node_drain_grace_period.value", Type::integer, true},
    Field{"autoscaler.max_node_provision_time", Type::string, true},
    Field{"autoscaler.max_pod_grace_period", Type::integer, true},
    Field{"autoscaler.pod_priority_threshold", Type::integer, true},
    Field{"autoscaler.resource_limits.max_nodes_total", Type::integer, true},
    Field{"ingresses", Type::array},
    Field{"registry_config.image_digest_mirrors", Type::array, true},
    Field{"properties", Type::string_map, true},
};

constexpr std::array kNodePoolFields{
    Field{"id"},
    Field{"version.id"},
    Field{"version.channel_group"},
    Field{"subnet"},
    Field{"availability_zone"},
    Field{"auto_repair", Type::boolean},
    Field{"azure_node_pool.resource_name"},
    Field{"azure_node_pool.vm_size"},
    Field{"azure_node_pool.encryption_at_host.state"},
    Field{"azure_node_pool.os_disk.size_gibibytes", Type::integer},
    Field{"azure_node_pool.os_disk.storage_account_type"},
    Field{"azure_node_pool.os_disk.persistence"},
    Field{"azure_node_pool.os_disk.sse_encryption_set_resource_id"},
    Field{"azure_node_pool.os_disk_size_gibibytes", Type::integer},
    Field{"azure_node_pool.os_disk_storage_account_type"},
    Field{"labels", Type::string_map, true},
    Field{"replicas", Type::integer, true},
    Field{"autoscaling.min_replica", Type::integer, true},
    Field{"autoscaling.max_replica", Type::integer, true},
    Field{"taints", Type::array, true},
    Field{"node_drain_grace_period.unit", Type::string, true},
    Field{"node_drain_grace_period.value", Type::integer, true},
};

#undef ACCEPTD_IDENTITIES
#undef ACCEPTD_ENCRYPTION

constexpr std::array<std::string_view, 6> kTypeNames{"a string",  "an integer", "a boolean",
                                                     "an object", "a list",     "an object of strings"};

bool has_type(const json::value& value, Type type) {
  switch (type) {
    case Type::string: return value.is_string();
    case Type::integer:
      return value.is_int64() ||
             (value.is_double() && value.get_double() == static_cast<double>(static_cast<std::int64_t>(value.get_double())));
    case Type::boolean: return value.is_bool();
    case Type::object: return value.is_object();
    case Type::array: return value.is_array();
    case Type::string_map:
      return value.is_object() &&
             std::ranges::all_of(value.get_object(), [](const auto& member) { return member.value().is_string(); });
  }
  return false;
}

Refusal wrong_type(std::string_view path, std::string_view expected) {
  return {400, fmt::format("Attribute '{}' must be {}", path, expected)};
}

/// The parents of `path` in `body` must be objects, or it would be a type error that value_at does not tell from
/// absence.
Result<void> check_parents(const json::object& body, std::string_view path) {
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
    const json::value* parent = value_at(body, path.substr(0, dot));
    if (parent == nullptr || parent->is_null()) return {};
    if (!parent->is_object()) return std::unexpected(wrong_type(path.substr(0, dot), "an object"));
  }
  return {};
}

void put_at(json::object& object, std::string_view path, json::value value) {
  json::object* parent = &object;
  std::size_t dot = 0;
  while ((dot = path.find('.')) != std::string_view::npos) {
    json::value& next = (*parent)[path.substr(0, dot)];
    parent = next.is_object() ? &next.get_object() : &next.emplace_object();
    path.remove_prefix(dot + 1);
  }
  (*parent)[path] = std::move(value);
}

}  // namespace

std::span<const Field> cluster_fields() { return kClusterFields; }
std::span<const Field> node_pool_fields() { return kNodePoolFields; }

Result<json::object> parse_body(std::string_view text) {
  if (text.empty()) return json::object();
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error) return std::unexpected(Refusal{400, "The request body is not valid JSON: " + error.message()});
  if (!value.is_object()) return std::unexpected(Refusal{400, "The request body must be a JSON object"});
  return std::move(value.get_object());
}

Result<json::object> known_members(const json::object& body, std::span<const Field> fields) {
  json::object known;
  for (const Field& field : fields) {
    if (auto parents = check_parents(body, field.path); !parents) return std::unexpected(parents.error());
    const json::value* value = value_at(body, field.path);
    if (value == nullptr || value->is_null()) continue;
    if (!has_type(*value, field.type))
      return std::unexpected(wrong_type(field.path, kTypeNames[static_cast<std::size_t>(field.type)]));
    put_at(known, field.path, *value);
  }
  return known;
}

Result<void> merge(json::object& stored, const json::object& patch, std::span<const Field> fields) {
  for (const Field& field : fields) {
    const json::value* value = value_at(patch, field.path);
    if (value == nullptr) continue;
    if (field.changeable) {
      put_at(stored, field.path, *value);
      continue;
    }
    const json::value* present = value_at(stored, field.path);
    if (present == nullptr || *present != *value)
      return std::unexpected(Refusal{400, fmt::format("Attribute '{}' cannot be changed", field.path)});
  }
  // A node pool has a fixed size or scales by itself; who names the one gives up the other.
  if (patch.contains("replicas") && !patch.contains("autoscaling")) stored.erase("autoscaling");
  if (patch.contains("autoscaling") && !patch.contains("replicas")) stored.erase("replicas");
  return {};
}

}  // namespace acceptd::simulator
