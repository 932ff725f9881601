#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <unordered_set>

#include "schema/message.hpp"
#include "schema/node.hpp"

namespace acceptd::schema {

namespace {

/// Where the check stands: a list on the stack, written out only for a violation.
struct Path {
  enum class Kind { member, key, item };
  const Path* parent = nullptr;
  Kind kind = Kind::member;
  std::string_view name;
  std::size_t index = 0;
};

std::string to_string(const Path* path) {
  if (!path) return {};
  std::string text = to_string(path->parent);
  if (path->kind == Path::Kind::item) return fmt::format("{}[{}]", text, path->index);
  if (path->kind == Path::Kind::key) return fmt::format("{}[{}]", text, path->name);
  if (!text.empty()) text += '.';
  return text.append(path->name);
}

std::uint8_t type_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return kNull;
    case json::kind::bool_: return kBoolean;
    case json::kind::int64:
    case json::kind::uint64: return kInteger;
    case json::kind::double_: return std::trunc(value.get_double()) == value.get_double() ? kInteger : kNumber;
    case json::kind::string: return kString;
    case json::kind::array: return kArray;
    case json::kind::object: return kObject;
  }
  return kNull;
}

std::string type_names(std::uint8_t types) {
  std::vector<std::string_view> names;
  if (types & kNumber) types &= ~kInteger;
  constexpr std::array<std::string_view, 7> kNames{"null", "boolean", "integer", "number", "string", "array", "object"};
  for (std::size_t bit = 0; bit < kNames.size(); ++bit)
    if (types & (1U << bit)) names.push_back(kNames[bit]);
  return fmt::format("{}", fmt::join(names, " or "));
}

/// < 0, 0, > 0: exact between integers, by value otherwise.
int compare(const json::value& a, const json::value& b) {
  if (!a.is_double() && !b.is_double()) {
    const auto wide = [](const json::value& v) {
      return v.is_int64() ? static_cast<__int128>(v.get_int64()) : static_cast<__int128>(v.get_uint64());
    };
    return wide(a) < wide(b) ? -1 : wide(a) > wide(b);
  }
  const double left = a.to_number<double>(), right = b.to_number<double>();
  return left < right ? -1 : left > right;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

const json::object* object_of(const json::value* value) { return value ? value->if_object() : nullptr; }

class Validator {
 public:
  struct Context {
    const json::value* existing = nullptr;  ///< what stands here now; nullptr: this is being created
    bool immutable = false;                 ///< callers may not change anything below
    bool secret = false;
    bool part = false;  ///< one of several schemas for this value: another one judges unknown members and subtypes
  };

  /// `trial`: only whether the value fits is asked; `trial_steps` counts the visits of all trials and of all parts
  /// of schemas in a call.
  Validator(Mode mode, bool trial, std::size_t& trial_steps)
      : mode_(mode), trial_(trial), violations_max_(trial ? 1 : kMaxViolations), trial_steps_(trial_steps) {}

  void visit(const Schema& schema, const json::value& value, const Path* path, const Context& context);
  std::vector<Violation> take() { return std::move(violations_); }
  bool clean() const { return violations_.empty(); }

 private:
  void add(const Path* path, Rule rule, std::string text) {
    if (violations_.size() < violations_max_) violations_.push_back({to_string(path), rule, std::move(text)});
  }
  void wrong(const json::value& value, const Path* path, const Context& context, std::string_view detail) {
    const bool shown = !context.secret && !value.is_structured();
    const std::string text = context.secret ? fmt::format("Invalid value: {}", detail)
                             : shown        ? message::invalid(value, detail)
                                            : message::invalid(type_names(type_of(value)), detail);
    add(path, Rule::invalid, text);
  }
  bool full() const { return violations_.size() >= violations_max_; }

  void kind(const Schema& schema, const json::value& value, const Path* path, const Context& context);
  void scalar(const Schema& schema, const json::value& value, const Path* path, const Context& context);
  void number(const Schema& schema, const json::value& value, const Path* path, const Context& context);
  void text(const Schema& schema, const json::value& value, const Path* path, const Context& context);
  void array(const Schema& schema, const json::array& array, const Path* path, const Context& context);
  void object(const Schema& schema, const json::object& object, const Path* path, const Context& context);
  void required(const Schema& schema, const json::object& object, const Path* path, const Context& context);
  void missing(const Schema& schema, const json::object& object, const Path* path, const Context& context);
  void member(const Schema& owner, const Slot& slot, const json::value& value, const Path& path, const Context& parent);
  void alternatives(const Schema& schema, const json::value& value, const Path* path, const Context& context);
  bool matches(const Schema& schema, const json::value& value, const Context& context);

  const Mode mode_;
  const bool trial_;
  const std::size_t violations_max_;
  std::size_t& trial_steps_;
  std::vector<Violation> violations_;
};

void Validator::visit(const Schema& declared, const json::value& value, const Path* path, const Context& context) {
  if (full()) return;
  if ((trial_ || context.part) && ++trial_steps_ > kMaxTrialSteps) return add(path, Rule::invalid, "too complex");
  const Schema& schema = context.part ? declared : declared.chosen(value);
  if (schema.never) return wrong(value, path, context, "no value is allowed here");
  if (schema.nullable && value.is_null()) return;
  if (schema.types != 0 && (schema.types & type_of(value)) == 0)
    return wrong(value, path, context, fmt::format("must be of type {}", type_names(schema.types)));
  if (!context.part) kind(schema, value, path, context);
  scalar(schema, value, path, context);
  if (const auto* items = value.if_array()) array(schema, *items, path, context);
  if (const auto* members = value.if_object()) object(schema, *members, path, context);
  Context part = context;
  part.part = true;
  for (const Schema* one : schema.all_of) visit(*one, value, path, part);
  alternatives(schema, value, path, context);
}

/// The discriminator of a schema with subtypes must name one of them, or the schema itself.
void Validator::kind(const Schema& schema, const json::value& value, const Path* path, const Context& context) {
  const json::object* object = value.if_object();
  const json::value* name = object && !schema.subtypes.empty() ? object->if_contains(schema.discriminator) : nullptr;
  if (!name || !name->is_string() || schema.pointer.ends_with("/" + std::string(name->get_string()))) return;
  std::vector<std::string> names;
  for (const auto& [known, subtype] : schema.subtypes) names.push_back(known);
  const Path inner{path, Path::Kind::member, schema.discriminator};
  if (!schema.subtypes.contains(std::string_view(name->get_string())) && !context.secret)
    add(&inner, Rule::invalid, message::unsupported(*name, names));
}

void Validator::scalar(const Schema& schema, const json::value& value, const Path* path, const Context& context) {
  if (schema.allowed && !schema.allowed_texts.contains(canonical(value))) {
    std::vector<std::string> names;
    for (const json::value& one : *schema.allowed)
      names.push_back(one.is_string() ? std::string(one.get_string()) : json::serialize(one));
    if (context.secret || value.is_structured())
      wrong(value, path, context, "not a supported value");
    else
      add(path, Rule::invalid, message::unsupported(value, names));
  }
  if (value.is_number()) number(schema, value, path, context);
  if (value.is_string()) text(schema, value, path, context);
  if (schema.format && schema.format->check && !schema.format->check(value))
    wrong(value, path, context, fmt::format("must be {}", schema.format->detail));
}

void Validator::number(const Schema& schema, const json::value& value, const Path* path, const Context& context) {
  if (const auto& least = schema.number.least) {
    const int order = compare(value, least->limit);
    if (order < 0 || (order == 0 && least->exclusive))
      wrong(value, path, context,
            fmt::format("must be greater than {}{}", least->exclusive ? "" : "or equal to ", json::serialize(least->limit)));
  }
  if (const auto& most = schema.number.most) {
    const int order = compare(value, most->limit);
    if (order > 0 || (order == 0 && most->exclusive))
      wrong(value, path, context,
            fmt::format("must be less than {}{}", most->exclusive ? "" : "or equal to ", json::serialize(most->limit)));
  }
  if (schema.multiple_of) {
    // 0.0075 is a multiple of 0.0001, though no double says so exactly.
    const double number = value.to_number<double>(), quotient = number / *schema.multiple_of;
    const bool nearly = std::isfinite(quotient) && std::abs(quotient - std::round(quotient)) <= 1e-9;
    if (!nearly && std::remainder(number, *schema.multiple_of) != 0)
      wrong(value, path, context, fmt::format("must be a multiple of {}", *schema.multiple_of));
  }
}

void Validator::text(const Schema& schema, const json::value& value, const Path* path, const Context& context) {
  const std::string_view text = value.get_string();
  const std::size_t length = schema.length.least || schema.length.most ? characters(text) : 0;
  if (schema.length.least && length < *schema.length.least)
    wrong(value, path, context, fmt::format("must be at least {} characters long", *schema.length.least));
  if (schema.length.most && length > *schema.length.most) add(path, Rule::invalid, message::too_long(*schema.length.most));
  if (schema.pattern && !re2::RE2::PartialMatch(text, *schema.pattern))
    wrong(value, path, context, fmt::format("must match '{}'", schema.pattern->pattern()));
}

void Validator::array(const Schema& schema, const json::array& array, const Path* path, const Context& context) {
  if (schema.items_count.least && array.size() < *schema.items_count.least)
    add(path, Rule::invalid, fmt::format("Too few: {}: must have at least {} items", array.size(), *schema.items_count.least));
  if (schema.items_count.most && array.size() > *schema.items_count.most)
    add(path, Rule::invalid, message::too_many(array.size(), *schema.items_count.most));
  if (schema.unique_items) {
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < array.size() && !full(); ++i) {
      const Path item{path, Path::Kind::item, {}, i};
      if (!seen.insert(canonical(array[i])).second)
        add(&item, Rule::invalid, context.secret || array[i].is_structured() ? "Duplicate value" : message::duplicate(array[i]));
    }
  }
  if (!schema.items || !schema.items->schema) return;
  Context item_context{.secret = context.secret || schema.items->access.secret};
  for (std::size_t i = 0; i < array.size() && !full(); ++i) {
    const Path item{path, Path::Kind::item, {}, i};
    if (!(schema.items->nullable && array[i].is_null())) visit(*schema.items->schema, array[i], &item, item_context);
  }
}

void Validator::object(const Schema& schema, const json::object& object, const Path* path, const Context& context) {
  const auto count = [&](const std::optional<std::size_t>& limit, bool bad, std::string_view words) {
    if (limit && bad)
      add(path, Rule::invalid,
          fmt::format("Too {}: {}: must have at {} {} members", words == "least" ? "few" : "many", object.size(), words, *limit));
  };
  count(schema.members_count.least, object.size() < schema.members_count.least.value_or(0), "least");
  count(schema.members_count.most, object.size() > schema.members_count.most.value_or(object.size()), "most");
  required(schema, object, path, context);
  for (const auto& [key, value] : object) {
    if (full()) return;
    const std::string_view name = key;
    const Path inner{path, Path::Kind::member, name};
    if (const auto own = schema.own.find(name); own != schema.own.end()) {
      member(schema, own->second, value, inner, context);
    } else if (schema.additional) {
      const Path entry{path, Path::Kind::key, name};
      member(schema, *schema.additional, value, entry, context);
    } else if (schema.additional_forbidden ||
               (schema.closed && !context.part && !schema.members.contains(name) && !schema.alternative_members.contains(name))) {
      add(&inner, Rule::unknown_field, fmt::format("unknown field {}", message::shown(json::value(name))));
    }
  }
  if (context.existing) missing(schema, object, path, context);
}

void Validator::required(const Schema& schema, const json::object& object, const Path* path, const Context& context) {
  const json::object* existing = object_of(context.existing);
  for (const std::string& name : schema.required) {
    const Slot* slot = schema.slot(name);
    const bool callers = !slot || !slot->access.read_only();
    if (object.contains(name) || !callers) continue;
    const Path inner{path, Path::Kind::member, name};
    const bool nulled = mode_ == Mode::patch && existing && existing->contains(name);
    add(&inner, Rule::required, nulled ? message::required("field cannot be null") : message::required());
  }
}

/// What may not change may not vanish either.
void Validator::missing(const Schema& schema, const json::object& object, const Path* path, const Context& context) {
  const json::object* existing = object_of(context.existing);
  if (!existing) return;
  for (const auto& [key, value] : *existing) {
    const std::string_view name = key;
    if (full()) return;
    if (object.contains(key)) continue;
    const auto own = schema.own.find(name);
    const Slot* slot = own != schema.own.end() ? &own->second : schema.additional ? &*schema.additional : nullptr;
    const bool reported = std::ranges::find(schema.required, name) != schema.required.end();
    if (!slot || reported || slot->access.read_only() || (!context.immutable && slot->access.updatable)) continue;
    const Path inner{path, own != schema.own.end() ? Path::Kind::member : Path::Kind::key, name};
    add(&inner, Rule::immutable, message::immutable());
  }
}

void Validator::member(const Schema& owner, const Slot& slot, const json::value& value, const Path& path, const Context& parent) {
  const json::object* existing = object_of(parent.existing);
  const json::value* old = existing ? existing->if_contains(path.name) : nullptr;
  if (slot.access.read_only()) {
    if (existing && !(old && canonical(*old) == canonical(value)))
      add(&path, Rule::read_only, message::forbidden("field is read-only"));
    return;
  }
  if (!existing && mode_ == Mode::create && !slot.access.creatable)
    return add(&path, Rule::immutable, message::forbidden("field may not be set on creation"));
  const bool immutable = existing && (parent.immutable || !slot.access.updatable);
  if (immutable && !old) return add(&path, Rule::immutable, message::immutable());
  if (value.is_null() && !slot.nullable && slot.schema && !slot.schema->nullable && slot.schema->types != 0 &&
      !(slot.schema->types & kNull) && std::ranges::find(owner.required, path.name) != owner.required.end())
    return add(&path, Rule::required, message::required("field cannot be null"));
  const bool both_objects = old && old->is_object() && value.is_object();
  const bool structured = both_objects && slot.schema && (!slot.schema->members.empty() || slot.schema->any_member);
  if (immutable && !structured && canonical(*old) != canonical(value)) add(&path, Rule::immutable, message::immutable());
  if (!slot.schema || (slot.nullable && value.is_null())) return;
  visit(*slot.schema, value, &path, {.existing = old, .immutable = immutable, .secret = parent.secret || slot.access.secret});
}

/// anyOf and oneOf judge the shape; what callers may change is not looked at inside them.
void Validator::alternatives(const Schema& schema, const json::value& value, const Path* path, const Context& context) {
  Context inner{.secret = context.secret, .part = !schema.members.empty()};
  const auto fits = [&](const Schema* one) { return matches(*one, value, inner); };
  if (!schema.any_of.empty() && std::ranges::none_of(schema.any_of, fits))
    wrong(value, path, context, "must match at least one of the alternatives");
  if (!schema.one_of.empty() && std::ranges::count_if(schema.one_of, fits) != 1)
    wrong(value, path, context, "must match exactly one of the alternatives");
}

bool Validator::matches(const Schema& schema, const json::value& value, const Context& context) {
  Validator trial(mode_, true, trial_steps_);
  trial.visit(schema, value, nullptr, context);
  return trial.clean();
}

}  // namespace

std::vector<Violation> validate(const Schema& schema, const json::value& value, Mode mode, const json::value* existing) {
  std::size_t trial_steps = 0;
  Validator validator(mode, false, trial_steps);
  validator.visit(schema, value, nullptr, {.existing = mode == Mode::create ? nullptr : existing});
  // What was found by then is not all, and what was not tried did not fail: nothing but this is sure.
  if (trial_steps > kMaxTrialSteps) return {{"", Rule::invalid, std::string(message::kTooComplex)}};
  return validator.take();
}

model::Error to_error(const std::vector<Violation>& violations) {
  const auto one = [](const Violation& violation) {
    return model::Error{.kind = model::ErrorKind::invalid,
                        .code = "InvalidRequestContent",
                        .message = violation.message,
                        .target = violation.path};
  };
  if (violations.size() == 1) return one(violations.front());
  model::Error error{.kind = model::ErrorKind::invalid,
                     .code = "MultipleErrorsOccurred",
                     .message = "Content validation failed on multiple fields"};
  for (const Violation& violation : violations) error.details.push_back(one(violation));
  return error;
}

}  // namespace acceptd::schema
