#pragma once
/// What an answer of Cluster Service to a write means for the operation behind it.

#include <string>

#include "engine/provider.hpp"
#include "providers/cluster_service/connection.hpp"

namespace acceptd::providers::cluster_service {

enum class Write { create, update, remove, credential };

/// All of it but what an accepted write made: `internal_id` and `observed` are the caller's to fill in.
engine::Submission judge(const Reply& reply, Write write, const engine::Target& target);

/// "409 CLUSTERS-MGMT-409", "no answer: timed out": at most 200 bytes, nothing of a body but its error code.
std::string summary_of(const Reply& reply);

/// An href as Cluster Service gives it, lower case; "" unless it is a path below one of its APIs that is safe to be called.
std::string href_of(const boost::json::object& object);
/// The last segment of an href.
std::string_view id_of(std::string_view href);

model::Error not_found_error(const model::ResourceId& id);

}  // namespace acceptd::providers::cluster_service
