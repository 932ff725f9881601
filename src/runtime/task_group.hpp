#pragma once
/// Background coroutines that somebody waits for. Never co_spawn with `detached`: it drops exceptions.

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "runtime/task.hpp"

namespace acceptd::runtime {

/// Belongs to the thread of its executor; all methods are called there. Life cycle: construct, spawn any number of
/// tasks, stop() once (cancels all, resumes when the last has ended), destroy.
class TaskGroup {
 public:
  /// `on_error` gets the message of an exception that a task let escape: a bug, to be logged.
  using OnError = std::function<void(std::string_view what)>;
  TaskGroup(asio::any_io_executor executor, OnError on_error);
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Starts the task from the executor, never inside this call. After stop() it is dropped.
  void spawn(Task<void> task);
  std::size_t size() const;
  bool stopping() const;

  Task<void> stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace acceptd::runtime
