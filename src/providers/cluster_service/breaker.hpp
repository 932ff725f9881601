#pragma once
/// Stops calling a backend that does not answer, and finds out when it does again.

#include <cstddef>

#include "runtime/clock.hpp"

namespace acceptd::providers::cluster_service {

/// A value without I/O. closed: all calls pass. open: none does, until `open_for` has passed. half-open: one call passes as
/// a probe, and its outcome closes or opens. Every admitted call reports exactly once: succeeded(), failed() or abandoned().
class Breaker {
 public:
  enum class State { closed, open, half_open };
  class Report;

  Breaker(std::size_t failures_max, runtime::Duration open_for) : failures_max_(failures_max), open_for_(open_for) {}

  State state(runtime::Monotonic now) const;
  /// True: the call may be made.
  bool admit(runtime::Monotonic now);
  void succeeded();
  void failed(runtime::Monotonic now);
  /// The call was cancelled: nothing is known of the backend.
  void abandoned();

 private:
  std::size_t failures_max_;
  runtime::Duration open_for_;
  std::size_t failures_ = 0;  ///< in a row
  bool open_ = false;
  bool probing_ = false;
  runtime::Monotonic open_until_{};
};

/// Of one admitted call: tells the breaker how it ended, also when its coroutine is cancelled.
class Breaker::Report {
 public:
  explicit Report(Breaker& breaker) : breaker_(breaker) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() {
    if (!done_) breaker_.abandoned();
  }
  void ended(bool failed, runtime::Monotonic now) {
    done_ = true;
    failed ? breaker_.failed(now) : breaker_.succeeded();
  }

 private:
  Breaker& breaker_;
  bool done_ = false;
};

}  // namespace acceptd::providers::cluster_service
