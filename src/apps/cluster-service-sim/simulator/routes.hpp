#pragma once
/// The routes of the simulated service, below its base paths.

#include <span>
#include <string_view>

#include "apps/cluster-service-sim/simulator/simulator.hpp"

namespace acceptd::simulator {

struct Route {
  http::Method method = http::Method::get;
  std::string_view pattern;  ///< "/clusters/*/status"; "*" is one segment
  Answer (*handle)(World& world, const Call& call) = nullptr;
};

std::span<const Route> routes();
bool fits(std::string_view pattern, std::span<const std::string> path);

// clusters.cpp
Answer create_cluster(World& world, const Call& call);
Answer list_clusters(World& world, const Call& call);
Answer get_cluster(World& world, const Call& call);
Answer patch_cluster(World& world, const Call& call);
Answer delete_cluster(World& world, const Call& call);

// cluster_views.cpp
json::object render_cluster(const World& world, const Object& cluster);
Answer cluster_status(World& world, const Call& call);
Answer inflight_checks(World& world, const Call& call);
Answer provision_shard(World& world, const Call& call);
Answer autoscaler(World& world, const Call& call);

// node_pools.cpp
json::object render_node_pool(const World& world, const Object& pool);
Answer create_node_pool(World& world, const Call& call);
Answer list_node_pools(World& world, const Call& call);
Answer get_node_pool(World& world, const Call& call);
Answer patch_node_pool(World& world, const Call& call);
Answer delete_node_pool(World& world, const Call& call);
Answer node_pool_status(World& world, const Call& call);

// credentials.cpp
json::object render_credential(const World& world, const Object& credential);
Answer create_credential(World& world, const Call& call);
Answer list_credentials(World& world, const Call& call);
Answer get_credential(World& world, const Call& call);
Answer revoke_credentials(World& world, const Call& call);

// upgrades.cpp
Answer list_upgrade_policies(World& world, const Call& call);
Answer create_upgrade_policy(World& world, const Call& call);
/// Shows the version that an upgrade reached, and nothing else of it, in the rendered `body`.
void show_version(const World& world, const Object& object, json::object& body);
/// Before other work begins: what the last upgrade reached stays, its policy is history.
void settle_upgrade(const World& world, Object& object);

// versions.cpp
/// Whether the service has this version ("4.20.12") in this channel; "" is the channel "stable".
bool is_offered(std::string_view version, std::string_view channel);
Answer list_versions(World& world, const Call& call);
Answer get_version(World& world, const Call& call);

// lists.cpp
/// The page of `items` that the query's page and size name, search applied: {kind, page, size, total, items}. 400 for
/// bad parameters.
Answer reply_list(const Call& call, std::string_view kind, const json::array& items);

inline constexpr std::string_view kBase = "/api/aro_hcp/v1alpha1";
inline constexpr std::string_view kBreakGlassBase = "/api/clusters_mgmt/v1";
std::string cluster_href(std::string_view id);
Refusal not_found(std::string_view what, std::string_view id);
/// The work that a call begins, as its treatment bends it.
Activity begin(Work work, runtime::Time now, runtime::Duration duration, const Treatment& treatment);
std::string lower(std::string_view text);

}  // namespace acceptd::simulator
