#include "contracts/arm/system_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/json.hpp"

namespace acceptd::contracts::arm {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> kPrincipalTypes{"User", "Application", "ManagedIdentity", "Key"};
constexpr std::size_t kMaxPrincipal = 1024;

enum class Kind : std::uint8_t { principal, type, time };
struct Member {
  std::string_view name;
  Kind kind;
};
constexpr std::array kMembers{Member{"createdBy", Kind::principal},     Member{"createdByType", Kind::type},
                              Member{"createdAt", Kind::time},          Member{"lastModifiedBy", Kind::principal},
                              Member{"lastModifiedByType", Kind::type}, Member{"lastModifiedAt", Kind::time}};
constexpr std::size_t kCreatedMembers = 3;

bool fits(const json::value& value, Kind kind) {
  if (!value.is_string()) return false;
  const std::string_view text = value.get_string();
  switch (kind) {
    case Kind::principal: return text.size() <= kMaxPrincipal;
    case Kind::type: return std::ranges::find(kPrincipalTypes, text) != kPrincipalTypes.end();
    case Kind::time: return model::parse_rfc3339(text).has_value();
  }
  return false;
}

model::Error broken(std::string_view why) {
  return model::Error{.kind = model::ErrorKind::invalid,
                      .code = "InvalidRequestContent",
                      .message = fmt::format("The header '{}' is invalid: {}.", kSystemDataHeader, why)};
}

}  // namespace

model::Result<json::object> system_data_of(const http::Request& request) {
  json::object out;
  const auto header = request.headers.get(kSystemDataHeader);
  if (!header) return out;
  const auto parsed = model::parse_json(*header);
  if (!parsed) return std::unexpected(broken("it is not JSON"));
  if (!parsed->is_object()) return std::unexpected(broken("it is not a JSON object"));
  for (const Member& member : kMembers) {
    const json::value* value = parsed->get_object().if_contains(member.name);
    if (!value || value->is_null()) continue;
    if (!fits(*value, member.kind))
      return std::unexpected(broken(fmt::format("'{}' has a value that it cannot have", member.name)));
    out[member.name] = *value;
  }
  return out;
}

json::object complete_system_data(const json::object& given, const json::object* existing, std::string_view principal,
                                  model::Time now) {
  json::object out;
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    const Member& member = kMembers[i];
    const bool about_creation = i < kCreatedMembers;
    const json::value* value = given.if_contains(member.name);
    if (!value && about_creation && existing) value = existing->if_contains(member.name);
    if (value) {
      out[member.name] = *value;
      continue;
    }
    // A creator that nobody named stays unnamed: the caller of an update did not create anything.
    if (about_creation && existing && !existing->empty()) continue;
    switch (member.kind) {
      case Kind::principal: out[member.name] = principal.empty() ? std::string_view("Unknown") : principal; break;
      case Kind::type: out[member.name] = "Application"; break;
      case Kind::time: out[member.name] = model::format_rfc3339(now); break;
    }
  }
  return out;
}

}  // namespace acceptd::contracts::arm
