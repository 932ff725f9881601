#include "schema/format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

#include "model/resource_id.hpp"
#include "model/time.hpp"
#include "model/uuid.hpp"

namespace acceptd::schema {

namespace {

namespace json = boost::json;

template <bool (*Check)(std::string_view)>
bool on_text(const json::value& value) {
  return !value.is_string() || Check(value.get_string());
}

template <class Integer>
bool fits(const json::value& value) {
  if (value.is_int64())
    return value.get_int64() >= std::numeric_limits<Integer>::min() && value.get_int64() <= std::numeric_limits<Integer>::max();
  return !value.is_uint64();  // what is stored as uint64 exceeds int64
}

bool is_uuid(std::string_view text) { return model::parse_uuid(text).has_value(); }
bool is_date_time(std::string_view text) { return model::parse_rfc3339(text).has_value(); }
bool is_date(std::string_view text) {
  return text.size() == 10 && model::parse_rfc3339(std::string(text) + "T00:00:00Z").has_value();
}
bool is_ipv4(std::string_view text) { return parse_ipv4(text).has_value(); }
bool is_cidr(std::string_view text) { return parse_ipv4_block(text).has_value(); }

/// RFC 3986: a scheme, a colon, and no character that would have to be escaped.
bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || !std::isalpha(static_cast<unsigned char>(text[0]))) return false;
  const auto scheme_char = [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '-' || c == '.'; };
  if (!std::ranges::all_of(text.substr(0, colon), scheme_char)) return false;
  return std::ranges::all_of(text.substr(colon + 1), [](unsigned char c) {
    return c > 0x20 && c < 0x7f && std::string_view("\"<>\\^`{|}").find(static_cast<char>(c)) == std::string_view::npos;
  });
}

/// A resource, or the scopes above it.
bool is_arm_id(std::string_view text) {
  if (model::ResourceId::parse(text)) return true;
  const auto parts = std::ranges::count(text, '/');
  const std::string lower = model::to_lower(text);
  if (!lower.starts_with("/subscriptions/") || lower.ends_with('/') || lower.find("//") != std::string::npos) return false;
  return parts == 2 || (parts == 4 && lower.find("/resourcegroups/") != std::string::npos);
}

/// RFC 4648 base64 with padding.
bool is_base64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return std::ranges::all_of(text.substr(0, text.size() - padding),
                             [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '/'; });
}

constexpr std::array kFormats{
    Format{"uuid", "a valid UUID", on_text<is_uuid>},
    Format{"date-time", "a valid RFC 3339 date-time", on_text<is_date_time>},
    Format{"date", "a valid date, YYYY-MM-DD", on_text<is_date>},
    Format{"uri", "a valid URI", on_text<is_uri>},
    Format{"arm-id", "a valid resource ID", on_text<is_arm_id>},
    Format{"ipv4", "a valid IPv4 address", on_text<is_ipv4>},
    Format{"cidr", "a valid IPv4 CIDR block", on_text<is_cidr>},
    Format{"byte", "base64", on_text<is_base64>},
    Format{"int32", "a 32-bit integer", fits<std::int32_t>},
    Format{"int64", "a 64-bit integer", fits<std::int64_t>},
    Format{"password", ""},
    Format{"float", ""},
    Format{"double", ""},
};

}  // namespace

std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
  std::uint32_t address = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (at == end || *at++ != '.')) return std::nullopt;
    std::uint8_t byte = 0;
    const auto [next, error] = std::from_chars(at, end, byte);
    if (error != std::errc{} || (*at == '0' && next - at > 1)) return std::nullopt;
    address = address << 8 | byte;
    at = next;
  }
  return at == end ? std::optional(address) : std::nullopt;
}

std::optional<Ipv4Block> parse_ipv4_block(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = parse_ipv4(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  int prefix = -1;
  const auto [next, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
  const bool clean = error == std::errc{} && next == digits.data() + digits.size() && (digits.size() == 1 || digits[0] != '0');
  if (!address || !clean || prefix < 0 || prefix > 32) return std::nullopt;
  return Ipv4Block{*address, prefix};
}

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace acceptd::schema
