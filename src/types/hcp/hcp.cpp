#include "types/hcp/hcp.hpp"

#include "types/hcp/cluster_type.hpp"
#include "types/hcp/node_pool_type.hpp"

namespace acceptd::types::hcp {

namespace {

std::vector<engine::ActionInfo> cluster_actions(const Settings& settings) {
  engine::ActionInfo request{.name = "requestAdminCredential",
                             .request = "RequestCredential",
                             .phrase = "request credential",
                             .blocked_message = "Cannot request credential while credentials are being revoked",
                             .one_at_a_time = true,
                             .secret_result = true};
  engine::ActionInfo revoke{.name = "revokeCredentials",
                            .request = "RevokeCredentials",
                            .phrase = "revoke credentials",
                            .exclusive = true,
                            .blocked_message = "Credentials are already being revoked",
                            .cancels = {"RequestCredential"}};
  if (settings.action_deadline) request.deadline = revoke.deadline = *settings.action_deadline;
  return {std::move(request), std::move(revoke)};
}

}  // namespace

std::vector<std::unique_ptr<engine::ResourceType>> make_types(const Settings& settings, engine::Provider& clusters,
                                                              engine::Provider& node_pools) {
  const std::string cluster_name = std::string(kNamespace) + "/hcpOpenShiftClusters";
  engine::TypeInfo cluster{.name = cluster_name, .submit = settings.submit, .deadlines = settings.deadlines,
                           .actions = cluster_actions(settings)};
  engine::TypeInfo node_pool{.name = cluster_name + "/nodePools", .parent_key = model::to_lower(cluster_name),
                             .submit = settings.submit, .deadlines = settings.deadlines};
  std::vector<std::unique_ptr<engine::ResourceType>> types;
  types.push_back(std::make_unique<ClusterType>(std::move(cluster), clusters));
  types.push_back(std::make_unique<NodePoolType>(std::move(node_pool), node_pools));
  return types;
}

}  // namespace acceptd::types::hcp
