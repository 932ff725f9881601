#pragma once
/// The bodies of clusters and node pools: which members are known, of which type, and which may be changed.

#include <boost/json.hpp>
#include <cstdint>
#include <span>
#include <string_view>

#include "apps/cluster-service-sim/simulator/answer.hpp"

namespace acceptd::simulator {

enum class Type : std::uint8_t { string, integer, boolean, object, array, string_map };

struct Field {
  std::string_view path;  ///< dotted
  Type type = Type::string;
  bool changeable = false;
};

std::span<const Field> cluster_fields();
std::span<const Field> node_pool_fields();

/// 400 for text that is not a JSON object. Empty text is an empty object.
Result<json::object> parse_body(std::string_view text);

/// The known members of `body`: unknown ones are ignored, null counts as absent, a wrong type is 400.
Result<json::object> known_members(const json::object& body, std::span<const Field> fields);

/// Takes over the changeable members of `patch` (as known_members returns it), each as a whole. 400 if it gives another
/// value to a member that cannot be changed.
Result<void> merge(json::object& stored, const json::object& patch, std::span<const Field> fields);

/// Pre-flight validation of what known_members returned for a creation.
Result<void> check_cluster(const json::object& body);
Result<void> check_node_pool(const json::object& body);

}  // namespace acceptd::simulator
