#include "providers/cluster_service/states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "model/error_code.hpp"
#include "model/time.hpp"
#include "providers/cluster_service/field_map.hpp"

namespace acceptd::providers::cluster_service {

namespace {

using engine::Observation;
using model::Error;
using model::ErrorKind;
using model::RequestKind;
using model::Status;

constexpr std::size_t kMessageBytesMax = 1024;
constexpr std::size_t kStateBytesMax = 40;
constexpr std::size_t kFailedChecksMax = 20;
constexpr std::string_view kInternal = "InternalServerError";
constexpr std::string_view kSeveral = "MultipleErrorsOccurred";
constexpr std::string_view kSeeInflightChecks = "OCM4001";

enum class Means {
  waiting,  ///< not begun: unchanged, and odd once work has begun
  working,  ///< the row's status
  ready,    ///< Succeeded; unchanged for a delete
  failed,
};
struct StateRow {
  std::string_view state;
  Means means;
  Status status = Status::accepted;
};

constexpr std::array kClusterStates{
    StateRow{"pending", Means::waiting},
    StateRow{"validating", Means::waiting},
    StateRow{"installing", Means::working, Status::provisioning},
    StateRow{"updating", Means::working, Status::updating},
    StateRow{"uninstalling", Means::working, Status::deleting},
    StateRow{"ready", Means::ready},
    StateRow{"error", Means::failed},
};

constexpr std::array kNodePoolStates{
    StateRow{"validating", Means::waiting},
    StateRow{"pending", Means::waiting},
    StateRow{"validating_update", Means::waiting},
    StateRow{"pending_update", Means::waiting},
    StateRow{"installing", Means::working, Status::provisioning},
    StateRow{"updating", Means::working, Status::updating},
    StateRow{"uninstalling", Means::working, Status::deleting},
    StateRow{"ready", Means::ready},
    StateRow{"recoverable_error", Means::failed},
    StateRow{"error", Means::failed},
};

constexpr std::array kCredentialStates{
    StateRow{"created", Means::working, Status::provisioning},
    StateRow{"issued", Means::ready},
    StateRow{"failed", Means::failed},
};

std::string bounded(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xC0) == 0x80) --bytes_max;  // whole characters
  return std::string(text.substr(0, bytes_max));
}

Error failure(std::string_view code, std::string_view message) {
  if (message.empty()) return internal_error();
  return Error{.kind = ErrorKind::internal, .code = std::string(code), .message = bounded(message, kMessageBytesMax)};
}

Observation state(std::optional<Status> status, std::string_view shown) {
  Observation observation;
  observation.kind = Observation::Kind::state;
  observation.status = status;
  observation.step = bounded(shown, kStateBytesMax);
  observation.summary = fmt::format("state {}", observation.step);
  return observation;
}

Observation unexpected(std::string_view shown, std::string_view why) {
  Observation observation;
  observation.kind = Observation::Kind::unexpected;
  observation.step = bounded(shown, kStateBytesMax);
  observation.summary = fmt::format("state \"{}\" {}", observation.step, why);
  return observation;
}

Observation failed(std::string_view shown, Error error) {
  Observation observation = state(Status::failed, shown);
  observation.error = std::move(error);
  return observation;
}

const StateRow* row_of(std::span<const StateRow> rows, std::string_view state) {
  const auto found = std::ranges::find(rows, state, &StateRow::state);
  return found == rows.end() ? nullptr : &*found;
}

bool not_begun(Status status) { return status == Status::intended || status == Status::accepted; }

/// A cluster that works on something else first shows its own status again while it waits.
bool may_wait(const engine::Target& target) {
  switch (target.request) {
    case RequestKind::create: return not_begun(target.status) || target.status == Status::provisioning;
    case RequestKind::update: return not_begun(target.status) || target.status == Status::updating;
    case RequestKind::remove:
    case RequestKind::cleanup: return not_begun(target.status) || target.status == Status::deleting;
    case RequestKind::action: break;
  }
  return not_begun(target.status);
}

bool removes(const engine::Target& target) {
  return target.request == RequestKind::remove || target.request == RequestKind::cleanup;
}

Observation by_row(const StateRow& row, bool waiting_is_fine, bool removing, Error error) {
  switch (row.means) {
    case Means::waiting:
      return waiting_is_fine ? state(std::nullopt, row.state) : unexpected(row.state, "came after work had begun");
    case Means::working: return state(row.status, row.state);
    case Means::ready: return state(removing ? std::nullopt : std::optional(Status::succeeded), row.state);
    case Means::failed: break;
  }
  return failed(row.state, std::move(error));
}

Error checks_error(const std::vector<std::string>& failed_checks) {
  if (failed_checks.empty()) return internal_error();
  if (failed_checks.size() == 1) return failure(kInternal, failed_checks.front());
  Error error = failure(kSeveral, "Cluster provisioning failed due to multiple errors");
  for (const std::string& check : failed_checks) error.details.push_back(failure(kInternal, check));
  return error;
}

Error cluster_error(const json::object& status, const std::vector<std::string>& failed_checks) {
  if (needs_inflight_checks(status)) return checks_error(failed_checks);
  std::string_view code = text_at(status, "provision_error_code");
  std::string_view message = text_at(status, "provision_error_message");
  if (message.empty()) message = text_at(status, "description");
  // Codes of callers are in PascalCase (ARM-041): another one goes into the text.
  if (!code.empty() && !model::is_pascal_case(code)) {
    const std::string named = bounded(code, kStateBytesMax);
    if (message.empty()) return failure(kInternal, fmt::format("Cluster Service reported \"{}\" without a message.", named));
    return failure(kInternal, fmt::format("{}: {}", named, message));
  }
  if (code.empty()) code = kInternal;
  if (message.empty() && code != kInternal) message = "Cluster Service reported this code without a message.";
  return failure(bounded(code, kStateBytesMax), message);
}

bool expired(const json::object& credential, model::Time now) {
  if (text_at(credential, "status") == "expired") return true;
  const auto until = model::parse_rfc3339(text_at(credential, "expiration_timestamp"));
  return until && *until <= now;
}

}  // namespace

Error internal_error() {
  return Error{.kind = ErrorKind::internal, .code = std::string(kInternal), .message = "Internal server error."};
}

bool needs_inflight_checks(const json::object& status) {
  return text_at(status, "state") == "error" && text_at(status, "provision_error_code") == kSeeInflightChecks;
}

std::vector<std::string> failed_checks(const json::array& checks) {
  std::vector<std::string> errors;
  for (const json::value& check : checks) {
    const json::object* members = check.if_object();
    if (!members || text_at(*members, "state") != "failed") continue;
    if (errors.size() == kFailedChecksMax) break;
    const std::string_view error = text_at(*members, "details.error");
    const std::string_view name = text_at(*members, "name");
    errors.push_back(error.empty() ? fmt::format("The check \"{}\" failed.", bounded(name, kStateBytesMax)) : std::string(error));
  }
  return errors;
}

Observation observe_cluster(const engine::Target& target, const json::object& status,
                            const std::vector<std::string>& failed_checks) {
  const std::string_view shown = text_at(status, "state");
  const StateRow* row = row_of(kClusterStates, shown);
  if (!row) return unexpected(shown, "is not known for a cluster");
  Observation observation = by_row(*row, may_wait(target), removes(target), cluster_error(status, failed_checks));
  observation.message = bounded(text_at(status, "description"), kMessageBytesMax);
  return observation;
}

Observation observe_node_pool(const engine::Target& target, const json::object& status) {
  const std::string_view shown = text_at(status, "state.node_pool_state_value");
  const StateRow* row = row_of(kNodePoolStates, shown);
  if (!row) return unexpected(shown, "is not known for a node pool");
  const std::string_view message = text_at(status, "message");
  Observation observation = by_row(*row, not_begun(target.status), removes(target), failure(kInternal, message));
  observation.message = bounded(message, kMessageBytesMax);
  return observation;
}

Observation observe_credential(const json::object& credential) {
  const std::string_view shown = text_at(credential, "status");
  const StateRow* row = row_of(kCredentialStates, shown);
  if (!row) return unexpected(shown, "is not known for a requested credential");
  return by_row(*row, true, false, failure(kInternal, "Failed to provision cluster credential"));
}

Observation observe_revocation(const json::array& credentials, model::Time now) {
  std::string_view odd;
  bool waits = false, has_failed = false, is_odd = false;
  for (const json::value& entry : credentials) {
    const json::object* credential = entry.if_object();
    if (credential && expired(*credential, now)) continue;
    const std::string_view shown = credential ? text_at(*credential, "status") : std::string_view();
    if (shown == "awaiting_revocation") {
      waits = true;
    } else if (shown == "failed") {
      has_failed = true;
    } else if (shown != "revoked") {
      odd = shown;
      is_odd = true;
    }
  }
  // While one is still on its way, the others' fate can wait: the operation's status is final once it is set.
  if (waits) return state(Status::deleting, "awaiting_revocation");
  if (has_failed) return failed("failed", failure(kInternal, "Failed to revoke cluster credential"));
  if (is_odd) return unexpected(odd, "is not known for a credential under revocation");
  return state(Status::succeeded, "revoked");
}

Observation observe_upgrade_policy(const json::object& policy) {
  const std::string_view shown = text_at(policy, "state.value");
  if (policy.empty()) return unexpected("", "is that of no upgrade policy, though the version is not the wanted one");
  if (shown != "failed" && shown != "cancelled") {
    Observation observation = state(Status::updating, "upgrading");
    observation.message = bounded(text_at(policy, "state.description"), kMessageBytesMax);
    return observation;
  }
  const std::string_view why = text_at(policy, "state.description");
  const std::string version(text_at(policy, "version"));
  return failed(
      "upgrade " + std::string(shown),
      failure(kInternal, why.empty() ? fmt::format("The upgrade to version {} has {}.", bounded(version, kStateBytesMax),
                                                   shown == "failed" ? "failed" : "been cancelled")
                                     : std::string(why)));
}

}  // namespace acceptd::providers::cluster_service
