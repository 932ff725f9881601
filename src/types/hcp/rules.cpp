#include "types/hcp/rules.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>

#include "types/hcp/members.hpp"

namespace acceptd::types::hcp {

namespace {

constexpr std::string_view kExperimental = "aro-hcp.experimental.";
constexpr std::string_view kGate = "Microsoft.RedHatOpenShift/ExperimentalReleaseFeatures";
constexpr std::array<std::string_view, 7> kKnownExperiments{
    "aro-hcp.experimental.cluster.single-replica",
    "aro-hcp.experimental.cluster.size-override",
    "aro-hcp.experimental.cluster.control-plane-operator-image-override",
    "aro-hcp.experimental.cluster.control-plane-exact-version",
    "aro-hcp.experimental.cluster.max-creation-duration",
    "aro-hcp.experimental.cluster.max-deletion-duration",
    "aro-hcp.experimental.nodepool.max-creation-duration",
};

constexpr std::size_t kMaxNamePart = 63;
constexpr std::size_t kMaxPrefixPart = 253;
constexpr std::string_view kNamePart =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
constexpr std::string_view kPrefixPart =
    "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with "
    "an alphanumeric character";
constexpr std::string_view kValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
    "an "
    "alphanumeric character";

bool is_name(std::string_view text) {
  static const re2::RE2 kPattern("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
  return re2::RE2::FullMatch(text, kPattern);
}

bool is_subdomain(std::string_view text) {
  static const re2::RE2 kPattern(R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)");
  return re2::RE2::FullMatch(text, kPattern);
}

std::string type_of(const model::ResourceId& id) {
  std::string type = id.provider();
  for (const auto& segment : id.segments()) type += "/" + segment.type;
  return type;
}

}  // namespace

std::optional<model::ResourceId> check_reference(std::string path, std::string_view text, std::string_view type,
                                                 const model::ResourceId& owner, std::string_view managed_resource_group,
                                                 Report& report) {
  if (text.empty() || report.names(path)) return std::nullopt;
  const auto id = model::ResourceId::parse(text);
  const auto refuse = [&](std::string_view detail) { report.invalid(path, text, detail); };
  if (!id || !model::equals_ignoring_case(type_of(*id), type)) {
    refuse(fmt::format("resource ID must reference an instance of type \"{}\"", type));
    return std::nullopt;
  }
  if (id->resource_group().empty()) refuse("resource group is required");
  if (!model::equals_ignoring_case(id->subscription(), owner.subscription()))
    refuse(fmt::format("must be in the same Azure subscription: \"{}\"", owner.subscription()));
  if (!managed_resource_group.empty() && model::equals_ignoring_case(id->resource_group(), managed_resource_group))
    refuse(fmt::format("must not be the same resource group name: \"{}\"", managed_resource_group));
  return id;
}

void check_tags(const boost::json::object& body, Report& report) {
  const boost::json::value* tags = body.if_contains("tags");
  if (!tags || !tags->is_object()) return;
  for (const auto& [name, value] : tags->get_object()) {
    const std::string key = model::to_lower(name);
    if (key.starts_with(kExperimental) && std::ranges::find(kKnownExperiments, key) == kKnownExperiments.end())
      report.invalid(fmt::format("tags[{}]", std::string_view(name)), name, "unrecognized experimental tag");
  }
}

boost::json::object experiments_of(const engine::BuildInput& input) {
  boost::json::object experiments;
  if (!input.features) {
    const boost::json::object* kept = input.existing ? object_at(input.existing->desired, kExperiments) : nullptr;
    return kept ? *kept : experiments;
  }
  const auto gate = [](const std::string& feature) { return model::equals_ignoring_case(feature, kGate); };
  const boost::json::object* tags = object_at(input.body, "tags");
  if (!tags || std::ranges::none_of(*input.features, gate)) return experiments;
  for (const auto& [name, value] : *tags) {
    const std::string key = model::to_lower(name);
    if (key.starts_with(kExperimental) && value.is_string()) experiments[key.substr(kExperimental.size())] = value;
  }
  return experiments;
}

void check_qualified_name(std::string path, std::string_view name, Report& report) {
  const std::size_t slash = name.rfind('/');
  const std::string_view part = slash == std::string_view::npos ? name : name.substr(slash + 1);
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    if (prefix.empty())
      report.invalid(path, name, "prefix part must be non-empty");
    else if (prefix.size() > kMaxPrefixPart)
      report.invalid(path, name, "prefix part must be no more than 253 characters");
    else if (!is_subdomain(prefix))
      report.invalid(path, name, kPrefixPart);
  }
  if (part.empty())
    report.invalid(path, name, "name part must be non-empty");
  else if (part.size() > kMaxNamePart)
    report.invalid(path, name, "name part must be no more than 63 characters");
  else if (!is_name(part))
    report.invalid(path, name, kNamePart);
}

void check_label_value(std::string path, std::string_view value, Report& report) {
  if (value.size() > kMaxNamePart)
    report.invalid(path, value, "must be no more than 63 characters");
  else if (!value.empty() && !is_name(value))
    report.invalid(path, value, kValue);
}

}  // namespace acceptd::types::hcp
