#include "types/hcp/checks.hpp"

#include <array>

#include "schema/format.hpp"
#include "schema/message.hpp"
#include "types/hcp/shape.hpp"

namespace acceptd::types::hcp {

namespace {

/// The three blocks of a cluster's network must be blocks and must not overlap.
void check_network(const json::object& properties, std::vector<model::Error>& errors) {
  constexpr std::array<std::string_view, 3> kBlocks{"podCidr", "serviceCidr", "machineCidr"};
  std::array<std::optional<schema::Ipv4Block>, 3> blocks;
  for (std::size_t i = 0; i < kBlocks.size(); ++i) {
    const std::string_view text = text_at(properties, {"network", kBlocks[i]});
    if (text.empty()) continue;
    blocks[i] = schema::parse_ipv4_block(text);
    const std::string path = "properties.network." + std::string(kBlocks[i]);
    if (!blocks[i]) errors.push_back(invalid_at(path, schema::message::invalid(text, "must be a valid IPv4 CIDR")));
    for (std::size_t j = 0; j < i && blocks[i]; ++j)
      if (blocks[j] && blocks[i]->overlaps(*blocks[j]))
        errors.push_back(invalid_at(path, schema::message::invalid(text, "must not overlap with properties.network." + std::string(kBlocks[j]))));
  }
}

}  // namespace

void check_cluster(const CheckInput& input, std::vector<model::Error>& errors) {
  check_network(input.properties, errors);
  const std::string_view group = text_at(input.properties, {"platform", "managedResourceGroup"});
  if (model::equals_ignoring_case(group, input.id.resource_group()))
    errors.push_back(invalid_at("properties.platform.managedResourceGroup",
                                schema::message::invalid(group, "must not be the same as the resource group of the cluster")));
}

void check_node_pool(const CheckInput& input, std::vector<model::Error>& errors) {
  const json::value* scaling = input.properties.if_contains("autoScaling");
  const json::value* replicas = input.properties.if_contains("replicas");
  if (scaling && replicas && !replicas->is_null() && !scaling->is_null() && replicas->to_number<std::int64_t>() != 0)
    errors.push_back(invalid_at("properties.replicas", schema::message::forbidden("replicas and autoScaling exclude each other")));
}

}  // namespace acceptd::types::hcp
