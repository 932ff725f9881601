#pragma once
/// The deciding functions: given documents, an input and the time, what the documents become. Pure. The engine reads
/// before and commits after; nothing else changes a resource or an operation.

#include <cstdint>
#include <optional>
#include <string>

#include "model/operation.hpp"
#include "model/resource.hpp"

namespace acceptd::model {

// ---- refusals (texts: contracts/hcp.md 1.5, 1.6) -------------------------------------------------------------

enum class Verb : std::uint8_t { read, write, remove, action };

/// Whether a subscription's state allows the verb (ARM-265 to ARM-269). `subscription` nullptr: never registered.
std::optional<Error> refuse_for_subscription(const Subscription* subscription, std::string_view subscription_id, Verb verb);

/// A write of `resource` (nullptr: a create) below `parent` (nullptr: top-level or absent).
std::optional<Error> refuse_write(const Resource* resource, const Resource* parent);
std::optional<Error> refuse_action(const Resource& resource, std::string_view phrase, std::string_view blocked_message);

Error not_found(const ResourceId& id);
Error parent_not_found(const ResourceId& parent);
Error conflict(std::string message, const ResourceId& id);

/// If-Match / If-None-Match as ARM-101 to ARM-111 have them. `etag` "" = the resource does not exist.
struct EtagCondition {
  std::string if_match, if_none_match;
};
bool precondition_holds(const EtagCondition& condition, const std::string& etag, RequestKind request);
Error precondition_failed(const ResourceId& id);

// ---- transitions ---------------------------------------------------------------------------------------------

struct Retention {
  Duration finished{};  ///< how long a finished operation is kept
};

/// Moves the operation to `status` if the table allows it (lastTransitionTime moves with it, HCP-015); a terminal status
/// sets stage done and the expiry. Returns whether anything changed.
bool transition(Operation& operation, Status status, Time now, const Retention& retention);

/// Ends it as Failed.
void fail(Operation& operation, Error error, Time now, const Retention& retention);
/// Ends it as Canceled with the code and text of HCP-005.
void supersede(Operation& operation, Time at, const Retention& retention);
/// What is below a resource whose delete was accepted reads so, before it is written so as after: with the same entity tag.
void show_deleting(Resource& resource);

/// Makes a hidden or new operation visible to its initiator.
void expose(Operation& operation, Time now);

/// The resource takes over what a pending update, or a creation in place of a failed one, wants.
void apply_desired(Resource& resource, const Operation& operation);

/// The active operation `operation` ended: state, activeOperationId, revert of a failed update.
void settle(Resource& resource, const Operation& operation);

// ---- deadlines (HCP-007) -------------------------------------------------------------------------------------

/// When the operation is overdue, given that the deadline is paused while the backend is unreachable, `pause_max` in all.
Time effective_deadline(const Operation& operation, Time now, Duration pause_max);
/// Records that the backend does not answer / answers again. Returns whether the document changed.
bool mark_unreachable(Operation& operation, Time now);
bool mark_reachable(Operation& operation, Time now, Duration pause_max);
Error deadline_error(const Operation& operation);

// ---- schedule ------------------------------------------------------------------------------------------------

/// How long to wait before the next look at the backend: fast after a change, backing off with the age of the state.
/// `unit` is uniform in [0, 1): jitter of ±20 %.
Duration poll_interval(Duration since_transition, Duration first, Duration longest, double unit);

}  // namespace acceptd::model
