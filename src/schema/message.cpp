#include "schema/message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/json.hpp"

namespace acceptd::schema::message {

namespace json = boost::json;

std::string required() { return "Required value"; }
std::string required(std::string_view detail) { return fmt::format("Required value: {}", detail); }
std::string forbidden(std::string_view detail) { return fmt::format("Forbidden: {}", detail); }
std::string immutable() { return forbidden("field is immutable"); }
std::string invalid(const json::value& value, std::string_view detail) {
  return fmt::format("Invalid value: {}: {}", shown(value), detail);
}
std::string invalid(std::string_view value, std::string_view detail) { return invalid(json::value(value), detail); }
std::string duplicate(const json::value& value) { return fmt::format("Duplicate value: {}", shown(value)); }
std::string too_long(std::size_t bytes_max) { return fmt::format("Too long: may not be more than {} bytes", bytes_max); }
std::string too_many(std::size_t count, std::size_t count_max) {
  return fmt::format("Too many: {}: must have at most {} items", count, count_max);
}

std::string unsupported(const json::value& value, std::span<const std::string> supported) {
  std::vector<std::string> quoted;
  for (const std::string& one : supported) quoted.push_back(shown(json::value(one)));
  return fmt::format("Unsupported value: {}: supported values: {}", shown(value), fmt::join(quoted, ", "));
}

std::string shown(const json::value& value) {
  std::string text = model::to_text(value);
  if (text.size() <= kMaxShownBytes) return text;
  std::size_t cut = kMaxShownBytes;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
  return text.substr(0, cut) + "...";
}

}  // namespace acceptd::schema::message
