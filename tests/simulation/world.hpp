#pragma once
/// What all of a run share: virtual time, the queue of what happens next, chance, and the trace. One thread.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "runtime/clock.hpp"
#include "simulation/seeded.hpp"

namespace acceptd::simulation {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::Monotonic;
using runtime::Time;

/// Everything that happened, as one hash; the last of it as text.
class Trace {
 public:
  static constexpr std::size_t kKept = 40;
  explicit Trace(bool print) : print_(print) {}
  void say(Duration at, std::string_view text);
  std::uint64_t hash() const { return hash_; }
  const std::deque<std::string>& last() const { return last_; }

 private:
  bool print_;
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
  std::deque<std::string> last_;
};

/// Also the clock of what outlives processes (stores, the backend): it tells the time and lets nobody sleep.
class World final : public runtime::Clock {
 public:
  static constexpr Time kStart{std::chrono::seconds(1767637798)};
  static constexpr Monotonic kMonotonicStart{std::chrono::hours(1000)};

  World(std::uint64_t seed, bool print) : random(seed), trace_(print) {}

  Time now() const override { return kStart + elapsed_ + wall_offset_; }
  Monotonic monotonic() const override { return kMonotonicStart + elapsed_; }
  runtime::Task<void> sleep_until(Monotonic) override { throw std::logic_error("nobody sleeps on the world's clock"); }

  Duration elapsed() const { return elapsed_; }
  /// `event` happens after `delay`; those of one moment in the order in which they were made.
  void after(Duration delay, std::move_only_function<void()> event) {
    queue_.emplace(std::pair(elapsed_ + delay, ++events_made_), std::move(event));
  }
  std::optional<Duration> next_event() const {
    if (queue_.empty()) return std::nullopt;
    return queue_.begin()->first.first;
  }
  /// Lets the first event happen, if its time has come.
  bool happen();
  void move_to(Duration elapsed) { elapsed_ = std::max(elapsed_, elapsed); }
  void jump_wall(Duration by) { wall_offset_ += by; }

  void say(std::string_view text) { trace_.say(elapsed_, text); }
  const Trace& trace() const { return trace_; }

  /// An invariant does not hold; the first one told counts. The run ends before anything else happens.
  void fail(std::string violation) {
    if (!failure_) failure_ = std::move(violation);
  }
  const std::optional<std::string>& failure() const { return failure_; }

  Seeded random;

 private:
  Trace trace_;
  std::optional<std::string> failure_;
  Duration elapsed_{}, wall_offset_{};
  std::map<std::pair<Duration, std::uint64_t>, std::move_only_function<void()>> queue_;
  std::uint64_t events_made_ = 0;
};

}  // namespace acceptd::simulation
