#pragma once
/// Requests that wait for the end of their work: how long, and how many at once.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "runtime/clock.hpp"

namespace acceptd::contracts::arm {

/// From the start of a request; the front door gives it 60 s (ARM-016).
inline constexpr std::chrono::seconds kWaitMax{50};
inline constexpr std::size_t kWaitersMax = 256;

inline runtime::Monotonic wait_until(runtime::Monotonic began, runtime::Duration wait_max) {
  return began + std::min<runtime::Duration>(wait_max, kWaitMax);
}

/// Counts who waits. For one thread; outlives the places that it gave out.
class Waiters {
 public:
  /// Given back when it ends.
  class Place {
   public:
    explicit Place(std::size_t& taken) : taken_(&taken) { ++taken; }
    Place(Place&& other) noexcept : taken_(std::exchange(other.taken_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (taken_) --*taken_;
    }

   private:
    std::size_t* taken_;
  };

  /// nullopt: kWaitersMax wait already.
  std::optional<Place> take() { return taken_ < kWaitersMax ? std::optional<Place>(std::in_place, taken_) : std::nullopt; }

 private:
  std::size_t taken_ = 0;
};

}  // namespace acceptd::contracts::arm
