#pragma once
/// Microsoft.RedHatOpenShift/hcpOpenShiftClusters/nodePools.

#include "types/hcp/described_type.hpp"

namespace acceptd::types::hcp {

class NodePoolType final : public DescribedType {
 public:
  NodePoolType(engine::TypeInfo info, engine::Provider& provider);

  /// HCP-012: the last node pool goes only with its cluster.
  std::optional<model::Error> admit(const engine::AdmitInput& input) const override;
  bool needs_sibling_count() const override { return true; }

 protected:
  std::optional<model::Error> check_name(const model::ResourceId& id) const override;
  void generate(boost::json::object& properties, const engine::BuildInput& input) const override;
  void check(const CheckInput& input, std::vector<model::Error>& errors) const override;
};

}  // namespace acceptd::types::hcp
