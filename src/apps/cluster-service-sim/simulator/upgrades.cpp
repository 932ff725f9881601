/// Upgrade policies of control planes and node pools: the last one asked for is the one that is carried out.

#include <fmt/format.h>

#include "apps/cluster-service-sim/simulator/routes.hpp"
#include "apps/cluster-service-sim/simulator/search.hpp"
#include "apps/cluster-service-sim/simulator/shape.hpp"

namespace acceptd::simulator {
namespace {

constexpr std::array kRequestFields{Field{"version"}};

/// A member of the stored body that is never shown: {id, version, created} of the upgrade that is under way or was the last.
constexpr std::string_view kUpgrade = "upgrade_asked";

bool of_node_pool(const Call& call) { return call.path[2] == "node_pools"; }

Result<const Object*> find(const World& world, const Call& call) {
  const Object* cluster = world.find_cluster(call.path[1]);
  if (cluster == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  if (!of_node_pool(call)) return cluster;
  const Object* pool = world.find(Kind::node_pool, call.path[1], call.path[3]);
  if (pool == nullptr) return std::unexpected(not_found("Node pool", call.path[3]));
  return pool;
}

std::string text_at(const json::object& body, std::string_view path) {
  const json::value* value = value_at(body, path);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// The upgrade is the object's last work: settle_upgrade() comes before any other.
std::string_view state_of(const World& world, const Object& object) {
  if (failed(object.activity, world.now())) return "failed";
  return finished(object.activity, world.now()) ? "completed" : "started";
}

json::object render_policy(const World& world, const Object& object, std::string_view href) {
  const std::string id = text_at(object.body, "upgrade_asked.id"), version = text_at(object.body, "upgrade_asked.version");
  const std::string_view state = state_of(world, object);
  const std::string description =
      state == "failed" ? object.activity.failure.message : fmt::format("Upgrade to {} is {}", version, state);
  return {{"kind", object.kind == Kind::cluster ? "ControlPlaneUpgradePolicy" : "NodePoolUpgradePolicy"},
          {"id", id},
          {"href", fmt::format("{}/{}", href, id)},
          {"cluster_id", object.cluster_id},
          {"version", version},
          {"creation_timestamp", text_at(object.body, "upgrade_asked.created")},
          {"state", json::object{{"value", state}, {"description", description}}}};
}

std::string collection_of(const Call& call) {
  return of_node_pool(call) ? fmt::format("{}/node_pools/{}/upgrade_policies", cluster_href(call.path[1]), call.path[3])
                            : fmt::format("{}/control_plane/upgrade_policies", cluster_href(call.path[1]));
}

}  // namespace

void show_version(const World& world, const Object& object, json::object& body) {
  body.erase(kUpgrade);
  const std::string version = text_at(object.body, "upgrade_asked.version");
  if (version.empty() || state_of(world, object) != "completed") return;
  const std::string channel = text_at(object.body, "version.channel_group");
  const std::string suffix = channel.empty() || channel == "stable" ? "" : "-" + channel;
  json::value& shown = body["version"];
  if (!shown.is_object()) shown.emplace_object();
  shown.get_object()["id"] = fmt::format("openshift-v{}{}", version, suffix);
}

void settle_upgrade(const World& world, Object& object) {
  json::object reached = object.body;
  show_version(world, object, reached);
  object.body = std::move(reached);
}

Answer list_upgrade_policies(World& world, const Call& call) {
  const auto object = find(world, call);
  if (!object) return std::unexpected(object.error());
  json::array items;
  if ((*object)->body.contains(kUpgrade)) items.push_back(render_policy(world, **object, collection_of(call)));
  return reply_list(call, "UpgradePolicyList", items);
}

Answer create_upgrade_policy(World& world, const Call& call) {
  const auto present = find(world, call);
  if (!present) return std::unexpected(present.error());
  const auto parsed = parse_body(call.request.body);
  if (!parsed) return std::unexpected(parsed.error());
  const auto body = known_members(*parsed, kRequestFields);
  if (!body) return std::unexpected(body.error());
  const std::string version = text_at(*body, "version");
  if (!is_offered(version, text_at((*present)->body, "version.channel_group")))
    return std::unexpected(Refusal{400, fmt::format("Version '{}' is not available", version)});
  if ((*present)->activity.work == Work::remove || !world.ready_by_now(**present))
    return std::unexpected(Refusal{400, "An upgrade is possible only once the object has been ready"});
  Object object = **present;
  settle_upgrade(world, object);
  object.was_ready = true;
  const bool is_cluster = object.kind == Kind::cluster;
  object.activity = begin(Work::update, world.now(),
                          is_cluster ? world.durations().cluster_update : world.durations().node_pool_update, call.treatment);
  object.body[kUpgrade] =
      json::object{{"id", world.new_id()}, {"version", version}, {"created", to_timestamp(object.activity.start)}};
  world.save({object});
  return reply_json(201, render_policy(world, object, collection_of(call)));
}

}  // namespace acceptd::simulator
