#pragma once
/// Which thing a path names. Fixed words compare without regard to case (ARM-013); what the caller wrote is kept.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/arm/options.hpp"
#include "engine/resource_type.hpp"
#include "http/message.hpp"
#include "model/error.hpp"
#include "model/resource_id.hpp"

namespace acceptd::contracts::arm {

enum class RouteKind : std::uint8_t {
  unknown,
  health,               ///< /healthz
  location,             ///< /location
  provider_operations,  ///< /providers/{namespace}/operations: what may be done with the provider's types
  subscription,         ///< /subscriptions/{s}
  resource,             ///< …/{type}/{name}[/{type}/{name}]
  list,                 ///< …/{type}: below a subscription, a resource group or a parent
  action,               ///< …/{type}/{name}/{action}, POST
  skus,                 ///< …/{type}/{name}/skus
  name_availability,    ///< …/checkNameAvailability below a provider or one of its locations
  operation_status,     ///< …/locations/{location}/{statuses}/{operation}
  operation_statuses,   ///< …/locations/{location}/{statuses}: the caller's operations
  operation_result,     ///< …/locations/{location}/{results}/{operation}
};
std::string_view to_string(RouteKind kind);

struct Route {
  RouteKind kind = RouteKind::unknown;
  std::string subscription;
  std::string resource_group;                   ///< "" at subscription scope
  std::optional<model::ResourceId> id;          ///< resource, action: the resource; a list below a parent: that parent
  const engine::ResourceType* type = nullptr;   ///< resource, list, action
  std::string action;                           ///< as in the path
  const ProviderNamespace* provider = nullptr;  ///< all routes below a provider
  std::string location, operation;              ///< operation routes, as in the path
};

/// Finds what the path names; `unknown` if nothing. Says nothing about the method, except that POST alone names actions.
Route parse_route(const http::Request& request, const engine::TypeRegistry& types,
                  const std::vector<ProviderNamespace>& namespaces);

/// Names that no resource may have (ARM-050, ARM-052), and subscription IDs that are no UUID. `segments` are the path's.
std::optional<model::Error> refuse_names(const Route& route, const std::vector<std::string>& segments);

/// Whether the type's name ("Contoso.Kites/kites") begins with the provider's.
bool belongs_to(std::string_view type, std::string_view provider);

/// The API version as the type spells it, nullopt if it has none such. Where no type is named, any of the provider's will do.
std::optional<std::string> known_version(const Route& route, const engine::TypeRegistry& types, std::string_view api_version);

/// Whether ARM allows it as the name of any resource (ARM-052).
bool is_resource_name(std::string_view name);

}  // namespace acceptd::contracts::arm
