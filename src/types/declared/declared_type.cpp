#include "types/declared/declared_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/lifecycle.hpp"
#include "schema/message.hpp"
#include "schema/node.hpp"

namespace acceptd::types::declared {

namespace {

namespace json = boost::json;
using model::Error;
using model::ErrorKind;
using model::to_lower;

constexpr std::array<std::string_view, 3> kKept{"location", "tags", "identity"};  // the engine keeps these apart

json::object object_of(const json::object& body, std::string_view name) {
  const json::value* found = body.if_contains(name);
  return found && found->is_object() ? found->get_object() : json::object{};
}

/// Adds what `into` lacks, object by object; what both have stays.
void add_missing(json::object& into, const json::object& from) {
  for (const auto& [name, value] : from) {
    json::value* mine = into.if_contains(name);
    if (!mine)
      into.emplace(name, value);
    else if (mine->is_object() && value.is_object())
      add_missing(mine->get_object(), value.get_object());
  }
}

/// Properties and what is stored beside them, as a body has them.
json::object unfolded(json::object stored) {
  json::object body;
  if (json::value* beside = stored.if_contains(kBeside)) {
    if (beside->is_object()) body = std::move(beside->get_object());
    stored.erase(kBeside);
  }
  body["properties"] = std::move(stored);
  return body;
}

json::object folded(const json::object& body) {
  json::object stored = object_of(body, "properties");
  stored.erase(kBeside);  // callers cannot say what stands beside the properties from within
  json::object beside;
  for (const auto& [name, value] : body)
    if (name != "properties" && std::ranges::find(kKept, std::string_view(name)) == kKept.end()) beside.emplace(name, value);
  if (!beside.empty()) stored[kBeside] = std::move(beside);
  return stored;
}

/// The whole stored resource as a body of no version in particular.
json::object complete(const model::Resource& resource, bool tracked) {
  json::object body = unfolded(resource.desired);
  if (tracked) {
    body["location"] = resource.location;
    body["tags"] = resource.tags;
  } else if (!resource.tags.empty()) {
    body["tags"] = resource.tags;
  }
  if (!resource.identity.empty()) body["identity"] = resource.identity;
  return body;
}

void drop_all_nulls(json::value& value) {
  if (json::object* object = value.if_object()) {
    json::object kept;
    for (auto& [name, member] : *object)
      if (!member.is_null()) {
        drop_all_nulls(member);
        kept.emplace(name, std::move(member));
      }
    *object = std::move(kept);
  }
}

/// A member that the description does not have and that says nothing is not there.
void drop_empty_unknown(const schema::Schema& schema, json::object& body, std::string_view name) {
  const json::value* value = body.if_contains(name);
  if (value && value->is_object() && value->get_object().empty() && !schema.slot(name)) body.erase(name);
}

/// Absent properties are what their defaults make of them, if that is enough.
void complete_properties(const schema::Schema& schema, json::object& body) {
  const auto found = schema.members.find("properties");
  if (found == schema.members.end() || !found->second.schema || body.contains("properties")) return;
  json::value made(json::object_kind);
  schema::apply_defaults(*found->second.schema, made);
  if (!made.get_object().empty() && schema::has_required(schema, body) &&
      schema::has_required(*found->second.schema, made.get_object()))
    body["properties"] = std::move(made);
}

const json::value* value_at(const json::object& object, std::string_view path) {
  const json::object* inside = &object;
  for (;;) {
    const std::size_t dot = path.find('.');
    const json::value* value = inside->if_contains(path.substr(0, dot));
    if (!value || dot == std::string_view::npos) return value;
    if (!value->is_object()) return nullptr;
    inside = &value->get_object();
    path.remove_prefix(dot + 1);
  }
}

/// Documents often leave tags and identity out of the body of a PUT, though a GET shows them or a PATCH sets them.
json::object take_apart(const TypeShape& shape, json::object& body) {
  json::object apart;
  for (const char* name : {"tags", "identity"}) {
    const bool elsewhere = shape.answer->members.contains(name) || (shape.patch && shape.patch->members.contains(name));
    if (shape.request->members.contains(name) || !elsewhere || !body.contains(name)) continue;
    apart[name] = std::move(body.at(name));
    body.erase(name);
  }
  return apart;
}

/// A schema of what is taken apart, by what `said` says of it. What callers may not write there is left out.
schema::Schema schema_apart(const json::object& apart, std::initializer_list<const schema::Schema*> said) {
  schema::Schema made;
  for (const auto& [name, value] : apart)
    for (const schema::Schema* one : said) {
      const schema::Slot* slot = one ? one->slot(name) : nullptr;
      if (slot && !slot->access.read_only()) made.own.emplace(name, *slot);
    }
  made.members = made.own;
  return made;
}

std::vector<schema::Violation> too_complex() { return {{"", schema::Rule::invalid, std::string(schema::message::kTooComplex)}}; }

/// Makes what was taken apart fit to be stored: without what only the server says, and checked.
std::vector<schema::Violation> check_apart(const TypeShape& shape, const json::value& stored, json::object& apart) {
  const schema::Schema schema = schema_apart(apart, {shape.answer, shape.patch});
  json::value value(json::object_kind);
  for (const auto& [name, slot] : schema.own) value.get_object()[name] = std::move(apart.at(name));
  apart.clear();
  bool done = stored.is_null() || schema::restore_hidden(schema, stored, value);
  // Each of the two may know read-only members that the other does not.
  for (const schema::Schema* one : {shape.answer, shape.patch})
    if (one && done) done = schema::strip_read_only(schema_apart(value.get_object(), {one}), value);
  if (!done || !schema::drop_nulls(schema, value)) return too_complex();
  const bool is_new = stored.is_null();
  auto found = schema::validate(schema, value, is_new ? schema::Mode::create : schema::Mode::update, is_new ? nullptr : &stored);
  if (found.empty()) apart = std::move(value.get_object());
  return found;
}

/// Gives back what callers cannot have read, in whatever version it is hidden; false: too complex.
bool restore_all_hidden(const TypeDescription& type, const schema::Schema& schema, const json::value& stored,
                        json::value& value) {
  if (!schema::restore_hidden(schema, stored, value)) return false;
  json::value known = stored;
  schema::keep_known(schema, known);
  return std::ranges::all_of(type.versions, [&](const auto& version) {
    const TypeShape& shape = version.second;
    return (!shape.request || schema::restore_hidden(*shape.request, known, value)) &&
           schema::restore_hidden(*shape.answer, known, value);
  });
}

/// What a PATCH may not say. Nothing is required in it: what it leaves out stays.
std::vector<schema::Violation> refused_patch(const TypeShape& shape, const json::object& patch, const json::value& stored) {
  json::value sent = patch;
  drop_all_nulls(sent);
  if (!schema::strip_read_only(*shape.answer, sent)) return too_complex();
  schema::copy_kinds(*shape.patch, stored, sent);
  auto found = schema::validate(*shape.patch, sent, schema::Mode::update);
  std::erase_if(found, [](const schema::Violation& one) { return one.rule == schema::Rule::required; });
  return found;
}

Error unsupported(std::string_view api_version) {
  return Error{.kind = ErrorKind::unsupported_version,
               .code = "InvalidResourceType",
               .message = fmt::format("The API version '{}' is not supported.", api_version)};
}

engine::TypeInfo info_of(const TypeDescription& type, const TypeSettings& settings) {
  engine::TypeInfo info{.name = type.name,
                        .parent_key = type.parent_key,
                        .submit = settings.submit,
                        .deadlines = settings.deadlines,
                        .tracked = type.tracked,
                        .location_optional = !type.location_required,
                        .location = settings.location,
                        .in_group = type.in_group,
                        .in_subscription = type.in_subscription};
  std::map<std::string, engine::ActionInfo> actions;
  for (const auto& [version, shape] : type.versions) {
    info.api_versions.push_back(version);
    for (const auto& [key, action] : shape.actions) {
      engine::ActionInfo& known = actions[key];  // the newest version has the last word
      known.name = known.request = action.name;
      known.deadline = settings.action_deadline;
      known.phrase = fmt::format("run {}", action.name);
      known.secret_result |= action.answers_body;
      known.answered = action.answered;
      known.api_versions.push_back(version);
    }
  }
  for (auto& [key, action] : actions) info.actions.push_back(std::move(action));
  return info;
}

}  // namespace

DeclaredType::DeclaredType(std::shared_ptr<const Description> description, const TypeDescription& type, TypeSettings settings,
                           engine::Provider& provider)
    : ResourceType(info_of(type, settings), provider),
      description_(std::move(description)),
      type_(type),
      settings_(std::move(settings)) {}

const TypeShape* DeclaredType::shape(std::string_view api_version) const {
  const auto found = type_.versions.find(std::string(api_version));
  return found == type_.versions.end() ? nullptr : &found->second;
}

engine::Verbs DeclaredType::verbs(std::string_view api_version) const {
  const TypeShape* found = shape(api_version);
  return found ? found->verbs : engine::Verbs{};
}

engine::Result<engine::Desired> DeclaredType::build(const engine::BuildInput& input) const {
  const TypeShape* shape = this->shape(input.api_version);
  if (!shape || !shape->request) return std::unexpected(unsupported(input.api_version));
  const schema::Schema& schema = *shape->request;
  if (!input.existing && !shape->names.allows(input.id.name()))
    return std::unexpected(Error{
        .kind = ErrorKind::invalid,
        .code = "InvalidResourceName",
        .message = fmt::format("The resource '{}/{}' does not conform to the naming restriction.", type_.name, input.id.name())});
  const json::value stored = input.existing ? json::value(complete(*input.existing, type_.tracked)) : json::value();
  if (input.patch_sent && shape->patch)
    if (const auto found = refused_patch(*shape, *input.patch_sent, stored); !found.empty())
      return std::unexpected(schema::to_error(found));
  json::value value = input.body;
  json::object apart = take_apart(*shape, value.get_object());
  if (const auto found = check_apart(*shape, stored, apart); !found.empty()) return std::unexpected(schema::to_error(found));
  if (input.patch && !type_.tracked && !input.patch_sent->contains("tags") && input.existing && !input.existing->tags.empty())
    apart["tags"] = input.existing->tags;  // those of tracked types the envelope keeps
  if ((input.existing && !restore_all_hidden(type_, schema, stored, value)) || !schema::drop_nulls(schema, value) ||
      !schema::strip_read_only(*shape->answer, value) || !schema::strip_read_only(schema, value))
    return std::unexpected(schema::to_error(too_complex()));
  schema::drop_answered(schema, *shape->answer, value);
  for (const char* name : {"tags", "properties"}) drop_empty_unknown(schema, value.get_object(), name);
  complete_properties(schema, value.get_object());
  schema::apply_defaults(schema, value);

  json::value current = stored;
  if (input.existing) {
    schema::keep_known(schema, current);
    schema::strip_read_only(schema, current);
  }
  const auto mode = !input.existing ? schema::Mode::create : input.patch ? schema::Mode::patch : schema::Mode::update;
  const auto violations = schema::validate(schema, value, mode, input.existing ? &current : nullptr);
  if (!violations.empty()) return std::unexpected(schema::to_error(violations));
  if (input.existing) schema::copy_unknown(schema, stored, value);

  json::object& body = value.get_object();
  for (auto& [name, member] : apart) body[name] = std::move(member);
  const json::value* location = body.if_contains("location");
  return engine::Desired{.properties = folded(body),
                         .tags = object_of(body, "tags"),
                         .identity = object_of(body, "identity"),
                         .location = location && location->is_string() ? std::string(location->get_string()) : std::string(),
                         .api_version = std::string(input.api_version)};
}

json::object DeclaredType::render(const model::Resource& resource, std::string_view api_version) const {
  json::object body = complete(resource, type_.tracked);
  add_missing(body, unfolded(resource.observed));
  json::value value = std::move(body);
  // Whatever any version calls a secret is one.
  for (const auto& [version, shape] : type_.versions) {
    if (shape.request) schema::keep_visible(*shape.request, value);
    schema::keep_visible(*shape.answer, value);
  }
  if (const TypeShape* shape = this->shape(api_version)) {
    schema::keep_known(*shape->answer, value);
    for (const char* name : {"tags", "properties"}) drop_empty_unknown(*shape->answer, value.get_object(), name);
  }
  return std::move(value.get_object());
}

engine::Result<json::object> DeclaredType::build_parameters(const engine::ActionInfo& action, std::string_view api_version,
                                                            json::object sent) const {
  const TypeShape* shape = this->shape(api_version);
  if (!shape) return std::unexpected(unsupported(api_version));
  const auto found = shape->actions.find(to_lower(action.name));
  if (found == shape->actions.end() || !found->second.parameters) return sent;
  const schema::Schema& schema = *found->second.parameters;
  json::value value = std::move(sent);
  if (!schema::drop_nulls(schema, value)) return std::unexpected(schema::to_error(too_complex()));
  schema::apply_defaults(schema, value);
  if (const auto violations = schema::validate(schema, value, schema::Mode::create); !violations.empty())
    return std::unexpected(schema::to_error(violations));
  return std::move(value.get_object());
}

bool DeclaredType::accepts_name(std::string_view name) const {
  return std::ranges::any_of(type_.versions, [&](const auto& one) { return one.second.names.allows(name); });
}

std::optional<Error> DeclaredType::admit(const engine::AdmitInput& input) const {
  if (!settings_.parent_ready || input.request != model::RequestKind::create || !input.parent) return std::nullopt;
  if (input.parent->provisioning_state == model::Status::succeeded) return std::nullopt;
  return model::conflict(fmt::format("Cannot create a resource below '{}' while its provisioningState is {}.",
                                     input.parent->id.name(), model::to_string(input.parent->provisioning_state)),
                         input.parent->id);
}

std::vector<engine::Claim> DeclaredType::claims(const model::ResourceId& id, const engine::Desired& desired) const {
  std::vector<engine::Claim> claims;
  const json::object body = unfolded(desired.properties);
  const auto parent = id.parent();
  const std::string scope =
      parent ? parent->key() : to_lower("/subscriptions/" + id.subscription() + "/resourceGroups/" + id.resource_group());
  for (const std::string& path : settings_.unique) {
    const json::value* value = value_at(body, path);
    if (!value) continue;
    const std::string text = to_lower(json::serialize(*value));
    claims.push_back({.name = fmt::format("unique:{}:{}:{}:{}", info().key(), scope, path, text),
                      .refusal = model::conflict(fmt::format("Another resource has the same {}.", path), id)});
  }
  return claims;
}

const schema::Slot* slot_at(const TypeDescription& type, std::string_view path) {
  const auto newest =
      std::find_if(type.versions.rbegin(), type.versions.rend(), [](const auto& one) { return one.second.request; });
  const schema::Schema* schema = newest == type.versions.rend() ? nullptr : newest->second.request;
  const schema::Slot* slot = nullptr;
  while (schema) {
    const std::size_t dot = path.find('.');
    slot = schema->slot(path.substr(0, dot));
    if (!slot || dot == std::string_view::npos) return slot;
    schema = slot->schema;
    path.remove_prefix(dot + 1);
  }
  return nullptr;
}

}  // namespace acceptd::types::declared
