#pragma once
/// A node pool as ARM describes it (properties of API version 2025-12-23-preview) and as Cluster Service does.

#include <boost/json.hpp>

#include "engine/provider.hpp"

namespace acceptd::providers::cluster_service {

/// The body of a create. Our stamp is sent as Azure tags of the pool (docs/decisions/0001-node-pool-stamp.md).
boost::json::object node_pool_to_cs(const engine::Target& target);

/// The body of an update: what may change and differs from `current`; empty if nothing does.
boost::json::object node_pool_patch(const engine::Target& target, const boost::json::object& current);

/// All properties that Cluster Service reports, in ARM's shape.
boost::json::object node_pool_from_cs(const boost::json::object& node_pool);

/// Of these, what the backend chose where the caller left it out: the subnet, which defaults to the cluster's.
boost::json::object node_pool_observed(const boost::json::object& node_pool);

}  // namespace acceptd::providers::cluster_service
