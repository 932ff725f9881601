#pragma once
/// What the engine needs of a backend. Implementations translate; they decide nothing about operations.

#include <boost/json.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/operation.hpp"
#include "model/resource.hpp"
#include "runtime/task.hpp"

namespace acceptd::engine {

using model::Error;
using model::Result;
using model::Time;
using model::Uuid;
using runtime::Task;

/// The object that a call is about. A value: calls outlive the documents they were made from.
struct Target {
  model::ResourceId id;
  std::string internal_id;         ///< "" if not known
  std::string parent_internal_id;  ///< of the enclosing resource; "" for top-level ones
  Uuid incarnation{};              ///< stamped into the object
  Uuid operation{};                ///< idempotency key, stamped into the object
  Time created{};                  ///< when the resource's intent was recorded
  std::string tenant;
  std::string location;
  boost::json::object desired;  ///< stored shape
  boost::json::object tags;
  boost::json::object identity;
  model::RequestKind request = model::RequestKind::create;
  std::string action;                              ///< of an action
  model::Status status = model::Status::accepted;  ///< of the operation, for mappings that depend on it
  std::string correlation_id;                      ///< to be sent along
};

/// The answer to a create, update, delete or action.
struct Submission {
  enum class Answer {
    accepted,     ///< carried out or under way; `internal_id` is set for creates and actions
    rejected,     ///< the backend refuses this request for good: `error` says why, worded for the caller
    exists,       ///< a create met an object of that name: search and adopt
    gone,         ///< the object is not there (a delete: done)
    unknown,      ///< may or may not have been carried out
    unavailable,  ///< certainly not carried out; try again later
  };
  Answer answer = Answer::unknown;
  std::string internal_id;
  std::optional<model::Status> status;  ///< of `accepted`: not terminal; spares a first look. nullopt = not told
  boost::json::object observed;         ///< read-only properties, stored shape
  std::optional<Error> error;           ///< of `rejected`
  std::string summary;                  ///< for operators: status and code, no body, no secret; at most 200 bytes
};

/// What the backend says of an object that it works on.
struct Observation {
  enum class Kind {
    state,        ///< `status` is what the operation shall show; nullopt = unchanged
    gone,         ///< 404
    unexpected,   ///< a state or answer that the mapping does not know: retried, counted, shown
    unavailable,  ///< no answer
  };
  Kind kind = Kind::unavailable;
  std::optional<model::Status> status;
  std::optional<Error> error;    ///< with status failed
  boost::json::object observed;  ///< read-only properties; replaces what was known if not empty
  std::optional<double> percent;
  std::string step, message;
  std::optional<boost::json::value> result;  ///< with status succeeded: what an action made, to be kept unless it is secret
  std::string summary;
};

/// An object found by name or by stamp.
struct Found {
  std::string internal_id;
  std::optional<Uuid> incarnation;  ///< the stamp it carries; nullopt = a stranger's
  std::optional<Uuid> operation;
  std::optional<Time> created;
  bool removing = false;
  boost::json::object observed;
};
struct SearchResult {
  bool available = false;  ///< false: no answer, `found` means nothing
  std::vector<Found> found;
  std::string summary;
};

struct ProviderTraits {
  bool idempotency_keys = false;  ///< a create sent twice with the same key makes one object
  /// How long after a request was sent the backend may still carry it out (its own time-outs and queues).
  std::chrono::nanoseconds settle_time = std::chrono::seconds(30);
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(10);
  /// No object ever has the address (internal_id) of another, former one: a late request cannot hit a successor.
  bool unique_addresses = false;
  bool removes_children = false;  ///< deleting an object deletes what is below it
  std::size_t concurrency = 64;   ///< calls in flight that the engine may have
};

/// Called on the engine's thread, many calls at once. Never throws for what a backend does. Bounds its own time.
class Provider {
 public:
  virtual ~Provider() = default;
  virtual ProviderTraits traits() const = 0;
  virtual Task<Submission> submit(Target target) = 0;
  virtual Task<Observation> observe(Target target) = 0;
  /// Looks for objects that could be the target's: by name, or for an action by what it makes, newest first.
  virtual Task<SearchResult> search(Target target) = 0;
  /// The result of a finished action that must not be stored (HCP-017). Error kinds: not_found, unavailable.
  virtual Task<Result<boost::json::value>> result(Target target) = 0;
};

}  // namespace acceptd::engine
