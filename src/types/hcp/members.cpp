#include "types/hcp/members.hpp"

namespace acceptd::types::hcp {

namespace {

struct Split {
  std::string_view first, rest;
};

Split split(std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return {path, {}};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

/// The object that holds the last name of the path, and that name.
struct Place {
  json::object* holder = nullptr;
  std::string_view name;
};

Place place_of(json::object& object, std::string_view path, bool make) {
  const auto [first, rest] = split(path);
  if (rest.empty()) return {&object, first};
  json::value* inner = object.if_contains(first);
  if (!inner && make) inner = &object.emplace(first, json::object{}).first->value();
  return inner && inner->is_object() ? place_of(inner->get_object(), rest, make) : Place{};
}

}  // namespace

const json::value* value_at(const json::object& object, std::string_view path) {
  const auto [first, rest] = split(path);
  const json::value* value = object.if_contains(first);
  if (!value || rest.empty()) return value;
  return value->is_object() ? value_at(value->get_object(), rest) : nullptr;
}

std::string_view text_at(const json::object& object, std::string_view path) {
  const json::value* value = value_at(object, path);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::optional<std::int64_t> integer_at(const json::object& object, std::string_view path) {
  const json::value* value = value_at(object, path);
  if (!value || !value->is_number()) return std::nullopt;
  boost::system::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  return error ? std::nullopt : std::optional(number);
}

const json::object* object_at(const json::object& object, std::string_view path) {
  const json::value* value = value_at(object, path);
  return value ? value->if_object() : nullptr;
}

const json::array* array_at(const json::object& object, std::string_view path) {
  const json::value* value = value_at(object, path);
  return value ? value->if_array() : nullptr;
}

json::object* make_object(json::object& object, std::string_view path) {
  const Place place = place_of(object, path, true);
  if (!place.holder) return nullptr;
  json::value& value = place.holder->emplace(place.name, json::object{}).first->value();
  return value.if_object();
}

void put_if_absent(json::object& object, std::string_view path, json::value value) {
  const Place place = place_of(object, path, true);
  if (place.holder) place.holder->emplace(place.name, std::move(value));
}

std::optional<json::value> take(json::object& object, std::string_view path) {
  const Place place = place_of(object, path, false);
  json::value* value = place.holder ? place.holder->if_contains(place.name) : nullptr;
  if (!value) return std::nullopt;
  json::value taken = std::move(*value);
  place.holder->erase(place.name);
  return taken;
}

void add_missing(json::object& object, const json::object& from) {
  for (const auto& [name, value] : from) {
    json::value* mine = object.if_contains(name);
    if (!mine)
      object.emplace(name, value);
    else if (mine->is_object() && value.is_object())
      add_missing(mine->get_object(), value.get_object());
  }
}

}  // namespace acceptd::types::hcp
