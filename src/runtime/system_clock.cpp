#include "runtime/system_clock.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace acceptd::runtime {

Time SystemClock::now() const { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

Monotonic SystemClock::monotonic() const {
  return Monotonic(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

Task<void> SystemClock::sleep_until(Monotonic when) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_at(std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(when.time_since_epoch())));
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace acceptd::runtime
