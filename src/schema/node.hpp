#pragma once
/// The compiled form of a schema: what compile.cpp builds and the checks read.

#include <re2/re2.h>

#include <boost/container_hash/hash.hpp>
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "schema/format.hpp"
#include "schema/schema.hpp"

namespace acceptd::schema {

enum Type : std::uint8_t { kNull = 1, kBoolean = 2, kInteger = 4, kNumber = 8, kString = 16, kArray = 32, kObject = 64 };

/// What a place in a document says of the value there, whatever the value's own schema is.
struct Access {
  bool readable = true;
  bool creatable = true;
  bool updatable = true;
  bool secret = false;
  bool read_only() const { return readable && !creatable && !updatable; }
};

/// A member, an item, or an additional member.
struct Slot {
  const Schema* schema = nullptr;
  Access access;
  bool nullable = false;  ///< said at the place itself, beside a $ref
  std::optional<json::value> default_value;
};

template <class T>
struct Bounds {
  std::optional<T> least, most;
};

struct Number {
  json::value limit;  ///< as written, for messages
  bool exclusive = false;
};

struct Schema {
  std::string file, pointer;  ///< where it was read
  bool never = false;         ///< the schema `false`
  bool nullable = false;
  std::uint8_t types = 0;                           ///< bits of Type; 0 = any
  std::optional<std::vector<json::value>> allowed;  ///< enum, const
  std::set<std::string> allowed_texts;              ///< the same, canonical
  Bounds<Number> number;
  std::optional<double> multiple_of;
  Bounds<std::size_t> length, items_count, members_count;
  std::unique_ptr<re2::RE2> pattern;
  const Format* format = nullptr;
  bool unique_items = false;
  std::optional<Slot> items;

  std::map<std::string, Slot, std::less<>> own;  ///< declared here
  std::vector<std::string> required;
  std::optional<Slot> additional;
  bool additional_forbidden = false;
  std::vector<const Schema*> all_of, any_of, one_of;

  std::string discriminator;  ///< member whose value chooses among `subtypes`
  std::map<std::string, const Schema*, std::less<>> subtypes;

  // Derived when everything is compiled.
  std::map<std::string, Slot, std::less<>> members;  ///< own and those of all_of
  std::optional<Slot> any_member;                    ///< additional, or that of all_of
  std::set<std::string, std::less<>> alternative_members;
  std::vector<const Schema*> shadowed;  ///< those of all_of that say more of a member or an item than its slot here does
  bool closed = false;                  ///< refuses members that are none of the above
  std::optional<json::value> filled;    ///< what an absent object becomes by its members' defaults; nullopt: it stays absent

  /// The subtype that `value` names, or this schema.
  const Schema& chosen(const json::value& value) const;
  /// The slot of a member: declared, or the additional one; nullptr if nothing is said of it.
  const Slot* slot(std::string_view name) const;
};

/// Text that is equal exactly for equal JSON values: members in order of name, numbers by value.
std::string canonical(const json::value& value);

/// What callers must send in an object of this schema is there, that of its parts included.
bool has_required(const Schema& schema, const json::object& object);

/// What says something of an array's items: the schema's own word, or the first of its parts.
const Slot* item_slot(const Schema& schema);

/// Callers may not read what is there.
inline bool hidden(const Slot& slot) { return slot.access.secret || !slot.access.readable; }

/// Visits every schema that an alternative of `schema` or of its parts may apply to the same value.
template <class Visit>
void for_each_alternative(const Schema& schema, Visit visit) {
  for (const auto* alternatives : {&schema.any_of, &schema.one_of})
    for (const Schema* one : *alternatives) visit(*one);
  for (const Schema* part : schema.all_of) for_each_alternative(*part, visit);
}

/// Pairs of schemas and values that a walk has seen. Alternatives that contain each other lead to the same pair in exponentially
/// many ways; there are kMaxTrialSteps pairs at most. The values must stay where they are.
class Seen {
 public:
  /// True: the pair is new, walk on.
  bool enter(const Schema& schema, const json::value& value);
  /// Pairs were left out: what was found is not all.
  bool overflowed() const { return overflowed_; }
  void give_up() { overflowed_ = true; }

 private:
  using Pair = std::pair<const void*, const void*>;
  std::unordered_set<Pair, boost::hash<Pair>> pairs_;
  bool overflowed_ = false;
};

inline constexpr int kMaxSubtypeLevels = 8;

}  // namespace acceptd::schema
