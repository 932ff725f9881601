#pragma once
/// ARM's spelling <-> Cluster Service's: both directions come from one table of rows.

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace acceptd::providers::cluster_service {

namespace json = boost::json;

/// One value of an enumeration in both spellings.
struct Spelling {
  std::string_view arm, cs;
};

/// A value that lies at one dotted path on each side.
struct FieldRow {
  std::string_view arm, cs;
  std::span<const Spelling> spellings{};  ///< empty: the value is the same on both sides
};

/// The value at a dotted path; nullptr if it is absent or null, or something on the way is no object.
const json::value* value_at(const json::object& object, std::string_view path);
/// The string, object or array there; empty or nullptr for anything else.
std::string_view text_at(const json::object& object, std::string_view path);
const json::object* members_at(const json::object& object, std::string_view path);
const json::array* items_at(const json::object& object, std::string_view path);
/// A whole number, also one written as 30.0; nullopt for anything else.
std::optional<std::int64_t> whole_at(const json::object& object, std::string_view path);

/// Makes the objects on the way.
void put_at(json::object& object, std::string_view path, json::value value);
void put_text(json::object& object, std::string_view path, std::string_view text);

/// Copies what is there; empty strings are left out, since Cluster Service refuses them. A value that the table does not
/// spell is passed on as it is: whoever receives it says what is wrong with it.
void copy_to_cs(std::span<const FieldRow> rows, const json::object& arm, json::object& cs);
void copy_to_arm(std::span<const FieldRow> rows, const json::object& cs, json::object& arm);

/// Whether `actual` says already what `wanted` asks for: objects by the members of `wanted`, numbers by value; an absent
/// member equals an empty array, and an object with nothing else in it.
bool says_the_same(const json::value& wanted, const json::value* actual);

}  // namespace acceptd::providers::cluster_service
