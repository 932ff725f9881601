#pragma once
/// Texts of refusals, in the words that callers of Kubernetes-like APIs know (hcp.md §5, "Message forms").

#include <boost/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace acceptd::schema::message {

std::string required();                                                         // Required value
std::string required(std::string_view detail);                                  // Required value: detail
std::string forbidden(std::string_view detail);                                 // Forbidden: detail
std::string immutable();                                                        // Forbidden: field is immutable
std::string invalid(const boost::json::value& value, std::string_view detail);  // Invalid value: "x": detail
std::string invalid(std::string_view value, std::string_view detail);
std::string duplicate(const boost::json::value& value);          // Duplicate value: "x"
std::string too_long(std::size_t bytes_max);                     // Too long: may not be more than N bytes
std::string too_many(std::size_t count, std::size_t count_max);  // Too many: N: must have at most M items
inline constexpr std::string_view kTooComplex = "Invalid value: the document is too complex";
/// Unsupported value: "x": supported values: "a", "b"
std::string unsupported(const boost::json::value& value, std::span<const std::string> supported);

/// The value as it is shown: compact JSON, cut at kMaxShownBytes.
std::string shown(const boost::json::value& value);
inline constexpr std::size_t kMaxShownBytes = 512;  // fits the longest resource ID

}  // namespace acceptd::schema::message
