#include "types/hcp/node_pool_type.hpp"

#include <re2/re2.h>

#include "types/hcp/checks.hpp"
#include "types/hcp/names.hpp"
#include "types/hcp/shape.hpp"

namespace acceptd::types::hcp {

NodePoolType::NodePoolType(engine::TypeInfo info, engine::Provider& provider) : DescribedType(std::move(info), provider, "NodePool") {}

std::optional<model::Error> NodePoolType::check_name(const model::ResourceId& id) const {
  static const re2::RE2 kName("[a-zA-Z]([-a-zA-Z0-9]{0,13}[a-zA-Z0-9])?");
  if (re2::RE2::FullMatch(id.name(), kName)) return std::nullopt;
  return invalid_name(id);
}

/// A node pool lives in its cluster's subnet unless it names another.
void NodePoolType::generate(json::object& properties, const engine::BuildInput& input) const {
  if (!input.parent || !text_at(properties, {"platform", "subnetId"}).empty()) return;
  if (const auto subnet = text_at(input.parent->desired, {"platform", "subnetId"}); !subnet.empty())
    put(properties, {"platform", "subnetId"}, json::value(subnet));
}

std::optional<model::Error> NodePoolType::admit(const engine::AdmitInput& input) const {
  if (input.request != model::RequestKind::remove || input.siblings > 1) return std::nullopt;
  return model::Error{.kind = model::ErrorKind::invalid,
                      .code = "InvalidRequestContent",
                      .message = "Forbidden: The last node pool can not be deleted from a cluster.",
                      .target = input.existing ? input.existing->id.text() : ""};
}

void NodePoolType::check(const CheckInput& input, std::vector<model::Error>& errors) const { check_node_pool(input, errors); }

}  // namespace acceptd::types::hcp
