#include "types/hcp/hcp_type.hpp"
#include "types/hcp/node_pool_rules.hpp"

namespace acceptd::types::hcp {

namespace {

constexpr std::string_view kNamePattern = "[a-zA-Z]([-a-zA-Z0-9]{0,13}[a-zA-Z0-9])?";
constexpr std::string_view kDiskType = "platform.osDisk.diskType";  ///< only the newer API version knows it

engine::TypeInfo node_pool_info(const Settings& settings) {
  return {.name = std::string(kNodePoolType),
          .parent_key = model::to_lower(kClusterType),
          .api_versions = {std::string(kVersion2024), std::string(kVersion2025)},
          .submit = settings.submit,
          .deadlines = settings.deadlines,
          .location_optional = true};
}

class NodePoolType final : public HcpType {
 public:
  NodePoolType(std::shared_ptr<const Descriptions> descriptions, engine::Provider& provider, const Settings& settings)
      : HcpType(node_pool_info(settings), provider, std::move(descriptions), "NodePool", std::string(kNamePattern)) {}

  bool needs_sibling_count() const override { return true; }
  /// The last node pool goes only with its cluster (HCP-012).
  std::optional<model::Error> admit(const engine::AdmitInput& input) const override {
    if (input.request != model::RequestKind::remove || input.siblings > 1 || (input.parent && input.parent->subtree_deleting))
      return std::nullopt;
    return model::Error{.kind = model::ErrorKind::invalid,
                        .code = "InvalidRequestContent",
                        .message = schema::message::forbidden("The last node pool can not be deleted from a cluster."),
                        .target = input.existing ? input.existing->id.text() : std::string()};
  }

 protected:
  void fill(json::object& properties, const engine::BuildInput& input) const override;
  void check(const json::object& body, const json::object* existing, const engine::BuildInput& input,
             Report& report) const override {
    check_node_pool(body, existing, input, report);
  }
  bool may_lack(const json::object&, std::string_view) const override { return false; }
  void to_stored(json::object& properties, std::string_view api_version, const json::object* existing) const override;
  void to_external(json::object&, std::string_view) const override {}
};

void NodePoolType::fill(json::object& properties, const engine::BuildInput& input) const {
  const json::object* existing = input.existing ? &input.existing->desired : nullptr;
  const json::object* cluster = input.parent ? &input.parent->desired : nullptr;
  const std::string_view channel = cluster ? text_at(*cluster, "version.channelGroup") : std::string_view();
  put_if_absent(properties, "version.channelGroup", json::string(channel.empty() ? "stable" : channel));
  if (!properties.contains("autoScaling")) put_if_absent(properties, "replicas", 0);
  if (!properties.contains("platform")) return;
  const json::value* subnet = existing  ? value_at(*existing, "platform.subnetId")
                              : cluster ? value_at(*cluster, "platform.subnetId")
                                        : nullptr;
  if (subnet) put_if_absent(properties, "platform.subnetId", *subnet);
}

void NodePoolType::to_stored(json::object& properties, std::string_view api_version, const json::object* existing) const {
  if (api_version != kVersion2024) return;
  const json::value* kept = existing ? value_at(*existing, kDiskType) : nullptr;
  put_if_absent(properties, kDiskType, kept ? *kept : json::value("Managed"));
}

}  // namespace

std::unique_ptr<engine::ResourceType> make_node_pool_type(std::shared_ptr<const Descriptions> descriptions,
                                                          engine::Provider& provider, const Settings& settings) {
  return std::make_unique<NodePoolType>(std::move(descriptions), provider, settings);
}

}  // namespace acceptd::types::hcp
