#include "providers/cluster_service/field_map.hpp"

#include <cmath>

namespace acceptd::providers::cluster_service {

namespace {

bool is_empty(const json::value& value) { return value.is_null() || (value.is_string() && value.get_string().empty()); }

json::value respell(std::span<const Spelling> spellings, const json::value& value, std::string_view Spelling::* from,
                    std::string_view Spelling::* to) {
  if (value.is_string())
    for (const Spelling& spelling : spellings)
      if (spelling.*from == std::string_view(value.get_string())) return json::value(spelling.*to);
  return value;
}

bool same_number(const json::value& a, const json::value& b) {
  if (a.is_double() || b.is_double()) return a.to_number<double>() == b.to_number<double>();
  return a == b;
}

}  // namespace

const json::value* value_at(const json::object& object, std::string_view path) {
  const auto dot = path.find('.');
  const auto found = object.find(path.substr(0, dot));
  if (found == object.end()) return nullptr;
  const json::value& value = found->value();
  if (dot == std::string_view::npos) return value.is_null() ? nullptr : &value;
  return value.is_object() ? value_at(value.get_object(), path.substr(dot + 1)) : nullptr;
}

std::string_view text_at(const json::object& object, std::string_view path) {
  const json::value* value = value_at(object, path);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

const json::object* members_at(const json::object& object, std::string_view path) {
  const json::value* value = value_at(object, path);
  return value ? value->if_object() : nullptr;
}

const json::array* items_at(const json::object& object, std::string_view path) {
  const json::value* value = value_at(object, path);
  return value ? value->if_array() : nullptr;
}

std::optional<std::int64_t> whole_at(const json::object& object, std::string_view path) {
  const json::value* value = value_at(object, path);
  if (!value) return std::nullopt;
  if (value->is_int64()) return value->get_int64();
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it a double names no single integer
  if (!value->is_double() || std::abs(value->get_double()) > kExact || std::trunc(value->get_double()) != value->get_double())
    return std::nullopt;
  return static_cast<std::int64_t>(value->get_double());
}

void put_at(json::object& object, std::string_view path, json::value value) {
  const auto dot = path.find('.');
  json::value& slot = object[path.substr(0, dot)];
  if (dot == std::string_view::npos) {
    slot = std::move(value);
    return;
  }
  if (!slot.is_object()) slot = json::object();
  put_at(slot.get_object(), path.substr(dot + 1), std::move(value));
}

void put_text(json::object& object, std::string_view path, std::string_view text) { put_at(object, path, json::value(text)); }

void copy_to_cs(std::span<const FieldRow> rows, const json::object& arm, json::object& cs) {
  for (const FieldRow& row : rows)
    if (const json::value* value = value_at(arm, row.arm); value && !is_empty(*value))
      put_at(cs, row.cs, respell(row.spellings, *value, &Spelling::arm, &Spelling::cs));
}

void copy_to_arm(std::span<const FieldRow> rows, const json::object& cs, json::object& arm) {
  for (const FieldRow& row : rows)
    if (const json::value* value = value_at(cs, row.cs); value && !is_empty(*value))
      put_at(arm, row.arm, respell(row.spellings, *value, &Spelling::cs, &Spelling::arm));
}

bool says_the_same(const json::value& wanted, const json::value* actual) {
  const bool absent = !actual || actual->is_null();
  if (wanted.is_object() && (absent || actual->is_object())) {
    for (const auto& member : wanted.get_object())
      if (!says_the_same(member.value(), absent ? nullptr : actual->get_object().if_contains(member.key()))) return false;
    return true;
  }
  if (absent) return wanted.is_null() || (wanted.is_array() && wanted.get_array().empty());
  if (wanted.is_number() && actual->is_number()) return same_number(wanted, *actual);
  return wanted == *actual;
}

}  // namespace acceptd::providers::cluster_service
