#include "providers/cluster_service/node_pool_json.hpp"

#include <array>
#include <utility>

#include "model/resource_id.hpp"
#include "model/uuid.hpp"
#include "providers/cluster_service/cluster_json.hpp"
#include "providers/cluster_service/field_map.hpp"

namespace acceptd::providers::cluster_service {

namespace {

constexpr std::array kDiskType{Spelling{"Managed", "persistent"}, Spelling{"Ephemeral", "ephemeral"}};

constexpr std::array kFixed{
    FieldRow{"version.channelGroup", "version.channel_group"},
    FieldRow{"platform.subnetId", "subnet"},
    FieldRow{"platform.availabilityZone", "availability_zone"},
    FieldRow{"platform.vmSize", "azure_node_pool.vm_size"},
    FieldRow{"platform.osDisk.sizeGiB", "azure_node_pool.os_disk.size_gibibytes"},
    FieldRow{"platform.osDisk.diskStorageAccountType", "azure_node_pool.os_disk.storage_account_type"},
    FieldRow{"platform.osDisk.diskType", "azure_node_pool.os_disk.persistence", kDiskType},
    FieldRow{"platform.osDisk.encryptionSetId", "azure_node_pool.os_disk.sse_encryption_set_resource_id"},
    FieldRow{"autoRepair", "auto_repair"},
};

constexpr std::array kTaint{
    FieldRow{"effect", "effect"},
    FieldRow{"key", "key"},
    FieldRow{"value", "value"},
};

json::object labels_to_cs(const json::object& arm) {
  json::object labels;
  if (const json::array* wanted = items_at(arm, "labels"))
    for (const json::value& label : *wanted)
      if (const json::object* members = label.if_object(); members && !text_at(*members, "key").empty())
        labels[text_at(*members, "key")] = text_at(*members, "value");
  return labels;
}

json::array taints_to_cs(const json::object& arm) {
  json::array taints;
  if (const json::array* wanted = items_at(arm, "taints"))
    for (const json::value& taint : *wanted)
      if (const json::object* members = taint.if_object()) {
        json::object sent;
        copy_to_cs(kTaint, *members, sent);
        taints.push_back(std::move(sent));
      }
  return taints;
}

/// What an update may change. Absent properties are sent as their neutral value: a PATCH must clear them.
json::object changeable_to_cs(const json::object& arm) {
  json::object cs;
  cs["labels"] = labels_to_cs(arm);
  cs["taints"] = taints_to_cs(arm);
  if (const json::object* scaling = members_at(arm, "autoScaling")) {
    json::object bounds;
    if (const auto least = whole_at(*scaling, "min")) bounds["min_replica"] = *least;
    if (const auto most = whole_at(*scaling, "max")) bounds["max_replica"] = *most;
    cs["autoscaling"] = std::move(bounds);
  } else {
    cs["replicas"] = whole_at(arm, "replicas").value_or(0);
  }
  if (const auto minutes = whole_at(arm, "nodeDrainTimeoutMinutes"))
    cs["node_drain_grace_period"] = json::object{{"unit", "minutes"}, {"value", *minutes}};
  return cs;
}

json::array labels_to_arm(const json::object& labels) {
  json::array shown;
  for (const auto& label : labels)
    if (label.value().is_string()) shown.push_back(json::object{{"key", label.key()}, {"value", label.value()}});
  return shown;
}

json::array taints_to_arm(const json::array& taints) {
  json::array shown;
  for (const json::value& taint : taints)
    if (const json::object* members = taint.if_object()) {
      json::object read;
      copy_to_arm(kTaint, *members, read);
      shown.push_back(std::move(read));
    }
  return shown;
}

}  // namespace

json::object node_pool_to_cs(const engine::Target& target) {
  const json::object& arm = target.desired;
  const std::string name = model::to_lower(target.id.name());
  json::object cs = changeable_to_cs(arm);
  copy_to_cs(kFixed, arm, cs);
  cs["kind"] = "NodePool";
  cs["id"] = name;
  put_text(cs, "azure_node_pool.resource_name", name);
  if (const json::value* encrypted = value_at(arm, "platform.enableEncryptionAtHost"); encrypted && encrypted->is_bool())
    put_text(cs, "azure_node_pool.encryption_at_host.state", encrypted->get_bool() ? "enabled" : "disabled");
  if (const std::string_view version = text_at(arm, "version.id"); !version.empty())
    put_text(cs, "version.id", version_to_cs(version, text_at(arm, "version.channelGroup")));
  json::object stamp{{kStampIncarnation, model::to_string(target.incarnation)},
                     {kStampOperation, model::to_string(target.operation)}};
  put_at(cs, "azure_node_pool.tags", std::move(stamp));
  return cs;
}

json::object node_pool_patch(const engine::Target& target, const json::object& current) {
  json::object patch;
  for (auto& member : changeable_to_cs(target.desired)) {
    const json::value* known = current.if_contains(member.key());
    // Labels are replaced as a whole: a label that shall go is missing here and present there.
    const json::object* labels = member.key() == "labels" && known ? known->if_object() : nullptr;
    const bool same = says_the_same(member.value(), known) && (!labels || labels->size() == member.value().get_object().size());
    if (!same) patch[member.key()] = std::move(member.value());
  }
  return patch;
}

json::object node_pool_from_cs(const json::object& cs) {
  json::object arm;
  copy_to_arm(kFixed, cs, arm);
  // The reference era kept the disk flat beside the pool's other members.
  if (const auto size = whole_at(cs, "azure_node_pool.os_disk_size_gibibytes")) put_at(arm, "platform.osDisk.sizeGiB", *size);
  if (const std::string_view type = text_at(cs, "azure_node_pool.os_disk_storage_account_type"); !type.empty())
    put_text(arm, "platform.osDisk.diskStorageAccountType", type);
  if (const std::string_view version = text_at(cs, "version.id"); !version.empty())
    put_text(arm, "version.id", version_from_cs(version, text_at(cs, "version.channel_group")));
  if (const std::string_view state = text_at(cs, "azure_node_pool.encryption_at_host.state"); !state.empty())
    put_at(arm, "platform.enableEncryptionAtHost", json::value(state == "enabled"));
  if (const json::object* labels = members_at(cs, "labels")) arm["labels"] = labels_to_arm(*labels);
  if (const json::array* taints = items_at(cs, "taints")) arm["taints"] = taints_to_arm(*taints);
  if (const json::object* scaling = members_at(cs, "autoscaling")) {
    if (const auto least = whole_at(*scaling, "min_replica")) put_at(arm, "autoScaling.min", *least);
    if (const auto most = whole_at(*scaling, "max_replica")) put_at(arm, "autoScaling.max", *most);
  } else if (const auto replicas = whole_at(cs, "replicas")) {
    arm["replicas"] = *replicas;
  }
  if (text_at(cs, "node_drain_grace_period.unit") == "minutes")
    if (const auto minutes = whole_at(cs, "node_drain_grace_period.value")) arm["nodeDrainTimeoutMinutes"] = *minutes;
  return arm;
}

json::object node_pool_observed(const json::object& cs) {
  json::object observed;
  if (const std::string_view subnet = text_at(cs, "subnet"); !subnet.empty()) put_text(observed, "platform.subnetId", subnet);
  return observed;
}

}  // namespace acceptd::providers::cluster_service
