#include "apps/acceptd/process/types.hpp"

#include "providers/cluster_service/cluster_service.hpp"
#include "providers/simulated/simulated.hpp"
#include "types/hcp/hcp.hpp"

namespace acceptd::process {

std::unique_ptr<ServedTypes> make_types(const Config& config, providers::cluster_service::Connection& connection,
                                        runtime::Clock& clock) {
  namespace backend = providers::cluster_service;
  namespace hcp = types::hcp;
  auto served = std::make_unique<ServedTypes>();
  if (config.simulated_backend) {
    const providers::simulated::Options options{.work = config.simulated_backend->work};
    for (int types = 0; types < 2; ++types)
      served->providers.push_back(std::make_unique<providers::simulated::SimulatedProvider>(options, clock));
  } else {
    const backend::Options options{.region = config.region,
                                   .identity_url = config.cluster_service.identity_url,
                                   .settle_time = config.cluster_service.settle_time};
    served->providers.push_back(backend::make_cluster_provider(connection, options));
    served->providers.push_back(backend::make_node_pool_provider(connection, options));
  }
  const hcp::Settings settings{.deadlines = config.deadlines, .action_deadline = config.action_deadline};
  for (auto& type : hcp::make_types(settings, *served->providers[0], *served->providers[1]))
    served->registry.add(std::move(type));
  served->namespaces = {{std::string(hcp::kNamespace), std::string(hcp::kStatusesType), std::string(hcp::kResultsType)}};
  return served;
}

}  // namespace acceptd::process
