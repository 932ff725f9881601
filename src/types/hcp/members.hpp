#pragma once
/// Members of nested objects by dotted path, "platform.osDisk.sizeGiB". Names with dots cannot be reached: no property has one.

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

namespace acceptd::types::hcp {

namespace json = boost::json;

/// nullptr if it or an object on the way is not there.
const json::value* value_at(const json::object& object, std::string_view path);
/// "" unless it is a string.
std::string_view text_at(const json::object& object, std::string_view path);
std::optional<std::int64_t> integer_at(const json::object& object, std::string_view path);
const json::object* object_at(const json::object& object, std::string_view path);
const json::array* array_at(const json::object& object, std::string_view path);

/// The object at the path, made where it is absent; nullptr if something else stands in the way.
json::object* make_object(json::object& object, std::string_view path);
/// Sets it only if it is absent (and the way is free).
void put_if_absent(json::object& object, std::string_view path, json::value value);
/// Removes and returns it.
std::optional<json::value> take(json::object& object, std::string_view path);

/// Adds what `object` lacks, object by object; what both have stays.
void add_missing(json::object& object, const json::object& from);

}  // namespace acceptd::types::hcp
