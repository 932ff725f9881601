#pragma once
/// The door to time. Product code never asks the system itself: simulation hands in virtual time.

#include <chrono>

#include "runtime/task.hpp"

namespace acceptd::runtime {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;  ///< wall clock: what documents show; may jump
/// Monotonic, with no relation to the wall clock: what time-outs, leases and schedules are judged by.
struct MonotonicClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};
using Monotonic = MonotonicClock::time_point;

/// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  virtual Monotonic monotonic() const = 0;
  /// Resumes on the caller's executor at or after `when`; throws boost::system::system_error(operation_aborted) when
  /// the awaiting coroutine is cancelled.
  virtual Task<void> sleep_until(Monotonic when) = 0;

  Task<void> sleep_for(Duration duration) { return sleep_until(monotonic() + duration); }
};

}  // namespace acceptd::runtime
