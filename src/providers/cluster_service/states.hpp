#pragma once
/// What a state of Cluster Service means for the operation that waits on it (HCP-023).

#include <boost/json.hpp>
#include <string_view>
#include <vector>

#include "engine/provider.hpp"

namespace acceptd::providers::cluster_service {

/// A failed operation's error when the backend gives no reason of its own.
model::Error internal_error();

/// `status`: body of GET cluster/status. `failed_checks`: errors of the inflight checks that failed; looked at only if
/// needs_inflight_checks().
engine::Observation observe_cluster(const engine::Target& target, const boost::json::object& status,
                                    const std::vector<std::string>& failed_checks);
/// The provision error has no text of its own: GET inflight_checks has it.
bool needs_inflight_checks(const boost::json::object& status);
std::vector<std::string> failed_checks(const boost::json::array& checks);

/// Body of GET node pool/status.
engine::Observation observe_node_pool(const engine::Target& target, const boost::json::object& status);

/// Body of GET credential.
engine::Observation observe_credential(const boost::json::object& credential);
/// All credentials of the cluster. Those expired, by state or by `now`, do not count.
engine::Observation observe_revocation(const boost::json::array& credentials, model::Time now);

/// The newest upgrade policy of an object that does not run the wanted version yet; empty = there is none.
engine::Observation observe_upgrade_policy(const boost::json::object& policy);

}  // namespace acceptd::providers::cluster_service
