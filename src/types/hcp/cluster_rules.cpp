#include "types/hcp/cluster_rules.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <map>

#include "schema/format.hpp"
#include "types/hcp/descriptions.hpp"
#include "types/hcp/members.hpp"
#include "types/hcp/release.hpp"
#include "types/hcp/rules.hpp"

namespace acceptd::types::hcp {

namespace {

constexpr Release kOldestRelease{4, 20, std::nullopt};
constexpr std::string_view kIdentities = "properties.platform.operatorsAuthentication.userAssignedIdentities";

void check_version(const json::object& properties, const json::object* existing, std::string_view api_version, Report& report) {
  const std::string path = "properties.version.id";
  const std::string_view text = text_at(properties, "version.id");
  if (text.empty()) {
    const json::value* given = value_at(properties, "version.id");
    if (given && given->is_string()) report.required(path);
    return;
  }
  const auto release = Release::parse(text);
  if (!release) return report.invalid(path, text, "must be specified as MAJOR.MINOR");
  const std::string_view before = existing ? text_at(*existing, "version.id") : std::string_view();
  if (api_version == kVersion2024 || text == before) return;  // fixed at creation there; the schema says so
  if (release->patch) return report.invalid(path, text, "must be specified as MAJOR.MINOR; the PATCH value is managed");
  if (release->compare(kOldestRelease) < 0)
    report.invalid(path, text, fmt::format("must be at least {}", to_string(kOldestRelease)));
  const auto from = Release::parse(before);
  if (!from) return;
  if (const std::string refusal = refuse_step(*from, *release); !refusal.empty()) report.invalid(path, text, refusal);
}

std::optional<schema::Ipv4Block> check_block(const json::object& properties, std::string_view name, Report& report) {
  const std::string path = fmt::format("properties.network.{}", name);
  const std::string_view text = text_at(properties, fmt::format("network.{}", name));
  const json::value* given = value_at(properties, fmt::format("network.{}", name));
  if (!given || !given->is_string()) return std::nullopt;
  const auto block = schema::parse_ipv4_block(text);
  if (!block) {
    report.invalid(path, text, fmt::format("invalid CIDR address: {}", text));
    return std::nullopt;
  }
  if (!block->canonical()) report.invalid(path, text, "not IPv4 CIDR");
  return block;
}

void check_network(const json::object& properties, Report& report) {
  struct Named {
    std::string_view label, name;
    std::optional<schema::Ipv4Block> block;
  };
  std::array<Named, 3> all{{{"machine", "machineCidr", {}}, {"service", "serviceCidr", {}}, {"pod", "podCidr", {}}}};
  for (Named& one : all) one.block = check_block(properties, one.name, report);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (!all[i].block || !all[j].block || !all[i].block->overlaps(*all[j].block)) continue;
      const std::string_view first = text_at(properties, fmt::format("network.{}", all[i].name));
      const std::string_view second = text_at(properties, fmt::format("network.{}", all[j].name));
      report.invalid("properties.network", first,
                     fmt::format("{} CIDR '{}' and {} CIDR '{}' overlap", all[i].label, first, all[j].label, second));
    }
}

void check_authorized_cidrs(const json::object& properties, Report& report) {
  const json::array* blocks = array_at(properties, "api.authorizedCidrs");
  if (!blocks) return;
  for (std::size_t i = 0; i < blocks->size(); ++i) {
    if (!(*blocks)[i].is_string()) continue;
    const std::string_view text = (*blocks)[i].get_string();
    const std::string path = fmt::format("properties.api.authorizedCidrs[{}]", i);
    const auto block = schema::parse_ipv4_block(text);
    if (text.empty())
      report.required(path);
    else if (block && !block->canonical())
      report.invalid(path, text, "not IPv4 CIDR");
    else if (!block && !schema::parse_ipv4(text))
      report.invalid(path, text, "must be an IPv4 address or CIDR block");
  }
}

constexpr std::string_view kGroupNameRule =
    "must be a valid resource group name: at most 90 letters, digits, '_', '-', '.', '(' and ')', not ending with '.'";

bool is_group_name(std::string_view text) {
  constexpr std::ptrdiff_t kMaxCharacters = 90;  // counted here: RE2 unrolls counted repetitions of Unicode classes
  static const re2::RE2 kCharacters(R"([\p{L}\p{N}_\-.()]*[\p{L}\p{N}_\-()])");
  const auto starts_character = [](unsigned char c) { return (c & 0xC0) != 0x80; };
  return std::ranges::count_if(text, starts_character) <= kMaxCharacters && re2::RE2::FullMatch(text, kCharacters);
}

void check_platform(const json::object& properties, const model::ResourceId& id, Report& report) {
  const std::string_view group = text_at(properties, "platform.managedResourceGroup");
  const std::string group_path = "properties.platform.managedResourceGroup";
  if (const json::value* given = value_at(properties, "platform.managedResourceGroup"); given && given->is_string()) {
    if (group.empty())
      report.required(group_path);
    else if (!is_group_name(group))
      report.invalid(group_path, group, kGroupNameRule);
    if (model::equals_ignoring_case(group, id.resource_group()))
      report.invalid(group_path, group, fmt::format("must not be the same resource group name: \"{}\"", id.resource_group()));
  }
  const auto reference = [&](std::string_view name, std::string_view type) {
    check_reference(fmt::format("properties.platform.{}", name), text_at(properties, fmt::format("platform.{}", name)), type, id,
                    group, report);
  };
  reference("subnetId", kSubnetType);
  reference("vnetIntegrationSubnetId", kSubnetType);
  reference("networkSecurityGroupId", kSecurityGroupType);
}

/// Each assigned identity is used exactly once by the control plane or the service, and never by the data plane.
class IdentityCheck {
 public:
  IdentityCheck(const json::object& body, const model::ResourceId& id, Report& report) : body_(body), id_(id), report_(report) {
    group_ = text_at(body, "properties.platform.managedResourceGroup");
    if (const json::object* assigned = object_at(body, "identity.userAssignedIdentities"))
      for (const auto& [name, value] : *assigned) assigned_.try_emplace(model::to_lower(name), Assigned{std::string(name), 0});
  }

  void run() {
    for (const auto& [key, assigned] : assigned_)
      check_reference(fmt::format("identity.userAssignedIdentities[{}]", assigned.name), assigned.name, kIdentityType, id_, {},
                      report_);
    operators("controlPlaneOperators", [&](const std::string& path, std::string_view text) { use(path, text); });
    const std::string service = fmt::format("{}.serviceManagedIdentity", kIdentities);
    if (const std::string_view text = text_at(body_, service); !text.empty() && readable(service, text)) use(service, text);
    for (const auto& [key, assigned] : assigned_) {
      const std::string path = fmt::format("identity.userAssignedIdentities[{}]", assigned.name);
      if (assigned.uses == 0) report_.invalid(path, assigned.name, "identity is assigned to this resource but not used");
      if (assigned.uses > 1) report_.invalid(path, assigned.name, "identity is used multiple times");
    }
    operators("dataPlaneOperators", [&](const std::string& path, std::string_view text) {
      if (assigned_.contains(model::to_lower(text)))
        report_.invalid(path, text, "cannot use identity assigned to this resource by .identities.userAssignedIdentities");
    });
  }

 private:
  struct Assigned {
    std::string name;
    int uses = 0;
  };

  bool readable(const std::string& path, std::string_view text) {
    return check_reference(path, text, kIdentityType, id_, group_, report_).has_value();
  }

  template <class Judge>
  void operators(std::string_view kind, Judge judge) {
    const json::object* named = object_at(body_, fmt::format("{}.{}", kIdentities, kind));
    if (!named) return;
    for (const auto& [name, value] : *named) {
      const std::string path = fmt::format("{}.{}[{}]", kIdentities, kind, std::string_view(name));
      const std::string_view text = value.is_string() ? std::string_view(value.get_string()) : std::string_view();
      if (readable(path, text)) judge(path, text);
      if (name.empty()) report_.required(path);
    }
  }

  void use(const std::string& path, std::string_view text) {
    const auto found = assigned_.find(model::to_lower(text));
    if (found == assigned_.end())
      report_.invalid(path, text, "identity is not assigned to this resource");
    else
      ++found->second.uses;
  }

  const json::object& body_;
  const model::ResourceId& id_;
  Report& report_;
  std::string_view group_;
  std::map<std::string, Assigned> assigned_;
};

/// A block belongs to a choice: it is there exactly when the choice is made.
void check_choice(const json::object& holder, const std::string& path, std::string_view choice, std::string_view chosen,
                  std::string_view block, Report& report) {
  const bool made = text_at(holder, choice) == chosen;
  const bool there = holder.contains(block);
  const std::string block_path = fmt::format("{}.{}", path, block);
  if (made && !there)
    report.add(block_path, schema::message::required(fmt::format("must be specified when `{}` is \"{}\"", choice, chosen)),
               schema::Rule::required);
  if (!made && there && !holder.contains(choice)) report.required(fmt::format("{}.{}", path, choice));
}

/// The oldest API version knows clusters without it.
void check_encryption(const json::object& properties, bool create, std::string_view api_version, Report& report) {
  const std::string path = "properties.etcd.dataEncryption";
  const json::object* encryption = object_at(properties, "etcd.dataEncryption");
  if (!encryption) {
    if (create && api_version != kVersion2024 && !report.names("properties.etcd")) report.required(path + ".keyManagementMode");
    return;
  }
  if (encryption->empty()) report.required(path + ".keyManagementMode");
  check_choice(*encryption, path, "keyManagementMode", "CustomerManaged", "customerManaged", report);
  if (const json::object* managed = object_at(*encryption, "customerManaged")) {
    if (managed->empty()) report.required(path + ".customerManaged.encryptionType");
    check_choice(*managed, path + ".customerManaged", "encryptionType", "KMS", "kms", report);
  }
}

}  // namespace

void check_cluster(const json::object& body, const json::object* existing, const engine::BuildInput& input, Report& report) {
  check_tags(body, report);
  const json::object* properties = object_at(body, "properties");
  if (!properties) return;
  check_version(*properties, existing, input.api_version, report);
  check_network(*properties, report);
  check_authorized_cidrs(*properties, report);
  check_platform(*properties, input.id, report);
  IdentityCheck(body, input.id, report).run();
  check_encryption(*properties, existing == nullptr, input.api_version, report);
}

}  // namespace acceptd::types::hcp
