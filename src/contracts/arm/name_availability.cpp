/// POST of checkNameAvailability: whether a resource of a type may have a name (ARM-240 to ARM-242). Names need to be unique
/// within their resource group only, which the request does not name: what is left to judge is the name itself.

#include <fmt/format.h>

#include "contracts/arm/render.hpp"
#include "contracts/arm/service.hpp"
#include "contracts/arm/text.hpp"
#include "model/json.hpp"

namespace acceptd::contracts::arm {

namespace {

model::Error wrong(std::string target, std::string message) {
  return model::Error{.kind = model::ErrorKind::invalid,
                      .code = "InvalidRequestContent",
                      .message = std::move(message),
                      .target = std::move(target)};
}

}  // namespace

Task<http::Response> Service::check_name(const Call& call) {
  if (!call.route.location.empty() && !is_own_region(call.route.location)) {
    const model::Error elsewhere{
        .kind = model::ErrorKind::not_found, .code = "NotFound", .message = "The requested path could not be found."};
    co_return error_response(elsewhere);
  }
  if (const auto refusal = co_await refuse_unknown_subscription(call)) co_return error_response(*refusal);
  const auto body = body_of(call.request, false);
  if (!body) co_return error_response(body.error());
  for (const char* member : {"name", "type"}) {
    const boost::json::value* value = body->if_contains(member);
    if (!value || !value->is_string()) co_return error_response(wrong(member, "Required value: must be a string"));
  }
  const std::string_view name = model::string_at(*body, "name"), type_name = model::string_at(*body, "type");
  const engine::ResourceType* type = types_.find(model::to_lower(type_name));
  if (!type || !belongs_to(type->info().name, call.route.provider->name))
    co_return error_response(wrong("type", fmt::format("Invalid value: \"{}\": no such resource type", printable(type_name))));
  boost::json::object answer{{"nameAvailable", true}};
  if (!is_resource_name(name) || !type->accepts_name(name)) {
    answer["nameAvailable"] = false;
    answer["reason"] = "Invalid";
    answer["message"] =
        fmt::format("The name '{}' does not conform to the naming restriction of '{}'.", printable(name), type->info().name);
  }
  co_return json_response(200, answer);
}

}  // namespace acceptd::contracts::arm
