#include "support/sim_clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <stdexcept>
#include <utility>

namespace acceptd::testing {

namespace asio = boost::asio;
using boost::system::error_code;
using runtime::Monotonic;

/// Shared with the cancellation slots, which may outlive the clock.
struct SimClock::Sleepers {
  struct Sleeper {
    asio::any_io_executor executor;
    asio::any_completion_handler<void(error_code)> handler;
  };
  using Key = std::pair<Monotonic, std::uint64_t>;

  std::map<Key, Sleeper> waiting;
  std::uint64_t arrivals = 0;

  void wake(Key key, error_code error) {
    auto node = waiting.extract(key);
    if (node.empty()) return;
    Sleeper& sleeper = node.mapped();
    asio::post(sleeper.executor, [handler = std::move(sleeper.handler), error]() mutable { std::move(handler)(error); });
  }
};

SimClock::SimClock(asio::io_context& io, runtime::Time start, Monotonic monotonic_start)
    : io_(&io), wall_(start), monotonic_(monotonic_start), sleepers_(std::make_shared<Sleepers>()) {}

SimClock::~SimClock() { attach(*io_); }

runtime::Task<void> SimClock::sleep_until(Monotonic when) {
  auto initiate = [sleepers = sleepers_, when](auto handler) {
    const Sleepers::Key key{when, sleepers->arrivals++};
    auto slot = asio::get_associated_cancellation_slot(handler);
    asio::any_io_executor executor = asio::get_associated_executor(handler);
    sleepers->waiting.emplace(key, Sleepers::Sleeper{std::move(executor), std::move(handler)});
    if (slot.is_connected()) {
      slot.assign([weak = std::weak_ptr<Sleepers>(sleepers), key](asio::cancellation_type) {
        if (auto alive = weak.lock()) alive->wake(key, asio::error::operation_aborted);
      });
    }
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(error_code)>(std::move(initiate), asio::use_awaitable);
}

void SimClock::run_until_idle() {
  for (std::size_t handlers = 0;;) {
    io_->restart();
    if (io_->poll_one() > 0) {
      if (++handlers == kHandlersMax) throw std::logic_error("handlers run on and on at one moment of virtual time");
      continue;
    }
    if (sleepers_->waiting.empty() || sleepers_->waiting.begin()->first.first > monotonic_) return;
    wake_first();  // somebody slept until a moment that had come already
  }
}

void SimClock::advance(runtime::Duration duration) {
  const Monotonic target = monotonic_ + duration;
  run_until_idle();
  for (auto next = next_wakeup(); next && *next <= target; next = next_wakeup()) advance_to_next();
  move_to(target);
}

bool SimClock::advance_to_next() {
  run_until_idle();
  const auto next = next_wakeup();
  if (!next) return false;
  move_to(*next);
  wake_first();
  run_until_idle();
  return true;
}

std::optional<Monotonic> SimClock::next_wakeup() const {
  if (sleepers_->waiting.empty()) return std::nullopt;
  return std::max(monotonic_, sleepers_->waiting.begin()->first.first);
}

std::size_t SimClock::sleepers() const { return sleepers_->waiting.size(); }

void SimClock::attach(asio::io_context& io) {
  io_ = &io;
  // Asio posts the unwinding of each frame to its executor; a cancellation that comes with it must find nothing here.
  const auto dropped = std::exchange(sleepers_, std::make_shared<Sleepers>());
  const auto abandoned = std::exchange(dropped->waiting, {});
}

void SimClock::move_to(Monotonic when) {
  if (when <= monotonic_) return;
  wall_ += when - monotonic_;
  monotonic_ = when;
}

void SimClock::wake_first() { sleepers_->wake(sleepers_->waiting.begin()->first, error_code{}); }

}  // namespace acceptd::testing
