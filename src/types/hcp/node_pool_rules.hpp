#pragma once
/// What the description of a node pool cannot say. Bodies are complete, in the external shape of their API version.

#include <boost/json.hpp>

#include "engine/resource_type.hpp"
#include "types/hcp/report.hpp"

namespace acceptd::types::hcp {

/// `existing`: current properties; nullptr = a create. Conditions on the cluster are judged if the input names it.
void check_node_pool(const boost::json::object& body, const boost::json::object* existing, const engine::BuildInput& input,
                     Report& report);

}  // namespace acceptd::types::hcp
