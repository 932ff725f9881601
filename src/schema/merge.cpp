/// Walks over two values, or by two schemas: what a caller could not send, or need not have.

#include "schema/node.hpp"

namespace acceptd::schema {

namespace {

bool knows(const Schema& schema, std::string_view name) {
  return !schema.closed || schema.slot(name) || schema.alternative_members.contains(name);
}

/// Gives back items, or the whole list, if they are what callers could see of them; false: too complex.
bool restore_items(const Schema& schema, const json::array& from, json::array& items) {
  json::value shown(from);
  if (!keep_visible(schema, shown)) return false;
  const json::array& visible = shown.get_array();
  if (visible == from) return true;
  if (visible.empty() && items.empty()) items = from;
  if (visible.size() != from.size()) return true;
  for (std::size_t i = 0; i < std::min(items.size(), from.size()); ++i)
    if (canonical(visible[i]) == canonical(items[i])) items[i] = from[i];
  return true;
}

/// A place of `from` belongs to one place of `value`, so `seen` need only know the former, which does not move.
void restore(const Schema& declared, const json::value& from, json::value& value, Seen& seen, bool again) {
  if (!from.is_structured() || (again && !seen.enter(declared, from))) return;
  const Schema& schema = declared.chosen(value);
  if (json::array* items = value.if_array(); items && from.is_array() && !restore_items(schema, from.get_array(), *items))
    return seen.give_up();
  json::object* object = value.if_object();
  const json::object* source = from.if_object();
  if (object && source)
    for (const auto& [name, old] : *source) {
      const Slot* slot = schema.slot(name);
      if (!slot) continue;
      json::value* member = object->if_contains(name);
      if (!member && hidden(*slot) && !slot->access.read_only())
        object->emplace(name, old);
      else if (member && slot->schema)
        restore(*slot->schema, old, *member, seen, again);
    }
  for (const Schema* part : schema.shadowed) restore(*part, from, value, seen, true);
  for_each_alternative(schema, [&](const Schema& one) { restore(one, from, value, seen, true); });
}

}  // namespace

bool restore_hidden(const Schema& schema, const json::value& from, json::value& value) {
  Seen seen;
  restore(schema, from, value, seen, false);
  return !seen.overflowed();
}

void copy_kinds(const Schema& declared, const json::value& from, json::value& value) {
  json::object* object = value.if_object();
  const json::object* source = from.if_object();
  if (!object || !source) return;
  if (!declared.discriminator.empty() && !object->contains(declared.discriminator))
    if (const json::value* kind = source->if_contains(declared.discriminator)) object->emplace(declared.discriminator, *kind);
  const Schema& schema = declared.chosen(value);
  for (auto& [name, member] : *object) {
    const Slot* slot = schema.slot(name);
    const json::value* old = source->if_contains(name);
    if (slot && slot->schema && old) copy_kinds(*slot->schema, *old, member);
  }
}

void copy_unknown(const Schema& declared, const json::value& from, json::value& value) {
  const Schema& schema = declared.chosen(value);
  json::object* object = value.if_object();
  const json::object* source = from.if_object();
  if (!object || !source) return;
  for (const auto& [name, old] : *source) {
    json::value* member = object->if_contains(name);
    if (!knows(schema, name)) {
      if (!member) object->emplace(name, old);
    } else if (const Slot* slot = schema.slot(name); member && slot && slot->schema) {
      copy_unknown(*slot->schema, old, *member);
    }
  }
}

void drop_answered(const Schema& declared, const Schema& answered, json::value& value) {
  const Schema& request = declared.chosen(value);
  const Schema& answer = answered.chosen(value);
  if (json::array* items = value.if_array()) {
    const Slot* mine = item_slot(request);
    const Slot* theirs = item_slot(answer);
    if (mine && theirs && mine->schema && theirs->schema && mine->schema != theirs->schema)
      for (json::value& item : *items) drop_answered(*mine->schema, *theirs->schema, item);
  }
  json::object* object = value.if_object();
  if (!object || &request == &answer) return;
  std::vector<std::string> gone;
  for (auto& [name, member] : *object) {
    const Slot* mine = request.slot(name);
    const Slot* theirs = answer.slot(name);
    if (!knows(request, name) && theirs)
      gone.emplace_back(name);
    else if (mine && theirs && mine->schema && theirs->schema)
      drop_answered(*mine->schema, *theirs->schema, member);
  }
  for (const std::string& name : gone) object->stable_erase(object->find(name));
}

}  // namespace acceptd::schema
