#include "contracts/arm/route.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "contracts/arm/text.hpp"

namespace acceptd::contracts::arm {

namespace {

using model::equals_ignoring_case;
using model::Error;
using model::ErrorKind;
using Segments = std::vector<std::string>;

constexpr std::size_t kMaxResourceGroupName = 90;
constexpr std::size_t kMaxResourceName = 260;
constexpr std::string_view kCheckName = "checkNameAvailability";
constexpr std::string_view kSkus = "skus";

/// What one place of a path has to be: a fixed word, or anything (kept under a name).
enum class Place : std::uint8_t {
  end,
  subscriptions,
  subscription,
  resource_groups,
  resource_group,
  providers,
  provider,
  operations,
  locations,
  location,
  type,
  operation,
  rest
};

constexpr std::size_t kMaxPlaces = 8;
struct Pattern {
  std::array<Place, kMaxPlaces> places;
};

/// Scopes of a provider's types, and the operation routes. `rest` takes what is left: {type}/{name}/… .
constexpr std::array kPatterns{
    Pattern{{Place::providers, Place::provider, Place::operations}},
    Pattern{{Place::subscriptions, Place::subscription}},
    Pattern{{Place::subscriptions, Place::subscription, Place::providers, Place::provider, Place::locations, Place::location,
             Place::type}},
    Pattern{{Place::subscriptions, Place::subscription, Place::providers, Place::provider, Place::locations, Place::location,
             Place::type, Place::operation}},
    Pattern{{Place::subscriptions, Place::subscription, Place::providers, Place::provider, Place::rest}},
    Pattern{{Place::subscriptions, Place::subscription, Place::resource_groups, Place::resource_group, Place::providers,
             Place::provider, Place::rest}},
};

struct Match {
  Route route;
  std::string provider, type;
  std::size_t rest = 0;  ///< index of the first segment after the scope; 0 = there is none
};

std::string_view fixed_word(Place place) {
  switch (place) {
    case Place::subscriptions: return "subscriptions";
    case Place::resource_groups: return "resourceGroups";
    case Place::providers: return "providers";
    case Place::locations: return "locations";
    case Place::operations: return "operations";
    default: return {};
  }
}

void keep(Match& match, Place place, const std::string& segment) {
  switch (place) {
    case Place::subscription: match.route.subscription = segment; break;
    case Place::resource_group: match.route.resource_group = segment; break;
    case Place::provider: match.provider = segment; break;
    case Place::location: match.route.location = segment; break;
    case Place::type: match.type = segment; break;
    case Place::operation: match.route.operation = segment; break;
    default: break;
  }
}

std::optional<Match> match(const Pattern& pattern, const Segments& segments) {
  Match found;
  std::size_t at = 0;
  for (const Place place : pattern.places) {
    if (place == Place::end) break;
    if (at == segments.size()) return std::nullopt;
    if (place == Place::rest) {
      found.rest = at;
      return found;
    }
    const std::string_view word = fixed_word(place);
    if (!word.empty() && !equals_ignoring_case(word, segments[at])) return std::nullopt;
    keep(found, place, segments[at]);
    ++at;
  }
  if (at != segments.size()) return std::nullopt;
  return found;
}

std::optional<model::ResourceId> id_of(const Segments& segments, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (segments[i].contains('/')) return std::nullopt;  // %2F: refuse_names() says so
    text += "/" + segments[i];
  }
  return model::ResourceId::parse(text);
}

bool lives_here(const engine::ResourceType& type, const Route& route) {
  return route.resource_group.empty() ? type.info().in_subscription : type.info().in_group;
}

/// {type}/{name}…, {type}/{name}/{type} (a list) or {type}/{name}/{action}.
Route resource_route(Match found, const http::Request& request, const engine::TypeRegistry& types) {
  const Segments& segments = request.segments;
  const std::size_t left = segments.size() - found.rest;
  std::string key = model::to_lower(found.provider);
  for (std::size_t i = found.rest; i < segments.size(); i += 2) key += "/" + model::to_lower(segments[i]);
  Route route = std::move(found.route);
  if (left % 2 == 0) {
    route.type = types.find(key);
    route.id = id_of(segments, segments.size());
    if (route.type && route.id && lives_here(*route.type, route)) route.kind = RouteKind::resource;
    return route;
  }
  if (left == 1 && route.resource_group.empty() && equals_ignoring_case(segments.back(), kCheckName)) {
    route.kind = RouteKind::name_availability;
    return route;
  }
  if (left > 1) {
    route.id = id_of(segments, segments.size() - 1);
    if (!route.id) return route;
  }
  if (request.method == http::Method::post && route.id) {
    route.type = types.find(route.id->type_key());
    route.action = segments.back();
    if (route.type && route.type->info().action(route.action) && lives_here(*route.type, route)) route.kind = RouteKind::action;
    return route;
  }
  route.type = types.find(key);
  if (route.type) {
    route.kind = RouteKind::list;
  } else if (route.id && equals_ignoring_case(segments.back(), kSkus)) {
    route.type = types.find(route.id->type_key());
    if (route.type) route.kind = RouteKind::skus;
  } else if (route.id) {  // an action's path, but not its method
    route.type = types.find(route.id->type_key());
    route.action = segments.back();
    if (route.type && route.type->info().action(route.action) && lives_here(*route.type, route)) route.kind = RouteKind::action;
  }
  return route;
}

Route operation_route(Match found) {
  Route route = std::move(found.route);
  const bool results =
      equals_ignoring_case(found.type, route.provider->results_type) || equals_ignoring_case(found.type, "operationResults");
  const bool statuses = equals_ignoring_case(found.type, route.provider->statuses_type) ||
                        equals_ignoring_case(found.type, "operationStatuses") ||
                        equals_ignoring_case(found.type, "operationsStatus");
  if (route.operation.empty() && equals_ignoring_case(found.type, kCheckName)) route.kind = RouteKind::name_availability;
  if (results && !route.operation.empty()) route.kind = RouteKind::operation_result;
  if (statuses) route.kind = route.operation.empty() ? RouteKind::operation_statuses : RouteKind::operation_status;
  return route;
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool valid_resource_group(std::string_view name) {
  const auto allowed = [](char c) { return is_letter_or_digit(c) || std::string_view("-_().").contains(c); };
  return !name.empty() && name.size() <= kMaxResourceGroupName && name.back() != '.' && std::ranges::all_of(name, allowed);
}

}  // namespace

/// Only ASCII: names are compared without regard to case, which is defined here for ASCII alone.
bool is_resource_name(std::string_view name) {
  const auto allowed = [](char c) { return c >= 0x20 && c < 0x7f && !std::string_view("<>%&:\\?/").contains(c); };
  return !name.empty() && name.size() <= kMaxResourceName && std::ranges::all_of(name, allowed);
}

std::string_view to_string(RouteKind kind) {
  switch (kind) {
    case RouteKind::health: return "health";
    case RouteKind::location: return "location";
    case RouteKind::provider_operations: return "provider_operations";
    case RouteKind::subscription: return "subscription";
    case RouteKind::resource: return "resource";
    case RouteKind::list: return "list";
    case RouteKind::action: return "action";
    case RouteKind::skus: return "skus";
    case RouteKind::name_availability: return "name_availability";
    case RouteKind::operation_status: return "operation_status";
    case RouteKind::operation_statuses: return "operation_statuses";
    case RouteKind::operation_result: return "operation_result";
    case RouteKind::unknown: break;
  }
  return "none";
}

Route parse_route(const http::Request& request, const engine::TypeRegistry& types,
                  const std::vector<ProviderNamespace>& namespaces) {
  const Segments& segments = request.segments;
  if (segments.size() == 1 && equals_ignoring_case(segments[0], "healthz")) return Route{.kind = RouteKind::health};
  if (segments.size() == 1 && equals_ignoring_case(segments[0], "location")) return Route{.kind = RouteKind::location};
  for (const Pattern& pattern : kPatterns) {
    auto found = match(pattern, segments);
    if (!found) continue;
    if (found->provider.empty()) {
      found->route.kind = RouteKind::subscription;
      return std::move(found->route);
    }
    const auto known = std::ranges::find_if(
        namespaces, [&](const ProviderNamespace& candidate) { return equals_ignoring_case(candidate.name, found->provider); });
    if (known == namespaces.end()) return Route{};
    found->route.provider = &*known;
    if (found->route.subscription.empty()) {
      found->route.kind = RouteKind::provider_operations;
      return std::move(found->route);
    }
    return found->rest ? resource_route(std::move(*found), request, types) : operation_route(std::move(*found));
  }
  return Route{};
}

std::optional<Error> refuse_names(const Route& route, const Segments& segments) {
  const auto refuse = [](std::string code, std::string message) {
    return Error{.kind = ErrorKind::invalid, .code = std::move(code), .message = std::move(message)};
  };
  for (const std::string& segment : segments)
    if (segment.contains('/')) return refuse("InvalidResourceName", fmt::format("The name '{}' is invalid.", printable(segment)));
  if (!route.subscription.empty() && !model::parse_uuid(route.subscription))
    return refuse("InvalidSubscriptionID", fmt::format("The provided subscription identifier '{}' is malformed or invalid.",
                                                       printable(route.subscription)));
  if (!route.resource_group.empty() && !valid_resource_group(route.resource_group))
    return refuse("InvalidResourceGroupName", fmt::format("Resource group '{}' is invalid.", printable(route.resource_group)));
  if (!route.id) return std::nullopt;
  for (const auto& segment : route.id->segments())
    if (!is_resource_name(segment.name))
      return refuse("InvalidResourceName",
                    fmt::format("The Resource '{}/{}' under resource group '{}' does not conform to the naming restriction.",
                                printable(segment.type), printable(segment.name), printable(route.resource_group)));
  return std::nullopt;
}

bool belongs_to(std::string_view type, std::string_view provider) {
  return type.size() > provider.size() && type[provider.size()] == '/' &&
         equals_ignoring_case(type.substr(0, provider.size()), provider);
}

std::optional<std::string> known_version(const Route& route, const engine::TypeRegistry& types, std::string_view api_version) {
  for (const auto& type : types.all()) {
    const engine::TypeInfo& info = type->info();
    const bool asked = route.type ? route.type == type.get() : route.provider && belongs_to(info.name, route.provider->name);
    if (!asked) continue;
    for (const std::string& known : info.api_versions)
      if (equals_ignoring_case(known, api_version)) return known;
  }
  return std::nullopt;
}

}  // namespace acceptd::contracts::arm
