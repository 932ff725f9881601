#pragma once
/// Microsoft.RedHatOpenShift/hcpOpenShiftClusters.

#include "types/hcp/described_type.hpp"

namespace acceptd::types::hcp {

class ClusterType final : public DescribedType {
 public:
  ClusterType(engine::TypeInfo info, engine::Provider& provider);

  /// The managed resource group, the subnet and the network security group belong to one cluster of a subscription.
  std::vector<engine::Claim> claims(const model::ResourceId& id, const engine::Desired& desired) const override;
  /// The billing document (HCP-008): opened with the creation's success, closed with the removal.
  std::vector<model::Uuid> companion_ids(const model::Resource& resource) const override;
  std::vector<model::Write> companions(engine::Event event, const model::Resource& resource, const model::Operation& operation,
                                       const std::vector<model::DocumentPtr>& existing, engine::Time now) const override;

 protected:
  std::optional<model::Error> check_name(const model::ResourceId& id) const override;
  void generate(boost::json::object& properties, const engine::BuildInput& input) const override;
  void check(const CheckInput& input, std::vector<model::Error>& errors) const override;
};

}  // namespace acceptd::types::hcp
