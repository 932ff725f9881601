#pragma once
/// The engine's inside. One class, a file per concern:
///   engine.cpp   the outside
///   impl.cpp     the pump that takes due operations by turns, loading and amending documents
///   accept.cpp   write(): create and update
///   remove.cpp   remove() and the cascade below a deleted resource
///   act.cpp      act(): actions
///   step.cpp     one step of one operation: what its stage asks for
///   submit.cpp   calling the backend, and looking for what a lost call made
///   outcome.cpp  what a backend's answer does to the documents
///   endings.cpp  how an operation ends: undone, ended, refused, removed
///   read.cpp     what callers see
///   subscription.cpp
/// All on one thread. Between two awaits documents may change: every write is conditional on the ETags that were read.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/engine.hpp"
#include "engine/schedule.hpp"
#include "locks/turns.hpp"
#include "model/lifecycle.hpp"
#include "model/mutation.hpp"
#include "runtime/event.hpp"
#include "runtime/task_group.hpp"

namespace acceptd::engine {

using model::Batch;
using model::Document;
using model::DocumentKind;
using model::DocumentPtr;
using model::ErrorKind;
using model::Etag;
using model::Key;
using model::mutated;
using model::Mutation;
using model::Operation;
using model::RequestKind;
using model::Resource;
using model::ResourceId;
using model::Stage;
using model::Status;
using model::Write;
using runtime::Duration;
using runtime::Monotonic;

template <class T>
struct Loaded {
  T value;
  Etag etag;
};

/// Collects one batch.
class BatchBuilder {
 public:
  explicit BatchBuilder(std::string partition) { batch_.partition = std::move(partition); }
  void create(Document document) { add(Write::Action::create, std::move(document), {}); }
  void replace(Document document, Etag expected) { add(Write::Action::replace, std::move(document), std::move(expected)); }
  void remove(Key key, Etag expected);
  void check(Key key, Etag expected);
  void add(Write write) { batch_.writes.push_back(std::move(write)); }
  void tell(const Operation& operation);
  std::size_t size() const { return batch_.writes.size(); }
  Batch take() { return std::move(batch_); }

 private:
  void add(Write::Action action, Document document, Etag expected);
  Batch batch_;
};

/// An operation with what its next step needs.
struct Work {
  Operation op;
  Etag op_etag;
  std::optional<Resource> resource;
  Etag resource_etag;
  const ResourceType* type = nullptr;
  std::optional<Loaded<Resource>> successor;  ///< instead of `resource`: what has its name now
  std::vector<Loaded<Resource>> ancestors;    ///< nearest first; as far as they exist
  const Resource* parent() const { return ancestors.empty() ? nullptr : &ancestors.front().value; }
  std::vector<Loaded<Key>> held;                  ///< reservations of the resource: key and etag (only when it may be removed)
  std::optional<Loaded<std::uint64_t>> siblings;  ///< the parent's counter that the resource may be in
  std::vector<DocumentPtr> companions;            ///< only when an event may come
  Time now{};
};

/// What a decision writes of a Work.
struct Change {
  bool operation = true;
  bool resource = false;
  bool remove_operation = false;
  bool remove_resource = false;
  std::vector<Write> extra;
};
/// Changes `work` and says what of it to write; nullopt: nothing (any more) to do.
using Decide = std::function<std::optional<Change>(Work& work)>;

/// Somebody in this process waits for an operation to change.
struct Watch {
  runtime::Event event;
  std::uint64_t version = 0;
  std::optional<Error> rejection;  ///< why a hidden intent was undone
};

/// A request to the backend that was answered.
struct Sent {
  std::uint32_t attempt = 0;
  bool removal = false;
  std::optional<Time> stray_before;  ///< until when earlier requests of a delete may still be carried out
};

/// When the next step is due; nullopt: never (ended, or somebody else will say).
using Next = std::optional<Duration>;

struct Engine::Impl {
  Impl(boost::asio::any_io_executor executor, EngineOptions options, Dependencies dependencies);

  // ---- impl.cpp: life cycle and work queue
  Task<void> pump();
  Task<void> find_work();
  Task<void> run(Key key, bool claimed);
  void kick(const Key& key, Duration delay = Duration::zero());
  void start_now(const Key& key, bool claimed);
  bool accepting() const { return !stopping; }

  // ---- impl.cpp: documents
  Task<Result<std::optional<Loaded<Resource>>>> load_resource(const char* place, ResourceId id);
  Task<Result<std::optional<Loaded<Operation>>>> load_operation(const char* place, Key key);
  Task<Result<std::optional<Loaded<model::Subscription>>>> load_subscription(const char* place, std::string id);
  Task<Result<DocumentPtr>> read(const char* place, Key key);
  Task<Result<store::Page>> query(const char* place, store::Query query);
  Task<Result<void>> commit(const char* place, BatchBuilder batch);
  /// `whole`: with reservations and companions, which only an end of the operation or its resource needs.
  Task<Result<std::optional<Work>>> load_work(const char* place, Key key, bool whole = false);
  /// Loads, decides, commits; again when a document changed meanwhile. True: written; false: nothing to do.
  Task<Result<bool>> amend(const char* place, Key key, Decide decide, bool whole = false);
  std::shared_ptr<Watch> watch(const Key& key);
  void changed(const Key& key);
  void touch(Resource& resource);
  void probe(const char* place) const {
    if (probe_) probe_->at(place);
  }
  Time now() const { return clock.now(); }
  model::Retention retention() const { return {std::chrono::duration_cast<Duration>(options.retention)}; }

  // ---- accept.cpp
  struct Scene {  ///< what a request finds
    std::optional<Loaded<Resource>> resource, parent;
    std::optional<Loaded<Operation>> active;
    std::optional<Loaded<model::Subscription>> subscription;
    std::optional<Loaded<std::uint64_t>> siblings;
    const ResourceType* type = nullptr;
    bool visible() const { return resource && !resource->value.hidden; }
  };
  Task<Result<Scene>> load_scene(ResourceId id);
  Task<Result<Accepted>> write(WriteRequest request);
  Task<Result<std::optional<Accepted>>> try_write(const WriteRequest& request, Monotonic until, Uuid generated);
  Result<Operation> plan_write(const WriteRequest& request, const Scene& scene, Desired& desired);
  void add_claims(BatchBuilder& batch, const Scene& scene, const ResourceId& id, const Desired& desired,
                  std::vector<std::pair<std::size_t, Error>>& refusals);
  Task<Result<std::optional<Loaded<std::uint64_t>>>> load_siblings(const char* place, const ResourceType& type, ResourceId id);
  /// Counts the resource in or out of its parent's counter; nullopt: it is as it should be.
  static std::optional<Write> count_sibling(const std::optional<Loaded<std::uint64_t>>& siblings, const ResourceType& type,
                                            Resource& resource, bool counted);
  void guard_surroundings(BatchBuilder& batch, const Scene& scene);
  Resource intend(const WriteRequest& request, const Scene& scene, const Desired& desired, Operation& op, Uuid incarnation);
  Task<Result<std::optional<Accepted>>> record(const WriteRequest& request, const Scene& scene, const Desired& desired,
                                               Resource resource, Operation op);
  Task<bool> wait_while_hidden(Key key, Monotonic until);
  Task<Result<Accepted>> await_exposure(Key key, Accepted::Outcome outcome, Monotonic until);
  Task<Result<Accepted>> accepted(Key key, Accepted::Outcome outcome);
  Operation new_operation(const ResourceId& id, RequestKind kind, const Caller& caller, const Correlation& correlation,
                          std::string api_version, Duration deadline);
  void claim(Operation& op, const ResourceType& type);
  static Key counter_key(const ResourceId& parent, const std::string& type_key);
  static Key claim_key(const std::string& partition, const std::string& name);

  // ---- remove.cpp
  Task<Result<Accepted>> remove(RemoveRequest request);
  Task<Result<std::optional<Accepted>>> try_remove(const RemoveRequest& request);
  Task<Result<std::optional<Accepted>>> follow_delete(const RemoveRequest& request, const Scene& scene);
  Task<Result<std::optional<Accepted>>> begin_delete(const RemoveRequest& request, Scene scene, bool parent_goes);
  Task<Result<std::vector<Operation>>> followers_of(const Operation& running);
  void replace_active(Operation& op, Loaded<Operation>& active, Time at, BatchBuilder& batch);
  Operation new_delete(const Resource& resource, const ResourceType* type);
  Task<Next> cascade(Work work);
  /// Gives every resource below `prefix` (only top-level ones, if so) that is not being deleted a delete of its own.
  /// What cannot be read is passed over; the path of one of them is told.
  Task<Result<std::string>> delete_below(Work& work, std::string prefix, bool only_top_level);
  Task<Result<bool>> delete_page(Work& work, const std::vector<DocumentPtr>& page, bool only_top_level);
  Task<Result<void>> cancel_others(Work& work);
  bool ends(const Work& by, const Operation& other) const;
  Task<Result<void>> cancel_page(Work& work, const std::vector<DocumentPtr>& page);
  Task<Next> cancel_first(Work work);
  void log_unreadable(const Document& document, const Error& error);

  // ---- act.cpp
  Task<Result<Accepted>> act(ActionRequest request);
  Task<Result<std::optional<Accepted>>> try_act(const ActionRequest& request, const ActionInfo& action, Monotonic until);

  // ---- step.cpp
  Task<Next> step(Key key, bool claimed);
  Task<Next> overdue(Work work);
  Task<Next> follow(Work work);
  Task<Next> observe(Work work);
  Task<bool> must_wait_for_turn(const Work& work);
  /// Claims a request that is about to be sent. nullopt: not now.
  Task<std::optional<Work>> claim_submission(Work work);
  Task<std::optional<Sent>> mark_removal(const Work& work);

  // ---- submit.cpp
  Target target_of(const Work& work) const;
  Task<Next> submit(Work work, bool claimed);
  Task<Next> search(Work work);
  Task<Result<std::vector<std::string>>> known_internal_ids(const Work& work);

  // ---- outcome.cpp
  Task<Next> apply_submission(Key key, Sent sent, Submission submission);
  std::optional<Change> take_answer(Work& work, const Sent& sent, const Submission& submission, Duration& wait);
  void take_accepted(Work& work, const Sent& sent, const Submission& submission, bool shown, Change& change);
  std::optional<Change> tell_late(Work& work, const Sent& sent, const Submission& submission);
  Task<Next> apply_observation(Key key, Observation observation);
  std::optional<Change> take_observation(Work& work, const Observation& observation, Next& next);
  Task<Next> adopt(Key key, Found found);
  Task<Next> unreachable(Key key, std::string summary);
  Task<void> reached(const Work& work);
  bool mark_reachable(Work& work);
  Next poll_again(const Work& work);
  /// The resource as it reads from the moment on at which its operation is exposed.
  static void show_resource(Work& work);

  // ---- endings.cpp
  struct Below {  ///< what is below a resource that is to go
    enum class Kind : std::uint8_t { nothing, leaving, stuck, unreadable };
    Kind kind = Kind::nothing;
    std::string path;  ///< of what is unreadable
  };
  Task<Next> reject(Key key, Error error);
  Task<Next> removal_refused(Key key, Sent sent, Error error);
  Task<Next> finish_remove(Key key, std::optional<Sent> answered = std::nullopt);
  Task<Result<Below>> look_below(const char* place, ResourceId id);
  Task<std::optional<Next>> held_up_below(const char* place, const Work& work);
  std::optional<Time> stray_until(const Work& work, const std::optional<Sent>& answered);
  void drop_resource(Work& work, Change& change);
  Change undo(Work& work);
  Change end(Work& work, Status status, std::optional<Error> error);
  Change end_removed(Work& work);
  /// An implicit operation that removes what a failed create may have left at the backend; nullopt: nothing can be there.
  std::optional<Write> cleanup_of(Work& work);
  Task<void> wake_dependents(ResourceId id);
  void announce_end(const Operation& op);

  // ---- read.cpp
  Task<Result<Resource>> get(ResourceId id);
  Task<Result<ResourcePage>> list(ListRequest request);
  Task<Result<Operation>> operation(std::string subscription, Uuid id, Caller caller);
  Task<Result<OperationPage>> operations(OperationFilter filter, Caller caller);
  Task<Result<boost::json::value>> action_result(Operation operation);
  Task<Result<std::optional<Time>>> below_deleting(ResourceId id, bool itself);
  Task<Result<void>> derive(Operation& op);

  // ---- subscription.cpp
  Task<Result<model::Subscription>> put_subscription(model::Subscription subscription);
  Task<Result<model::Subscription>> get_subscription(std::string id);

  boost::asio::any_io_executor executor;
  EngineOptions options;
  store::Store& store;
  const TypeRegistry& types;
  runtime::Clock& clock;
  runtime::Random& random;
  runtime::Log& log;
  Probe* probe_;

  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  locks::Turns writers, action_turns;
  Schedule schedule;
  std::shared_ptr<runtime::Event> work_came = std::make_shared<runtime::Event>();
  Monotonic pump_wakes = Monotonic::max();          ///< until then the pump sleeps unless it is notified
  bool pump_blocked = false;                        ///< it waits for a step to end
  std::unordered_set<std::string> running;          ///< operations whose step is under way
  std::unordered_map<std::string, Duration> again;  ///< kicked while running
  std::unordered_map<std::string, std::weak_ptr<Watch>> watches;
  EngineFigures figures;
  bool stopping = false;
  runtime::TaskGroup tasks;  ///< last: stops first
};

std::string key_text(const Key& key);
bool is_sweep(const Operation& op);
/// Whether the resource's document tells of the operation, and must be written when it ends.
bool names(const Resource& resource, const Operation& op);
/// Of a delete that cannot go on because of a document that cannot be read.
std::string unreadable_text(const std::string& path);
/// Of one resource. An update holds it four times in one batch (desired, previous, the operation's, its result), and a batch
/// has 2 MiB.
inline constexpr std::size_t kMaxDesiredBytes = 256 * 1024;
/// Of an action; its operation keeps them.
inline constexpr std::size_t kMaxParameterBytes = 16 * 1024;
inline constexpr int kConflictRetries = 16;  ///< optimistic writes; more means a bug or a livelock
inline constexpr Duration kRetryDelay = std::chrono::seconds(1);
inline constexpr Duration kUnreachableMax = std::chrono::seconds(30);  ///< between two tries while the backend is silent
inline constexpr Duration kUnreadableDelay = std::chrono::minutes(1);  ///< a document that cannot be read does not mend soon
inline constexpr std::uint32_t kBelowPage = 8;                         ///< nearly always the first one decides
/// Deletes of one resource that wait for its running delete, each with an operation of its own.
inline constexpr std::size_t kFollowersMax = 16;
/// A claimed request must leave within this time: a process that stalled for longer must not send any more, since others
/// take it for sent or lost by then.
inline constexpr Duration kClaimGood = std::chrono::seconds(5);

}  // namespace acceptd::engine
