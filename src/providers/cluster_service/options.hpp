#pragma once
/// What a deployment says of its Cluster Service.

#include <boost/json.hpp>
#include <chrono>
#include <string>

namespace acceptd::providers::cluster_service {

struct Options {
  std::string region;        ///< sent as the region of every cluster
  std::string identity_url;  ///< managed identities data plane, sent with every cluster; "" = not sent
  std::string api_path = "/api/aro_hcp/v1alpha1";
  std::string credentials_path = "/api/clusters_mgmt/v1";  ///< break-glass credentials still live under the older base
  boost::json::object properties;  ///< of every cluster, beside our stamp; e.g. {"provisioner_noop_provision": "true"}
  /// How long after a request was sent Cluster Service may still carry it out.
  std::chrono::nanoseconds settle_time = std::chrono::seconds(30);
};

}  // namespace acceptd::providers::cluster_service
