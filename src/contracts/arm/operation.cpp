/// The status route (always 200) and the result route (202 until done, then the answer that the request would have got).
/// An operation that is not the caller's, never was or expired: 404 without a body, whatever the reason (HCP-009).

#include "contracts/arm/links.hpp"
#include "contracts/arm/render.hpp"
#include "contracts/arm/service.hpp"
#include "schema/schema.hpp"

namespace acceptd::contracts::arm {

namespace {

http::Response nothing_here() { return http::Response{.status = 404}; }

/// What the backend made, numbers as callers of this contract see them.
boost::json::value result_body(boost::json::value made) {
  schema::make_integers(made);
  return made;
}

http::Response unreadable(const model::Error& error) {
  return error.kind == model::ErrorKind::not_found ? nothing_here() : error_response(error);
}

}  // namespace

Task<http::Response> Service::get_operation(const Call& call) {
  const auto id = model::parse_uuid(call.route.operation);
  if (!id || !is_own_region(call.route.location)) co_return nothing_here();
  const auto operation = co_await engine_.operation(call.route.subscription, *id, call.caller);
  if (!operation) co_return unreadable(operation.error());
  http::Response response = json_response(200, status_body(*operation));
  if (operation->active()) add_retry_after(response);
  co_return response;
}

Task<http::Response> Service::list_operations(const Call& call) {
  if (!is_own_region(call.route.location)) co_return nothing_here();
  const auto paging = paging_of(call.request, options_.page_size);
  if (!paging) co_return error_response(paging.error());
  engine::OperationFilter filter{
      .subscription = call.route.subscription, .limit = paging->limit, .continuation = paging->continuation};
  const auto page = co_await engine_.operations(std::move(filter), call.caller);
  if (!page) co_return error_response(page.error());
  boost::json::array value;
  for (const model::Operation& operation : page->operations) {
    boost::json::object item = status_body(operation);
    item["resourceId"] = operation.target.text();
    item["operation"] = model::request_name(operation);
    value.push_back(std::move(item));
  }
  boost::json::object body{{"value", std::move(value)}};
  if (!page->continuation.empty()) body["nextLink"] = next_page_url(call.request, page->continuation);
  co_return json_response(200, body);
}

Task<http::Response> Service::get_result(const Call& call) {
  const auto id = model::parse_uuid(call.route.operation);
  if (!id || !is_own_region(call.route.location)) co_return nothing_here();
  const auto operation = co_await engine_.operation(call.route.subscription, *id, call.caller);
  if (!operation) co_return unreadable(operation.error());
  if (operation->active()) {
    http::Response response{.status = 202};
    response.headers.set("Location", location_url(call, operation->id));
    add_retry_after(response);
    co_return response;
  }
  co_return co_await ended_answer(call, *operation);
}

Task<http::Response> Service::ended_answer(const Call& call, const model::Operation& operation) {
  if (operation.status == model::Status::succeeded) co_return co_await finished_result(call, operation);
  const model::Error error = operation.error.value_or(model::Error{});
  co_return error_response(status_of_failure(error.code.empty() ? "InternalServerError" : error.code), error);
}

Task<http::Response> Service::finished_result(const Call& call, const model::Operation& operation) {
  const engine::ResourceType* type = types_.find(operation.target.type_key());
  switch (operation.request) {
    case model::RequestKind::create:
    case model::RequestKind::update: {
      const auto resource = model::result_resource(operation);
      if (!resource || !type) co_return unreadable(resource ? model::Error{} : resource.error());
      const bool created =
          operation.request == model::RequestKind::create && type->verbs(operation.api_version).put.tells_created;
      const unsigned status = created ? 201 : 200;
      co_return resource_response(status, *resource, *type, operation.api_version);
    }
    case model::RequestKind::action: {
      const engine::ActionInfo* action = type ? type->info().action(operation.action) : nullptr;
      if (!action || !action->secret_result) {
        if (operation.result) co_return json_response(200, result_body(*operation.result));
        break;
      }
      const auto result = co_await engine_.action_result(operation);
      if (!result) co_return error_response(result.error());
      http::Response response = json_response(200, result_body(*result));
      response.headers.set("Cache-Control", "no-store");  // a secret
      co_return response;
    }
    case model::RequestKind::remove:
    case model::RequestKind::cleanup: break;
  }
  co_return http::Response{.status = 204};
}

}  // namespace acceptd::contracts::arm
