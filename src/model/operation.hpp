#pragma once
/// An operation document's payload (reference: aro-hcp-async-operations.md, "Asynchronous Operations"; more in DESIGN §3).

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/document.hpp"
#include "model/error.hpp"
#include "model/resource.hpp"
#include "model/resource_id.hpp"
#include "model/status.hpp"

namespace acceptd::model {

enum class RequestKind : std::uint8_t { create, update, remove, action, cleanup };

/// What the worker does next for an operation. Kept in the document, so that any process can go on.
enum class Stage : std::uint8_t {
  submit,   ///< nothing was sent to the backend (a delete: descendants are done)
  sending,  ///< a request may have been sent; its outcome is not known until the claimer says so
  search,   ///< the outcome of a request is unknown: look for the object before anything is sent again
  watch,    ///< the backend works on it
  cascade,  ///< a delete marks the resources below its own
  follow,   ///< ends as the operation `follows` ends
  done,
};

struct Identity {
  std::string tenant;
  std::string client;
  bool operator==(const Identity&) const = default;
};

struct TimelineEntry {
  Time at{};
  std::string event;  ///< "accepted", "submitted", "status Provisioning", "backend unreachable", …
};
inline constexpr std::size_t kMaxTimeline = 20;

struct Operation {
  Uuid id{};
  std::string partition;
  RequestKind request = RequestKind::create;
  std::string action;  ///< of RequestKind::action: what S0 calls the request, e.g. "RequestCredential"
  ResourceId target;   ///< externalId
  std::string internal_id;
  Uuid incarnation{};  ///< of the resource when the operation was accepted
  std::string api_version;

  Identity initiator;               ///< who asked; kept also while hidden
  std::optional<Identity> exposed;  ///< who may read it; nullopt = implicit or hidden: nobody
  std::string operation_path;       ///< where it is read once exposed; "" = implicit, never exposed
  std::string notification_uri, client_request_id, correlation_request_id, traceparent;

  Time start{}, last_transition{};
  Status status = Status::accepted;
  std::optional<Error> error;  ///< set exactly for Failed and Canceled

  Stage stage = Stage::submit;
  std::uint64_t epoch = 0;  ///< who works on it: the lease epoch of the claimer
  Time deadline{};
  std::optional<Time> unreachable_since;  ///< the deadline is paused from then on
  Duration paused{};                      ///< how long it was paused before, capped
  Time next_attempt_at{};
  std::uint32_t attempts = 0;      ///< submissions so far
  std::optional<Time> send_until;  ///< stage sending, search: a request may be carried out until then
  std::string waiting_on;          ///< for operators: what it waits for
  std::string last_answer;         ///< the backend's last answer, redacted, bounded

  boost::json::object desired;  ///< a hidden update's new state; an action's parameters
  boost::json::object desired_tags;
  boost::json::object desired_identity;
  boost::json::object desired_system_data;
  std::optional<double> percent;
  std::string step, message;
  std::optional<Uuid> follows;
  std::optional<boost::json::value> result;  ///< bounded snapshot of the final answer
  std::optional<Time> expires_at;            ///< set when it becomes terminal
  std::vector<TimelineEntry> timeline;

  bool active() const { return !is_terminal(status); }
  /// Creates, updates and deletes own the resource's provisioningState while active; actions, followers and clean-ups do not.
  bool changes_state() const {
    return !follows && (request == RequestKind::create || request == RequestKind::update || request == RequestKind::remove);
  }
  Key key() const { return Key{partition, id}; }
};

/// "Create", "Update", "Delete", the action's name, or "Cleanup".
std::string request_name(const Operation& operation);

Document to_document(const Operation& operation);
Result<Operation> operation_from(const Document& document);

/// The resource as it was when a create or update succeeded, from `result`. Errors: not_found if there is none.
Result<Resource> result_resource(const Operation& operation);

/// Adds an entry, dropping the second oldest beyond kMaxTimeline (the first tells when it began).
void note(Operation& operation, Time at, std::string event);

}  // namespace acceptd::model
