#include "contracts/arm/links.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include "contracts/arm/text.hpp"

namespace acceptd::contracts::arm {

namespace urls = boost::urls;

namespace {

std::string encoded(std::string_view value) { return urls::encode(value, urls::unreserved_chars); }
/// OData's parameters are known by their dollar sign.
std::string encoded_name(std::string_view name) { return urls::encode(name, urls::unreserved_chars + '$'); }

bool is_http(std::string_view scheme) {
  return model::equals_ignoring_case(scheme, "https") || model::equals_ignoring_case(scheme, "http");
}

/// "scheme://host[:port]" if both are such that they can stand in a URL, else "".
std::string origin(std::string_view scheme, std::string_view authority) {
  if (!is_http(scheme) || authority.empty()) return {};
  const std::string text = model::to_lower(scheme) + "://" + std::string(authority);
  const auto url = urls::parse_uri(text);
  if (!url || url->encoded_host().empty() || url->has_userinfo() || !url->encoded_path().empty() || url->has_query() || url->has_fragment())
    return {};
  return text;
}

/// Of "a, b" the first: what the outermost proxy saw.
std::string_view first_of(std::string_view list) { return trim(list.substr(0, list.find(','))); }

std::string origin_of_referer(const http::Request& request) {
  const auto referer = request.headers.get("referer");
  if (!referer) return {};
  const auto url = urls::parse_uri(*referer);
  if (!url) return {};
  const std::string_view scheme = url->scheme(), authority = url->encoded_host_and_port();
  return origin(scheme, authority);
}

/// The path by which the client knows this request: the referer's if it ends with ours (a front door may add a prefix).
std::string public_path(const http::Request& request) {
  const auto referer = request.headers.get("referer");
  if (!referer || origin_of_referer(request).empty()) return request.path;
  const auto url = urls::parse_uri(*referer);
  const std::string_view path = url->encoded_path();
  const bool ours = path.size() >= request.path.size() &&
                    model::equals_ignoring_case(path.substr(path.size() - request.path.size()), request.path);
  return ours ? std::string(path) : request.path;
}

}  // namespace

std::string public_origin(const http::Request& request) {
  if (std::string found = origin_of_referer(request); !found.empty()) return found;
  const std::string own_scheme = request.tls ? "https" : "http";
  const std::string scheme(first_of(request.headers.get("x-forwarded-proto").value_or(own_scheme)));
  const std::string host = request.headers.get("host").value_or("localhost");
  const std::string forwarded(first_of(request.headers.get("x-forwarded-host").value_or(host)));
  const std::string usable_scheme = is_http(scheme) ? scheme : own_scheme;
  if (std::string found = origin(usable_scheme, forwarded); !found.empty()) return found;
  if (std::string found = origin(usable_scheme, host); !found.empty()) return found;
  return own_scheme + "://localhost";
}

std::string operation_path(const Route& route, std::string_view operation_type, std::string_view region, const model::Uuid& operation) {
  std::string path = "/subscriptions/" + route.subscription;
  path.append("/providers/").append(route.provider->name);
  path.append("/locations/").append(region);
  path.append("/").append(operation_type).append("/").append(model::to_string(operation));
  return path;
}

std::string operation_url(const http::Request& request, std::string_view path, std::string_view api_version) {
  return public_origin(request).append(path).append("?api-version=").append(encoded(api_version));
}

std::string next_page_url(const http::Request& request, std::string_view skip_token) {
  std::string url = public_origin(request) + public_path(request);
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    if (model::equals_ignoring_case(name, "$skipToken")) continue;
    url.append(1, separator).append(encoded_name(name)).append("=").append(encoded(value));
    separator = '&';
  }
  return url.append(1, separator).append("$skipToken=").append(encoded(skip_token));
}

}  // namespace acceptd::contracts::arm
