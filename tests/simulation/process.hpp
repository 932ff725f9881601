#pragma once
/// One process that runs the engine: its own event loop and time, doors that can be frozen or nailed shut, and a death at
/// any await.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <set>
#include <string>

#include "engine/engine.hpp"
#include "runtime/event.hpp"
#include "simulation/plan.hpp"
#include "support/sim_clock.hpp"

namespace acceptd::simulation {

/// Counts how often places were come by, and dies where the plan says so.
struct CrashPlan {
  std::vector<CrashPoint> ahead;
  std::map<std::string_view, std::uint32_t> seen;
  std::set<std::string_view> crashed;  ///< places at which a process died
};

class Process final : public engine::Probe {
 public:
  Process(World& world, CrashPlan& crashes, std::uint64_t epoch);
  /// A crash: every coroutine is let go of where it stands.
  ~Process() override;

  /// Wires the engine to its doors, which are handed over, and starts it.
  void start(engine::EngineOptions options, std::unique_ptr<store::Store> base, std::unique_ptr<store::Store> door,
             std::unique_ptr<engine::TypeRegistry> types);
  engine::Engine& engine() { return *engine_; }
  std::uint64_t epoch() const { return epoch_; }

  // ---- life and death
  void at(const char* place) override;
  bool dead() const { return dead_; }
  void die(std::string_view why);
  /// Frozen: whatever leaves or enters through a door waits. Time goes on.
  void freeze(bool frozen);
  bool frozen() const { return frozen_; }
  /// Cancels and waits for what is under way; then dies in peace.
  void stop();

  // ---- for doors, inside the process
  /// A door's coroutine goes through here before and after its effect. Does not resume in a dead process.
  runtime::Task<void> pass();
  runtime::Task<void> pass_after(Duration delay);
  /// True once: the effect that now comes is the last.
  bool take_doom() { return std::exchange(doomed_, false); }
  testing::SimClock& clock() { return clock_; }

  // ---- for the run
  /// Runs what is ready.
  void run();
  /// A request from outside; `done` is called inside the process when it ended, unless the process died before: then
  /// `lost` is called.
  template <class T>
  void request(runtime::Task<T> task, std::move_only_function<void(T)> done, std::move_only_function<void()> lost);

 private:
  World& world_;
  CrashPlan& crashes_;
  const std::uint64_t epoch_;
  bool dead_ = false, frozen_ = false, doomed_ = false;
  const char* doom_place_ = "";
  std::uint64_t requests_made_ = 0;
  std::map<std::uint64_t, std::move_only_function<void()>> open_;  ///< who is told if we die
  Seeded random_;
  std::unique_ptr<runtime::Log> log_;
  std::unique_ptr<boost::asio::io_context> io_;  ///< dies after all that may hold a coroutine
  runtime::Event thaw_, never_;
  testing::SimClock clock_;
  std::unique_ptr<store::Store> base_store_, store_;
  std::unique_ptr<engine::TypeRegistry> types_;
  std::unique_ptr<engine::Engine> engine_;
};

template <class T>
void Process::request(runtime::Task<T> task, std::move_only_function<void(T)> done, std::move_only_function<void()> lost) {
  const std::uint64_t number = ++requests_made_;
  open_.emplace(number, std::move(lost));
  auto ended = [this, number, done = std::move(done)](std::exception_ptr error, T value) mutable {
    if (dead_) return;
    if (error) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& failure) {
        world_.fail(std::string("a request ended with an exception: ") + failure.what());
      }
    }
    open_.erase(number);
    done(std::move(value));
  };
  boost::asio::co_spawn(*io_, std::move(task), std::move(ended));
}

}  // namespace acceptd::simulation
