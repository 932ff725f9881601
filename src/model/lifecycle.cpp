#include "model/lifecycle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/mutation.hpp"

namespace acceptd::model {

namespace {

std::string quoted_state(Status status) { return "\"" + to_lower(to_string(status)) + "\""; }

Error invalid_subscription_state(ErrorKind kind, std::string message) {
  return Error{.kind = kind, .code = "InvalidSubscriptionState", .message = std::move(message)};
}

}  // namespace

std::optional<Error> refuse_for_subscription(const Subscription* subscription, std::string_view id, Verb verb) {
  if (!subscription) {
    if (verb == Verb::read) return std::nullopt;
    return Error{.kind = ErrorKind::not_found,
                 .code = "SubscriptionNotFound",
                 .message = fmt::format("The subscription '{}' could not be found.", id)};
  }
  const std::string& state = subscription->state;
  if (state == "Registered" || verb == Verb::read) return std::nullopt;
  if (state == "Warned" || state == "Suspended") {
    if (verb == Verb::remove) return std::nullopt;
    return invalid_subscription_state(ErrorKind::conflict,
                                      fmt::format("Request is not allowed in subscription in state '{}'.", state));
  }
  return invalid_subscription_state(ErrorKind::invalid,
                                    fmt::format("Request is not allowed in unregistered subscription '{}'.", id));
}

Error not_found(const ResourceId& id) {
  std::string type = id.provider();
  std::string names;
  for (const auto& segment : id.segments()) {
    type += "/" + segment.type;
    names += (names.empty() ? "" : "/") + segment.name;
  }
  return Error{
      .kind = ErrorKind::not_found,
      .code = "ResourceNotFound",
      .message = fmt::format("The resource '{}/{}' under resource group '{}' was not found.", type, names, id.resource_group())};
}

Error parent_not_found(const ResourceId& parent) { return not_found(parent); }

Error conflict(std::string message, const ResourceId& id) {
  return Error{.kind = ErrorKind::conflict, .code = "Conflict", .message = std::move(message), .target = id.text()};
}

std::optional<Error> refuse_write(const Resource* resource, const Resource* parent) {
  const std::string_view verb = resource ? "update" : "create";
  if (parent && parent->cleanup_operation)
    return conflict(fmt::format("Cannot {} resource while the remains of its parent's failed creation are being removed", verb),
                    parent->id);
  if (parent) {
    if (parent->subtree_deleting || parent->provisioning_state == Status::deleting)
      return conflict(fmt::format("Cannot {} resource while parent resource is deleting", verb), parent->id);
    if (parent->cleanup_operation)
      return conflict(fmt::format("Cannot {} resource while the remains of its parent's failed creation are being removed", verb),
                      parent->id);
    if (parent->provisioning_state == Status::provisioning || parent->provisioning_state == Status::accepted)
      if (parent->active_operation)
        return conflict(
            fmt::format("Cannot {} resource while parent resource is {}", verb, to_lower(to_string(parent->provisioning_state))),
            parent->id);
  }
  if (parent && !resource && parent->internal_id.empty())
    return conflict("Cannot create resource while parent resource is " + to_lower(to_string(parent->provisioning_state)),
                    parent->id);
  if (!resource) return std::nullopt;
  if (resource->active_operation)
    return conflict(fmt::format("Cannot update resource while resource is {}", quoted_state(resource->provisioning_state)),
                    resource->id);
  if (resource->cleanup_operation)
    return conflict("Cannot update resource while the remains of its failed creation are being removed", resource->id);
  return std::nullopt;
}

std::optional<Error> refuse_action(const Resource& resource, std::string_view phrase, std::string_view blocked_message) {
  if (resource.active_operation || !is_terminal(resource.provisioning_state))
    return conflict(fmt::format("Cannot {} while resource is {}", phrase, quoted_state(resource.provisioning_state)),
                    resource.id);
  if (resource.exclusive_action && !blocked_message.empty()) {
    Error error = conflict(std::string(blocked_message), resource.id);
    error.retry_after = std::chrono::seconds(10);
    return error;
  }
  return std::nullopt;
}

bool precondition_holds(const EtagCondition& condition, const std::string& etag, RequestKind request) {
  if (mutated(Mutation::ignore_if_match)) return true;
  const bool exists = !etag.empty();
  if (!condition.if_none_match.empty()) {
    if (condition.if_none_match == "*" ? exists : condition.if_none_match == etag) return false;
  }
  if (condition.if_match.empty()) return true;
  // A delete of what is not there has nothing to protect: 204. A PATCH of it is 404 before it comes here.
  if (!exists) return request == RequestKind::remove;
  return condition.if_match == "*" || condition.if_match == etag;
}

Error precondition_failed(const ResourceId& id) {
  return Error{
      .kind = ErrorKind::precondition_failed,
      .code = "PreconditionFailed",
      .message = "The condition of If-Match or If-None-Match does not hold for the resource as it is now; read it again.",
      .target = id.text()};
}

bool transition(Operation& operation, Status status, Time now, const Retention& retention) {
  if (!may_follow(operation.status, status) && !mutated(Mutation::terminal_may_change)) return false;
  operation.status = status;
  operation.last_transition = now;
  note(operation, now, "status " + std::string(to_string(status)));
  if (is_terminal(status)) {
    operation.stage = Stage::done;
    operation.waiting_on.clear();
    operation.send_until.reset();
    if (!mutated(Mutation::keep_for_ever)) operation.expires_at = now + retention.finished;
  }
  return true;
}

void fail(Operation& operation, Error error, Time now, const Retention& retention) {
  if (transition(operation, Status::failed, now, retention)) operation.error = std::move(error);
}

void supersede(Operation& operation, Time at, const Retention& retention) {
  if (!transition(operation, Status::canceled, std::max(at, operation.start), retention)) return;
  operation.error = Error{.kind = ErrorKind::conflict, .code = "Canceled", .message = "This operation was superseded by another"};
}

void show_deleting(Resource& resource) {
  if (resource.provisioning_state == Status::deleting) return;
  resource.provisioning_state = Status::deleting;
  resource.etag = to_string(uuid_of_name("deleting " + resource.etag));
}

void expose(Operation& operation, Time now) {
  operation.exposed = operation.initiator;
  if (operation.status == Status::intended) {
    operation.status = Status::accepted;
    operation.last_transition = now;
    note(operation, now, "status Accepted");
  }
}

void apply_desired(Resource& resource, const Operation& operation) {
  if (operation.request == RequestKind::update)
    resource.previous = Former{.desired = std::move(resource.desired),
                               .tags = std::move(resource.tags),
                               .identity = std::move(resource.identity),
                               .system_data = resource.system_data,
                               .api_version = std::move(resource.api_version)};
  resource.desired = operation.desired;
  resource.tags = operation.desired_tags;
  resource.identity = operation.desired_identity;
  if (!operation.desired_system_data.empty()) resource.system_data = operation.desired_system_data;
  resource.api_version = operation.api_version;
  if (operation.request == RequestKind::create) resource.observed.clear();  // of an object that is no more
}

void settle(Resource& resource, const Operation& operation) {
  if (resource.exclusive_action == operation.id) resource.exclusive_action.reset();
  if (resource.cleanup_operation == operation.id) resource.cleanup_operation.reset();
  if (resource.active_operation != operation.id) return;
  if (!mutated(Mutation::keep_active_operation)) resource.active_operation.reset();
  if (!mutated(Mutation::keep_provisioning_state)) resource.provisioning_state = operation.status;
  if (operation.request == RequestKind::update && operation.status != Status::succeeded && resource.previous) {
    resource.desired = std::move(resource.previous->desired);
    resource.tags = std::move(resource.previous->tags);
    resource.identity = std::move(resource.previous->identity);
    resource.system_data = std::move(resource.previous->system_data);
    resource.api_version = std::move(resource.previous->api_version);
  }
  resource.previous.reset();
  if (operation.request == RequestKind::remove) {
    resource.subtree_deleting = false;
    resource.deleting_since.reset();
  }
}

Time effective_deadline(const Operation& operation, Time now, Duration pause_max) {
  if (!operation.unreachable_since) return operation.deadline;
  const Duration left = std::max(pause_max - operation.paused, Duration::zero());
  return operation.deadline + std::clamp(now - *operation.unreachable_since, Duration::zero(), left);
}

bool mark_unreachable(Operation& operation, Time now) {
  if (operation.unreachable_since) return false;
  operation.unreachable_since = now;
  operation.waiting_on = "backend, which does not answer";
  note(operation, now, "backend unreachable");
  return true;
}

bool mark_reachable(Operation& operation, Time now, Duration pause_max) {
  if (!operation.unreachable_since) return false;
  const Time extended = effective_deadline(operation, now, pause_max);
  operation.paused += extended - operation.deadline;
  operation.deadline = extended;
  operation.unreachable_since.reset();
  note(operation, now, "backend reachable");
  return true;
}

Error deadline_error(const Operation& operation) {
  const auto allowed = std::chrono::duration_cast<std::chrono::minutes>(operation.deadline - operation.start - operation.paused);
  return Error{.kind = ErrorKind::internal,
               .code = "DeadlineExceeded",
               .message = fmt::format("The operation did not finish within {} minutes and was given up. {}", allowed.count(),
                                      operation.request == RequestKind::create
                                          ? "What it created is being removed; delete the resource or create it again."
                                          : "Check the resource and retry the request.")};
}

Duration poll_interval(Duration since_transition, Duration first, Duration longest, double unit) {
  const Duration base = std::clamp(since_transition / 4, first, longest);
  return Duration(static_cast<std::int64_t>(static_cast<double>(base.count()) * (0.8 + 0.4 * unit)));
}

}  // namespace acceptd::model
