#pragma once
/// Drives OpenShift Cluster Service (OCM aro_hcp/v1alpha1): one provider for each ARM type, over one connection.

#include <memory>

#include "engine/provider.hpp"
#include "providers/cluster_service/connection.hpp"
#include "providers/cluster_service/options.hpp"

namespace acceptd::providers::cluster_service {

/// Clusters and their credential actions. The connection outlives the provider. Cluster Service knows no idempotency keys:
/// objects carry our stamp and are found by it.
std::unique_ptr<engine::Provider> make_cluster_provider(Connection& connection, Options options);

/// Node pools below a cluster.
std::unique_ptr<engine::Provider> make_node_pool_provider(Connection& connection, Options options);

}  // namespace acceptd::providers::cluster_service
