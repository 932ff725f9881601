#include "schema/compile.hpp"

#include <fmt/format.h>

#include <array>

namespace acceptd::schema {

namespace {

constexpr int kMaxReferenceChain = 32;
constexpr int kMaxPartDepth = 64;
constexpr std::size_t kMaxParts = 4'096;

constexpr std::array<std::pair<std::string_view, std::uint8_t>, 7> kTypes{{{"null", kNull},
                                                                           {"boolean", kBoolean},
                                                                           {"integer", kInteger},
                                                                           {"number", kNumber | kInteger},
                                                                           {"string", kString},
                                                                           {"array", kArray},
                                                                           {"object", kObject}}};

/// Keywords that assert nothing, and those that slot() and compile() read at the place of use.
constexpr std::array<std::string_view, 17> kSilent{
    "title",    "description", "example", "examples",    "externalDocs", "xml",  "deprecated",       "$comment",       "$schema",
    "readOnly", "writeOnly",   "default", "definitions", "nullable",     "$ref", "contentMediaType", "contentEncoding"};

bool flag(const json::object& text, std::string_view key) {
  const json::value* value = text.if_contains(key);
  return value && value->is_bool() && value->get_bool();
}

/// The last name in a pointer.
std::string last_name(const std::string& pointer) { return pointer.substr(pointer.rfind('/') + 1); }

}  // namespace

const Schema* Compiler::want(const Place& wanted) {
  Place place = wanted;
  const json::value* text = files_.at(place, wanted);
  for (int chain = 0; text && text->is_object() && text->get_object().contains("$ref"); ++chain) {
    const json::value& reference = text->get_object().at("$ref");
    if (!reference.is_string() || chain == kMaxReferenceChain) {
      problems_.add(place, chain == kMaxReferenceChain ? "references go round in a circle" : "$ref must be a string");
      return nullptr;
    }
    const Place from = place;
    place = files_.resolve(place, reference.get_string());
    text = files_.at(place, from);
  }
  if (!text) return nullptr;
  if (const auto found = known_.find(place); found != known_.end()) return found->second;
  if (schemas_.size() == kMaxSchemas) {
    problems_.add(place, fmt::format("more than {} schemas", kMaxSchemas));
    return nullptr;
  }
  Schema& schema = schemas_.emplace_back();
  schema.file = place.file;
  schema.pointer = place.pointer;
  known_.emplace(place, &schema);
  pending_.push_back({place, text, &schema});
  return &schema;
}

std::deque<Schema> Compiler::finish() {
  while (!pending_.empty()) {
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    compile(next);
  }
  if (!problems_.empty()) return {};
  for (const Schema& schema : schemas_)
    if (!parts_of(schema, 0)) return {};
  for (const Schema& schema : schemas_)
    for (const Schema* base : schema.all_of) adopt(*base, schema);
  visits_.clear();
  for (Schema& schema : schemas_) derive(schema);
  for (Schema& schema : schemas_) make_sense(schema);
  find_endless();
  visits_.clear();
  if (options_.fill_absent_objects)
    for (Schema& schema : schemas_) fill(schema, 0);
  return std::move(schemas_);
}

/// Beside a $ref only the place of use is read: access, default, nullability. What the target says holds as well.
Slot Compiler::slot(const Place& place) {
  Slot slot{.schema = want(place)};
  Place at = place;
  const json::value* text = files_.at(at, place);
  for (int chain = 0; text && text->is_object() && chain < kMaxReferenceChain; ++chain) {
    const json::object& object = text->get_object();
    const Access here = access(at, object);
    slot.access.readable &= here.readable;
    slot.access.creatable &= here.creatable;
    slot.access.updatable &= here.updatable;
    slot.access.secret |= here.secret;
    slot.nullable |= flag(object, "nullable") || flag(object, "x-nullable");
    if (const json::value* value = object.if_contains("default"); value && !slot.default_value) slot.default_value = *value;
    const json::value* reference = object.if_contains("$ref");
    if (!reference || !reference->is_string()) break;
    const Place from = at;
    at = files_.resolve(at, reference->get_string());
    text = files_.at(at, from);
  }
  return slot;
}

Access Compiler::access(const Place& place, const json::object& text) {
  Access access;
  if (flag(text, "readOnly")) access.creatable = access.updatable = false;
  if (flag(text, "writeOnly")) access.readable = false;
  access.secret = flag(text, "x-ms-secret");
  const json::value* mutability = text.if_contains("x-ms-mutability");
  if (!mutability) return access;
  const json::array* words = mutability->if_array();
  const auto has = [&](std::string_view word) {
    return words &&
           std::ranges::any_of(*words, [&](const json::value& value) { return value.is_string() && value.get_string() == word; });
  };
  const auto count = std::size_t{has("read")} + std::size_t{has("create")} + std::size_t{has("update")};
  if (!words || count != words->size())
    unsupported(place / "x-ms-mutability", "must list create, read and update, each at most once");
  access.readable &= has("read");
  access.creatable &= has("create");
  access.updatable &= has("update");
  return access;
}

void Compiler::compile(const Pending& pending) {
  Schema& schema = *pending.schema;
  if (pending.text->is_bool()) {
    schema.never = !pending.text->get_bool();
    return;
  }
  const json::object* text = pending.text->if_object();
  if (!text) return problems_.add(pending.place, "a schema must be an object");
  current_ = text;
  schema.nullable = flag(*text, "nullable") || flag(*text, "x-nullable");
  const json::value* kind = text->if_contains("x-ms-discriminator-value");
  kind_names_[&schema] = kind && kind->is_string() ? std::string(kind->get_string()) : last_name(pending.place.pointer);
  for (const auto& [key, value] : *text) {
    const std::string_view name = key;
    const bool silent = name.starts_with("x-") || std::ranges::find(kSilent, name) != kSilent.end();
    if (silent || keyword(pending.place / name, name, value, schema) || structure(pending.place / name, name, value, schema))
      continue;
    unsupported(pending.place / name, fmt::format("the keyword '{}' is not supported", name));
  }
}

bool Compiler::keyword(const Place& place, std::string_view key, const json::value& value, Schema& schema) {
  if (key == "type") return types(place, value, schema), true;
  if (key == "enum" || key == "const") return allowed(place, value, schema), true;
  if (key == "minimum") return number(place, value, schema.number.least), true;
  if (key == "maximum") return number(place, value, schema.number.most), true;
  if (key == "exclusiveMinimum") return exclusive(place, value, schema.number.least, current_->if_contains("minimum")), true;
  if (key == "exclusiveMaximum") return exclusive(place, value, schema.number.most, current_->if_contains("maximum")), true;
  if (key == "minLength") return count(place, value, schema.length.least), true;
  if (key == "maxLength") return count(place, value, schema.length.most), true;
  if (key == "minItems") return count(place, value, schema.items_count.least), true;
  if (key == "maxItems") return count(place, value, schema.items_count.most), true;
  if (key == "minProperties") return count(place, value, schema.members_count.least), true;
  if (key == "maxProperties") return count(place, value, schema.members_count.most), true;
  if (key == "pattern") return pattern(place, value, schema), true;
  if (key == "format") return format(place, value, schema), true;
  if (key == "uniqueItems") {
    schema.unique_items = value.is_bool() && value.get_bool();
    if (!value.is_bool()) unsupported(place, "must be true or false");
    return true;
  }
  if (key == "multipleOf") {
    const double step = value.is_number() ? value.to_number<double>() : 0;
    if (step > 0)
      schema.multiple_of = step;
    else
      unsupported(place, "must be a number greater than 0");
    return true;
  }
  return false;
}

bool Compiler::structure(const Place& place, std::string_view key, const json::value& value, Schema& schema) {
  if (key == "required") return required(place, value, schema), true;
  if (key == "properties") return members(place, value, schema), true;
  if (key == "additionalProperties") return additional(place, value, schema), true;
  if (key == "allOf") return parts(place, value, schema.all_of), true;
  if (key == "anyOf") return parts(place, value, schema.any_of), true;
  if (key == "oneOf") return parts(place, value, schema.one_of), true;
  if (key == "discriminator") return discriminator(place, value, schema), true;
  if (key == "items") {
    if (value.is_array())
      unsupported(place, "a schema for each position is not supported");
    else
      schema.items = slot(place);
    return true;
  }
  return false;
}

void Compiler::additional(const Place& place, const json::value& value, Schema& schema) {
  if (value.is_bool() && !value.get_bool())
    schema.additional_forbidden = true;
  else
    schema.additional = slot(place);
}

void Compiler::types(const Place& place, const json::value& value, Schema& schema) {
  const auto one = [&](const json::value& name) {
    const auto found =
        std::ranges::find_if(kTypes, [&](const auto& type) { return name.is_string() && name.get_string() == type.first; });
    if (found == kTypes.end())
      unsupported(place, "not a type");
    else
      schema.types |= found->second;
  };
  if (const json::array* names = value.if_array())
    for (const json::value& name : *names) one(name);
  else
    one(value);
}

void Compiler::allowed(const Place& place, const json::value& value, Schema& schema) {
  const bool is_constant = place.pointer.ends_with("/const");
  const json::value* annotation = current_->if_contains("x-ms-enum");
  const bool open =
      annotation && annotation->is_object() && flag(annotation->get_object(), "modelAsString") && options_.open_enums;
  if (open && !is_constant) return;
  if (!is_constant && (!value.is_array() || value.get_array().empty()))
    return unsupported(place, "must be a list of at least one value");
  std::vector<json::value> values =
      is_constant ? std::vector{value} : std::vector(value.get_array().begin(), value.get_array().end());
  if (schema.allowed) return problems_.add(place, "enum and const exclude each other");
  for (const json::value& one : values) schema.allowed_texts.insert(canonical(one));
  schema.allowed = std::move(values);
}

void Compiler::number(const Place& place, const json::value& value, std::optional<Number>& bound) {
  if (!value.is_number()) return unsupported(place, "must be a number");
  if (!bound) bound = Number{value};  // an exclusive limit that was read before stands
}

/// Either a flag beside minimum/maximum (Swagger) or a limit of its own (JSON Schema).
void Compiler::exclusive(const Place& place, const json::value& value, std::optional<Number>& bound, const json::value* beside) {
  if (value.is_number() && !beside)
    bound = Number{value, true};
  else if (value.is_bool() && beside && beside->is_number())
    bound = Number{*beside, value.get_bool()};
  else
    unsupported(place, "must be a number, or true or false beside the limit");
}

void Compiler::count(const Place& place, const json::value& value, std::optional<std::size_t>& bound) {
  boost::system::error_code error;
  const auto number = value.is_number() ? value.to_number<std::uint32_t>(error) : 0;
  if (!value.is_number() || error)
    unsupported(place, "must be a whole number of at least 0");
  else
    bound = number;
}

void Compiler::pattern(const Place& place, const json::value& value, Schema& schema) {
  if (!value.is_string()) return problems_.add(place, "must be a string");
  re2::RE2::Options options;
  options.set_log_errors(false);
  schema.pattern = std::make_unique<re2::RE2>(std::string_view(value.get_string()), options);
  if (schema.pattern->ok()) return;
  unsupported(place, fmt::format("this pattern is not supported: {}", schema.pattern->error()));
  schema.pattern.reset();
}

void Compiler::format(const Place& place, const json::value& value, Schema& schema) {
  if (value.is_string()) schema.format = find_format(value.get_string());
  if (!schema.format) unsupported(place, "this format is not supported");
}

void Compiler::required(const Place& place, const json::value& value, Schema& schema) {
  if (value.is_array() && std::ranges::all_of(value.get_array(), [](const json::value& name) { return name.is_string(); }))
    for (const json::value& name : value.get_array()) schema.required.emplace_back(name.get_string());
  else
    unsupported(place, "must be a list of member names");
}

void Compiler::members(const Place& place, const json::value& value, Schema& schema) {
  if (!value.is_object()) return problems_.add(place, "must be an object");
  for (const auto& [name, text] : value.get_object()) schema.own.emplace(name, slot(place / name));
}

void Compiler::parts(const Place& place, const json::value& value, std::vector<const Schema*>& out) {
  if (!value.is_array() || value.get_array().empty()) return problems_.add(place, "must be a list of at least one schema");
  for (std::size_t i = 0; i < value.get_array().size(); ++i)
    if (const Schema* part = want(place / std::to_string(i))) out.push_back(part);
}

void Compiler::discriminator(const Place& place, const json::value& value, Schema& schema) {
  const json::object* object = value.if_object();
  const json::value* name = object ? object->if_contains("propertyName") : &value;
  if (!name || !name->is_string()) return problems_.add(place, "must be the name of a member");
  schema.discriminator = name->get_string();
  if (object && object->contains("mapping")) mapping(place / "mapping", object->at("mapping"), schema);
  want_all_of_file(place);
}

void Compiler::mapping(const Place& place, const json::value& value, Schema& schema) {
  if (!value.is_object()) return problems_.add(place, "must be an object");
  for (const auto& [kind, reference] : value.get_object()) {
    if (!reference.is_string()) {
      problems_.add(place / kind, "must be a reference");
      continue;
    }
    const std::string_view text = reference.get_string();
    const bool is_name = text.find_first_of("#/.") == std::string_view::npos;
    const Schema* subtype =
        want(is_name ? Place{place.file, ""} / "components" / "schemas" / text : files_.resolve(place / kind, text));
    if (!subtype) continue;
    mapped_names_.emplace(subtype, kind);
    schema.subtypes.emplace(kind, subtype);
  }
}

void Compiler::want_all_of_file(const Place& place) {
  if (place.file.empty() || !wanted_files_.insert(place.file).second) return;
  const json::value* root = files_.at({place.file, ""}, place);
  const json::value* definitions = root ? root->get_object().if_contains("definitions") : nullptr;
  if (!definitions || !definitions->is_object()) return;
  for (const auto& [name, text] : definitions->get_object()) want(Place{place.file, ""} / "definitions" / name);
}

void Compiler::note(const Place& place, std::string reason) {
  if (notes_.size() < kMaxNotes) notes_.push_back({place.file, place.pointer, std::move(reason)});
}

void Compiler::unsupported(const Place& place, std::string reason) {
  if (options_.lenient)
    note(place, "not checked: " + reason);
  else
    problems_.add(place, std::move(reason));
}

/// Every schema that is built on one with a discriminator, directly or not, is a subtype of it.
void Compiler::adopt(const Schema& base, const Schema& subtype) {
  // All of them are this compiler's own.
  const auto mapped = mapped_names_.find(&subtype);
  const std::string& name = mapped != mapped_names_.end() ? mapped->second : kind_names_[&subtype];
  if (!base.discriminator.empty()) const_cast<Schema&>(base).subtypes.emplace(name, &subtype);
  for (const Schema* further : base.all_of) adopt(*further, subtype);
}

/// A schema that applies itself to the same value would never end.
std::optional<std::size_t> Compiler::parts_of(const Schema& schema, int depth) {
  constexpr std::size_t kOnTheWay = 0;
  const auto refuse = [&](std::string reason) {
    problems_.add({schema.file, schema.pointer}, std::move(reason));
    return std::nullopt;
  };
  const auto [known, fresh] = parts_.emplace(&schema, kOnTheWay);
  if (!fresh && known->second == kOnTheWay) return refuse("a schema is part of itself");
  if (!fresh) return known->second;
  if (depth == kMaxPartDepth)
    return refuse(fmt::format("schemas are parts of each other over more than {} levels", kMaxPartDepth));
  std::size_t count = 1;
  for (const auto* parts : {&schema.all_of, &schema.any_of, &schema.one_of})
    for (const Schema* part : *parts) {
      const auto below = parts_of(*part, depth + 1);
      if (!below) return std::nullopt;
      count += *below;
      if (count > kMaxParts) return refuse(fmt::format("more than {} schemas apply to one value", kMaxParts));
    }
  parts_[&schema] = count;
  return count;
}

/// What a schema redeclares hides the word of its parts: a secret stays one, and walks that look for secrets ask such parts too.
void Compiler::shadow(Schema& schema, const Schema& part) {
  bool says_more = !part.shadowed.empty();
  const auto both = [&](Slot& slot, const Slot* other) {
    if (!other) return;
    slot.access.secret |= other->access.secret;
    says_more |= other->schema && other->schema != slot.schema;
  };
  for (auto& [name, slot] : schema.members) both(slot, part.slot(name));
  if (schema.any_member && part.any_member) both(*schema.any_member, &*part.any_member);
  const Slot* items = item_slot(part);
  if (says_more || (items && items != item_slot(schema))) schema.shadowed.push_back(&part);
}

void Compiler::derive(Schema& schema) {
  if (std::exchange(visits_[&schema], 2) == 2) return;
  schema.members = schema.own;
  schema.any_member = schema.additional;
  bool open = schema.additional.has_value();
  const auto include = [&](const Schema* part) {
    derive(const_cast<Schema&>(*part));  // all of them are this compiler's
    open |= part->any_member.has_value();
    schema.alternative_members.insert(part->alternative_members.begin(), part->alternative_members.end());
  };
  for (const Schema* part : schema.all_of) {
    include(part);
    schema.members.insert(part->members.begin(), part->members.end());
    if (!schema.any_member) schema.any_member = part->any_member;
  }
  for (const auto* alternatives : {&schema.any_of, &schema.one_of})
    for (const Schema* part : *alternatives) {
      include(part);
      for (const auto& [name, slot] : part->members) schema.alternative_members.insert(name);
    }
  for (const Schema* part : schema.all_of) shadow(schema, *part);
  const bool declares = !schema.members.empty() || !schema.alternative_members.empty();
  schema.closed = options_.closed_objects && declares && !open;
}

}  // namespace acceptd::schema
