#pragma once
/// Something that coroutines of one thread wait for. No polling: notify_all resumes all who wait.

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/task.hpp"

namespace acceptd::runtime {

/// For one thread. Destroying it drops those who still wait (their frames are destroyed, not resumed).
class Event {
 public:
  /// One who waits, registered from the moment it is made: a notification that comes before wait() is not lost.
  class Waiter {
   public:
    Task<void> wait(std::shared_ptr<Waiter> self) {
      if (fired_) co_return;
      executor_ = co_await asio::this_coro::executor;
      auto initiate = [self](auto handler) {
        auto slot = asio::get_associated_cancellation_slot(handler);
        self->handler_.emplace(std::move(handler));  // takes the slot for itself: ours is assigned after it
        if (slot.is_connected())
          slot.assign([weak = std::weak_ptr<Waiter>(self)](asio::cancellation_type) {
            if (auto alive = weak.lock()) alive->complete(asio::error::operation_aborted);
          });
      };
      co_await asio::async_initiate<const asio::use_awaitable_t<>, void(boost::system::error_code)>(std::move(initiate),
                                                                                                    asio::use_awaitable);
    }

   private:
    friend class Event;
    // Kept in an optional: the move assignment of Boost 1.81's any_completion_handler calls itself for ever.
    using Handler = asio::any_completion_handler<void(boost::system::error_code)>;
    void complete(boost::system::error_code error) {
      fired_ = true;
      if (!handler_) return;
      Handler taken = std::move(*handler_);
      handler_.reset();
      auto resume = [taken = std::move(taken), error]() mutable { std::move(taken)(error); };
      asio::post(executor_, std::move(resume));
    }
    asio::any_io_executor executor_;
    bool fired_ = false;
    std::optional<Handler> handler_;
  };

  std::shared_ptr<Waiter> add() {
    waiters_.push_back(std::make_shared<Waiter>());
    return waiters_.back();
  }

  /// Resumes after the next notify_all(); throws operation_aborted when the awaiting coroutine is cancelled.
  Task<void> wait() {
    auto waiter = add();
    co_await waiter->wait(waiter);
  }

  void notify_all() {
    auto waiters = std::exchange(waiters_, {});
    for (const auto& waiter : waiters) waiter->complete({});
  }

  /// Whoever gave up is forgotten.
  void remove(const std::shared_ptr<Waiter>& waiter) { std::erase(waiters_, waiter); }

 private:
  std::vector<std::shared_ptr<Waiter>> waiters_;
};

/// Waits for the event, at most until `when`. True if the event came.
inline Task<bool> wait_until(Event& event, Clock& clock, Monotonic when) {
  using namespace asio::experimental::awaitable_operators;
  const auto waiter = event.add();
  try {
    const auto first = co_await (waiter->wait(waiter) || clock.sleep_until(when));
    if (first.index() == 0) co_return true;
  } catch (const asio::multiple_exceptions& both) {  // cancelled: each side says so
    std::rethrow_exception(both.first_exception());
  }
  event.remove(waiter);
  co_return false;
}

}  // namespace acceptd::runtime
