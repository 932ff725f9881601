#include "providers/cluster_service/turns.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <map>

namespace acceptd::providers::cluster_service {

namespace asio = boost::asio;
using boost::system::error_code;

struct Turns::State {
  struct Waiter {
    asio::any_io_executor executor;
    asio::any_completion_handler<void(error_code)> handler;
  };
  std::size_t concurrency_max;
  std::size_t waiting_max;
  std::size_t taken = 0;
  std::uint64_t arrivals = 0;
  std::map<std::uint64_t, Waiter> waiting;  ///< by arrival

  void resume(std::uint64_t arrival, error_code error) {
    auto node = waiting.extract(arrival);
    if (node.empty()) return;
    Waiter& waiter = node.mapped();
    asio::post(waiter.executor, [handler = std::move(waiter.handler), error]() mutable { std::move(handler)(error); });
  }
  void release() {
    if (waiting.empty())
      --taken;
    else
      resume(waiting.begin()->first, error_code{});  // the turn passes on, `taken` stays
  }
};

Turns::Turn::~Turn() {
  if (state_) state_->release();
}

Turns::Turns(std::size_t concurrency_max, std::size_t waiting_max)
    : state_(std::make_shared<State>(State{concurrency_max, waiting_max})) {}

Turns::~Turns() {
  // The frames that wait hold the state that holds them.
  const auto abandoned = std::exchange(state_->waiting, {});
}

runtime::Task<std::optional<Turns::Turn>> Turns::take() {
  auto state = state_;
  if (state->taken < state->concurrency_max) {
    ++state->taken;
    co_return Turn(state);
  }
  if (state->waiting.size() >= state->waiting_max) co_return std::nullopt;
  auto initiate = [state](auto handler) {
    const std::uint64_t arrival = state->arrivals++;
    auto slot = asio::get_associated_cancellation_slot(handler);
    asio::any_io_executor executor = asio::get_associated_executor(handler);
    state->waiting.emplace(arrival, State::Waiter{std::move(executor), std::move(handler)});
    if (slot.is_connected()) {
      slot.assign([weak = std::weak_ptr<State>(state), arrival](asio::cancellation_type) {
        if (auto alive = weak.lock()) alive->resume(arrival, asio::error::operation_aborted);
      });
    }
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(error_code)>(std::move(initiate), asio::use_awaitable);
  co_return Turn(state);
}

std::size_t Turns::taken() const { return state_->taken; }
std::size_t Turns::waiting() const { return state_->waiting.size(); }

}  // namespace acceptd::providers::cluster_service
