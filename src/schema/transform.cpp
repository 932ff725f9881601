#include <cmath>
#include <functional>
#include <unordered_map>

#include "schema/node.hpp"

namespace acceptd::schema {

namespace {

/// Says whether a member goes; `slot` is nullptr if the schema says nothing of it.
using Goes = std::function<bool(const Schema& owner, const Slot* slot, std::string_view name, const json::value& value)>;

/// Finds what goes by all schemas first and removes it then: the walk must not move the values that it knows by their address.
class Removal {
 public:
  enum class Asks {
    own,           ///< no alternatives: each of them knows only a part of a value
    alternatives,  ///< what any of them says goes
    hidden,        ///< what callers may not see: as alternatives, and every part is asked, and arrays of such items are cleared
  };
  explicit Removal(Goes goes, Asks asks = Asks::alternatives)
      : goes_(std::move(goes)), hides_(asks == Asks::hidden), alternatives_(asks != Asks::own) {}

  /// False: too complex, and `value` is as it was.
  bool run(const Schema& schema, json::value& value) {
    find(schema, value, false);
    if (seen_.overflowed()) return false;
    if (!members_.empty() || !cleared_.empty()) sweep(value);
    return true;
  }

 private:
  /// `again`: another schema speaks of the same value.
  void find(const Schema& declared, const json::value& value, bool again) {
    if (!value.is_structured() || (again && !seen_.enter(declared, value))) return;
    const Schema& schema = declared.chosen(value);
    if (const json::array* items = value.if_array()) {
      const Slot* slot = item_slot(schema);
      if (slot && hides_ && hidden(*slot)) cleared_.insert(&value);
      if (slot && slot->schema)
        for (const json::value& item : *items) find(*slot->schema, item, again);
    }
    if (const json::object* object = value.if_object())
      for (const auto& [key, member] : *object) {
        const Slot* slot = schema.slot(key);
        if (goes_(schema, slot, key, member))
          members_[&value].emplace(key);
        else if (slot && slot->schema)
          find(*slot->schema, member, again);
      }
    if (hides_)
      for (const Schema* part : schema.shadowed) find(*part, value, true);
    if (alternatives_) for_each_alternative(schema, [&](const Schema& one) { find(one, value, true); });
  }

  void sweep(json::value& value) {
    if (json::array* items = value.if_array()) {
      if (cleared_.contains(&value)) return items->clear();
      for (json::value& item : *items) sweep(item);
    }
    json::object* object = value.if_object();
    if (!object) return;
    for (auto& member : *object) sweep(member.value());
    if (const auto gone = members_.find(&value); gone != members_.end())
      for (const std::string& key : gone->second) object->stable_erase(object->find(key));
  }

  const Goes goes_;
  const bool hides_, alternatives_;
  Seen seen_;
  std::unordered_map<const json::value*, std::set<std::string, std::less<>>> members_;
  std::unordered_set<const json::value*> cleared_;
};

bool allows_null(const Slot& slot) {
  return slot.nullable || !slot.schema || slot.schema->nullable || slot.schema->types == 0 || (slot.schema->types & kNull);
}

void add_defaults(const Schema& declared, json::value& value) {
  const Schema& schema = declared.chosen(value);
  if (json::array* items = value.if_array()) {
    const Slot* slot = item_slot(schema);
    for (json::value& item : *items)
      if (slot && slot->schema) add_defaults(*slot->schema, item);
  }
  json::object* object = value.if_object();
  if (!object) return;
  for (auto& [key, member] : *object)
    if (const Slot* slot = schema.slot(key); slot && slot->schema) add_defaults(*slot->schema, member);
  for (const auto& [name, slot] : schema.members) {
    if (object->contains(name) || slot.access.read_only()) continue;
    if (slot.default_value)
      object->emplace(name, *slot.default_value);
    else if (slot.schema && slot.schema->filled)
      object->emplace(name, *slot.schema->filled);
  }
}

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

class Secrets {
 public:
  void find(const Schema& declared, const json::value& value, const std::string& pointer, bool again) {
    if (!value.is_structured() || (again && !seen_.enter(declared, value))) return;
    const Schema& schema = declared.chosen(value);
    const auto inner = [&](const Slot& slot, const json::value& member, const std::string& at) {
      if (slot.access.secret) {
        if (known_.insert(at).second) pointers_.push_back(at);
      } else if (slot.schema) {
        find(*slot.schema, member, at, again);
      }
    };
    if (const json::array* items = value.if_array())
      if (const Slot* slot = item_slot(schema))
        for (std::size_t i = 0; i < items->size(); ++i) inner(*slot, (*items)[i], pointer + '/' + std::to_string(i));
    if (const json::object* object = value.if_object())
      for (const auto& [key, member] : *object)
        if (const Slot* slot = schema.slot(key)) inner(*slot, member, pointer + '/' + escaped(key));
    for (const Schema* part : schema.shadowed) find(*part, value, pointer, true);
    for_each_alternative(schema, [&](const Schema& one) { find(one, value, pointer, true); });
  }
  std::vector<std::string> take() { return seen_.overflowed() ? std::vector<std::string>{""} : std::move(pointers_); }

 private:
  Seen seen_;
  std::unordered_set<std::string> known_;
  std::vector<std::string> pointers_;
};

}  // namespace

void make_integers(json::value& value) {
  if (json::array* items = value.if_array())
    for (json::value& item : *items) make_integers(item);
  if (json::object* object = value.if_object())
    for (auto& member : *object) make_integers(member.value());
  const double* number = value.if_double();
  if (!number || std::trunc(*number) != *number) return;
  constexpr double kInt64End = 9223372036854775808.0, kUint64End = 18446744073709551616.0;  // 2^63, 2^64: exact
  if (*number >= -kInt64End && *number < kInt64End)
    value = static_cast<std::int64_t>(*number);
  else if (*number >= 0 && *number < kUint64End)
    value = static_cast<std::uint64_t>(*number);
}

bool drop_nulls(const Schema& schema, json::value& value) {
  Removal removal([](const Schema&, const Slot* slot, std::string_view, const json::value& member) {
    return member.is_null() && slot && !allows_null(*slot);
  });
  return removal.run(schema, value);
}

void apply_defaults(const Schema& schema, json::value& value) { add_defaults(schema, value); }

bool strip_read_only(const Schema& schema, json::value& value) {
  Removal removal(
      [](const Schema&, const Slot* slot, std::string_view, const json::value&) { return slot && slot->access.read_only(); });
  return removal.run(schema, value);
}

void copy_read_only(const Schema& declared, const json::value& from, json::value& value) {
  const json::object* source = from.if_object();
  json::object* target = value.if_object();
  if (!source || !target) return;
  const Schema& schema = declared.chosen(value);
  const auto copy = [&](const std::string& name, const Slot& slot) {
    const json::value* old = source->if_contains(name);
    if (slot.access.read_only()) {
      target->erase(name);
      if (old) (*target)[name] = *old;
    } else if (json::value* member = target->if_contains(name); member && old && slot.schema) {
      copy_read_only(*slot.schema, *old, *member);
    }
  };
  for (const auto& [name, slot] : schema.members) copy(name, slot);
  if (!schema.any_member) return;
  for (const auto& [key, member] : *source)
    if (!schema.members.contains(std::string_view(key)) && target->contains(key)) copy(std::string(key), *schema.any_member);
}

bool keep_visible(const Schema& schema, json::value& value) {
  const auto goes = [](const Schema&, const Slot* slot, std::string_view, const json::value&) { return slot && hidden(*slot); };
  if (Removal(goes, Removal::Asks::hidden).run(schema, value)) return true;
  if (json::array* items = value.if_array()) items->clear();
  if (json::object* object = value.if_object()) object->clear();
  return false;
}

void keep_known(const Schema& schema, json::value& value) {
  const auto goes = [](const Schema& owner, const Slot* slot, std::string_view name, const json::value&) {
    return !slot && owner.closed && !owner.alternative_members.contains(name);
  };
  Removal(goes, Removal::Asks::own).run(schema, value);
}

std::vector<std::string> secrets(const Schema& schema, const json::value& value) {
  Secrets found;
  found.find(schema, value, "", false);
  return found.take();
}

}  // namespace acceptd::schema
