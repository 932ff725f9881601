#pragma once
/// JSON text <-> boost::json values, exactly: no duplicate keys, no number that would change its value,
/// no invalid UTF-8, bounded depth (STYLE B3 lists what the stock parser would let through).

#include <array>
#include <boost/json.hpp>
#include <expected>
#include <string>
#include <string_view>

namespace acceptd::model {

namespace json = boost::json;

/// Deeper documents are refused; 32 is the limit that callers are told (README).
inline constexpr std::size_t kMaxJsonDepth = 32;

struct JsonError {
  std::size_t offset = 0;  ///< byte where reading stopped
  std::string reason;      ///< one short English clause, fit to be shown to the caller
};

/// Reads exactly one JSON value that fills `text`. Numbers: integers that fit 64 bits stay integers; others become the
/// nearest double (correctly rounded); overflow is an error, underflow becomes 0. A duplicate key is an error.
std::expected<json::value, JsonError> parse_json(std::string_view text, json::storage_ptr storage = {},
                                                 std::size_t depth_max = kMaxJsonDepth);

/// A document's payload wraps what a caller sent: it may be this much deeper.
inline constexpr std::size_t kMaxStoredDepth = kMaxJsonDepth + 8;

/// Reads a payload back that to_text() wrote: as parse_json, but its keys are known to differ. With the storage of an Arena
/// it costs no memory of its own.
std::expected<json::value, JsonError> parse_stored(std::string_view text, json::storage_ptr storage = {});

/// Room on the stack for the JSON values of one function: made and dropped at once. Copies and moves of a value keep its
/// storage: what is to outlive the arena must be given another, `json::value(old, json::storage_ptr())`.
class Arena {
 public:
  json::storage_ptr storage() { return &resource_; }

 private:
  std::array<unsigned char, 16 * 1024> room_;  // several times a usual payload; more comes from the heap
  json::monotonic_resource resource_{room_.data(), room_.size()};
};

/// Compact text. The value must come from parse_json or hold only finite numbers.
std::string to_text(const json::value& value);
/// How long its to_text() is.
std::size_t text_size(const json::object& object);

/// The object member `key` if it is a string, else "".
std::string_view string_at(const json::object& object, std::string_view key);

/// The object member `key` if it is an object, else nullptr.
const json::object* object_at(const json::object& object, std::string_view key);

/// RFC 7396: null removes, objects merge, everything else replaces.
void merge_patch(json::value& target, const json::value& patch);

}  // namespace acceptd::model
