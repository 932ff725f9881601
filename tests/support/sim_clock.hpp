#pragma once
/// Virtual time: nothing passes unless a test says so.

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/clock.hpp"

namespace acceptd::testing {

/// Drives one io_context that only this object polls. All calls come from one thread. Sleepers are woken one at a time,
/// in order of their time, those of the same moment in order of their arrival: the same calls give the same run.
/// Life cycle: construct, use, destroy before the io_context (attach() when an io_context dies earlier).
class SimClock : public runtime::Clock {
 public:
  /// 2026-01-05T18:29:58Z; monotonic time starts at an unrelated figure, so that mixing the two up shows.
  static constexpr runtime::Time kStart{std::chrono::seconds(1767637798)};
  static constexpr runtime::Monotonic kMonotonicStart{std::chrono::hours(1000)};

  explicit SimClock(boost::asio::io_context& io, runtime::Time start = kStart,
                    runtime::Monotonic monotonic_start = kMonotonicStart);
  ~SimClock() override;
  SimClock(const SimClock&) = delete;
  SimClock& operator=(const SimClock&) = delete;

  runtime::Time now() const override { return wall_; }
  runtime::Monotonic monotonic() const override { return monotonic_; }
  runtime::Task<void> sleep_until(runtime::Monotonic when) override;

  /// Runs handlers until none is ready. Throws std::logic_error after kHandlersMax of them: a loop that never waits.
  void run_until_idle();
  /// Lets `duration` pass: runs what is ready, then moves from wake-up to wake-up, running all that follows from each.
  void advance(runtime::Duration duration);
  /// Passes to the next wake-up and wakes one sleeper. False: nobody sleeps; nothing happened but run_until_idle().
  bool advance_to_next();
  std::optional<runtime::Monotonic> next_wakeup() const;
  std::size_t sleepers() const;

  /// Moves the wall clock alone, back or forth, as a correction of the system's clock does.
  void jump_wall(runtime::Duration by) { wall_ += by; }

  /// A crash: lets go of every coroutine that sleeps and goes on with another io_context. The sleepers never resume;
  /// their frames are destroyed with the former io_context, which must still exist now. Time goes on from where it is.
  void attach(boost::asio::io_context& io);

  static constexpr std::size_t kHandlersMax = 50'000'000;

 private:
  struct Sleepers;
  void move_to(runtime::Monotonic when);
  void wake_first();

  boost::asio::io_context* io_;
  runtime::Time wall_;
  runtime::Monotonic monotonic_;
  std::shared_ptr<Sleepers> sleepers_;
};

}  // namespace acceptd::testing
