#pragma once
/// Hosted OpenShift clusters and their node pools: what Microsoft.RedHatOpenShift adds to the engine in code.

#include <memory>

#include "engine/resource_type.hpp"

namespace acceptd::types::hcp {

inline constexpr std::string_view kClusterType = "Microsoft.RedHatOpenShift/hcpOpenShiftClusters";
inline constexpr std::string_view kNodePoolType = "Microsoft.RedHatOpenShift/hcpOpenShiftClusters/nodePools";

/// HCP-007; credentials have the same deadline for request and revocation.
struct Options {
  engine::Deadlines cluster;
  engine::Deadlines node_pool;
  std::chrono::seconds credential{15 * 60};
};

class Descriptions;
/// The API descriptions, compiled once for all types. Throws std::runtime_error if the build embedded broken ones.
std::shared_ptr<const Descriptions> load_descriptions();

/// The provider outlives the type.
std::unique_ptr<engine::ResourceType> make_cluster_type(std::shared_ptr<const Descriptions> descriptions, engine::Provider& provider,
                                                        const Options& options = {});
std::unique_ptr<engine::ResourceType> make_node_pool_type(std::shared_ptr<const Descriptions> descriptions, engine::Provider& provider,
                                                          const Options& options = {});

}  // namespace acceptd::types::hcp
