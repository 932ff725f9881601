#include "providers/cluster_service/cluster_json.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "model/json.hpp"
#include "model/resource_id.hpp"
#include "model/uuid.hpp"
#include "providers/cluster_service/field_map.hpp"

namespace acceptd::providers::cluster_service {

namespace {

constexpr std::string_view kFlavour = "osd-4";
constexpr std::string_view kVersionPrefix = "openshift-v";
constexpr std::string_view kDefaultChannel = "stable";

constexpr std::array kListening{Spelling{"Public", "external"}, Spelling{"Private", "internal"}};
constexpr std::array kOutbound{Spelling{"LoadBalancer", "load_balancer"}};
constexpr std::array kKeyManagement{Spelling{"CustomerManaged", "customer_managed"},
                                    Spelling{"PlatformManaged", "platform_managed"}};
constexpr std::array kEncryptionType{Spelling{"KMS", "kms"}};
constexpr std::array kVaultVisibility{Spelling{"Public", "public"}, Spelling{"Private", "private"}};
constexpr std::array kRegistryState{Spelling{"Enabled", "enabled"}, Spelling{"Disabled", "disabled"}};

/// Set at creation, for good.
constexpr std::array kFixed{
    FieldRow{"version.channelGroup", "version.channel_group"},
    FieldRow{"dns.baseDomainPrefix", "domain_prefix"},
    FieldRow{"network.networkType", "network.type"},
    FieldRow{"network.podCidr", "network.pod_cidr"},
    FieldRow{"network.serviceCidr", "network.service_cidr"},
    FieldRow{"network.machineCidr", "network.machine_cidr"},
    FieldRow{"network.hostPrefix", "network.host_prefix"},
    FieldRow{"api.visibility", "api.listening", kListening},
    FieldRow{"platform.managedResourceGroup", "azure.managed_resource_group_name"},
    FieldRow{"platform.subnetId", "azure.subnet_resource_id"},
    FieldRow{"platform.networkSecurityGroupId", "azure.network_security_group_resource_id"},
    FieldRow{"platform.vnetIntegrationSubnetId", "azure.vnet_integration_subnet_resource_id"},
    FieldRow{"platform.outboundType", "azure.nodes_outbound_connectivity.outbound_type", kOutbound},
    FieldRow{"etcd.dataEncryption.keyManagementMode", "azure.etcd_encryption.data_encryption.key_management_mode",
             kKeyManagement},
    FieldRow{"etcd.dataEncryption.customerManaged.encryptionType",
             "azure.etcd_encryption.data_encryption.customer_managed.encryption_type", kEncryptionType},
    FieldRow{"etcd.dataEncryption.customerManaged.kms.visibility",
             "azure.etcd_encryption.data_encryption.customer_managed.kms.visibility", kVaultVisibility},
    FieldRow{"etcd.dataEncryption.customerManaged.kms.activeKey.name",
             "azure.etcd_encryption.data_encryption.customer_managed.kms.active_key.key_name"},
    FieldRow{"etcd.dataEncryption.customerManaged.kms.vaultName",
             "azure.etcd_encryption.data_encryption.customer_managed.kms.active_key.key_vault_name"},
    FieldRow{"clusterImageRegistry.state", "image_registry.state", kRegistryState},
};

constexpr std::array kChangeable{
    FieldRow{"etcd.dataEncryption.customerManaged.kms.activeKey.version",
             "azure.etcd_encryption.data_encryption.customer_managed.kms.active_key.key_version"},
    FieldRow{"autoscaling.maxPodGracePeriodSeconds", "autoscaler.max_pod_grace_period"},
    FieldRow{"autoscaling.podPriorityThreshold", "autoscaler.pod_priority_threshold"},
    FieldRow{"autoscaling.maxNodesTotal", "autoscaler.resource_limits.max_nodes_total"},
};

/// Nobody sets these.
constexpr std::array kReported{
    FieldRow{"api.url", "api.url"},
    FieldRow{"console.url", "console.url"},
    FieldRow{"dns.baseDomain", "dns.base_domain"},
    FieldRow{"platform.issuerUrl", "azure.oidc_issuer_url"},
};
/// Generated where the caller left them out.
constexpr std::array kGenerated{
    FieldRow{"dns.baseDomainPrefix", "domain_prefix"},
    FieldRow{"platform.managedResourceGroup", "azure.managed_resource_group_name"},
};

/// Experiments and the cluster properties that switch them on. Which ones apply, the type has decided.
constexpr std::string_view kExperiments = "internal.experiments";
constexpr std::array kExperimentProperties{
    std::pair<std::string_view, std::string_view>{"cluster.single-replica", "hosted_cluster_single_replica"},
    std::pair<std::string_view, std::string_view>{"cluster.size-override", "hosted_cluster_size_override"},
    std::pair<std::string_view, std::string_view>{"cluster.control-plane-operator-image-override",
                                                  "control_plane_operator_image"},
};

/// Where the managed identities of this cluster are served, as the front door said when it was created.
constexpr std::string_view kIdentityUrl = "internal.identityUrl";

constexpr std::string_view kIdentitiesArm = "platform.operatorsAuthentication.userAssignedIdentities";
constexpr std::string_view kIdentitiesCs = "azure.operators_authentication.managed_identities";
constexpr std::string_view kControlPlane = "control_plane_operators_managed_identities";
constexpr std::string_view kDataPlane = "data_plane_operators_managed_identities";
constexpr std::string_view kService = "service_managed_identity";

// ---- ARM -> Cluster Service ----------------------------------------------------------------------------------------

json::object operators_to_cs(const json::object& identities, std::string_view member) {
  json::object operators;
  if (const json::object* named = members_at(identities, member))
    for (const auto& entry : *named)
      if (entry.value().is_string()) operators[entry.key()] = json::object{{"resource_id", entry.value()}};
  return operators;
}

void put_identities(const json::object& arm, const Options& options, json::object& cs) {
  json::object managed;
  std::string_view identity_url = text_at(arm, kIdentityUrl);
  if (identity_url.empty()) identity_url = options.identity_url;
  if (!identity_url.empty()) managed["managed_identities_data_plane_identity_url"] = identity_url;
  if (const json::object* identities = members_at(arm, kIdentitiesArm)) {
    managed[kControlPlane] = operators_to_cs(*identities, "controlPlaneOperators");
    managed[kDataPlane] = operators_to_cs(*identities, "dataPlaneOperators");
    if (const std::string_view service = text_at(*identities, "serviceManagedIdentity"); !service.empty())
      managed[kService] = json::object{{"resource_id", service}};
  }
  if (!managed.empty()) put_at(cs, kIdentitiesCs, std::move(managed));
}

void put_access(const json::object& arm, json::object& cs) {
  json::object allow{{"mode", "allow_all"}};
  if (const json::array* cidrs = items_at(arm, "api.authorizedCidrs"); cidrs && !cidrs->empty())
    allow = json::object{{"mode", "allow_list"}, {"values", *cidrs}};
  put_at(cs, "api.cidr_block_access.allow", std::move(allow));
}

void put_mirrors(const json::object& arm, json::object& cs) {
  json::array mirrors;
  if (const json::array* wanted = items_at(arm, "imageDigestMirrors"))
    for (const json::value& mirror : *wanted)
      if (const json::object* members = mirror.if_object()) {
        json::object sent;
        for (const std::string_view name : {"source", "mirrors"})
          if (const json::value* value = value_at(*members, name)) sent[name] = *value;
        mirrors.push_back(std::move(sent));
      }
  put_at(cs, "registry_config.image_digest_mirrors", std::move(mirrors));
}

json::object properties_to_cs(const engine::Target& target, const Options& options) {
  json::object properties = options.properties;
  if (const json::object* experiments = members_at(target.desired, kExperiments))
    for (const auto& [experiment, property] : kExperimentProperties) {
      const std::string_view value = model::string_at(*experiments, experiment);
      if (!value.empty() && value != "false") properties[property] = value;
    }
  properties[kStampIncarnation] = model::to_string(target.incarnation);
  properties[kStampOperation] = model::to_string(target.operation);
  return properties;
}

/// What an update may change, the stamp apart. Absent properties are sent as their neutral value: a PATCH must clear them.
json::object changeable_to_cs(const json::object& arm) {
  json::object cs;
  copy_to_cs(kChangeable, arm, cs);
  if (const auto seconds = whole_at(arm, "autoscaling.maxNodeProvisionTimeSeconds"))
    put_text(cs, "autoscaler.max_node_provision_time", fmt::format("{}m", static_cast<double>(*seconds) / 60));
  const std::int64_t drain = whole_at(arm, "nodeDrainTimeoutMinutes").value_or(0);
  cs["node_drain_grace_period"] = json::object{{"unit", "minutes"}, {"value", drain}};
  put_access(arm, cs);
  put_mirrors(arm, cs);
  return cs;
}

// ---- Cluster Service -> ARM ----------------------------------------------------------------------------------------

/// "15m", "1.5m", "90s", "1h30m" in seconds, as Go writes durations; nullopt for anything else.
std::optional<std::int64_t> duration_seconds(std::string_view text) {
  double seconds = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count, std::chars_format::fixed);
    if (error != std::errc() || end == text.data() + text.size() || count < 0) return std::nullopt;
    const double unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : *end == 's' ? 1 : 0;
    if (unit == 0) return std::nullopt;
    seconds += count * unit;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
  constexpr double kYear = 366.0 * 24 * 3600;
  if (!(seconds <= kYear)) return std::nullopt;
  return std::llround(seconds);
}

void take_identities(const json::object& cs, json::object& arm) {
  const json::object* managed = members_at(cs, kIdentitiesCs);
  if (!managed) return;
  json::object identities;
  for (const auto& [from, to] : {std::pair{kControlPlane, "controlPlaneOperators"}, std::pair{kDataPlane, "dataPlaneOperators"}})
    if (const json::object* operators = members_at(*managed, from)) {
      json::object named;
      for (const auto& entry : *operators)
        if (const json::object* identity = entry.value().if_object(); identity && !text_at(*identity, "resource_id").empty())
          named[entry.key()] = text_at(*identity, "resource_id");
      identities[to] = std::move(named);
    }
  if (const std::string_view service = text_at(*managed, "service_managed_identity.resource_id"); !service.empty())
    identities["serviceManagedIdentity"] = service;
  if (!identities.empty()) put_at(arm, kIdentitiesArm, std::move(identities));
}

void add_principal(const json::object* identity, json::object& principals) {
  if (!identity || text_at(*identity, "resource_id").empty()) return;
  json::object shown;
  if (const std::string_view client = text_at(*identity, "client_id"); !client.empty()) shown["clientId"] = client;
  if (const std::string_view principal = text_at(*identity, "principal_id"); !principal.empty()) shown["principalId"] = principal;
  if (!shown.empty()) principals[text_at(*identity, "resource_id")] = std::move(shown);
}

}  // namespace

std::string version_to_cs(std::string_view version, std::string_view channel) {
  std::string id = fmt::format("{}{}", kVersionPrefix, version);
  if (!channel.empty() && channel != kDefaultChannel) id += fmt::format("-{}", channel);
  return id;
}

std::string version_from_cs(std::string_view version, std::string_view channel) {
  if (version.starts_with(kVersionPrefix)) version.remove_prefix(kVersionPrefix.size());
  const std::string suffix = fmt::format("-{}", channel);
  if (!channel.empty() && version.ends_with(suffix)) version.remove_suffix(suffix.size());
  return std::string(version);
}

json::object cluster_to_cs(const engine::Target& target, const Options& options) {
  const json::object& arm = target.desired;
  const std::string name = model::to_lower(target.id.name());
  json::object cs = changeable_to_cs(arm);
  copy_to_cs(kFixed, arm, cs);
  cs["name"] = name;
  cs["region"] = json::object{{"id", options.region}};
  cs["cloud_provider"] = json::object{{"id", "azure"}};
  cs["product"] = json::object{{"id", "aro"}};
  cs["flavour"] = json::object{{"id", kFlavour}};
  cs["hypershift"] = json::object{{"enabled", true}};
  cs["ccs"] = json::object{{"enabled", true}};
  put_text(cs, "azure.resource_name", name);
  put_text(cs, "azure.subscription_id", model::to_lower(target.id.subscription()));
  put_text(cs, "azure.resource_group_name", model::to_lower(target.id.resource_group()));
  put_text(cs, "azure.tenant_id", target.tenant);
  if (const std::string_view version = text_at(arm, "version.id"); !version.empty())
    put_text(cs, "version.id", version_to_cs(version, text_at(arm, "version.channelGroup")));
  // The vault lay beside the key in older API versions.
  if (const std::string_view vault = text_at(arm, "etcd.dataEncryption.customerManaged.kms.activeKey.vaultName"); !vault.empty())
    put_text(cs, "azure.etcd_encryption.data_encryption.customer_managed.kms.active_key.key_vault_name", vault);
  put_identities(arm, options, cs);
  if (const std::string_view type = text_at(arm, "ingress.type"); !type.empty())
    cs["ingresses"] = json::array{json::object{{"default", true}, {"listening", type == "Private" ? "internal" : "external"}}};
  if (const std::string_view crypto = text_at(arm, "cryptoRestrictions"); !crypto.empty()) cs["fips"] = crypto == "FIPS";
  cs["properties"] = properties_to_cs(target, options);
  return cs;
}

json::object cluster_patch(const engine::Target& target, const Options& options, const json::object& current) {
  const json::object* known = members_at(current, "properties");
  // It was sent before and only the answer was lost: sent again, it would be refused while the cluster updates.
  if (known && text_at(*known, kStampOperation) == model::to_string(target.operation)) return {};
  json::object patch;
  for (auto& member : changeable_to_cs(target.desired))
    if (!says_the_same(member.value(), current.if_contains(member.key()))) patch[member.key()] = std::move(member.value());
  // Whether a PATCH merges or replaces this map is not documented: sending all of it is right either way.
  json::object properties;
  if (known) properties = *known;
  for (const auto& [experiment, property] : kExperimentProperties) properties.erase(property);
  for (auto& member : properties_to_cs(target, options)) properties[member.key()] = std::move(member.value());
  patch["properties"] = std::move(properties);
  return patch;
}

json::object cluster_from_cs(const json::object& cs) {
  json::object arm;
  copy_to_arm(kFixed, cs, arm);
  copy_to_arm(kChangeable, cs, arm);
  copy_to_arm(kReported, cs, arm);
  if (const std::string_view version = text_at(cs, "version.id"); !version.empty())
    put_text(arm, "version.id", version_from_cs(version, text_at(cs, "version.channel_group")));
  if (const json::array* cidrs = items_at(cs, "api.cidr_block_access.allow.values");
      cidrs && text_at(cs, "api.cidr_block_access.allow.mode") == "allow_list")
    put_at(arm, "api.authorizedCidrs", *cidrs);
  if (text_at(cs, "node_drain_grace_period.unit") == "minutes")
    if (const auto minutes = whole_at(cs, "node_drain_grace_period.value")) arm["nodeDrainTimeoutMinutes"] = *minutes;
  if (const auto seconds = duration_seconds(text_at(cs, "autoscaler.max_node_provision_time")))
    put_at(arm, "autoscaling.maxNodeProvisionTimeSeconds", *seconds);
  if (const json::array* mirrors = items_at(cs, "registry_config.image_digest_mirrors")) arm["imageDigestMirrors"] = *mirrors;
  if (const json::array* ingresses = items_at(cs, "ingresses"); ingresses && !ingresses->empty())
    if (const json::object* first = (*ingresses)[0].if_object())
      put_text(arm, "ingress.type", text_at(*first, "listening") == "internal" ? "Private" : "Public");
  if (const json::value* fips = value_at(cs, "fips"); fips && fips->is_bool())
    arm["cryptoRestrictions"] = fips->get_bool() ? "FIPS" : "None";
  take_identities(cs, arm);
  return arm;
}

json::object cluster_observed(const json::object& cs) {
  json::object observed;
  copy_to_arm(kReported, cs, observed);
  copy_to_arm(kGenerated, cs, observed);
  const json::object* managed = members_at(cs, kIdentitiesCs);
  if (!managed) return observed;
  json::object principals;
  if (const json::object* operators = members_at(*managed, kControlPlane))
    for (const auto& entry : *operators) add_principal(entry.value().if_object(), principals);
  add_principal(members_at(*managed, kService), principals);
  if (!principals.empty()) put_at(observed, "identity.userAssignedIdentities", std::move(principals));
  return observed;
}

}  // namespace acceptd::providers::cluster_service
