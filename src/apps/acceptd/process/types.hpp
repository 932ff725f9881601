#pragma once
/// The resource types that this process serves, and the provider that drives each.

#include <memory>
#include <vector>

#include "apps/acceptd/process/config.hpp"
#include "contracts/arm/options.hpp"
#include "engine/provider.hpp"
#include "engine/resource_type.hpp"
#include "providers/cluster_service/connection.hpp"

namespace acceptd::process {

/// Owns what the engine and the contracts share. The connection outlives it.
struct ServedTypes {
  std::vector<std::unique_ptr<engine::Provider>> providers;
  engine::TypeRegistry registry;
  std::vector<contracts::arm::ProviderNamespace> namespaces;
};

std::unique_ptr<ServedTypes> make_types(const Config& config, providers::cluster_service::Connection& connection,
                                        runtime::Clock& clock);

}  // namespace acceptd::process
