#include "contracts/arm/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/system/system_error.hpp>

#include "contracts/arm/links.hpp"
#include "contracts/arm/render.hpp"
#include "contracts/arm/text.hpp"

namespace acceptd::contracts::arm {

namespace {

using model::Error;
using model::ErrorKind;

Error no_such_path() {
  return Error{.kind = ErrorKind::not_found, .code = "NotFound", .message = "The requested path could not be found."};
}

bool carries_body(http::Method method) {
  return method == http::Method::put || method == http::Method::patch || method == http::Method::post;
}
bool reads(http::Method method) { return method == http::Method::get || method == http::Method::head; }

http::Response text_response(std::string body) {
  http::Response response{.status = 200, .body = std::move(body)};
  response.headers.add("Content-Type", "text/plain");
  return response;
}

/// The operation that the answer names, "" if it began none: ties the request's identifiers to what comes of it (ARM-004).
std::string_view begun_operation(const http::Response& response) {
  std::string_view url = response.headers.get("Azure-AsyncOperation").value_or("");
  url = url.substr(0, url.find('?'));
  return url.substr(url.rfind('/') + 1);
}

}  // namespace

Service::Service(Options options, Dependencies dependencies)
    : options_(std::move(options)),
      engine_(dependencies.engine),
      types_(dependencies.types),
      clock_(dependencies.clock),
      random_(dependencies.random),
      log_(dependencies.log),
      proxies_(options_.trusted_proxies) {}

std::optional<Error> Service::admit(Call& call) const {
  const http::Request& request = call.request;
  if (auto refusal = refuse_names(call.route, request.segments)) return refusal;
  if (call.route.kind == RouteKind::unknown) return no_such_path();
  if (call.route.kind == RouteKind::health || call.route.kind == RouteKind::location) return std::nullopt;
  auto caller = identify(request, proxies_);
  if (!caller) return caller.error();
  call.caller = std::move(*caller);
  if (carries_body(request.method))
    if (auto refusal = refuse_media_type(request)) return refusal;
  auto version = api_version_of(request, call.route, types_);
  if (!version) return version.error();
  call.api_version = std::move(*version);
  return std::nullopt;
}

Task<http::Response> Service::dispatch(const Call& call) {
  using http::Method;
  const Method method = call.request.method;
  const bool fixed =
      call.route.kind == RouteKind::resource || call.route.kind == RouteKind::list || call.route.kind == RouteKind::action;
  if (fixed) {
    const std::vector<Method> methods = methods_of(call);
    const bool known = std::ranges::find(methods, method) != methods.end();
    if (methods.empty() || (!known && call.route.provider->hides_methods)) co_return error_response(no_such_path());
    if (!known) co_return refuse_method(call);
  }
  switch (call.route.kind) {
    case RouteKind::health:
      if (reads(method)) co_return http::Response{};
      break;
    case RouteKind::location:
      if (reads(method)) co_return text_response(options_.region);
      break;
    case RouteKind::provider_operations:
      if (reads(method)) co_return co_await list_provider_operations(call);
      break;
    case RouteKind::subscription:
      if (reads(method)) co_return co_await get_subscription(call);
      if (method == Method::put) co_return co_await put_subscription(call);
      break;
    case RouteKind::resource:
      if (reads(method)) co_return co_await get_resource(call);
      if (method == Method::put || method == Method::patch) co_return co_await write_resource(call);
      if (method == Method::remove) co_return co_await remove_resource(call);
      break;
    case RouteKind::list:
      if (reads(method)) co_return co_await list_resources(call);
      break;
    case RouteKind::action: co_return co_await act_on_resource(call);
    case RouteKind::skus:
      if (reads(method)) co_return co_await list_skus(call);
      break;
    case RouteKind::name_availability:
      if (method == Method::post) co_return co_await check_name(call);
      break;
    case RouteKind::operation_status:
      if (reads(method)) co_return co_await get_operation(call);
      break;
    case RouteKind::operation_statuses:
      if (reads(method)) co_return co_await list_operations(call);
      break;
    case RouteKind::operation_result:
      if (reads(method)) co_return co_await get_result(call);
      break;
    case RouteKind::unknown: break;
  }
  co_return error_response(no_such_path());
}

Task<http::Response> Service::handle(http::Request request) {
  const runtime::Monotonic began = clock_.monotonic();
  Call call{.request = request, .route = parse_route(request, types_, options_.namespaces), .request_id = random_.uuid_v4()};
  call.began = began;
  call.correlation = correlation_of(request);
  http::Response response;
  try {
    if (const auto refusal = admit(call))
      response = error_response(*refusal);
    else
      response = co_await dispatch(call);
  } catch (const boost::system::system_error& error) {
    if (error.code() == boost::asio::error::operation_aborted) throw;  // the server is closing the connection
    log_.error("arm.exception", {{"request_id", model::to_string(call.request_id)}, {"what", error.what()}});
    response = error_response(Error{});
  } catch (const std::exception& error) {  // a bug: it costs this request
    log_.error("arm.exception", {{"request_id", model::to_string(call.request_id)}, {"what", error.what()}});
    response = error_response(Error{});
  }
  response.headers.set("x-ms-request-id", model::to_string(call.request_id));
  const auto client_request_id = request.headers.get("x-ms-client-request-id");
  if (client_request_id && model::equals_ignoring_case(request.headers.get("x-ms-return-client-request-id").value_or(""), "true"))
    response.headers.set("x-ms-client-request-id", *client_request_id);
  examine(request, call, response);
  report(request, call, response, began);
  co_return response;
}

http::Response Service::refuse(http::Refused refused, std::string_view reason) {
  http::Response response = refusal_response(refused, reason);
  response.headers.set("x-ms-request-id", model::to_string(random_.uuid_v4()));
  if (options_.observe) options_.observe(RequestRecord{.method = "none", .route = "refused", .status = response.status});
  return response;
}

void Service::report(const http::Request& request, const Call& call, const http::Response& response,
                     runtime::Monotonic began) const {
  const RequestRecord record{.method = http::to_string(request.method),
                             .route = to_string(call.route.kind),
                             .status = response.status,
                             .duration = clock_.monotonic() - began};
  if (options_.observe) options_.observe(record);
  const bool broken = response.status >= 500;
  const double milliseconds = std::chrono::duration<double, std::milli>(record.duration).count();
  log_.write(broken ? runtime::Level::warn : runtime::Level::info, "arm.request",
             {{"request_id", model::to_string(call.request_id)},
              {"client_request_id", call.correlation.client_request_id},
              {"correlation_request_id", call.correlation.correlation_request_id},
              {"traceparent", call.correlation.traceparent},
              {"method", record.method},
              {"path", printable(request.path, 1024)},
              {"route", record.route},
              {"operation", begun_operation(response)},
              {"status", response.status},
              {"error_code", response.headers.get("x-ms-error-code").value_or("")},
              {"duration_ms", milliseconds}});
}

bool Service::is_own_region(std::string_view location) const {
  std::string folded = model::to_lower(location);
  std::erase(folded, ' ');
  return folded == model::to_lower(options_.region);
}

std::function<std::string(model::Uuid)> Service::status_path(const Call& call) const {
  return [&call, this](model::Uuid operation) {
    return operation_path(call.route, call.route.provider->statuses_type, options_.region, operation);
  };
}

std::string Service::location_url(const Call& call, const model::Uuid& operation) const {
  const std::string path = operation_path(call.route, call.route.provider->results_type, options_.region, operation);
  return operation_url(call.request, path, call.api_version);
}

void Service::add_retry_after(http::Response& response) const {
  response.headers.set("Retry-After", fmt::to_string(options_.retry_after.count()));
}

void Service::add_links(http::Response& response, const Call& call, const model::Operation& operation, Links links) const {
  const std::string path = operation_path(call.route, call.route.provider->statuses_type, options_.region, operation.id);
  response.headers.set("Azure-AsyncOperation", operation_url(call.request, path, call.api_version));
  if (links == Links::status_and_location) response.headers.set("Location", location_url(call, operation.id));
  add_retry_after(response);
}

}  // namespace acceptd::contracts::arm
