#include "runtime/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <list>

#include "runtime/event.hpp"

namespace acceptd::runtime {

namespace {

/// co_spawn runs up to the first wait at once when called on the executor's thread.
Task<void> from_executor(Task<void> task) {
  co_await asio::post(asio::use_awaitable);
  co_await std::move(task);
}

}  // namespace

struct TaskGroup::State {
  explicit State(asio::any_io_executor executor_in, OnError on_error_in)
      : executor(std::move(executor_in)), on_error(std::move(on_error_in)) {}
  asio::any_io_executor executor;
  OnError on_error;
  std::list<asio::cancellation_signal> signals;  ///< one per task that runs
  Event ended;
  bool stopping = false;
};

TaskGroup::TaskGroup(asio::any_io_executor executor, OnError on_error)
    : state_(std::make_shared<State>(std::move(executor), std::move(on_error))) {}
TaskGroup::~TaskGroup() = default;

void TaskGroup::spawn(Task<void> task) {
  if (state_->stopping) return;
  const auto signal = state_->signals.emplace(state_->signals.end());
  auto done = [state = state_, signal](std::exception_ptr error) {
    state->signals.erase(signal);
    if (error) {
      try {
        std::rethrow_exception(error);
      } catch (const boost::system::system_error& failure) {
        const bool cancelled = state->stopping && failure.code() == asio::error::operation_aborted;
        if (!cancelled && state->on_error) state->on_error(failure.what());
      } catch (const std::exception& failure) {
        if (state->on_error) state->on_error(failure.what());
      } catch (...) {
        if (state->on_error) state->on_error("an exception of unknown type");
      }
    }
    if (state->signals.empty()) state->ended.notify_all();
  };
  asio::co_spawn(state_->executor, from_executor(std::move(task)), asio::bind_cancellation_slot(signal->slot(), std::move(done)));
}

std::size_t TaskGroup::size() const { return state_->signals.size(); }
bool TaskGroup::stopping() const { return state_->stopping; }

Task<void> TaskGroup::stop() {
  const auto state = state_;
  state->stopping = true;
  for (auto& signal : state->signals) {
    // From the executor: cancelling resumes coroutines, which may end and change the list.
    auto cancel = [state, target = &signal] {
      for (auto& alive : state->signals)
        if (&alive == target) return alive.emit(asio::cancellation_type::terminal);
    };
    asio::post(state->executor, std::move(cancel));
  }
  while (!state->signals.empty()) co_await state->ended.wait();
}

}  // namespace acceptd::runtime
