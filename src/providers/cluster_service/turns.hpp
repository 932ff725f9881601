#pragma once
/// Bounded concurrency, first come first served.

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/task.hpp"

namespace acceptd::providers::cluster_service {

/// Belongs to one thread. Life cycle: construct, take() any number of times, destroy; whoever still waits then is dropped, never
/// resumed. A Turn may outlive the Turns.
class Turns {
  struct State;

 public:
  /// Held while the work goes on; its end hands the turn to who waits longest.
  class Turn {
   public:
    explicit Turn(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Turn(Turn&& other) noexcept = default;
    Turn& operator=(Turn&& other) = delete;
    ~Turn();

   private:
    std::shared_ptr<State> state_;
  };

  Turns(std::size_t concurrency_max, std::size_t waiting_max);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Resumes when it is the caller's turn. nullopt at once if `waiting_max` callers wait already. Throws
  /// boost::system::system_error(operation_aborted) when the awaiting coroutine is cancelled.
  runtime::Task<std::optional<Turn>> take();

  std::size_t taken() const;
  std::size_t waiting() const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace acceptd::providers::cluster_service
