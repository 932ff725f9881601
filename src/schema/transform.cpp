#include <functional>

#include "schema/node.hpp"

namespace acceptd::schema {

namespace {

/// Says whether a member goes; `slot` is nullptr if the schema says nothing of it.
using Goes = std::function<bool(const Schema& owner, const Slot* slot, std::string_view name, const json::value& value)>;

const Slot* item_slot(const Schema& schema) {
  if (schema.items) return &*schema.items;
  for (const Schema* part : schema.all_of)
    if (const Slot* slot = item_slot(*part)) return slot;
  return nullptr;
}

/// Visits every schema that an alternative of `schema` or of its parts may apply to the same value.
template <class Visit>
void for_each_alternative(const Schema& schema, Visit visit) {
  for (const auto* alternatives : {&schema.any_of, &schema.one_of})
    for (const Schema* one : *alternatives) visit(*one);
  for (const Schema* part : schema.all_of) for_each_alternative(*part, visit);
}

void remove_members(const Schema& declared, json::value& value, const Goes& goes) {
  const Schema& schema = declared.chosen(value);
  if (json::array* items = value.if_array()) {
    const Slot* slot = item_slot(schema);
    for (json::value& item : *items)
      if (slot && slot->schema) remove_members(*slot->schema, item, goes);
  }
  if (json::object* object = value.if_object()) {
    std::vector<std::string> gone;
    for (auto& [key, member] : *object) {
      const Slot* slot = schema.slot(key);
      if (goes(schema, slot, key, member))
        gone.emplace_back(key);
      else if (slot && slot->schema)
        remove_members(*slot->schema, member, goes);
    }
    for (const std::string& key : gone) object->stable_erase(object->find(key));
  }
  for_each_alternative(schema, [&](const Schema& one) { remove_members(one, value, goes); });
}

bool allows_null(const Slot& slot) {
  return slot.nullable || !slot.schema || slot.schema->nullable || slot.schema->types == 0 || (slot.schema->types & kNull);
}

/// What callers must send in an object of this schema, those of its parts included.
bool has_required(const Schema& schema, const json::object& object) {
  for (const std::string& name : schema.required) {
    const Slot* slot = schema.slot(name);
    if (!object.contains(name) && !(slot && slot->access.read_only())) return false;
  }
  return std::ranges::all_of(schema.all_of, [&](const Schema* part) { return has_required(*part, object); });
}

/// `making`: the schemas of the absent objects that are being tried, so that a recursive schema ends.
void add_defaults(const Schema& declared, json::value& value, std::vector<const Schema*>& making) {
  const Schema& schema = declared.chosen(value);
  if (json::array* items = value.if_array()) {
    const Slot* slot = item_slot(schema);
    for (json::value& item : *items)
      if (slot && slot->schema) add_defaults(*slot->schema, item, making);
  }
  json::object* object = value.if_object();
  if (!object) return;
  for (auto& [key, member] : *object)
    if (const Slot* slot = schema.slot(key); slot && slot->schema) add_defaults(*slot->schema, member, making);
  for (const auto& [name, slot] : schema.members) {
    if (object->contains(name) || slot.access.read_only()) continue;
    if (slot.default_value) {
      object->emplace(name, *slot.default_value);
    } else if (slot.schema && !slot.schema->members.empty() && std::ranges::find(making, slot.schema) == making.end()) {
      json::value fresh(json::object_kind);
      making.push_back(slot.schema);
      add_defaults(*slot.schema, fresh, making);
      making.pop_back();
      if (!fresh.get_object().empty() && has_required(*slot.schema, fresh.get_object())) object->emplace(name, std::move(fresh));
    }
  }
}

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

void find_secrets(const Schema& declared, const json::value& value, const std::string& pointer, std::vector<std::string>& out) {
  const Schema& schema = declared.chosen(value);
  const auto inner = [&](const Slot& slot, const json::value& member, const std::string& at) {
    if (slot.access.secret) {
      if (std::ranges::find(out, at) == out.end()) out.push_back(at);
    } else if (slot.schema) {
      find_secrets(*slot.schema, member, at, out);
    }
  };
  if (const json::array* items = value.if_array())
    if (const Slot* slot = item_slot(schema))
      for (std::size_t i = 0; i < items->size(); ++i) inner(*slot, (*items)[i], pointer + '/' + std::to_string(i));
  if (const json::object* object = value.if_object())
    for (const auto& [key, member] : *object)
      if (const Slot* slot = schema.slot(key)) inner(*slot, member, pointer + '/' + escaped(key));
  for_each_alternative(schema, [&](const Schema& one) { find_secrets(one, value, pointer, out); });
}

}  // namespace

void drop_nulls(const Schema& schema, json::value& value) {
  remove_members(schema, value, [](const Schema&, const Slot* slot, std::string_view, const json::value& member) {
    return member.is_null() && slot && !allows_null(*slot);
  });
}

void apply_defaults(const Schema& schema, json::value& value) {
  std::vector<const Schema*> making;
  add_defaults(schema, value, making);
}

void strip_read_only(const Schema& schema, json::value& value) {
  remove_members(schema, value, [](const Schema&, const Slot* slot, std::string_view, const json::value&) {
    return slot && slot->access.read_only();
  });
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

void keep_visible(const Schema& schema, json::value& value) {
  remove_members(schema, value, [](const Schema&, const Slot* slot, std::string_view, const json::value&) {
    return slot && (slot->access.secret || !slot->access.readable);
  });
}

void keep_known(const Schema& schema, json::value& value) {
  remove_members(schema, value, [](const Schema& owner, const Slot* slot, std::string_view name, const json::value&) {
    return !slot && owner.closed && !owner.alternative_members.contains(name);
  });
}

std::vector<std::string> secrets(const Schema& schema, const json::value& value) {
  std::vector<std::string> out;
  find_secrets(schema, value, "", out);
  return out;
}

}  // namespace acceptd::schema
