#include "support/sim_clock.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>
#include <string>
#include <vector>

namespace acceptd::testing {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Task;

struct SimClockTest : ::testing::Test {
  asio::io_context io;
  SimClock clock{io};
  std::vector<std::string> events;

  void spawn(Task<void> task) {
    auto rethrow = [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    };
    asio::co_spawn(io, std::move(task), rethrow);
  }
  Task<void> sleeper(std::string name, runtime::Duration after) {
    co_await clock.sleep_for(after);
    events.push_back(name);
  }
  Task<void> ticker(runtime::Duration period, int times) {
    for (int i = 1; i <= times; ++i) {
      co_await clock.sleep_for(period);
      events.push_back(std::to_string((clock.now() - SimClock::kStart) / 1ms));
    }
  }
};

TEST_F(SimClockTest, WakesInOrderOfTimeThenOfArrival) {
  spawn(sleeper("late", 2s));
  spawn(sleeper("first", 1s));
  spawn(sleeper("second", 1s));
  clock.advance(1s - 1ns);
  EXPECT_EQ(events, std::vector<std::string>{});
  clock.advance(1ns);
  EXPECT_EQ(events, (std::vector<std::string>{"first", "second"}));
  clock.advance(1h);
  EXPECT_EQ(events, (std::vector<std::string>{"first", "second", "late"}));
}

TEST_F(SimClockTest, ShowsEachWakeUpItsOwnTimeWithinOneAdvance) {
  spawn(ticker(10ms, 3));
  clock.advance(1s);
  EXPECT_EQ(events, (std::vector<std::string>{"10", "20", "30"}));
  EXPECT_EQ(clock.now(), SimClock::kStart + 1s);
  EXPECT_EQ(clock.monotonic(), SimClock::kMonotonicStart + 1s);
}

TEST_F(SimClockTest, AdvancesToTheNextWakeUp) {
  EXPECT_FALSE(clock.advance_to_next());
  spawn(sleeper("a", 5s));
  clock.run_until_idle();
  EXPECT_EQ(clock.next_wakeup(), SimClock::kMonotonicStart + 5s);
  EXPECT_TRUE(clock.advance_to_next());
  EXPECT_EQ(events, std::vector<std::string>{"a"});
  EXPECT_EQ(clock.next_wakeup(), std::nullopt);
}

TEST_F(SimClockTest, SleepingUntilThePastTakesNoTime) {
  spawn(sleeper("now", -1h));
  clock.run_until_idle();
  EXPECT_EQ(events, std::vector<std::string>{"now"});
  EXPECT_EQ(clock.monotonic(), SimClock::kMonotonicStart);
}

TEST_F(SimClockTest, AJumpOfTheWallClockWakesNobody) {
  spawn(sleeper("a", 1s));
  clock.run_until_idle();
  clock.jump_wall(24h);
  clock.run_until_idle();
  EXPECT_TRUE(events.empty());
  EXPECT_EQ(clock.now(), SimClock::kStart + 24h);
  clock.jump_wall(-48h);
  clock.advance(1s);
  EXPECT_EQ(events, std::vector<std::string>{"a"});
  EXPECT_EQ(clock.now(), SimClock::kStart - 24h + 1s);
}

TEST_F(SimClockTest, ACancelledSleeperThrowsOperationAborted) {
  asio::cancellation_signal signal;
  std::exception_ptr ended;
  asio::co_spawn(io, sleeper("never", 1s),
                 asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr error) { ended = error; }));
  clock.run_until_idle();
  EXPECT_EQ(clock.sleepers(), 1u);
  signal.emit(asio::cancellation_type::terminal);
  clock.run_until_idle();
  EXPECT_EQ(clock.sleepers(), 0u);
  ASSERT_TRUE(ended);
  try {
    std::rethrow_exception(ended);
  } catch (const boost::system::system_error& error) {
    EXPECT_EQ(error.code(), asio::error::operation_aborted);
  }
  clock.advance(2s);
  EXPECT_TRUE(events.empty());
}

TEST_F(SimClockTest, AttachDropsSleepersUnresumedAndGoesOnElsewhere) {
  struct Flag {
    bool& destroyed;
    ~Flag() { destroyed = true; }
  };
  bool destroyed = false;
  auto body = [](SimClock& clock, bool& destroyed, std::vector<std::string>& events) -> Task<void> {
    Flag flag{destroyed};
    co_await clock.sleep_for(1s);
    events.push_back("resumed");
  };
  auto dying = std::make_unique<asio::io_context>();
  clock.attach(*dying);
  asio::co_spawn(*dying, body(clock, destroyed, events), [](std::exception_ptr) {});
  clock.run_until_idle();
  EXPECT_EQ(clock.sleepers(), 1u);
  clock.attach(io);
  dying.reset();
  EXPECT_TRUE(destroyed);
  spawn(sleeper("new", 1s));
  clock.advance(2s);
  EXPECT_EQ(events, std::vector<std::string>{"new"});
}

}  // namespace
}  // namespace acceptd::testing
