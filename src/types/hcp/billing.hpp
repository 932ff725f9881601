#pragma once
/// The billing document of a cluster's life (HCP-008): opened when its creation succeeded, closed when it is gone.

#include <optional>
#include <vector>

#include "engine/resource_type.hpp"

namespace acceptd::types::hcp {

/// One for each incarnation.
model::Uuid billing_id(const model::Resource& cluster);

/// What an event writes; nothing if it was written before.
std::vector<model::Write> billing_writes(engine::Event event, const model::Resource& cluster, const model::Operation& operation,
                                         const std::vector<model::DocumentPtr>& existing, model::Time now);

}  // namespace acceptd::types::hcp
