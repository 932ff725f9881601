#pragma once
/// Rules across fields and documents (contracts/hcp.md §5). Pure. Input is the stored shape with defaults filled in; what the
/// description says of single fields was checked before.

#include <vector>

#include "types/hcp/described_type.hpp"

namespace acceptd::types::hcp {

void check_cluster(const CheckInput& input, std::vector<model::Error>& errors);
void check_node_pool(const CheckInput& input, std::vector<model::Error>& errors);

}  // namespace acceptd::types::hcp
