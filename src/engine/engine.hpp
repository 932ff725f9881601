#pragma once
/// The only code that writes. Accepts requests durably, drives every accepted operation to its end, answers reads.
/// Knows no HTTP and no contract.

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/resource_type.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/random.hpp"
#include "store/store.hpp"

namespace acceptd::engine {

struct Caller {
  std::string tenant;
  std::string client;     ///< object ID of the principal; with `tenant` it decides what is visible
  std::string principal;  ///< a name for systemData; never compared
};

/// Fields of a request that the operation keeps.
struct Correlation {
  std::string client_request_id, correlation_request_id, traceparent, notification_uri;
};

/// HTTP's If-Match and If-None-Match on the resource itself. Empty = absent.
struct Preconditions {
  std::string if_match;       ///< "*" or one entity tag, without quotes
  std::string if_none_match;  ///< likewise
};

struct WriteRequest {
  model::ResourceId id;
  bool patch = false;  ///< the resource must exist
  Caller caller;
  Correlation correlation;
  Preconditions preconditions;
  std::string api_version;
  /// Turns the request into the stored shape, given what is there now. Pure; called after conflicts were ruled out (a
  /// conflict wins over invalid content, HCP-003), again if the document changed meanwhile.
  std::function<Result<Desired>(const model::Resource* existing, const model::Resource* parent)> build;
  /// Path at which the caller may watch the operation.
  std::function<std::string(Uuid operation)> operation_path;
};
struct RemoveRequest {
  model::ResourceId id;
  Caller caller;
  Correlation correlation;
  Preconditions preconditions;
  std::string api_version;
  std::function<std::string(Uuid operation)> operation_path;
};
struct ActionRequest {
  model::ResourceId id;
  std::string action;  ///< ActionInfo::name, any case
  Caller caller;
  Correlation correlation;
  std::string api_version;
  boost::json::object parameters;
  std::function<std::string(Uuid operation)> operation_path;
};

struct Accepted {
  enum class Outcome : std::uint8_t { created, updated, started, absent };
  Outcome outcome = Outcome::started;         ///< absent: a delete of what is not there
  std::optional<model::Resource> resource;    ///< as it reads now; not for `absent`
  std::optional<model::Operation> operation;  ///< exposed to the caller; not for `absent`
};

struct ListRequest {
  std::string subscription;
  std::string type_key;
  std::string path_prefix;  ///< lower case, ends with '/'; "" = the whole subscription
  std::uint32_t limit = 20;
  std::string continuation;
};
struct ResourcePage {
  std::vector<model::Resource> resources;
  std::string continuation;
};

struct OperationFilter {
  std::string subscription;
  std::optional<bool> active;
  std::uint32_t limit = 20;
  std::string continuation;
};
struct OperationPage {
  std::vector<model::Operation> operations;
  std::string continuation;
};

struct EngineOptions {
  std::chrono::nanoseconds inline_budget = std::chrono::seconds(20);  ///< how long a caller waits for an inline submission
  std::chrono::nanoseconds queue_timeout = std::chrono::seconds(10);  ///< how long a writer waits for its turn
  std::size_t queue_length_max = 32;                                  ///< writers of one resource that may wait
  std::chrono::seconds retention{7 * 24 * 60 * 60};                   ///< of a finished operation
  std::chrono::seconds pause_max{24 * 60 * 60};                       ///< unreachable backend, in all (HCP-007)
  std::chrono::nanoseconds poll_first = std::chrono::milliseconds(200);
  std::chrono::nanoseconds poll_max = std::chrono::seconds(10);
  std::size_t steps_in_flight_max = 256;
  double ramp_per_second =
      2000;  ///< how fast work found at a start is taken up; also bounds looks at backends over all operations
  std::uint32_t find_page = 500;                                    ///< operations found at once, before callers have their turn
  std::chrono::nanoseconds sweep_period = std::chrono::minutes(5);  ///< how often work that nobody has is looked for
  std::uint64_t epoch = 1;  ///< this process's lease epoch: larger than any before on this store
  std::uint32_t first_bucket = 0, last_bucket = model::kBuckets - 1;
};

/// Names the place in the engine that is about to wait for a door (store, provider, clock). The simulation crashes there.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void at(const char* place) = 0;
};

/// Figures for metrics; plain numbers of this engine's thread.
struct EngineFigures {
  std::uint64_t accepted = 0, finished_succeeded = 0, finished_failed = 0, finished_canceled = 0;
  std::uint64_t submissions = 0, observations = 0, searches = 0, adoptions = 0, unexpected_answers = 0, conflicts_retried = 0;
  std::uint64_t unreadable_documents = 0;
  std::size_t active = 0, steps_in_flight = 0, writers_waiting = 0;
};

/// Belongs to the thread of its executor. Life cycle: construct, start() (finds the active operations and goes on with them),
/// any number of concurrent calls, stop() (refuses new writes, waits for those under way), destroy.
class Engine {
 public:
  struct Dependencies {
    store::Store& store;
    const TypeRegistry& types;
    runtime::Clock& clock;
    runtime::Random& random;
    runtime::Log& log;
    Probe* probe = nullptr;
  };
  Engine(boost::asio::any_io_executor executor, EngineOptions options, Dependencies dependencies);
  ~Engine();

  Task<Result<void>> start();
  Task<void> stop();

  /// Errors of all writes: not_found (parent, or what a PATCH names), conflict, precondition_failed, invalid, contended,
  /// unavailable, unknown_outcome, internal. After an error nothing of the request remains (unknown_outcome: read back).
  Task<Result<Accepted>> write(WriteRequest request);
  Task<Result<Accepted>> remove(RemoveRequest request);
  Task<Result<Accepted>> act(ActionRequest request);

  /// As callers see it: hidden resources are not found; below a deleting parent the state reads Deleting.
  Task<Result<model::Resource>> get(model::ResourceId id);
  Task<Result<ResourcePage>> list(ListRequest request);
  /// not_found if it does not exist, expired, is hidden or implicit, or was exposed to somebody else.
  Task<Result<model::Operation>> operation(std::string subscription, Uuid id, Caller caller);
  /// Operations exposed to the caller.
  Task<Result<OperationPage>> operations(OperationFilter filter, Caller caller);
  /// The body of a finished action's result. Errors: not_found, unavailable.
  Task<Result<boost::json::value>> action_result(model::Operation operation);

  /// Creates or replaces; state Deleted removes every resource of the subscription (ARM-268).
  Task<Result<model::Subscription>> put_subscription(model::Subscription subscription);
  Task<Result<model::Subscription>> get_subscription(std::string id);

  /// Resumes when the operation document changed after `seen` or `timeout` passed; at once if it is newer already.
  Task<void> wait_for_change(model::Key operation, model::Etag seen, std::chrono::nanoseconds timeout);

  EngineFigures figures() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace acceptd::engine
