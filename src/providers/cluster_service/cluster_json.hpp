#pragma once
/// A cluster as ARM describes it (properties of API version 2025-12-23-preview) and as Cluster Service does.

#include <boost/json.hpp>

#include "engine/provider.hpp"
#include "providers/cluster_service/options.hpp"

namespace acceptd::providers::cluster_service {

/// Members of a cluster's free `properties` map that carry our stamp.
inline constexpr std::string_view kStampIncarnation = "acceptd_incarnation";
inline constexpr std::string_view kStampOperation = "acceptd_operation";

/// The body of a create.
boost::json::object cluster_to_cs(const engine::Target& target, const Options& options);

/// The body of an update: what may change and differs from `current`, and our stamp. Empty if `current` carries the
/// operation's stamp already.
boost::json::object cluster_patch(const engine::Target& target, const Options& options, const boost::json::object& current);

/// All properties that Cluster Service reports, in ARM's shape.
boost::json::object cluster_from_cs(const boost::json::object& cluster);

/// Of these, what a caller cannot set but sees: addresses, the base domain and generated names, in ARM's shape. Beside them
/// `identity.userAssignedIdentities` {resource ID: {clientId, principalId}}, which ARM shows outside of `properties`.
boost::json::object cluster_observed(const boost::json::object& cluster);

/// "openshift-vX.Y.Z[-channel]" <-> "X.Y.Z". The channel is left out for "stable".
std::string version_to_cs(std::string_view version, std::string_view channel);
std::string version_from_cs(std::string_view version, std::string_view channel);

}  // namespace acceptd::providers::cluster_service
