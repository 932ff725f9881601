#include "schema/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace acceptd::schema {

namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

void append_number(double number, std::string& out) {
  if (std::trunc(number) == number && std::abs(number) < kTwoTo63)
    out += std::to_string(static_cast<std::int64_t>(number));
  else
    fmt::format_to(std::back_inserter(out), "{}", number);
}

void append(const json::value& value, std::string& out) {
  if (const auto* object = value.if_object()) {
    std::map<std::string_view, const json::value*> ordered;
    for (const auto& [key, member] : *object) ordered.emplace(key, &member);
    out += '{';
    for (const auto& [key, member] : ordered) {
      out += json::serialize(json::string_view(key));
      out += ':';
      append(*member, out);
      out += ',';
    }
    out += '}';
  } else if (const auto* array = value.if_array()) {
    out += '[';
    for (const json::value& item : *array) {
      append(item, out);
      out += ',';
    }
    out += ']';
  } else if (value.is_double()) {
    append_number(value.get_double(), out);
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

const Schema& Schema::chosen(const json::value& value) const {
  const Schema* schema = this;
  for (int level = 0; level < kMaxSubtypeLevels && !schema->subtypes.empty(); ++level) {
    const auto* object = value.if_object();
    const auto* kind = object ? object->if_contains(schema->discriminator) : nullptr;
    const auto found =
        kind && kind->is_string() ? schema->subtypes.find(std::string_view(kind->get_string())) : schema->subtypes.end();
    if (found == schema->subtypes.end() || found->second == schema) break;
    schema = found->second;
  }
  return *schema;
}

const Slot* Schema::slot(std::string_view name) const {
  if (const auto found = members.find(name); found != members.end()) return &found->second;
  return any_member ? &*any_member : nullptr;
}

bool has_required(const Schema& schema, const json::object& object) {
  for (const std::string& name : schema.required) {
    const Slot* slot = schema.slot(name);
    if (!object.contains(name) && !(slot && slot->access.read_only())) return false;
  }
  return std::ranges::all_of(schema.all_of, [&](const Schema* part) { return has_required(*part, object); });
}

const Slot* item_slot(const Schema& schema) {
  if (schema.items) return &*schema.items;
  for (const Schema* part : schema.all_of)
    if (const Slot* slot = item_slot(*part)) return slot;
  return nullptr;
}

bool Seen::enter(const Schema& schema, const json::value& value) {
  const Pair pair{&schema, &value};
  if (overflowed_ || pairs_.contains(pair)) return false;
  overflowed_ = pairs_.size() >= kMaxTrialSteps;
  return !overflowed_ && pairs_.insert(pair).second;
}

std::string canonical(const json::value& value) {
  std::string out;
  append(value, out);
  return out;
}

}  // namespace acceptd::schema
