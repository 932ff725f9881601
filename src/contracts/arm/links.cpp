#include "contracts/arm/links.hpp"

#include <algorithm>
#include <utility>

#include "contracts/arm/text.hpp"
#include "http/uri.hpp"

namespace acceptd::contracts::arm {

namespace {

/// OData's parameters are known by their dollar sign.
std::string encoded_name(std::string_view name) {
  return name.starts_with('$') ? "$" + http::percent_encode(name.substr(1)) : http::percent_encode(name);
}

bool is_http(std::string_view scheme) {
  return model::equals_ignoring_case(scheme, "https") || model::equals_ignoring_case(scheme, "http");
}

/// "scheme://host[:port]" if it is a URL, else "".
std::string origin(const std::string& scheme, const std::string& authority) {
  const auto url = http::parse_url(scheme + "://" + authority);
  return url && url->authority == authority ? url->scheme + "://" + url->authority : std::string();
}

/// Of "a, b" the first: what the outermost proxy saw.
std::string first_of(std::string_view list) { return std::string(trim(list.substr(0, list.find(',')))); }

std::optional<http::Url> referer_of(const http::Request& request) {
  const auto referer = request.headers.get("referer");
  return referer ? http::parse_url(*referer) : std::nullopt;
}

/// The same path with every segment encoded anew: what a request line may hold need not be a URI. nullopt: cannot be decoded.
std::optional<std::string> encoded_path(std::string_view path) {
  std::string encoded;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const auto segment = http::percent_decode(path.substr(begin, end - begin));
    if (!segment) return std::nullopt;
    encoded += http::percent_encode(*segment);
    if (end < path.size()) encoded += '/';
    begin = end + 1;
  }
  return encoded;
}

/// The path by which the client knows this request: the referer's if it ends with ours (a front door may add a prefix).
std::string public_path(const http::Request& request) {
  std::string own = encoded_path(request.path).value_or("/");
  const auto referer = referer_of(request);
  auto path = referer ? encoded_path(referer->path) : std::nullopt;
  if (!path || path->size() < own.size()) return own;
  const std::string_view end = std::string_view(*path).substr(path->size() - own.size());
  return model::equals_ignoring_case(end, own) ? std::move(*path) : own;
}

}  // namespace

std::string public_origin(const http::Request& request) {
  if (const auto referer = referer_of(request)) return referer->scheme + "://" + referer->authority;
  const std::string own_scheme = request.tls ? "https" : "http";
  const std::string forwarded_scheme = first_of(request.headers.get("x-forwarded-proto").value_or(""));
  const std::string scheme = is_http(forwarded_scheme) ? forwarded_scheme : own_scheme;
  for (const char* header : {"x-forwarded-host", "host"})
    if (const auto value = request.headers.get(header))
      if (std::string found = origin(scheme, first_of(*value)); !found.empty()) return found;
  return own_scheme + "://localhost";
}

std::string operation_path(const Route& route, std::string_view operation_type, std::string_view region,
                           const model::Uuid& operation) {
  std::string path = "/subscriptions/" + route.subscription;
  path.append("/providers/").append(route.provider->name);
  path.append("/locations/").append(region);
  path.append("/").append(operation_type).append("/").append(model::to_string(operation));
  return path;
}

std::string operation_url(const http::Request& request, std::string_view path, std::string_view api_version) {
  return public_origin(request).append(path).append("?api-version=").append(http::percent_encode(api_version));
}

std::string next_page_url(const http::Request& request, std::string_view skip_token) {
  std::string url = public_origin(request) + public_path(request);
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    if (model::equals_ignoring_case(name, "$skipToken")) continue;
    url.append(1, separator).append(encoded_name(name)).append("=").append(http::percent_encode(value));
    separator = '&';
  }
  return url.append(1, separator).append("$skipToken=").append(http::percent_encode(skip_token));
}

}  // namespace acceptd::contracts::arm
