#include <fmt/format.h>

#include "apps/cluster-service-sim/simulator/routes.hpp"
#include "apps/cluster-service-sim/simulator/search.hpp"
#include "apps/cluster-service-sim/simulator/shape.hpp"

namespace acceptd::simulator {
namespace {

std::string href_of(const Object& pool) { return fmt::format("{}/node_pools/{}", cluster_href(pool.cluster_id), pool.id); }

Result<const Object*> find_cluster(const World& world, const Call& call) {
  const Object* cluster = world.find_cluster(call.path[1]);
  if (cluster == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  return cluster;
}

Result<const Object*> find_pool(const World& world, const Call& call) {
  if (auto cluster = find_cluster(world, call); !cluster) return cluster;
  const Object* pool = world.find(Kind::node_pool, call.path[1], call.path[3]);
  if (pool == nullptr) return std::unexpected(not_found("Node pool", call.path[3]));
  return pool;
}

Result<json::object> read_known(const Call& call) {
  const auto body = parse_body(call.request.body);
  if (!body) return std::unexpected(body.error());
  return known_members(*body, node_pool_fields());
}

Refusal wrong_state(const World& world, std::string_view what, const Object& object) {
  return {400, fmt::format("{} '{}' is in state '{}'", what, object.id,
                           true_state(object.kind, object.activity, world.now()).value_or("gone"))};
}

/// Nodes of a pool exist once it has been ready.
std::int64_t current_replicas(const World& world, const Object& pool) {
  if (!world.ready_by_now(pool)) return 0;
  const json::value* replicas = value_at(pool.body, "replicas");
  if (replicas == nullptr) replicas = value_at(pool.body, "autoscaling.min_replica");
  return replicas == nullptr ? 0 : replicas->to_number<std::int64_t>();
}

json::object status_of(const World& world, const Object& pool) {
  const std::string_view state = world.state(pool).value_or("uninstalling");
  const bool is_failed = failed(pool.activity, world.now());
  return {{"state", json::object{{"node_pool_state_value", state}}},
          {"message", is_failed ? pool.activity.failure.message : fmt::format("The node pool is {}", state)},
          {"current_replicas", current_replicas(world, pool)}};
}

}  // namespace

json::object render_node_pool(const World& world, const Object& pool) {
  json::object body{{"kind", "NodePool"}, {"id", pool.id}, {"href", href_of(pool)}};
  for (const auto& member : pool.body)
    if (member.key() != "id") body[member.key()] = member.value();
  show_version(world, pool, body);
  body["creation_timestamp"] = to_timestamp(pool.created);
  body["status"] = status_of(world, pool);
  return body;
}

Answer create_node_pool(World& world, const Call& call) {
  const auto cluster = find_cluster(world, call);
  if (!cluster) return std::unexpected(cluster.error());
  auto body = read_known(call);
  if (!body) return std::unexpected(body.error());
  if (auto checked = check_node_pool(*body); !checked) return std::unexpected(checked.error());
  if ((*cluster)->activity.work == Work::remove || failed((*cluster)->activity, world.now()))
    return std::unexpected(wrong_state(world, "A node pool cannot be added: cluster", **cluster));
  const std::string id = lower(body->at("id").as_string());
  const std::string tally_name = fmt::format("node_pool/{}/{}", (*cluster)->id, id);
  Tally tally = world.tally(tally_name);
  if (world.find(Kind::node_pool, (*cluster)->id, id) != nullptr) {
    // Its key is its name, so that even a script cannot have two of them.
    ++tally.refused;
    world.save({}, {{tally_name, tally}});
    return std::unexpected(Refusal{409, fmt::format("Node pool '{}' already exists in cluster '{}'", id, (*cluster)->id)});
  }
  if (world.object_count() >= World::kObjectsMax) return std::unexpected(Refusal{503, "The simulator holds too many objects"});
  if (!body->contains("replicas") && !body->contains("autoscaling")) (*body)["replicas"] = 0;
  Object pool;
  pool.kind = Kind::node_pool;
  pool.cluster_id = (*cluster)->id;
  pool.id = id;
  pool.created = world.now();
  pool.sequence = world.next_sequence();
  pool.body = std::move(*body);
  pool.activity = begin(Work::create, pool.created, world.durations().node_pool_create, call.treatment);
  ++tally.created;
  world.save({pool}, {{tally_name, tally}});
  return reply_json(201, render_node_pool(world, pool));
}

Answer list_node_pools(World& world, const Call& call) {
  if (auto cluster = find_cluster(world, call); !cluster) return std::unexpected(cluster.error());
  json::array items;
  for (const Object* pool : world.list(Kind::node_pool, call.path[1])) items.push_back(render_node_pool(world, *pool));
  return reply_list(call, "NodePoolList", items);
}

Answer get_node_pool(World& world, const Call& call) {
  const auto pool = find_pool(world, call);
  if (!pool) return std::unexpected(pool.error());
  return reply_json(200, render_node_pool(world, **pool));
}

Answer patch_node_pool(World& world, const Call& call) {
  const auto present = find_pool(world, call);
  if (!present) return std::unexpected(present.error());
  auto patch = read_known(call);
  if (!patch) return std::unexpected(patch.error());
  patch->erase("id");
  if (!world.ready_by_now(**present) || (*present)->activity.work == Work::remove)
    return std::unexpected(wrong_state(world, "It cannot be updated: node pool", **present));
  Object pool = **present;
  settle_upgrade(world, pool);
  if (auto merged = merge(pool.body, *patch, node_pool_fields()); !merged) return std::unexpected(merged.error());
  if (auto checked = check_node_pool(pool.body); !checked) return std::unexpected(checked.error());
  pool.was_ready = true;
  pool.activity = begin(Work::update, world.now(), world.durations().node_pool_update, call.treatment);
  world.save({pool});
  return reply_json(200, render_node_pool(world, pool));
}

Answer delete_node_pool(World& world, const Call& call) {
  const auto present = find_pool(world, call);
  if (!present) return std::unexpected(present.error());
  if ((*present)->activity.work == Work::remove && !failed((*present)->activity, world.now())) return reply_empty(204);
  Object pool = **present;
  pool.was_ready = world.ready_by_now(pool);
  pool.activity = begin(Work::remove, world.now(), world.durations().node_pool_delete, call.treatment);
  world.save({pool});
  return reply_empty(204);
}

Answer node_pool_status(World& world, const Call& call) {
  const auto pool = find_pool(world, call);
  if (!pool) return std::unexpected(pool.error());
  json::object body{{"kind", "NodePoolStatus"}, {"id", (*pool)->id}, {"href", href_of(**pool) + "/status"}};
  for (auto& member : status_of(world, **pool)) body[member.key()] = member.value();
  return reply_json(200, body);
}

}  // namespace acceptd::simulator
