#include "http/uri.hpp"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace acceptd::http {

namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

std::expected<std::vector<std::string>, std::string> parse_path(std::string_view path) {
  std::vector<std::string> segments;
  if (path == "/") return segments;
  if (path.ends_with('/')) path.remove_suffix(1);
  std::size_t start = 1;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    auto segment = percent_decode(path.substr(start, end - start));
    if (!segment) return std::unexpected("the path has an invalid percent-encoding");
    if (segment->empty()) return std::unexpected("the path has an empty segment");
    if (*segment == "." || *segment == "..") return std::unexpected("the path has a dot segment");
    segments.push_back(std::move(*segment));
    start = end + 1;
  }
  return segments;
}

std::expected<std::vector<QueryParameter>, std::string> parse_query(std::string_view query) {
  std::vector<QueryParameter> parameters;
  std::size_t start = 0;
  while (start < query.size()) {
    const std::size_t end = std::min(query.find('&', start), query.size());
    const std::string_view pair = query.substr(start, end - start);
    start = end + 1;
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decode(pair.substr(0, equals));
    auto value = percent_decode(equals < pair.size() ? pair.substr(equals + 1) : std::string_view());
    if (!name || !value) return std::unexpected("the query has an invalid percent-encoding");
    parameters.push_back({std::move(*name), std::move(*value)});
  }
  return parameters;
}

/// Takes "http://host:port" off the front of an absolute-form target and returns the authority; nullopt if it is none.
std::optional<std::string> take_authority(std::string_view& target) {
  const std::size_t colon = target.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::size_t end = std::min(target.find_first_of("/?", colon + 3), target.size());
  const auto url = parse_url(target.substr(0, end));
  if (!url || url->authority != target.substr(colon + 3, end - colon - 3)) return std::nullopt;
  target.remove_prefix(end);
  return url->authority;
}

}  // namespace

bool is_visible_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

std::string percent_encode(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string query_string(const std::vector<QueryParameter>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters)
    out.append(out.empty() ? "?" : "&").append(percent_encode(name)).append("=").append(percent_encode(value));
  return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0) return std::nullopt;
    out += static_cast<char>(hex(text[i + 1]) << 4 | hex(text[i + 2]));
    i += 2;
  }
  return out;
}

std::expected<Target, std::string> parse_target(std::string_view target) {
  if (!is_visible_ascii(target)) return std::unexpected("the request target has a character outside visible ASCII");
  if (target.find('#') != std::string_view::npos) return std::unexpected("the request target has a fragment");
  std::string authority;
  if (!target.starts_with('/')) {
    auto taken = take_authority(target);
    if (!taken) return std::unexpected("the request target must begin with '/' or be an http or https URL");
    authority = std::move(*taken);
  }
  const std::size_t question = std::min(target.find('?'), target.size());
  std::string_view path = target.substr(0, question);
  // Azure's SDKs put a "/" before resource IDs, which begin with one: "//subscriptions/…".
  if (path.size() > 2 && path.starts_with("//")) path.remove_prefix(1);
  if (path.empty()) path = "/";  // only an absolute form may leave it out
  Target out{.authority = std::move(authority), .path = std::string(path)};
  auto segments = parse_path(out.path);
  if (!segments) return std::unexpected(segments.error());
  auto query = parse_query(question < target.size() ? target.substr(question + 1) : std::string_view());
  if (!query) return std::unexpected(query.error());
  out.segments = std::move(*segments);
  out.query = std::move(*query);
  return out;
}

std::optional<Url> parse_url(std::string_view text) {
  const auto parsed = boost::urls::parse_uri(boost::core::string_view(text.data(), text.size()));
  if (!parsed || !parsed->has_authority() || parsed->has_userinfo() || parsed->encoded_host().empty()) return std::nullopt;
  Url url;
  url.scheme = std::string(parsed->scheme());
  std::ranges::transform(url.scheme, url.scheme.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (url.scheme != "http" && url.scheme != "https") return std::nullopt;
  url.authority = std::string(parsed->encoded_host_and_port());
  url.host = std::string(parsed->encoded_host());
  if (url.host.starts_with('[') && url.host.ends_with(']')) url.host = url.host.substr(1, url.host.size() - 2);
  url.port = parsed->has_port() && !parsed->port().empty() ? std::string(parsed->port()) : (url.scheme == "https" ? "443" : "80");
  // Boost.URL 1.81 ends the authority at a port that is no number and calls the rest a path without a slash.
  if (!parsed->encoded_path().empty() && !parsed->encoded_path().starts_with('/')) return std::nullopt;
  if (url.port.size() > 5 || !std::ranges::all_of(url.port, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  url.path = std::string(parsed->encoded_path());
  url.query = std::string(parsed->encoded_query());
  return url;
}

}  // namespace acceptd::http
