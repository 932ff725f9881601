#pragma once
/// A number that grows with every start on a store: whoever works on an operation writes it down (DESIGN §4, Fencing).

#include <cstdint>

#include "runtime/task.hpp"
#include "store/store.hpp"

namespace acceptd::process {

/// Takes the next number, durably. Kept in the store itself, so that a copied database brings it along. Errors: those of the
/// store.
runtime::Task<model::Result<std::uint64_t>> take_epoch(store::Store& store);

}  // namespace acceptd::process
