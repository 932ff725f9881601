#pragma once
/// Rules that clusters and node pools share. Each adds to the report what is wrong and is silent about values of the wrong
/// type: their schema has spoken already.

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/resource_type.hpp"
#include "model/resource_id.hpp"
#include "types/hcp/report.hpp"

namespace acceptd::types::hcp {

/// Stored members that no caller sees.
inline constexpr std::string_view kExperiments = "internal.experiments";
inline constexpr std::string_view kIdentityUrl = "internal.identityUrl";

inline constexpr std::string_view kSubnetType = "Microsoft.Network/virtualNetworks/subnets";
inline constexpr std::string_view kSecurityGroupType = "Microsoft.Network/networkSecurityGroups";
inline constexpr std::string_view kIdentityType = "Microsoft.ManagedIdentity/userAssignedIdentities";
inline constexpr std::string_view kDiskEncryptionSetType = "Microsoft.Compute/diskEncryptionSets";

/// A resource ID in a body: of that type, in the resource's own subscription, not in the managed resource group ("" = unknown).
/// nullopt unless it can be read; silence if it is "" or the report names its path already.
std::optional<model::ResourceId> check_reference(std::string path, std::string_view text, std::string_view type,
                                                 const model::ResourceId& owner, std::string_view managed_resource_group,
                                                 Report& report);

/// Experimental tags are refused unless they are known.
void check_tags(const boost::json::object& body, Report& report);

/// The experiments that the tags of a body ask for, {"cluster.single-replica": "true"}: none unless the subscription has
/// registered the feature that gates them. Tags that no request named keep what they meant.
boost::json::object experiments_of(const engine::BuildInput& input);

/// Kubernetes' qualified names and label values.
void check_qualified_name(std::string path, std::string_view name, Report& report);
void check_label_value(std::string path, std::string_view value, Report& report);

}  // namespace acceptd::types::hcp
