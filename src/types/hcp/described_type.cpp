#include "types/hcp/described_type.hpp"

#include "schema/schema.hpp"
#include "types/hcp/shape.hpp"

namespace acceptd::types::hcp {

namespace {

engine::TypeInfo with_versions(engine::TypeInfo info, const Versions& versions) {
  info.api_versions = versions.names();
  return info;
}

json::object member_object(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value && value->is_object() ? value->get_object() : json::object();
}

}  // namespace

model::Error invalid_at(std::string path, std::string message) {
  return model::Error{.kind = model::ErrorKind::invalid, .code = "InvalidRequestContent", .message = std::move(message), .target = std::move(path)};
}

model::Error combined(std::vector<model::Error> errors) {
  if (errors.size() == 1) return std::move(errors.front());
  return model::Error{.kind = model::ErrorKind::invalid,
                      .code = "MultipleErrorsOccurred",
                      .message = "Content validation failed on multiple fields",
                      .details = std::move(errors)};
}

DescribedType::DescribedType(engine::TypeInfo info, engine::Provider& provider, std::string_view definition)
    : engine::ResourceType(with_versions(std::move(info), Versions(definition)), provider), versions_(definition) {}

engine::Result<engine::Desired> DescribedType::build(const engine::BuildInput& input) const {
  const schema::Schema* schema = versions_.find(input.api_version);
  if (!schema)
    return std::unexpected(model::Error{.kind = model::ErrorKind::unsupported_version,
                                        .code = "InvalidResourceType",
                                        .message = "The resource type has no such api-version."});
  if (!input.existing)
    if (auto refusal = check_name(input.id)) return std::unexpected(std::move(*refusal));

  json::value body = input.body;
  std::optional<json::value> before;
  if (input.existing) before = external(*input.existing, input.api_version, *schema);
  if (before) {
    // What was generated stays if the caller leaves it out.
    json::object kept = member_object(before->get_object(), "properties");
    json::object filled = member_object(body.get_object(), "properties");
    to_stored(kept, input.api_version);
    for (const auto path : {std::array<std::string_view, 2>{"dns", "baseDomainPrefix"}, {"platform", "managedResourceGroup"}, {"platform", "subnetId"}}) {
      const json::value* known = at(kept, {path[0], path[1]});
      const bool has_group = filled.if_contains(path[0]) == nullptr || filled.at(path[0]).is_object();
      if (known && has_group && !at(filled, {path[0], path[1]})) put(filled, {path[0], path[1]}, *known);
    }
    if (!filled.empty()) body.get_object()["properties"] = std::move(filled);
  }
  schema::apply_defaults(*schema, body);
  const schema::Mode mode = !before ? schema::Mode::create : input.patch ? schema::Mode::patch : schema::Mode::update;
  const auto violations = schema::validate(*schema, body, mode, before ? &*before : nullptr);
  if (!violations.empty()) return std::unexpected(schema::to_error(violations));
  schema::strip_read_only(*schema, body);

  engine::Desired desired;
  const json::object& object = body.get_object();
  desired.properties = member_object(object, "properties");
  desired.tags = member_object(object, "tags");
  desired.identity = member_object(object, "identity");
  if (const json::value* location = object.if_contains("location"); location && location->is_string())
    desired.location = std::string(location->get_string());
  desired.api_version = std::string(input.api_version);
  to_stored(desired.properties, input.api_version);
  if (input.existing) keep_newer(desired.properties, input.existing->desired, input.api_version);
  generate(desired.properties, input);

  std::vector<model::Error> errors;
  const CheckInput check_input{.id = input.id, .api_version = input.api_version, .properties = desired.properties,
                               .identity = desired.identity, .tags = desired.tags, .existing = input.existing, .parent = input.parent};
  check(check_input, errors);
  if (!errors.empty()) return std::unexpected(combined(std::move(errors)));
  return desired;
}

json::value DescribedType::external(const model::Resource& resource, std::string_view api_version, const schema::Schema& schema) const {
  json::object out;
  out["location"] = resource.location;
  if (!resource.tags.empty()) out["tags"] = resource.tags;
  json::object observed = resource.observed;
  json::object identity = resource.identity;
  if (const json::value* principals = observed.if_contains("identity")) {
    if (!identity.empty() && principals->is_object()) overlay(identity, principals->get_object());
    observed.erase("identity");
  }
  if (!identity.empty()) out["identity"] = std::move(identity);
  json::object properties = resource.desired;
  overlay(properties, observed);
  from_stored(properties, api_version);
  out["properties"] = std::move(properties);
  json::value value(std::move(out));
  schema::keep_known(schema, value);
  schema::keep_visible(schema, value);
  return value;
}

json::object DescribedType::render(const model::Resource& resource, std::string_view api_version) const {
  const schema::Schema* schema = versions_.find(api_version);
  json::value value = external(resource, api_version, schema ? *schema : versions_.newest());
  return std::move(value.get_object());
}

}  // namespace acceptd::types::hcp
