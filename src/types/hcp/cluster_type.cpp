#include <fmt/format.h>

#include "types/hcp/billing.hpp"
#include "types/hcp/cluster_rules.hpp"
#include "types/hcp/hcp_type.hpp"
#include "types/hcp/rules.hpp"

namespace acceptd::types::hcp {

namespace {

constexpr std::string_view kNamePattern = "[a-zA-Z]([-a-zA-Z0-9]{0,52}[a-zA-Z0-9])?";
constexpr std::size_t kNameInGroupMax = 45;  // characters of the cluster's name in "arohcp-{name}-{uuid}": 90 in all
constexpr std::size_t kNameInPrefixMax = 8;  // in "{name}-{6 digits}": 15 in all
constexpr std::size_t kDigitsInPrefix = 6;

/// What only the newer API version knows, in the stored shape.
constexpr std::array<std::string_view, 3> kNewer{"imageDigestMirrors", "platform.vnetIntegrationSubnetId",
                                                 "etcd.dataEncryption.customerManaged.kms.visibility"};
constexpr std::string_view kKms = "etcd.dataEncryption.customerManaged.kms";
constexpr std::string_view kVault = "etcd.dataEncryption.customerManaged.kms.vaultName";
constexpr std::string_view kVaultOfKey = "etcd.dataEncryption.customerManaged.kms.activeKey.vaultName";

engine::TypeInfo cluster_info(const Settings& settings) {
  engine::TypeInfo info{.name = std::string(kClusterType),
                        .api_versions = {std::string(kVersion2024), std::string(kVersion2025)},
                        .submit = settings.submit,
                        .deadlines = settings.deadlines,
                        .location_optional = true};
  info.actions.push_back({.name = "requestAdminCredential",
                          .request = "RequestCredential",
                          .phrase = "request credential",
                          .blocked_message = "Cannot request credential while credentials are being revoked",
                          .one_at_a_time = true,
                          .secret_result = true});
  info.actions.push_back({.name = "revokeCredentials",
                          .request = "RevokeCredentials",
                          .phrase = "revoke credentials",
                          .exclusive = true,
                          .blocked_message = "Credentials are already being revoked",
                          .cancels = {"RequestCredential"}});
  if (settings.action_deadline)
    for (engine::ActionInfo& action : info.actions) action.deadline = *settings.action_deadline;
  return info;
}

/// A label of at most 15 characters that begins with a letter and ends with a digit of the identifier.
std::string generated_prefix(const model::ResourceId& id, const model::Uuid& generated) {
  std::string name = model::to_lower(id.name()).substr(0, kNameInPrefixMax);
  while (name.ends_with('-')) name.pop_back();
  return fmt::format("{}-{}", name, model::to_string(generated).substr(0, kDigitsInPrefix));
}

class ClusterType final : public HcpType {
 public:
  ClusterType(std::shared_ptr<const Descriptions> descriptions, engine::Provider& provider, const Settings& settings)
      : HcpType(cluster_info(settings), provider, std::move(descriptions), "HcpOpenShiftCluster", std::string(kNamePattern)) {}

  std::vector<engine::Claim> claims(const model::ResourceId& id, const engine::Desired& desired) const override;
  std::vector<model::Uuid> companion_ids(const model::Resource& resource) const override { return {billing_id(resource)}; }
  std::vector<model::Write> companions(engine::Event event, const model::Resource& resource, const model::Operation& operation,
                                       const std::vector<model::DocumentPtr>& existing, model::Time now) const override {
    return billing_writes(event, resource, operation, existing, now);
  }

 protected:
  void fill(json::object& properties, const engine::BuildInput& input) const override;
  void check(const json::object& body, const json::object* existing, const engine::BuildInput& input,
             Report& report) const override {
    check_cluster(body, existing, input, report);
  }
  bool may_lack(const json::object& existing, std::string_view path) const override {
    return (path == "properties.version.id" && !value_at(existing, "version.id")) ||
           (path == "properties.platform.vnetIntegrationSubnetId" && !value_at(existing, "platform.vnetIntegrationSubnetId"));
  }
  void to_stored(json::object& properties, std::string_view api_version, const json::object* existing) const override;
  void to_external(json::object& properties, std::string_view api_version) const override;
  void add_internal(json::object& properties, const engine::BuildInput& input) const override;
};

void ClusterType::fill(json::object& properties, const engine::BuildInput& input) const {
  put_if_absent(properties, "version.channelGroup", "stable");
  put_if_absent(properties, "autoscaling.maxPodGracePeriodSeconds", 600);
  put_if_absent(properties, "autoscaling.maxNodeProvisionTimeSeconds", 900);
  put_if_absent(properties, "autoscaling.podPriorityThreshold", -10);
  const auto keep = [&](std::string_view path) {
    const json::value* value = input.existing ? value_at(input.existing->desired, path) : nullptr;
    if (value) put_if_absent(properties, path, *value);
  };
  keep("platform.managedResourceGroup");
  keep("dns.baseDomainPrefix");
  if (input.api_version == kVersion2024) keep("version.id");  // a control plane may have moved on by a newer API version
  if (input.existing) return;
  const std::string uuid = model::to_string(input.generated);
  put_if_absent(properties, "dns.baseDomainPrefix", json::string(generated_prefix(input.id, input.generated)));
  if (properties.contains("platform"))
    put_if_absent(properties, "platform.managedResourceGroup",
                  json::string(fmt::format("arohcp-{}-{}", input.id.name().substr(0, kNameInGroupMax), uuid)));
}

void ClusterType::to_stored(json::object& properties, std::string_view api_version, const json::object* existing) const {
  if (api_version != kVersion2024) return;
  if (auto vault = take(properties, kVaultOfKey)) put_if_absent(properties, kVault, std::move(*vault));
  for (const std::string_view path : kNewer)
    if (const json::value* kept = existing ? value_at(*existing, path) : nullptr) put_if_absent(properties, path, *kept);
  if (object_at(properties, kKms)) put_if_absent(properties, "etcd.dataEncryption.customerManaged.kms.visibility", "Public");
}

void ClusterType::to_external(json::object& properties, std::string_view api_version) const {
  if (api_version != kVersion2024) return;
  if (auto vault = take(properties, kVault)) put_if_absent(properties, kVaultOfKey, std::move(*vault));
}

void ClusterType::add_internal(json::object& properties, const engine::BuildInput& input) const {
  json::object experiments = experiments_of(input);
  if (!experiments.empty()) put_if_absent(properties, kExperiments, std::move(experiments));
  // The identities' data plane is that of the creation: the backend is not told of another one.
  const std::string_view kept = input.existing ? text_at(input.existing->desired, kIdentityUrl) : input.identity_url;
  if (!kept.empty()) put_if_absent(properties, kIdentityUrl, json::string(kept));
}

std::vector<engine::Claim> ClusterType::claims(const model::ResourceId& id, const engine::Desired& desired) const {
  std::vector<engine::Claim> claims;
  const auto claim = [&](std::string_view kind, std::string_view member, const auto& text) {
    const std::string_view value = text_at(desired.properties, fmt::format("platform.{}", member));
    if (value.empty()) return;
    schema::Violation violation{fmt::format("properties.platform.{}", member), schema::Rule::invalid,
                                schema::message::invalid(value, text(value))};
    claims.push_back({fmt::format("{}:{}", kind, model::to_lower(value)), schema::to_error({std::move(violation)})});
  };
  claim("managedresourcegroup", "managedResourceGroup", [&](std::string_view name) {
    return fmt::format(
        "Cluster with managed resource group name '{}' in subscription '{}' already exists, please provide a unique managed "
        "resource group name",
        name, id.subscription());
  });
  claim("subnet", "subnetId",
        [](std::string_view subnet) { return fmt::format("Subnet '{}' is already in use by another cluster", subnet); });
  claim("networksecuritygroup", "networkSecurityGroupId", [](std::string_view group) {
    return fmt::format("Network Security Group '{}' is already in use by another cluster", group);
  });
  return claims;
}

}  // namespace

std::unique_ptr<engine::ResourceType> make_cluster_type(std::shared_ptr<const Descriptions> descriptions,
                                                        engine::Provider& provider, const Settings& settings) {
  return std::make_unique<ClusterType>(std::move(descriptions), provider, settings);
}

}  // namespace acceptd::types::hcp
