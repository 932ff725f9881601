#pragma once
/// The declared providers that the configuration names, and the backend that drives each of their types.

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "apps/acceptd/process/types.hpp"
#include "providers/http_backend/http_backend.hpp"
#include "providers/simulated/simulated.hpp"
#include "types/declared/provider.hpp"

namespace acceptd::process {

using Backend = std::variant<providers::simulated::Options, providers::http_backend::Spec>;

struct DeclaredProvider {
  types::declared::Provider provider;
  std::map<std::string, Backend> backends;  ///< by the type's short key; "" = of all that have none of their own
};

/// `problems`: all that is wrong, one line each; if there are any, the result is not to be used.
std::vector<DeclaredProvider> load_providers(const Config& config, std::vector<std::string>& problems);

std::unique_ptr<engine::Provider> make_backend(Backend backend, const TypeDependencies& dependencies);

}  // namespace acceptd::process
