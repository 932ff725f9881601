#include "runtime/system_clock.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <optional>

#include "runtime/signals.hpp"

namespace acceptd::runtime {
namespace {

using namespace std::chrono_literals;

TEST(SystemClock, SleepsNoLessThanAsked) {
  asio::io_context io;
  SystemClock clock;
  const Monotonic start = clock.monotonic();
  std::optional<Monotonic> woke;
  auto sleep = [&]() -> Task<void> {
    co_await clock.sleep_until(start + 5ms);
    woke = clock.monotonic();
  };
  asio::co_spawn(io, sleep(), [](std::exception_ptr error) { EXPECT_FALSE(error); });
  io.run();
  ASSERT_TRUE(woke);
  EXPECT_GE(*woke - start, 5ms);
}

TEST(SystemClock, ACancelledSleepThrowsOperationAborted) {
  asio::io_context io;
  SystemClock clock;
  asio::cancellation_signal signal;
  std::optional<boost::system::error_code> ended;
  auto done = [&](std::exception_ptr error) {
    ASSERT_TRUE(error);
    try {
      std::rethrow_exception(error);
    } catch (const boost::system::system_error& failure) {
      ended = failure.code();
    }
  };
  asio::co_spawn(io, clock.sleep_for(24h), asio::bind_cancellation_slot(signal.slot(), std::move(done)));
  io.poll();
  EXPECT_FALSE(ended);
  signal.emit(asio::cancellation_type::terminal);
  io.run();
  EXPECT_EQ(ended, asio::error::operation_aborted);
}

TEST(Signals, TheFirstWishToStopIsTold) {
  asio::io_context io;
  std::optional<int> got;
  asio::co_spawn(io, wait_for_stop_signal(), [&](std::exception_ptr, int number) { got = number; });
  io.poll();
  ASSERT_FALSE(got);
  std::raise(SIGTERM);
  io.run();
  EXPECT_EQ(got, SIGTERM);
}

}  // namespace
}  // namespace acceptd::runtime
