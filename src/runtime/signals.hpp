#pragma once
/// Waiting for the wish to stop.

#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>

#include "runtime/task.hpp"

namespace acceptd::runtime {

/// Resumes with the number of the first SIGTERM or SIGINT.
inline Task<int> wait_for_stop_signal() {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGTERM, SIGINT);
  co_return co_await signals.async_wait(asio::use_awaitable);
}

}  // namespace acceptd::runtime
