#pragma once
/// Writes that clusters and node pools have alike.

#include <boost/json.hpp>
#include <functional>

#include "engine/provider.hpp"
#include "providers/cluster_service/connection.hpp"
#include "providers/cluster_service/upgrades.hpp"

namespace acceptd::providers::cluster_service {

struct UpdateSteps {
  /// The PATCH that makes the target of its object's current state: only what differs. Empty: nothing is sent.
  std::function<boost::json::object(const engine::Target& target, const boost::json::object& current)> difference;
  /// Whether the object at the target's address is the target's; if not, it is gone. Absent: addresses are never used again.
  std::function<bool(const engine::Target& target, const boost::json::object& current)> is_ours;
  UpgradeRoutes upgrades;
};
/// Reads the object, then changes what differs, then asks for the upgrade if one is wanted. May be sent again at any point.
runtime::Task<engine::Submission> update_object(Connection& connection, engine::Target target, UpdateSteps steps);

runtime::Task<engine::Submission> remove_object(Connection& connection, engine::Target target);

/// A refusal that names nothing to the caller; `summary` is for operators.
engine::Submission refused(model::Error error, std::string summary);

}  // namespace acceptd::providers::cluster_service
