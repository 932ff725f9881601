#include <fmt/format.h>

#include <algorithm>

#include "apps/cluster-service-sim/simulator/routes.hpp"
#include "apps/cluster-service-sim/simulator/search.hpp"
#include "apps/cluster-service-sim/simulator/shape.hpp"

namespace acceptd::simulator {
namespace {

constexpr std::size_t kDomainPrefixBytes = 15;

std::string text_at(const json::object& body, std::string_view path) {
  const json::value* value = value_at(body, path);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// What makes a cluster unique: its Azure name, without regard to case.
std::string azure_name(const json::object& body) {
  return lower(fmt::format("{}/{}/{}", text_at(body, "azure.subscription_id"), text_at(body, "azure.resource_group_name"),
                           text_at(body, "azure.resource_name")));
}

const Object* find_taken(const World& world, const json::object& body) {
  const std::string name = azure_name(body);
  const auto clusters = world.list(Kind::cluster);
  const auto found = std::ranges::find_if(clusters, [&](const Object* other) { return azure_name(other->body) == name; });
  return found == clusters.end() ? nullptr : *found;
}

bool prefix_in_use(const World& world, std::string_view prefix) {
  const std::string lowered = lower(prefix);
  return std::ranges::any_of(world.list(Kind::cluster),
                             [&](const Object* other) { return lower(text_at(other->body, "domain_prefix")) == lowered; });
}

std::string generate_prefix(World& world) {
  std::string prefix;
  do {
    prefix = ("c" + world.new_id()).substr(0, kDomainPrefixBytes);
  } while (prefix_in_use(world, prefix));
  return prefix;
}

std::unexpected<Refusal> refuse_taken(World& world, const std::string& tally_name, std::string reason) {
  Tally tally = world.tally(tally_name);
  ++tally.refused;
  world.save({}, {{tally_name, tally}});
  return std::unexpected(Refusal{409, std::move(reason)});
}

std::string uuid_from(World& world) {
  const std::uint64_t a = world.draw();
  const std::uint64_t b = world.draw();
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", a >> 32, (a >> 16) & 0xffff, a & 0xfff, b >> 52,
                     b & 0xffffffffffff);
}

/// Cluster Service looks managed identities up in Azure and shows what it found.
void resolve(World& world, json::value& identity) {
  json::object* object = identity.if_object();
  if (object == nullptr || !object->contains("resource_id")) return;
  (*object)["client_id"] = uuid_from(world);
  (*object)["principal_id"] = uuid_from(world);
}

void resolve_identities(World& world, json::object& body) {
  boost::system::error_code missing;
  json::value holder(std::move(body));
  const std::string base = "/azure/operators_authentication/managed_identities/";
  if (json::value* operators = holder.find_pointer(base + "control_plane_operators_managed_identities", missing))
    for (auto& member : operators->as_object()) resolve(world, member.value());
  if (json::value* service = holder.find_pointer(base + "service_managed_identity", missing)) resolve(world, *service);
  body = std::move(holder.get_object());
}

Result<json::object> read_known(const Call& call) {
  const auto body = parse_body(call.request.body);
  if (!body) return std::unexpected(body.error());
  return known_members(*body, cluster_fields());
}

}  // namespace

Answer create_cluster(World& world, const Call& call) {
  auto body = read_known(call);
  if (!body) return std::unexpected(body.error());
  if (auto checked = check_cluster(*body); !checked) return std::unexpected(checked.error());
  const std::string tally_name = "cluster/" + azure_name(*body);
  const Object* taken = find_taken(world, *body);
  if (taken != nullptr && !call.treatment.allow_duplicate)
    return refuse_taken(world, tally_name,
                        fmt::format("Cluster '{}' already exists in this resource group", text_at(*body, "azure.resource_name")));
  if (text_at(*body, "domain_prefix").empty()) {
    (*body)["domain_prefix"] = generate_prefix(world);
  } else if (prefix_in_use(world, text_at(*body, "domain_prefix")) && !call.treatment.allow_duplicate) {
    return refuse_taken(world, tally_name, fmt::format("Domain prefix '{}' already exists", text_at(*body, "domain_prefix")));
  }
  if (world.object_count() >= World::kObjectsMax) return std::unexpected(Refusal{503, "The simulator holds too many objects"});
  resolve_identities(world, *body);
  Object cluster;
  cluster.id = world.new_id();
  cluster.cluster_id = cluster.id;
  cluster.created = world.now();
  cluster.sequence = world.next_sequence();
  cluster.body = std::move(*body);
  cluster.activity = begin(Work::create, cluster.created, world.durations().cluster_create, call.treatment);
  Tally tally = world.tally(tally_name);
  ++tally.created;
  if (taken != nullptr) ++tally.duplicates;
  world.save({cluster}, {{tally_name, tally}});
  return reply_json(201, render_cluster(world, cluster));
}

Answer list_clusters(World& world, const Call& call) {
  json::array items;
  for (const Object* cluster : world.list(Kind::cluster)) items.push_back(render_cluster(world, *cluster));
  return reply_list(call, "ClusterList", items);
}

Answer get_cluster(World& world, const Call& call) {
  const Object* cluster = world.find_cluster(call.path[1]);
  if (cluster == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  return reply_json(200, render_cluster(world, *cluster));
}

Answer patch_cluster(World& world, const Call& call) {
  const Object* present = world.find_cluster(call.path[1]);
  if (present == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  auto patch = read_known(call);
  if (!patch) return std::unexpected(patch.error());
  if (!world.ready_by_now(*present) || present->activity.work == Work::remove)
    return std::unexpected(Refusal{400, fmt::format("Cluster '{}' cannot be updated while it is in state '{}'", present->id,
                                                    true_state(present->kind, present->activity, world.now()).value_or("gone"))});
  Object cluster = *present;
  settle_upgrade(world, cluster);
  if (auto merged = merge(cluster.body, *patch, cluster_fields()); !merged) return std::unexpected(merged.error());
  cluster.was_ready = true;
  cluster.activity = begin(Work::update, world.now(), world.durations().cluster_update, call.treatment);
  world.save({cluster});
  return reply_json(200, render_cluster(world, cluster));
}

Answer delete_cluster(World& world, const Call& call) {
  const Object* present = world.find_cluster(call.path[1]);
  if (present == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  // A removal that is under way goes on; one that failed may be tried again.
  if (present->activity.work == Work::remove && !failed(present->activity, world.now())) return reply_empty(204);
  std::vector<Object> removed{*present};
  for (const Object* pool : world.list(Kind::node_pool, present->id)) removed.push_back(*pool);
  for (Object& object : removed) {
    if (object.kind == Kind::node_pool && object.activity.work == Work::remove) continue;
    object.was_ready = world.ready_by_now(object);
    object.activity = begin(Work::remove, world.now(), world.durations().cluster_delete, call.treatment);
  }
  world.save(std::move(removed));
  return reply_empty(204);
}

}  // namespace acceptd::simulator
