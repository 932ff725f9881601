#pragma once
/// The resource types that this process serves, and the provider that drives each.

#include <memory>
#include <vector>

#include "apps/acceptd/process/config.hpp"
#include "contracts/arm/options.hpp"
#include "engine/provider.hpp"
#include "engine/resource_type.hpp"
#include "providers/cluster_service/connection.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/random.hpp"

namespace acceptd::process {

/// Owns what the engine and the contracts share. The connection outlives it.
struct ServedTypes {
  std::vector<std::unique_ptr<engine::Provider>> providers;
  engine::TypeRegistry registry;
  std::vector<contracts::arm::ProviderNamespace> namespaces;
};

struct TypeDependencies {
  boost::asio::any_io_executor executor;  ///< of the backends' clients
  providers::cluster_service::Connection& connection;
  runtime::Clock& clock;
  runtime::Random& random;
  runtime::Log& log;
};

/// Throws std::runtime_error with all that is wrong if a declared provider cannot be used.
std::unique_ptr<ServedTypes> make_types(const Config& config, const TypeDependencies& dependencies);

}  // namespace acceptd::process
