#include <fmt/format.h>

#include "apps/cluster-service-sim/simulator/routes.hpp"
#include "apps/cluster-service-sim/simulator/search.hpp"
#include "apps/cluster-service-sim/simulator/shape.hpp"

namespace acceptd::simulator {
namespace {

constexpr auto kValidFor = std::chrono::hours(24);
constexpr std::array kRequestFields{Field{"username"}};

std::string_view state_of(const World& world, const Object& credential) {
  const std::string_view state = world.state(credential).value_or("revoked");
  return state == "issued" && world.now() >= credential.created + kValidFor ? "expired" : state;
}

Result<const Object*> find_cluster(const World& world, const Call& call) {
  const Object* cluster = world.find_cluster(call.path[1]);
  if (cluster == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  return cluster;
}

/// The token says what it is worth: nothing.
std::string kubeconfig_of(const World& world, const Object& cluster, const Object& credential) {
  const json::object rendered = render_cluster(world, cluster);
  const json::value* url = value_at(rendered, "api.url");
  return fmt::format(
      "apiVersion: v1\nkind: Config\nclusters:\n- name: cluster\n  cluster:\n    server: {}\ncontexts:\n- name: admin\n"
      "  context:\n    cluster: cluster\n    user: {}\ncurrent-context: admin\nusers:\n- name: {}\n  user:\n    token: "
      "simulated-{}\n",
      url == nullptr ? "" : url->as_string().c_str(), credential.body.at("username").as_string().c_str(),
      credential.body.at("username").as_string().c_str(), credential.id);
}

}  // namespace

json::object render_credential(const World& world, const Object& credential) {
  return {
      {"kind", "BreakGlassCredential"},
      {"id", credential.id},
      {"href", fmt::format("{}/clusters/{}/break_glass_credentials/{}", kBreakGlassBase, credential.cluster_id, credential.id)},
      {"username", credential.body.at("username")},
      {"status", state_of(world, credential)},
      {"expiration_timestamp", to_timestamp(credential.created + kValidFor)}};
}

Answer create_credential(World& world, const Call& call) {
  const auto cluster = find_cluster(world, call);
  if (!cluster) return std::unexpected(cluster.error());
  const auto parsed = parse_body(call.request.body);
  if (!parsed) return std::unexpected(parsed.error());
  auto body = known_members(*parsed, kRequestFields);
  if (!body) return std::unexpected(body.error());
  if (!world.ready_by_now(**cluster) || (*cluster)->activity.work == Work::remove)
    return std::unexpected(
        Refusal{400, fmt::format("Credentials of cluster '{}' can be requested only when it is ready", (*cluster)->id)});
  if (world.object_count() >= World::kObjectsMax) return std::unexpected(Refusal{503, "The simulator holds too many objects"});
  Object credential;
  credential.kind = Kind::credential;
  credential.cluster_id = (*cluster)->id;
  credential.id = world.new_id();
  credential.created = world.now();
  credential.sequence = world.next_sequence();
  credential.body = std::move(*body);
  if (!credential.body.contains("username")) credential.body["username"] = "admin-" + credential.id.substr(0, 8);
  credential.activity = begin(Work::create, credential.created, world.durations().credential, call.treatment);
  const std::string tally_name = "credential/" + (*cluster)->id;
  Tally tally = world.tally(tally_name);
  ++tally.created;
  world.save({credential}, {{tally_name, tally}});
  return reply_json(201, render_credential(world, credential));
}

Answer list_credentials(World& world, const Call& call) {
  if (auto cluster = find_cluster(world, call); !cluster) return std::unexpected(cluster.error());
  json::array items;
  for (const Object* credential : world.list(Kind::credential, call.path[1]))
    items.push_back(render_credential(world, *credential));
  return reply_list(call, "BreakGlassCredentialList", items);
}

Answer get_credential(World& world, const Call& call) {
  const auto cluster = find_cluster(world, call);
  if (!cluster) return std::unexpected(cluster.error());
  const Object* credential = world.find(Kind::credential, call.path[1], call.path[3]);
  if (credential == nullptr) return std::unexpected(not_found("Break glass credential", call.path[3]));
  json::object body = render_credential(world, *credential);
  if (body.at("status") == "issued") body["kubeconfig"] = kubeconfig_of(world, **cluster, *credential);
  return reply_json(200, body);
}

Answer revoke_credentials(World& world, const Call& call) {
  if (auto cluster = find_cluster(world, call); !cluster) return std::unexpected(cluster.error());
  std::vector<Object> revoked;
  for (const Object* credential : world.list(Kind::credential, call.path[1])) {
    const auto truth = true_state(credential->kind, credential->activity, world.now());
    const bool live = truth == "created" || truth == "issued";
    const bool retry = credential->activity.work == Work::revoke && truth == "failed";
    const bool expired = state_of(world, *credential) == "expired";
    if ((!live && !retry) || expired) continue;
    revoked.push_back(*credential);
    revoked.back().activity = begin(Work::revoke, world.now(), world.durations().revocation, call.treatment);
  }
  if (!revoked.empty()) world.save(std::move(revoked));
  return reply_empty(204);
}

}  // namespace acceptd::simulator
