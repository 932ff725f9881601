#pragma once
/// What a request says besides its path: versions, conditions, identifiers, body.

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "contracts/arm/route.hpp"
#include "engine/engine.hpp"
#include "http/message.hpp"
#include "model/error.hpp"
#include "model/uuid.hpp"
#include "runtime/clock.hpp"

namespace acceptd::contracts::arm {

/// A request on its way through a handler. Lives in the frame of Service::handle().
struct Call {
  const http::Request& request;
  Route route;
  model::Uuid request_id;  ///< x-ms-request-id
  engine::Caller caller;
  engine::Correlation correlation;
  std::string api_version;
  runtime::Monotonic began{};  ///< when handling the request began
};

/// Identifiers that the operation and the log keep (ARM-004, SH-010 to SH-012).
engine::Correlation correlation_of(const http::Request& request);

/// "" where the route needs none (ARM-034). Errors: InvalidParameter if absent, InvalidResourceType if no type has it.
model::Result<std::string> api_version_of(const http::Request& request, const Route& route, const engine::TypeRegistry& types);

/// If-Match and If-None-Match of a write: "*" or one entity tag each.
model::Result<engine::Preconditions> preconditions_of(const http::Request& request);
/// Whether If-None-Match of a read names the tag (ARM-113).
bool is_not_modified(const http::Request& request, std::string_view etag);

/// nullopt: PUT, PATCH and POST carry JSON, or nothing at all (ARM-021).
std::optional<model::Error> refuse_media_type(const http::Request& request);

/// The body as an object; an empty one is `{}` if `optional`.
model::Result<boost::json::object> body_of(const http::Request& request, bool optional);

struct Paging {
  std::uint32_t limit;
  std::string continuation;
};
inline constexpr std::uint32_t kMaxTop = 1000;
model::Result<Paging> paging_of(const http::Request& request, std::uint32_t page_size);

/// The header X-Ms-Identity-Url: where the front door serves the resource's managed identities; "" without it. Must be an https
/// or http URL.
model::Result<std::string> identity_url_of(const http::Request& request);

}  // namespace acceptd::contracts::arm
