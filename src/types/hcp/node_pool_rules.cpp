#include "types/hcp/node_pool_rules.hpp"

#include <fmt/format.h>

#include <set>

#include "types/hcp/members.hpp"
#include "types/hcp/release.hpp"
#include "types/hcp/rules.hpp"

namespace acceptd::types::hcp {

namespace {

constexpr Release kOldestRelease{4, 20, 8};
constexpr int kMinorReleasesBehindMax = 2;
constexpr std::int64_t kNodesMax = 200;  // of one pool that is not bound to a zone
constexpr std::int64_t kManagedDiskGibMax = 4095;
constexpr std::int64_t kEphemeralDiskGibMax = 2040;

void at_most(const json::object& properties, std::string_view name, std::int64_t most, Report& report) {
  const auto number = integer_at(properties, name);
  if (number && *number > most)
    report.add(fmt::format("properties.{}", name),
               schema::message::invalid(json::value(*number), fmt::format("must be less than or equal to {}", most)));
}

void check_against_cluster(const std::string& path, std::string_view text, const Release& release, const json::object& cluster,
                           Report& report) {
  const auto control_plane = Release::parse(text_at(cluster, "version.id"));
  if (!control_plane) return;
  const std::string running = to_string(*control_plane);
  if (release.compare(*control_plane) > 0)
    report.invalid(path, text,
                   fmt::format("invalid node pool version {}: cannot exceed control plane version {}", text, running));
  else if (release.major != control_plane->major || release.minor < control_plane->minor - kMinorReleasesBehindMax)
    report.invalid(path, text,
                   fmt::format("must be within {} minor versions of control plane version {}", kMinorReleasesBehindMax, running));
}

void check_version(const json::object& properties, const json::object* existing, const json::object* cluster, Report& report) {
  const std::string path = "properties.version.id";
  const std::string_view text = text_at(properties, "version.id");
  const std::string_view before = existing ? text_at(*existing, "version.id") : std::string_view();
  if (text.empty() || text == before) return;
  const auto release = Release::parse(text);
  if (!release || !release->patch) return report.invalid(path, text, "must be specified as MAJOR.MINOR.PATCH");
  if (release->compare(kOldestRelease) < 0)
    report.invalid(path, text, fmt::format("must be at least {}", to_string(kOldestRelease)));
  if (const auto from = Release::parse(before))
    if (const std::string refusal = refuse_step(*from, *release); !refusal.empty()) report.invalid(path, text, refusal);
  if (cluster) check_against_cluster(path, text, *release, *cluster, report);
}

void check_channel(const json::object& properties, const json::object* existing, const json::object* cluster, Report& report) {
  const std::string_view channel = text_at(properties, "version.channelGroup");
  const bool changed = !existing || channel != text_at(*existing, "version.channelGroup");
  const std::string_view of_cluster = cluster ? text_at(*cluster, "version.channelGroup") : std::string_view();
  if (changed && !channel.empty() && !of_cluster.empty() && channel != of_cluster)
    report.invalid("properties.version.channelGroup", channel,
                   fmt::format("must be the same as control plane channel group '{}'", of_cluster));
}

void check_platform(const json::object& properties, bool create, const json::object* cluster, const model::ResourceId& id,
                    Report& report) {
  const std::string_view group = cluster ? text_at(*cluster, "platform.managedResourceGroup") : std::string_view();
  const std::string_view text = text_at(properties, "platform.subnetId");
  const auto subnet = check_reference("properties.platform.subnetId", text, kSubnetType, id, group, report);
  const auto of_cluster = model::ResourceId::parse(cluster ? text_at(*cluster, "platform.subnetId") : std::string_view());
  const auto network = of_cluster ? of_cluster->parent() : std::nullopt;
  if (create && subnet && network && subnet->parent() != network)
    report.invalid("properties.platform.subnetId", text,
                   fmt::format("must belong to the same VNet as the parent cluster VNet '{}'", network->text()));
  check_reference("properties.platform.osDisk.encryptionSetId", text_at(properties, "platform.osDisk.encryptionSetId"),
                  kDiskEncryptionSetType, id, group, report);
  const bool ephemeral = text_at(properties, "platform.osDisk.diskType") == "Ephemeral";
  at_most(properties, "platform.osDisk.sizeGiB", ephemeral ? kEphemeralDiskGibMax : kManagedDiskGibMax, report);
}

void check_size(const json::object& properties, Report& report) {
  const auto least = integer_at(properties, "autoScaling.min"), most = integer_at(properties, "autoScaling.max");
  const auto replicas = integer_at(properties, "replicas");
  if (properties.contains("autoScaling") && replicas.value_or(0) != 0)
    report.add("properties.replicas", schema::message::invalid(json::value(*replicas), "must be equal to 0"));
  if (least && most && *most < *least)
    report.add("properties.autoScaling.max",
               schema::message::invalid(json::value(*most), fmt::format("must be greater than or equal to {}", *least)));
  if (!text_at(properties, "platform.availabilityZone").empty()) return;
  for (const std::string_view name : {"replicas", "autoScaling.min", "autoScaling.max"})
    at_most(properties, name, kNodesMax, report);
}

void check_labels(const json::object& properties, Report& report) {
  const json::array* labels = array_at(properties, "labels");
  if (!labels) return;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < labels->size(); ++i) {
    const json::object* label = (*labels)[i].if_object();
    const json::value* key = label ? label->if_contains("key") : nullptr;
    if (!key || !key->is_string()) continue;
    const std::string_view name = key->get_string();
    const std::string path = fmt::format("properties.labels[{}]", i);
    if (name.empty())
      report.required(path + ".key");
    else
      check_qualified_name(path + ".key", name, report);
    if (name == "node-role.kubernetes.io/master" || name == "node-role.kubernetes.io/worker")
      report.invalid(path + ".key", name, "label is managed by the cluster and cannot be set");
    if (!seen.insert(name).second) report.add(path + ".key", schema::message::duplicate(*key));
    check_label_value(path + ".value", text_at(*label, "value"), report);
  }
}

void check_taints(const json::object& properties, Report& report) {
  const json::array* taints = array_at(properties, "taints");
  if (!taints) return;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (std::size_t i = 0; i < taints->size(); ++i) {
    const json::object* taint = (*taints)[i].if_object();
    const json::value* key = taint ? taint->if_contains("key") : nullptr;
    if (!key || !key->is_string()) continue;
    const std::string_view name = key->get_string();
    const std::string path = fmt::format("properties.taints[{}]", i);
    if (name.empty())
      report.required(path + ".key");
    else
      check_qualified_name(path + ".key", name, report);
    if (!seen.emplace(name, text_at(*taint, "effect")).second) report.add(path + ".key", schema::message::duplicate(*key));
    check_label_value(path + ".value", text_at(*taint, "value"), report);
  }
}

}  // namespace

void check_node_pool(const json::object& body, const json::object* existing, const engine::BuildInput& input, Report& report) {
  check_tags(body, report);
  const json::object* properties = object_at(body, "properties");
  if (!properties) return;
  const json::object* cluster = input.parent ? &input.parent->desired : nullptr;
  check_version(*properties, existing, cluster, report);
  check_channel(*properties, existing, cluster, report);
  check_platform(*properties, existing == nullptr, cluster, input.id, report);
  check_size(*properties, report);
  check_labels(*properties, report);
  check_taints(*properties, report);
}

}  // namespace acceptd::types::hcp
