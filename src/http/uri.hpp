#pragma once
/// Percent-encoding and the URI forms that the program meets: a request's target and an absolute http(s) URL.
/// Boost.URL's normalisation is not used: it turns an encoded slash into a separator (STYLE B4).

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.hpp"

namespace acceptd::http {

/// Encodes everything but unreserved characters (RFC 3986 §2.3).
std::string percent_encode(std::string_view text);

/// "?a=b&c=d", encoded; "" without parameters.
std::string query_string(const std::vector<QueryParameter>& parameters);

/// No spaces, control characters or bytes beyond ASCII: what a request line may hold.
bool is_visible_ascii(std::string_view text);

/// Decodes once; nullopt for a '%' that is not followed by two hexadecimal digits. '+' stays '+'.
std::optional<std::string> percent_decode(std::string_view text);

struct Target {
  std::string authority;  ///< of an absolute-form target, "host[:port]" as received: it stands for Host; else ""
  std::string path;       ///< as received
  std::vector<std::string> segments;
  std::vector<QueryParameter> query;
};
/// An origin-form target ("/a/b?c=d"; of two slashes at its beginning one is dropped) or an absolute-form one
/// ("http://host:80/a/b?c=d", as proxies are asked; RFC 9112 §3.2.2). The error says what is wrong: empty or dot segments (also
/// encoded), invalid percent-encoding, characters outside visible ASCII, an authority that is none, another form.
std::expected<Target, std::string> parse_target(std::string_view target);

struct Url {
  std::string scheme;     ///< "http" or "https"
  std::string authority;  ///< host[:port] as written
  std::string host;       ///< without brackets and port
  std::string port;       ///< "80", "443" or as written
  std::string path;       ///< as written; "" or starts with '/'
  std::string query;      ///< as written, without '?'
};
/// An absolute http or https URL without user info; nullopt for anything else. A fragment is dropped.
std::optional<Url> parse_url(std::string_view text);

}  // namespace acceptd::http
