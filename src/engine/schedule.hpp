#pragma once
/// When which operation is looked at next. Pure data structure of the engine's thread: no clock, no I/O.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/document.hpp"
#include "runtime/clock.hpp"

namespace acceptd::engine {

/// Keeps one next time per operation. Due operations are handed out by turns between partitions, so that one tenant's flood
/// delays another's work by one step, not by its length (DESIGN §4, Fairness).
class Schedule {
 public:
  /// Sets the next time; an earlier time already set stays, unless `replace`.
  void at(const model::Key& key, runtime::Monotonic when, bool replace = false);
  void forget(const model::Key& key);
  bool contains(const model::Key& key) const;

  /// Moves everything due at `now` into the turns.
  void make_due(runtime::Monotonic now);
  /// The next operation by turns; it leaves the schedule.
  std::optional<model::Key> take();
  /// When make_due() has something to do next.
  std::optional<runtime::Monotonic> next() const;
  std::size_t size() const { return times_.size(); }
  bool has_due() const { return due_count_ != 0; }

 private:
  struct KeyHash {
    std::size_t operator()(const model::Key& key) const {
      std::uint64_t low = 0;
      for (std::size_t i = 8; i < 16; ++i) low = low << 8 | key.id.data[i];
      return low;
    }
  };
  struct Timer {
    runtime::Monotonic when;
    model::Key key;
    bool operator>(const Timer& other) const { return when > other.when; }
  };
  static constexpr runtime::Monotonic kDue = runtime::Monotonic::min();

  std::unordered_map<model::Key, runtime::Monotonic, KeyHash> times_;      // kDue: waits for its turn
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;  // may hold outdated entries
  std::deque<std::string> round_;                                          // partitions with due work, in turn
  std::unordered_map<std::string, std::deque<model::Uuid>> due_;
  std::size_t due_count_ = 0;
};

}  // namespace acceptd::engine
