#include "types/hcp/hcp_type.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

namespace acceptd::types::hcp {

namespace {

/// Callers pin this target down for a bad identity.type (hcp.md §1.5).
constexpr std::string_view kIdentityTypePath = "identity.type";
constexpr std::string_view kIdentityTypeTarget = "identity.state";

/// null in a map of identities means "not this one".
void drop_null_identities(json::object& body) {
  json::value* identity = body.if_contains("identity");
  json::value* assigned =
      identity && identity->is_object() ? identity->get_object().if_contains("userAssignedIdentities") : nullptr;
  if (!assigned || !assigned->is_object()) return;
  json::object kept;
  for (const auto& [id, value] : assigned->get_object())
    if (!value.is_null()) kept.emplace(id, value);
  *assigned = std::move(kept);
}

/// Shows what the backend knows of assigned identities beside what the caller said of them.
void add_principals(json::object& identity, const json::object& observed) {
  json::value* assigned = identity.if_contains("userAssignedIdentities");
  const json::object* known = object_at(observed, "identity.userAssignedIdentities");
  if (!assigned || !assigned->is_object() || !known) return;
  for (auto& [id, value] : assigned->get_object())
    for (const auto& [known_id, principals] : *known)
      if (model::equals_ignoring_case(id, known_id) && principals.is_object()) {
        if (!value.is_object()) value = json::object{};
        add_missing(value.get_object(), principals.get_object());
      }
}

json::object take_object(json::object& body, std::string_view name) {
  json::value* found = body.if_contains(name);
  return found && found->is_object() ? std::move(found->get_object()) : json::object{};
}

}  // namespace

HcpType::HcpType(engine::TypeInfo info, engine::Provider& provider, std::shared_ptr<const Descriptions> descriptions,
                 std::string definition, const std::string& name_pattern)
    : ResourceType(std::move(info), provider),
      descriptions_(std::move(descriptions)),
      definition_(std::move(definition)),
      name_pattern_(name_pattern) {}

bool HcpType::accepts_name(std::string_view name) const { return re2::RE2::FullMatch(name, name_pattern_); }

std::optional<model::Error> HcpType::refuse_name(const model::ResourceId& id) const {
  if (accepts_name(id.name())) return std::nullopt;
  return model::Error{
      .kind = model::ErrorKind::invalid,
      .code = "InvalidResourceName",
      .message = fmt::format("The resource '{}/{}' under resource group '{}' does not conform to the naming restriction.",
                             info().name, id.name(), id.resource_group())};
}

/// What a caller of that version could have sent to get the resource as it is.
json::object HcpType::external(const model::Resource& resource, std::string_view api_version) const {
  json::object properties = resource.desired;
  to_external(properties, api_version);
  json::object body{{"location", resource.location}, {"tags", resource.tags}, {"properties", std::move(properties)}};
  if (!resource.identity.empty()) body["identity"] = resource.identity;
  return body;
}

model::Result<engine::Desired> HcpType::build(const engine::BuildInput& input) const {
  const schema::Schema* schema = descriptions_->find(input.api_version, definition_);
  if (!schema)
    return std::unexpected(model::Error{.kind = model::ErrorKind::unsupported_version,
                                        .code = "InvalidResourceType",
                                        .message = fmt::format("The API version '{}' is not supported.", input.api_version)});
  if (!input.existing)
    if (auto refusal = refuse_name(input.id)) return std::unexpected(std::move(*refusal));

  json::value value = input.body;
  json::object& body = value.get_object();
  drop_null_identities(body);
  schema::drop_nulls(*schema, value);
  schema::strip_read_only(*schema, value);
  if (json::value* properties = body.if_contains("properties"); properties && properties->is_object())
    fill(properties->get_object(), input);
  schema::apply_defaults(*schema, value);

  json::value current;
  if (input.existing) {
    current = external(*input.existing, input.api_version);
    schema::keep_known(*schema, current);
    schema::strip_read_only(*schema, current);
  }
  const auto mode = !input.existing ? schema::Mode::create : input.patch ? schema::Mode::patch : schema::Mode::update;
  auto violations = schema::validate(*schema, value, mode, input.existing ? &current : nullptr);
  const json::object* existing = input.existing ? object_at(current.get_object(), "properties") : nullptr;
  std::erase_if(violations, [&](const schema::Violation& one) {
    return one.rule == schema::Rule::required && input.existing && may_lack(input.existing->desired, one.path);
  });
  for (schema::Violation& one : violations)
    if (one.path == kIdentityTypePath && one.rule == schema::Rule::invalid) one.path = kIdentityTypeTarget;
  Report report(std::move(violations));
  check(body, existing, input, report);
  if (!report.found().empty()) return std::unexpected(schema::to_error(report.found()));

  json::object properties = take_object(body, "properties");
  to_stored(properties, input.api_version, input.existing ? &input.existing->desired : nullptr);
  add_internal(properties, input);
  return engine::Desired{.properties = std::move(properties),
                         .tags = take_object(body, "tags"),
                         .identity = take_object(body, "identity"),
                         .location = std::string(text_at(body, "location")),
                         .api_version = std::string(input.api_version)};
}

json::object HcpType::render(const model::Resource& resource, std::string_view api_version) const {
  json::value value = external(resource, api_version);
  json::object& body = value.get_object();
  json::object observed = resource.observed;
  if (json::value* identity = body.if_contains("identity")) add_principals(identity->get_object(), observed);
  observed.erase("identity");
  add_missing(body["properties"].get_object(), observed);
  if (const schema::Schema* schema = descriptions_->find(api_version, definition_)) {
    schema::keep_known(*schema, value);
    schema::keep_visible(*schema, value);
  }
  return std::move(value.get_object());
}

}  // namespace acceptd::types::hcp
