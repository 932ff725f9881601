#pragma once
/// The resource types of hosted OpenShift clusters (contracts/hcp.md §5): clusters and their node pools.

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "engine/resource_type.hpp"

namespace acceptd::types::hcp {

inline constexpr std::string_view kNamespace = "Microsoft.RedHatOpenShift";
inline constexpr std::string_view kClusterType = "Microsoft.RedHatOpenShift/hcpOpenShiftClusters";
inline constexpr std::string_view kNodePoolType = "Microsoft.RedHatOpenShift/hcpOpenShiftClusters/nodePools";
inline constexpr std::string_view kStatusesType = "hcpOperationStatuses";
inline constexpr std::string_view kResultsType = "hcpOperationResults";

struct Settings {
  engine::Deadlines deadlines;
  std::optional<std::chrono::seconds> action_deadline;
  engine::Submit submit = engine::Submit::inline_;  ///< Cluster Service judges a request before it is acknowledged
};

/// Clusters, then node pools. Compiles the API descriptions that are part of the program; throws std::runtime_error if one
/// cannot be used (a bug). The providers outlive the types.
std::vector<std::unique_ptr<engine::ResourceType>> make_types(const Settings& settings, engine::Provider& clusters,
                                                              engine::Provider& node_pools);

}  // namespace acceptd::types::hcp
