#include "apps/cluster-service-sim/simulator/routes.hpp"

#include <array>

namespace acceptd::simulator {
namespace {

using enum http::Method;

constexpr std::array kRoutes{
    Route{get, "/clusters", list_clusters},
    Route{post, "/clusters", create_cluster},
    Route{get, "/clusters/*", get_cluster},
    Route{patch, "/clusters/*", patch_cluster},
    Route{remove, "/clusters/*", delete_cluster},
    Route{get, "/clusters/*/status", cluster_status},
    Route{get, "/clusters/*/inflight_checks", inflight_checks},
    Route{get, "/clusters/*/provision_shard", provision_shard},
    Route{get, "/clusters/*/autoscaler", autoscaler},
    Route{get, "/clusters/*/node_pools", list_node_pools},
    Route{post, "/clusters/*/node_pools", create_node_pool},
    Route{get, "/clusters/*/node_pools/*", get_node_pool},
    Route{patch, "/clusters/*/node_pools/*", patch_node_pool},
    Route{remove, "/clusters/*/node_pools/*", delete_node_pool},
    Route{get, "/clusters/*/node_pools/*/status", node_pool_status},
    Route{get, "/clusters/*/control_plane/upgrade_policies", list_upgrade_policies},
    Route{post, "/clusters/*/control_plane/upgrade_policies", create_upgrade_policy},
    Route{get, "/clusters/*/node_pools/*/upgrade_policies", list_upgrade_policies},
    Route{post, "/clusters/*/node_pools/*/upgrade_policies", create_upgrade_policy},
    Route{get, "/clusters/*/break_glass_credentials", list_credentials},
    Route{post, "/clusters/*/break_glass_credentials", create_credential},
    Route{remove, "/clusters/*/break_glass_credentials", revoke_credentials},
    Route{get, "/clusters/*/break_glass_credentials/*", get_credential},
    Route{get, "/versions", list_versions},
    Route{get, "/versions/*", get_version},
};

}  // namespace

std::span<const Route> routes() { return kRoutes; }

bool fits(std::string_view pattern, std::span<const std::string> path) {
  for (const std::string& segment : path) {
    if (!pattern.starts_with('/')) return false;
    pattern.remove_prefix(1);
    const std::string_view expected = pattern.substr(0, pattern.find('/'));
    if (expected != "*" && expected != segment) return false;
    pattern.remove_prefix(expected.size());
  }
  return pattern.empty();
}

}  // namespace acceptd::simulator
