#include "contracts/arm/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "contracts/arm/text.hpp"
#include "model/json.hpp"
#include "schema/schema.hpp"

namespace acceptd::contracts::arm {

namespace {

namespace json = boost::json;
using model::Error;
using model::ErrorKind;

struct CodeStatus {
  std::string_view code;
  unsigned status;
};
constexpr std::array kFailures{
    CodeStatus{"InternalServerError", 500},    CodeStatus{"InvalidParameter", 400},
    CodeStatus{"InvalidRequestContent", 400},  CodeStatus{"InvalidResource", 400},
    CodeStatus{"InvalidResourceName", 400},    CodeStatus{"InvalidResourceType", 400},
    CodeStatus{"MultipleErrorsOccurred", 400}, CodeStatus{"NotFound", 404},
    CodeStatus{"PreconditionFailed", 412},     CodeStatus{"ResourceGroupNotFound", 404},
    CodeStatus{"ResourceNotFound", 404},       CodeStatus{"SubscriptionNotFound", 404},
};
/// The backend refused or gave up: the state of things forbids it, and asking again for the result will not change that.
constexpr unsigned kOtherFailure = 409;

/// Codes whose status is not that of their kind.
constexpr std::array kSpecial{CodeStatus{"Forbidden", 403}, CodeStatus{"MethodNotAllowed", 405},
                              CodeStatus{"UnsupportedMediaType", 415}, CodeStatus{"LockContention", 503}};

std::string_view default_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid: return "InvalidRequestContent";
    case ErrorKind::unsupported_version: return "InvalidResourceType";
    case ErrorKind::not_found: return "NotFound";
    case ErrorKind::conflict:
    case ErrorKind::contended: return "Conflict";
    case ErrorKind::precondition_failed: return "PreconditionFailed";
    case ErrorKind::throttled: return "TooManyRequests";
    case ErrorKind::unavailable: return "ServiceUnavailable";
    case ErrorKind::unknown_outcome:
    case ErrorKind::internal: break;
  }
  return "InternalServerError";
}

/// Both are always there and never empty (ARM-040, CL-08).
Error completed(const Error& error) {
  Error out = error;
  if (out.code.empty()) out.code = default_code(out.kind);
  if (out.message.empty()) out.message = out.kind == ErrorKind::internal ? "Internal server error." : out.code;
  return out;
}

}  // namespace

json::object resource_body(const model::Resource& resource, const engine::ResourceType& type, std::string_view api_version) {
  json::object rendered = type.render(resource, api_version);
  json::object body{{"id", resource.id.text()}, {"name", resource.id.name()}, {"type", type.info().name}};
  for (const char* member : {"location", "tags", "identity"})
    if (const json::value* value = rendered.if_contains(member)) body[member] = *value;
  if (!resource.system_data.empty()) body["systemData"] = resource.system_data;
  body["etag"] = '"' + resource.etag + '"';  // as in the header: quoted
  json::object properties{{"provisioningState", to_string(resource.provisioning_state)}};
  for (auto& [name, value] : rendered) {
    if (name == "properties" && value.is_object())
      for (auto& [property, content] : value.get_object()) properties.emplace(property, std::move(content));
    else if (name != "properties")
      body.emplace(name, std::move(value));  // sku, plan, kind …; what is there already stays
  }
  body["properties"] = std::move(properties);
  return body;
}

http::Response json_response(unsigned status, const json::value& body) {
  http::Response response{.status = status, .body = model::to_text(body)};
  response.headers.add("Content-Type", "application/json");
  return response;
}

http::Response resource_response(unsigned status, const model::Resource& resource, const engine::ResourceType& type,
                                 std::string_view api_version) {
  http::Response response = json_response(status, resource_body(resource, type, api_version));
  response.headers.add("ETag", '"' + resource.etag + '"');
  return response;
}

json::object status_body(const model::Operation& operation) {
  json::object body{{"id", operation.operation_path},
                    {"name", model::to_string(operation.id)},
                    {"status", to_string(operation.status)},
                    {"startTime", model::format_rfc3339(operation.start)}};
  if (!operation.active()) body["endTime"] = model::format_rfc3339(operation.last_transition);
  if (operation.percent && operation.active()) {
    json::value percent = std::clamp(*operation.percent, 0.0, 100.0);
    schema::make_integers(percent);
    body["percentComplete"] = std::move(percent);
  }
  const bool failed = operation.status == model::Status::failed || operation.status == model::Status::canceled;
  if (failed) body["error"] = model::error_to_json(completed(operation.error.value_or(Error{})));
  return body;
}

unsigned status_of(const Error& error) {
  for (const CodeStatus& special : kSpecial)
    if (special.code == error.code) return special.status;
  switch (error.kind) {
    case ErrorKind::invalid:
    case ErrorKind::unsupported_version: return 400;
    case ErrorKind::not_found: return 404;
    case ErrorKind::conflict:
    case ErrorKind::contended: return 409;
    case ErrorKind::precondition_failed: return 412;
    case ErrorKind::throttled: return 429;
    case ErrorKind::unavailable: return 503;
    case ErrorKind::unknown_outcome:
    case ErrorKind::internal: break;
  }
  return 500;
}

unsigned status_of_failure(std::string_view code) {
  const auto found = std::ranges::find(kFailures, code, &CodeStatus::code);
  return found != kFailures.end() ? found->status : kOtherFailure;
}

http::Response error_response(unsigned status, const Error& error) {
  const Error shown = completed(error);
  http::Response response = json_response(status, json::object{{"error", model::error_to_json(shown)}});
  response.headers.add("x-ms-error-code", printable(shown.code));
  auto retry_after = shown.retry_after;
  if (!retry_after && (status == 503 || status == 429)) retry_after = kUnavailableRetryAfter;
  if (retry_after) response.headers.add("Retry-After", fmt::to_string(retry_after->count()));
  return response;
}

http::Response error_response(const Error& error) { return error_response(status_of(error), error); }

http::Response refusal_response(http::Refused refused, std::string_view reason) {
  const auto refuse = [&](unsigned status, std::string code, std::string_view message) {
    return error_response(
        status, Error{.kind = ErrorKind::invalid, .code = std::move(code), .message = fmt::format("{} ({})", message, reason)});
  };
  switch (refused) {
    case http::Refused::malformed: return refuse(400, "BadRequest", "The request is not valid HTTP.");
    case http::Refused::header_too_large: return refuse(431, "RequestHeaderFieldsTooLarge", "The request's header is too large.");
    case http::Refused::body_too_large: return refuse(413, "RequestEntityTooLarge", "The request's content is too large.");
    case http::Refused::version: return refuse(505, "HttpVersionNotSupported", "The HTTP version is not supported.");
    case http::Refused::too_many_connections: break;
  }
  return refuse(503, "ServiceUnavailable", "The server has too many connections.");
}

}  // namespace acceptd::contracts::arm
