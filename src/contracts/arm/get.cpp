/// GET of a resource and of lists.

#include "contracts/arm/links.hpp"
#include "contracts/arm/render.hpp"
#include "contracts/arm/service.hpp"

namespace acceptd::contracts::arm {

namespace {

/// Where the listed resources' IDs begin; "" = the whole subscription.
std::string list_prefix(const Route& route) {
  if (route.id) return route.id->key() + "/";
  if (route.resource_group.empty()) return {};
  return model::to_lower("/subscriptions/" + route.subscription + "/resourceGroups/" + route.resource_group + "/");
}

}  // namespace

Task<http::Response> Service::get_resource(const Call& call) {
  const auto resource = co_await engine_.get(*call.route.id);
  if (!resource) {
    if (resource.error().kind == model::ErrorKind::not_found)
      if (const auto refusal = co_await refuse_unknown_subscription(call)) co_return error_response(*refusal);
    co_return error_response(resource.error());
  }
  if (is_not_modified(call.request, resource->etag)) {
    http::Response unchanged{.status = 304};
    unchanged.headers.add("ETag", '"' + resource->etag + '"');
    co_return unchanged;
  }
  co_return resource_response(200, *resource, *call.route.type, call.api_version);
}

Task<http::Response> Service::list_resources(const Call& call) {
  const auto paging = paging_of(call.request, options_.page_size);
  if (!paging) co_return error_response(paging.error());
  if (const auto refusal = co_await refuse_unknown_subscription(call)) co_return error_response(*refusal);
  if (call.route.id) {
    const auto parent = co_await engine_.get(*call.route.id);
    if (!parent) co_return error_response(parent.error());
  }
  engine::ListRequest request{.subscription = call.route.subscription,
                              .type_key = call.route.type->info().key(),
                              .path_prefix = list_prefix(call.route),
                              .limit = paging->limit,
                              .continuation = paging->continuation};
  const auto page = co_await engine_.list(std::move(request));
  if (!page) co_return error_response(page.error());
  boost::json::array value;
  for (const model::Resource& resource : page->resources)
    value.push_back(resource_body(resource, *call.route.type, call.api_version));
  boost::json::object body{{"value", std::move(value)}};
  if (!page->continuation.empty()) body["nextLink"] = next_page_url(call.request, page->continuation);
  co_return json_response(200, body);
}

/// What a resource could be scaled to (ARM-220 to ARM-222): no type has SKUs so far.
Task<http::Response> Service::list_skus(const Call& call) {
  const auto resource = co_await engine_.get(*call.route.id);
  if (!resource) co_return error_response(resource.error());
  const boost::json::object body{{"value", boost::json::array{}}};
  co_return json_response(200, body);
}

}  // namespace acceptd::contracts::arm
