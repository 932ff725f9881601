#include "http/message.hpp"

#include <algorithm>

namespace acceptd::http {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

void Headers::add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }

void Headers::set(std::string_view name, std::string_view value) {
  std::erase_if(fields_, [&](const auto& field) { return same_name(field.first, name); });
  add(name, value);
}

std::optional<std::string_view> Headers::get(std::string_view name) const {
  for (const auto& [key, value] : fields_)
    if (same_name(key, name)) return value;
  return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields_, [&](const auto& field) { return same_name(field.first, name); }));
}

std::string_view to_string(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::post: return "POST";
    case Method::remove: return "DELETE";
    case Method::options: return "OPTIONS";
    case Method::other: break;
  }
  return "OTHER";
}

std::optional<std::string_view> Request::parameter(std::string_view name) const {
  for (const QueryParameter& parameter : query)
    if (same_name(parameter.name, name)) return parameter.value;
  return std::nullopt;
}

}  // namespace acceptd::http
