#pragma once
/// Upgrades of what a control plane or a node pool runs. Cluster Service changes no version by PATCH: it is asked by an upgrade
/// policy, the newest of which counts.

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/provider.hpp"
#include "providers/cluster_service/connection.hpp"

namespace acceptd::providers::cluster_service {

/// Below an object's own address.
inline constexpr std::string_view kControlPlanePolicies = "/control_plane/upgrade_policies";
inline constexpr std::string_view kNodePoolPolicies = "/upgrade_policies";

struct UpgradeRoutes {
  std::string versions;       ///< "/api/aro_hcp/v1alpha1/versions"
  std::string_view policies;  ///< one of the above
};

/// The version ("4.21", "4.20.8") that `desired` asks for if `current` runs an older one; "4.20" is satisfied by any 4.20.z.
/// What follows the patch number ("4.20.0-rc.3") is not compared.
std::optional<std::string> wanted_version(const boost::json::object& desired, const boost::json::object& current);

/// Asks for the upgrade that `target` wants of its object, once: `accepted` if it was asked for before, or none is wanted.
/// A version without a patch number means the newest of them that Cluster Service offers.
runtime::Task<engine::Submission> ask_for_upgrade(Connection& connection, UpgradeRoutes routes, engine::Target target,
                                                  boost::json::object current);

/// What to say of an update whose object `current` is ready: `done`, unless an upgrade is still on its way or has failed;
/// unexpected if a version is wanted and the running one cannot be read.
runtime::Task<engine::Observation> observe_upgrade(Connection& connection, UpgradeRoutes routes, engine::Target target,
                                                   boost::json::object current, engine::Observation done);

}  // namespace acceptd::providers::cluster_service
