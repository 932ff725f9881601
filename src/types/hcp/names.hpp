#pragma once
/// Refusals of names.

#include "model/error.hpp"
#include "model/resource_id.hpp"

namespace acceptd::types::hcp {

/// 400 InvalidResourceName.
model::Error invalid_name(const model::ResourceId& id);

}  // namespace acceptd::types::hcp
