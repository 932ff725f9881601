#pragma once
/// Break-glass credentials of a cluster: the actions RequestCredential and RevokeCredentials.

#include <string>

#include "engine/provider.hpp"
#include "providers/cluster_service/connection.hpp"
#include "providers/cluster_service/options.hpp"

namespace acceptd::providers::cluster_service {

/// Belongs to the connection's thread and lives shorter. Targets name the cluster in `parent_internal_id` and what the action
/// made in `internal_id`: the credential, or for a revocation the collection.
class Credentials {
 public:
  Credentials(Connection& connection, const Options& options) : connection_(connection), options_(options) {}

  runtime::Task<engine::Submission> submit(engine::Target target) const;
  runtime::Task<engine::Observation> observe(engine::Target target) const;
  /// Credentials have no name and carry no stamp: all of the cluster, newest first. None for a revocation, which may be
  /// sent again.
  runtime::Task<engine::SearchResult> search(engine::Target target) const;
  runtime::Task<model::Result<boost::json::value>> result(engine::Target target) const;

 private:
  std::string collection_of(const engine::Target& target) const;

  Connection& connection_;
  const Options& options_;
};

}  // namespace acceptd::providers::cluster_service
