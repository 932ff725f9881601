#pragma once
/// The stored shape (properties as the newest API version has them) and what the older version calls the same things.
/// Pure.

#include <boost/json.hpp>
#include <initializer_list>
#include <string_view>

namespace acceptd::types::hcp {

namespace json = boost::json;

/// The member at a path of object members; nullptr if a step is missing.
const json::value* at(const json::object& object, std::initializer_list<std::string_view> path);
json::value* at(json::object& object, std::initializer_list<std::string_view> path);
/// The string there, or "".
std::string_view text_at(const json::object& object, std::initializer_list<std::string_view> path);
/// Sets it, making the objects on the way.
void put(json::object& object, std::initializer_list<std::string_view> path, json::value value);

/// External properties of `api_version` to the stored shape and back.
void to_stored(json::object& properties, std::string_view api_version);
void from_stored(json::object& properties, std::string_view api_version);

/// A write in an older version keeps what only newer ones know (HCP-014).
void keep_newer(json::object& properties, const json::object& existing, std::string_view api_version);

/// Lays `over` on `target`: objects merge, everything else replaces.
void overlay(json::object& target, const json::object& over);

}  // namespace acceptd::types::hcp
