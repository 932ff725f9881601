/// What a compiled description cannot mean: bounds that cross, values that no value can be, objects without an end.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "schema/compile.hpp"

namespace acceptd::schema {

namespace {

constexpr int kMaxFillDepth = 64;
constexpr std::size_t kMaxFilledBytes = 64 * 1024;

template <class T>
bool crossed(const Bounds<T>& bounds) {
  return bounds.least && bounds.most && *bounds.least > *bounds.most;
}

bool numbers_crossed(const Bounds<Number>& bounds) {
  if (!bounds.least || !bounds.most) return false;
  const double least = bounds.least->limit.to_number<double>(), most = bounds.most->limit.to_number<double>();
  return least > most || (least == most && (bounds.least->exclusive || bounds.most->exclusive));
}

bool of_type(std::uint8_t types, const json::value& value) {
  if (value.is_string()) return types & kString;
  if (value.is_bool()) return types & kBoolean;
  if (value.is_number()) return types & (kNumber | kInteger);
  if (value.is_array()) return types & kArray;
  if (value.is_object()) return types & kObject;
  return types & kNull;
}

}  // namespace

void Compiler::make_sense(Schema& schema) {
  const Place place{schema.file, schema.pointer};
  if (numbers_crossed(schema.number) || crossed(schema.length) || crossed(schema.items_count) || crossed(schema.members_count))
    problems_.add(place, "contradicts itself: the least is more than the most");
  if (schema.allowed && schema.types != 0 && !schema.nullable &&
      std::ranges::none_of(*schema.allowed, [&](const json::value& one) { return of_type(schema.types, one); }))
    problems_.add(place, "contradicts itself: none of the enum's values is of the type");
  if (!options_.lenient) return;
  // Every object would be refused: by this rule without the member, by the closed object with it.
  std::erase_if(schema.required, [&](const std::string& name) {
    const bool never = schema.closed && !schema.slot(name) && !schema.alternative_members.contains(name);
    if (never) note(place / "required", fmt::format("not checked: '{}' is required and not declared", name));
    return never;
  });
  ignore_bad_defaults(schema, schema.own);
  ignore_bad_defaults(schema, schema.members);
}

void Compiler::ignore_bad_defaults(const Schema& owner, std::map<std::string, Slot, std::less<>>& slots) {
  for (auto& [name, slot] : slots) {
    if (!slot.default_value || !slot.schema || slot.access.read_only()) continue;
    if (slot.nullable && slot.default_value->is_null()) continue;
    if (validate(*slot.schema, *slot.default_value, Mode::create).empty()) continue;
    slot.default_value.reset();
    if (&slots == &owner.own)
      note(Place{owner.file, owner.pointer} / "properties" / name / "default", "not used: the default is not a valid value");
  }
}

/// Worked out once per schema: descriptions refer to each other in so many ways that trying all would not end.
void Compiler::fill(Schema& schema, int depth) {
  if (depth == kMaxFillDepth || std::exchange(visits_[&schema], 2) == 2) return;
  json::object made;
  for (const auto& [name, slot] : schema.members) {
    if (slot.access.read_only()) continue;
    if (slot.default_value) {
      made.emplace(name, *slot.default_value);
    } else if (slot.schema && !slot.schema->members.empty()) {
      fill(const_cast<Schema&>(*slot.schema), depth + 1);  // all of them are this compiler's
      if (slot.schema->filled) made.emplace(name, *slot.schema->filled);
    }
  }
  if (made.empty() || !has_required(schema, made)) return;
  if (json::serialize(made).size() > kMaxFilledBytes)
    return note({schema.file, schema.pointer}, "not filled in: too many defaults");
  schema.filled = std::move(made);
}

/// A schema has an end if some finite value fits it. Grows the set of those that have until it does not change.
void Compiler::find_endless() {
  std::unordered_set<const Schema*> ends;
  const auto ending = [&](const Schema* one) { return !one || ends.contains(one); };
  const auto has_end = [&](const Schema& schema) {
    if (!std::ranges::all_of(schema.all_of, ending)) return false;
    if (!schema.any_of.empty() && std::ranges::none_of(schema.any_of, ending)) return false;
    if (!schema.one_of.empty() && std::ranges::none_of(schema.one_of, ending)) return false;
    if (schema.nullable || (schema.types != 0 && !(schema.types & (kObject | kArray)))) return true;
    if (schema.items && schema.items_count.least.value_or(0) > 0 && !schema.items->nullable && !ending(schema.items->schema))
      return false;
    return std::ranges::all_of(schema.required, [&](const std::string& name) {
      const Slot* slot = schema.slot(name);
      return !slot || slot->nullable || slot->access.read_only() || ending(slot->schema);
    });
  };
  for (std::size_t before = 0;;) {
    for (const Schema& schema : schemas_)
      if (!ends.contains(&schema) && has_end(schema)) ends.insert(&schema);
    if (ends.size() == before) break;
    before = ends.size();
  }
  for (const Schema& schema : schemas_)
    if (!ends.contains(&schema))
      problems_.add({schema.file, schema.pointer}, "recursive without end: no value can have all that is required");
}

}  // namespace acceptd::schema
