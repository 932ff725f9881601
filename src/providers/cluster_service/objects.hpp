#pragma once
/// Writes that clusters and node pools have alike.

#include <boost/json.hpp>
#include <functional>

#include "engine/provider.hpp"
#include "providers/cluster_service/connection.hpp"

namespace acceptd::providers::cluster_service {

/// PATCHes the target's object with what `difference` makes of its current state; read first, so that only what differs is
/// sent. Nothing is sent, and the update accepted, if `difference` is empty.
runtime::Task<engine::Submission> update_object(
    Connection& connection, engine::Target target,
    std::function<boost::json::object(const engine::Target& target, const boost::json::object& current)> difference);

runtime::Task<engine::Submission> remove_object(Connection& connection, engine::Target target);

/// A refusal that names nothing to the caller; `summary` is for operators.
engine::Submission refused(model::Error error, std::string summary);

}  // namespace acceptd::providers::cluster_service
