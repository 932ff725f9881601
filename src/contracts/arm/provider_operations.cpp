/// GET /providers/{namespace}/operations: the permissions that the provider's types know (ARM-243 to ARM-245).

#include "contracts/arm/render.hpp"
#include "contracts/arm/service.hpp"

namespace acceptd::contracts::arm {

namespace {

boost::json::object operation_item(const ProviderNamespace& provider, std::string_view resource, std::string_view name,
                                   std::string_view description) {
  const std::string scope = resource.empty() ? provider.name : std::string(resource);
  return {{"name", scope + "/" + std::string(name)},
          {"isDataAction", false},
          {"display",
           {{"provider", provider.name},
            {"resource", resource.empty() ? "register" : resource.substr(provider.name.size() + 1)},
            {"operation", name},
            {"description", description}}}};
}

}  // namespace

Task<http::Response> Service::list_provider_operations(const Call& call) {
  const ProviderNamespace& provider = *call.route.provider;
  boost::json::array value;
  value.push_back(operation_item(provider, "", "register/action", "Registers a subscription for the provider."));
  for (const auto& type : types_.all()) {
    const engine::TypeInfo& info = type->info();
    if (!belongs_to(info.name, provider.name)) continue;
    const engine::Verbs verbs = type->verbs(info.api_versions.empty() ? std::string() : info.api_versions.back());
    value.push_back(operation_item(provider, info.name, "read", "Reads and lists resources."));
    if (verbs.put.offered || verbs.patch.offered)
      value.push_back(operation_item(provider, info.name, "write", "Creates and updates resources."));
    if (verbs.remove.offered) value.push_back(operation_item(provider, info.name, "delete", "Deletes resources."));
    for (const engine::ActionInfo& action : info.actions)
      value.push_back(operation_item(provider, info.name, action.name + "/action", "Runs the action on a resource."));
  }
  const boost::json::object body{{"value", std::move(value)}};
  co_return json_response(200, body);
}

}  // namespace acceptd::contracts::arm
