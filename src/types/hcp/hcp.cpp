#include "types/hcp/hcp.hpp"

#include "types/hcp/hcp_type.hpp"

namespace acceptd::types::hcp {

std::vector<std::unique_ptr<engine::ResourceType>> make_types(const Settings& settings, engine::Provider& clusters,
                                                              engine::Provider& node_pools) {
  const auto descriptions = std::make_shared<const Descriptions>();
  std::vector<std::unique_ptr<engine::ResourceType>> types;
  types.push_back(make_cluster_type(descriptions, clusters, settings));
  types.push_back(make_node_pool_type(descriptions, node_pools, settings));
  return types;
}

}  // namespace acceptd::types::hcp
