#pragma once
/// Callers who write, delete, act, read and retry at once, on the same and on different resources, and remember what they
/// were told.

#include <fmt/format.h>

#include "simulation/invariants.hpp"
#include "simulation/process.hpp"

namespace acceptd::simulation {

/// One request, perhaps made several times until there is an answer.
struct Ask {
  enum class Kind { put, patch, remove, act, get, list, status, operations, wait, subscription, subscription_read, result };
  Kind kind = Kind::get;
  std::size_t caller = 0;
  std::string id;  ///< of the resource
  std::string subscription;
  std::string value;  ///< action, subnet, or subscription state
  engine::Preconditions preconditions;
  std::optional<model::Key> operation;
  int tries_left = 4;
  bool beside = false;  ///< does not take the caller's turn
};

class Workload {
 public:
  /// `current` gives the process that serves callers now; nullptr while there is none.
  Workload(World& world, const Plan& plan, Auditor& auditor, std::function<Process*()> current);

  void begin();
  /// All requests were made and answered, or given up.
  bool done() const { return finished_callers_ == plan_.callers; }

  struct Figures {
    std::uint64_t requests = 0, accepted = 0, refused = 0, lost = 0;
    std::set<std::string> resources;
  };
  const std::vector<std::string>& resources() const { return resources_; }
  const Figures& figures() const { return figures_; }

 private:
  struct Known {
    model::Key key;
    std::string target;
    std::optional<model::Status> ended;  ///< as it was told to the caller
  };
  struct CallerState {
    engine::Caller identity;
    std::vector<Known> operations;
    std::map<std::string, std::string> etags;  ///< seen of resources
  };
  using Made = std::shared_ptr<std::vector<model::Uuid>>;  ///< operations that the engine made for a request

  void next(std::size_t caller);
  Ask choose(std::size_t caller);
  Ask choose_write(std::size_t caller, std::string id);
  void send(Ask ask);
  void again_or_next(Ask ask);

  void write(Process& process, Ask ask);
  void remove(Process& process, Ask ask);
  void act(Process& process, Ask ask);
  void get(Process& process, Ask ask);
  void list(Process& process, Ask ask);
  void status(Process& process, Ask ask);
  void operations(Process& process, Ask ask);
  void wait(Process& process, Ask ask);
  void subscription(Process& process, Ask ask);
  void subscription_read(Process& process, Ask ask);
  void result(Process& process, Ask ask);

  /// Sends `task`; `check` looks at the answer inside the process, then the caller goes on or retries.
  template <class T>
  void pass(Process& process, Ask ask, runtime::Task<model::Result<T>> task,
            std::move_only_function<void(const model::Result<T>&)> check);
  void meet(const Ask& ask);
  void look_below(const std::string& id);
  void check_accepted(const Ask& ask, const Made& made, bool stale, const model::Result<engine::Accepted>& answer);
  /// What was so when the status was asked for; an answer that was on its way longer may be older than others.
  struct Asked {
    Seen seen;
    std::optional<model::Status> ended;
    Time at{};
  };
  void check_status(const Ask& ask, const Asked& asked, const model::Result<model::Operation>& answer);
  static const char* name_of(Ask::Kind kind);
  static bool worth_a_retry(const model::Error& error);
  std::function<std::string(model::Uuid)> path_for(const Made& made);
  bool is_stale(const Ask& ask) const;

  World& world_;
  const Plan& plan_;
  Auditor& auditor_;
  std::function<Process*()> current_;
  std::vector<std::string> subscriptions_, resources_;
  std::vector<CallerState> callers_;
  std::size_t requests_left_ = 0, finished_callers_ = 0;
  Figures figures_;
};

template <class T>
void Workload::pass(Process& process, Ask ask, runtime::Task<model::Result<T>> task,
                    std::move_only_function<void(const model::Result<T>&)> check) {
  auto done = [this, ask, check = std::move(check)](model::Result<T> answer) mutable {
    check(answer);
    world_.say(fmt::format("caller {} hears of {}: {}", ask.caller, name_of(ask.kind),
                           answer ? "ok" : answer.error().code + ": " + answer.error().message));
    if (answer || !worth_a_retry(answer.error())) ask.tries_left = 0;
    again_or_next(std::move(ask));
  };
  auto lost = [this, ask] {
    ++figures_.lost;
    world_.say(fmt::format("caller {} lost the connection", ask.caller));
    again_or_next(ask);
  };
  process.request<model::Result<T>>(std::move(task), std::move(done), std::move(lost));
}

}  // namespace acceptd::simulation
