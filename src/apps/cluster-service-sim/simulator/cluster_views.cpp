#include <fmt/format.h>

#include <algorithm>

#include "apps/cluster-service-sim/simulator/routes.hpp"

namespace acceptd::simulator {
namespace {

constexpr std::string_view kBaseDomain = "hcp.simulated.example";
constexpr std::string_view kChecks[] = {"egress", "quota"};

json::object status_of(const World& world, const Object& cluster) {
  const std::string_view state = world.state(cluster).value_or("uninstalling");
  json::object status{{"state", state}, {"description", fmt::format("The cluster is {}", state)}};
  if (failed(cluster.activity, world.now())) {
    status["provision_error_code"] = cluster.activity.failure.code;
    status["provision_error_message"] = cluster.activity.failure.message;
  }
  return status;
}

/// Checks run while the cluster is validated, before it is installed.
std::string_view check_state(const World& world, const Object& cluster) {
  if (cluster.activity.work != Work::create) return "passed";
  const std::string_view state = true_state(cluster.kind, cluster.activity, world.now()).value_or("ready");
  return state == "pending" ? "pending" : state == "validating" ? "running" : "passed";
}

json::object check_item(const Object& cluster, std::string_view name, std::string_view state) {
  return {{"kind", "InflightCheck"},
          {"id", name},
          {"href", fmt::format("{}/inflight_checks/{}", cluster_href(cluster.id), name)},
          {"name", name},
          {"state", state},
          {"details", json::object()}};
}

const Object* find(const World& world, const Call& call) { return world.find_cluster(call.path[1]); }

std::string base_domain(const Object& cluster) {
  return fmt::format("{}.{}", cluster.body.at("region").at("id").as_string().c_str(), kBaseDomain);
}

}  // namespace

json::object render_cluster(const World& world, const Object& cluster) {
  json::object body{{"kind", "Cluster"}, {"id", cluster.id}, {"href", cluster_href(cluster.id)}};
  for (const auto& member : cluster.body) body[member.key()] = member.value();
  show_version(world, cluster, body);
  body["creation_timestamp"] = to_timestamp(cluster.created);
  body["status"] = status_of(world, cluster);
  body["state"] = body["status"].at("state");
  if (body.contains("autoscaler"))
    body["autoscaler"] = json::object{{"kind", "ClusterAutoscalerLink"}, {"href", cluster_href(cluster.id) + "/autoscaler"}};
  if (!world.ready_by_now(cluster)) return body;
  const std::string_view prefix = cluster.body.at("domain_prefix").as_string();
  const std::string domain = base_domain(cluster);
  body["dns"] = json::object{{"base_domain", domain}};
  json::value& api = body["api"];
  if (!api.is_object()) api.emplace_object();
  api.get_object()["url"] = fmt::format("https://api.{}.{}:443", prefix, domain);
  body["console"] = json::object{{"url", fmt::format("https://console-openshift-console.apps.{}.{}", prefix, domain)}};
  return body;
}

Answer cluster_status(World& world, const Call& call) {
  const Object* cluster = find(world, call);
  if (cluster == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  json::object body{{"kind", "ClusterStatus"}, {"id", cluster->id}, {"href", cluster_href(cluster->id) + "/status"}};
  for (auto& member : status_of(world, *cluster)) body[member.key()] = member.value();
  return reply_json(200, body);
}

Answer inflight_checks(World& world, const Call& call) {
  const Object* cluster = find(world, call);
  if (cluster == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  std::vector<FailedCheck> failures;
  if (failed(cluster->activity, world.now())) failures = cluster->activity.failure.checks;
  json::array items;
  for (const std::string_view name : kChecks)
    if (std::ranges::find(failures, name, &FailedCheck::name) == failures.end())
      items.push_back(check_item(*cluster, name, check_state(world, *cluster)));
  for (const FailedCheck& failure : failures) {
    json::object item = check_item(*cluster, failure.name, "failed");
    item["details"] = json::object{{"error", failure.error}};
    items.push_back(std::move(item));
  }
  return reply_list(call, "InflightCheckList", items);
}

Answer provision_shard(World& world, const Call& call) {
  const Object* cluster = find(world, call);
  if (cluster == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  const json::object body{{"kind", "ProvisionShard"},
                          {"id", "simulated-shard-1"},
                          {"href", std::string(kBase) + "/provision_shards/simulated-shard-1"},
                          {"status", "active"},
                          {"region", cluster->body.at("region")}};
  return reply_json(200, body);
}

Answer autoscaler(World& world, const Call& call) {
  const Object* cluster = find(world, call);
  if (cluster == nullptr) return std::unexpected(not_found("Cluster", call.path[1]));
  const json::value* stored = cluster->body.if_contains("autoscaler");
  if (stored == nullptr) return std::unexpected(not_found("Autoscaler of cluster", call.path[1]));
  json::object body{{"kind", "ClusterAutoscaler"}, {"href", cluster_href(cluster->id) + "/autoscaler"}};
  for (const auto& member : stored->as_object()) body[member.key()] = member.value();
  return reply_json(200, body);
}

}  // namespace acceptd::simulator
