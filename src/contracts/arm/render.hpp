#pragma once
/// What the engine returns, as ARM clients read it.

#include <boost/json.hpp>
#include <string_view>

#include "engine/resource_type.hpp"
#include "http/message.hpp"
#include "http/server.hpp"
#include "model/error.hpp"
#include "model/operation.hpp"
#include "model/resource.hpp"

namespace acceptd::contracts::arm {

/// Clients of a 503 without a better hint come back after this long (hcp.md 1.5).
inline constexpr std::chrono::seconds kUnavailableRetryAfter{59};

/// The external representation: envelope, then what the type renders.
boost::json::object resource_body(const model::Resource& resource, const engine::ResourceType& type,
                                  std::string_view api_version);

/// 200 or 201 with the resource, and its ETag.
http::Response resource_response(unsigned status, const model::Resource& resource, const engine::ResourceType& type,
                                 std::string_view api_version);

/// {id, name, status, startTime, endTime?, percentComplete?, error?} (ARM-172 to ARM-179).
boost::json::object status_body(const model::Operation& operation);

/// The HTTP status of a refusal.
unsigned status_of(const model::Error& error);
/// The HTTP status that a request would have got whose operation failed like this. Only the code is known then. Never one that
/// clients retry by themselves, except for a broken server's own InternalServerError.
unsigned status_of_failure(std::string_view code);

http::Response json_response(unsigned status, const boost::json::value& body);
/// {error:{code, message, …}}, x-ms-error-code, Retry-After if there is a hint (ARM-040, ARM-044, ARM-201).
http::Response error_response(unsigned status, const model::Error& error);
http::Response error_response(const model::Error& error);
/// The request never became one that a handler could answer.
http::Response refusal_response(http::Refused refused, std::string_view reason);

}  // namespace acceptd::contracts::arm
