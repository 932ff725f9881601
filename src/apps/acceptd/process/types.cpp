#include "apps/acceptd/process/types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "apps/acceptd/process/providers.hpp"
#include "providers/cluster_service/cluster_service.hpp"
#include "providers/simulated/simulated.hpp"
#include "types/hcp/hcp.hpp"

namespace acceptd::process {

namespace {

void add_hosted_clusters(const Config& config, const TypeDependencies& dependencies, ServedTypes& served) {
  namespace backend = providers::cluster_service;
  namespace hcp = types::hcp;
  if (config.simulated_backend) {
    const providers::simulated::Options options{.work = config.simulated_backend->work};
    for (int types = 0; types < 2; ++types)
      served.providers.push_back(std::make_unique<providers::simulated::SimulatedProvider>(options, dependencies.clock));
  } else {
    const backend::Options options{.region = config.region,
                                   .identity_url = config.cluster_service.identity_url,
                                   .settle_time = config.cluster_service.settle_time};
    served.providers.push_back(backend::make_cluster_provider(dependencies.connection, options));
    served.providers.push_back(backend::make_node_pool_provider(dependencies.connection, options));
  }
  // The simulated backend accepts everything: there is no judgement to wait for.
  const hcp::Settings settings{.deadlines = config.deadlines,
                               .action_deadline = config.action_deadline,
                               .submit = config.simulated_backend ? engine::Submit::background : engine::Submit::inline_};
  for (auto& type : hcp::make_types(settings, *served.providers[0], *served.providers[1])) served.registry.add(std::move(type));
  served.namespaces.push_back({.name = std::string(hcp::kNamespace),
                               .statuses_type = std::string(hcp::kStatusesType),
                               .results_type = std::string(hcp::kResultsType),
                               .hides_methods = true});
}

void add_declared(DeclaredProvider& declared, const TypeDependencies& dependencies, ServedTypes& served) {
  const types::declared::Description& description = *declared.provider.description;
  std::map<std::string, engine::Provider*> backends;
  for (auto& [type, backend] : declared.backends) {
    served.providers.push_back(make_backend(std::move(backend), dependencies));
    backends[type] = served.providers.back().get();
  }
  const auto backend_of = [&](const std::string& type) -> engine::Provider& {
    const auto own = backends.find(type);
    return own != backends.end() ? *own->second : *backends.at("");
  };
  for (auto& type : types::declared::make_types(declared.provider, backend_of)) served.registry.add(std::move(type));
  served.namespaces.push_back({description.provider, description.statuses_type, description.results_type});
  dependencies.log.info(
      "provider.declared",
      {{"namespace", description.provider}, {"types", description.types.size()}, {"notes", description.notes.size()}});
}

}  // namespace

std::unique_ptr<ServedTypes> make_types(const Config& config, const TypeDependencies& dependencies) {
  std::vector<std::string> problems;
  std::vector<DeclaredProvider> declared = load_providers(config, problems);
  if (!problems.empty()) throw std::runtime_error(fmt::format("{}", fmt::join(problems, "\n")));
  auto served = std::make_unique<ServedTypes>();
  if (config.hosted_clusters) add_hosted_clusters(config, dependencies, *served);
  for (DeclaredProvider& one : declared) add_declared(one, dependencies, *served);
  return served;
}

}  // namespace acceptd::process
