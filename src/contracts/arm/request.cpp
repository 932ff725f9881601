#include "contracts/arm/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "contracts/arm/text.hpp"
#include "http/uri.hpp"
#include "model/json.hpp"
#include "schema/schema.hpp"

namespace acceptd::contracts::arm {

namespace {

using model::Error;
using model::ErrorKind;

constexpr std::size_t kMaxIdentifier = 128;  // longer ones are cut: they are kept in every operation document

constexpr std::string_view kIdentityUrlHeader = "X-Ms-Identity-Url";
constexpr std::size_t kMaxUrl = 2048;

Error invalid(std::string code, std::string message) {
  return Error{.kind = ErrorKind::invalid, .code = std::move(code), .message = std::move(message)};
}

/// version "-" trace-id "-" parent-id "-" flags, as version 00; "" if it is not one (W3C Trace Context).
std::string traceparent_of(const http::Request& request) {
  constexpr std::size_t kSize = 55;
  const std::string_view text = request.headers.get("traceparent").value_or("");
  if (text.size() < kSize || request.headers.count("traceparent") != 1) return {};
  const std::string_view head = text.substr(0, kSize);
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  for (std::size_t i = 0; i < kSize; ++i)
    if (i == 2 || i == 35 || i == 52 ? head[i] != '-' : !is_hex(head[i])) return {};
  const std::string_view version = head.substr(0, 2);
  if (version == "ff" || (version == "00" && text.size() != kSize) || (text.size() > kSize && text[kSize] != '-')) return {};
  const auto all_zero = [](std::string_view id) { return id.find_first_not_of('0') == std::string_view::npos; };
  if (all_zero(head.substr(3, 32)) || all_zero(head.substr(36, 16))) return {};
  return "00" + std::string(head.substr(2));
}

std::string identifier(const http::Request& request, std::string_view header) {
  return printable(request.headers.get(header).value_or(""), kMaxIdentifier);
}

/// "*", or an entity tag without quotes; "" for an absent or empty field.
model::Result<std::string> entity_tag(const http::Request& request, std::string_view header) {
  const std::string_view field = request.headers.get(header).value_or("");
  std::string_view tag = trim(field);
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  const bool quoted = tag.size() >= 2 && tag.front() == '"' && tag.back() == '"';
  if (quoted) tag = tag.substr(1, tag.size() - 2);
  const bool one = tag.find_first_of("\", ") == std::string_view::npos && is_printable(tag);
  if (one && request.headers.count(header) <= 1) return std::string(tag);
  return std::unexpected(
      invalid("InvalidRequestContent", fmt::format("The header '{}' must be \"*\" or one entity tag.", header)));
}

}  // namespace

engine::Correlation correlation_of(const http::Request& request) {
  return engine::Correlation{.client_request_id = identifier(request, "x-ms-client-request-id"),
                             .correlation_request_id = identifier(request, "x-ms-correlation-request-id"),
                             .traceparent = traceparent_of(request)};
}

model::Result<std::string> api_version_of(const http::Request& request, const Route& route, const engine::TypeRegistry& types) {
  if (!route.provider || route.kind == RouteKind::provider_operations) return std::string();
  const auto version = request.parameter("api-version");
  if (!version || version->empty())
    return std::unexpected(invalid("InvalidParameter", "The request is missing required parameter 'api-version'."));
  if (auto known = known_version(route, types, *version)) return std::move(*known);
  // Callers know the outermost type: that is the one they registered for.
  std::string type = route.provider->name;
  if (route.type) type = route.type->info().name.substr(0, route.type->info().name.find('/', route.provider->name.size() + 1));
  Error error = invalid("InvalidResourceType",
                        fmt::format("The resource type '{}' could not be found API version '{}'.", type, printable(*version)));
  error.kind = ErrorKind::unsupported_version;
  return std::unexpected(std::move(error));
}

model::Result<engine::Preconditions> preconditions_of(const http::Request& request) {
  auto if_match = entity_tag(request, "If-Match");
  if (!if_match) return std::unexpected(if_match.error());
  auto if_none_match = entity_tag(request, "If-None-Match");
  if (!if_none_match) return std::unexpected(if_none_match.error());
  return engine::Preconditions{.if_match = std::move(*if_match), .if_none_match = std::move(*if_none_match)};
}

bool is_not_modified(const http::Request& request, std::string_view etag) {
  const std::string_view field = request.headers.get("If-None-Match").value_or("");
  std::string_view left = field;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(','), left.size());
    std::string_view tag = trim(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"') tag = tag.substr(1, tag.size() - 2);
    if (tag == "*" || (!tag.empty() && tag == etag)) return true;
  }
  return false;
}

std::optional<Error> refuse_media_type(const http::Request& request) {
  const std::string_view field = request.headers.get("Content-Type").value_or("");
  if (field.empty() && request.body.empty()) return std::nullopt;
  const std::string_view media_type = trim(field.substr(0, field.find(';')));
  if (model::equals_ignoring_case(media_type, "application/json")) return std::nullopt;
  return invalid(
      "UnsupportedMediaType",
      fmt::format("The content media type '{}' is not supported. Only 'application/json' is supported.", printable(media_type)));
}

model::Result<boost::json::object> body_of(const http::Request& request, bool optional) {
  if (request.body.empty() && optional) return boost::json::object{};
  auto parsed = model::parse_json(request.body);
  std::string reason;
  if (!parsed)
    reason = fmt::format("{} at byte {}", parsed.error().reason, parsed.error().offset);
  else if (!parsed->is_object())
    reason = "the content must be a JSON object";
  if (reason.empty()) {
    schema::make_integers(*parsed);
    return std::move(parsed->get_object());
  }
  return std::unexpected(
      invalid("InvalidRequestContent",
              fmt::format("The request content was invalid and could not be deserialized: \"{}\"", printable(reason))));
}

model::Result<Paging> paging_of(const http::Request& request, std::uint32_t page_size) {
  Paging paging{.limit = page_size, .continuation = std::string(request.parameter("$skipToken").value_or(""))};
  const auto top = request.parameter("$top");
  if (!top) return paging;
  const auto [end, failed] = std::from_chars(top->data(), top->data() + top->size(), paging.limit);
  if (failed != std::errc() || end != top->data() + top->size() || paging.limit < 1 || paging.limit > kMaxTop)
    return std::unexpected(
        invalid("InvalidParameter", fmt::format("The parameter '$top' must be an integer from 1 to {}.", kMaxTop)));
  return paging;
}

model::Result<std::string> identity_url_of(const http::Request& request) {
  const std::string_view url = trim(request.headers.get(kIdentityUrlHeader).value_or(""));
  const bool good =
      url.size() <= kMaxUrl && request.headers.count(kIdentityUrlHeader) <= 1 && (url.empty() || http::parse_url(url));
  if (good) return std::string(url);
  return std::unexpected(
      invalid("InvalidRequestContent",
              fmt::format("The header '{}' must be one http or https URL of at most {} bytes.", kIdentityUrlHeader, kMaxUrl)));
}

}  // namespace acceptd::contracts::arm
