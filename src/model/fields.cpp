#include "model/fields.hpp"

namespace acceptd::model {

namespace json = boost::json;

std::string_view FieldReader::view(std::string_view key) {
  const json::value* value = find(key);
  if (!value) return {};
  if (!value->is_string()) return ok_ = false, std::string_view();
  return value->get_string();
}

std::optional<Uuid> FieldReader::id(std::string_view key) {
  const std::string_view value = view(key);
  if (value.empty()) return std::nullopt;
  const auto parsed = parse_uuid(value);
  if (!parsed) ok_ = false;
  return parsed;
}

std::optional<Time> FieldReader::time(std::string_view key) {
  const std::string_view value = view(key);
  if (value.empty()) return std::nullopt;
  const auto parsed = parse_rfc3339(value);
  if (!parsed) ok_ = false;
  return parsed;
}

json::object FieldReader::object(std::string_view key) {
  json::value* value = in_.if_contains(key);
  if (!value) return {};
  if (!value->is_object()) return ok_ = false, json::object();
  json::object own;  // in storage of its own: what is read may lie in an Arena
  own = std::move(value->get_object());
  return own;
}

bool FieldReader::flag(std::string_view key) {
  const json::value* value = find(key);
  if (!value) return false;
  if (!value->is_bool()) return ok_ = false;
  return value->get_bool();
}

std::uint64_t FieldReader::number(std::string_view key) {
  const json::value* value = find(key);
  if (!value) return 0;
  if (value->is_uint64()) return value->get_uint64();
  if (value->is_int64() && value->get_int64() >= 0) return static_cast<std::uint64_t>(value->get_int64());
  ok_ = false;
  return 0;
}

}  // namespace acceptd::model
