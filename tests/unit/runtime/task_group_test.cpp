#include "runtime/task_group.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <string>
#include <vector>

#include "runtime/event.hpp"
#include "support/sim_clock.hpp"

namespace acceptd::runtime {
namespace {

using namespace std::chrono_literals;

struct TaskGroupTest : ::testing::Test {
  asio::io_context io;
  testing::SimClock clock{io};
  std::vector<std::string> errors;
  std::vector<std::string> events;
  TaskGroup group{io.get_executor(), [this](std::string_view what) { errors.emplace_back(what); }};

  Task<void> note(std::string name) {
    events.push_back(name);
    co_return;
  }
  Task<void> sleeper(std::string name, Duration duration) {
    struct Unwound {
      std::vector<std::string>& events;
      std::string name;
      ~Unwound() { events.push_back(name + " ended"); }
    } unwound{events, name};
    co_await clock.sleep_for(duration);
    events.push_back(name + " woke");
  }
  Task<void> fails(int how) {
    if (how == 0) throw std::runtime_error("a bug");
    if (how == 1) throw boost::system::system_error(asio::error::operation_aborted);
    throw 3;
    co_return;
  }
  void stop() {
    auto stopped = [this](std::exception_ptr error) { events.push_back(error ? "stop failed" : "stopped"); };
    asio::co_spawn(io, group.stop(), std::move(stopped));
    clock.run_until_idle();
  }
};

TEST_F(TaskGroupTest, StartsTasksFromTheExecutorAlone) {
  auto spawn_inside = [this]() -> Task<void> {
    group.spawn(note("task"));
    events.push_back("after spawn");
    co_return;
  };
  group.spawn(spawn_inside());
  EXPECT_TRUE(events.empty());
  EXPECT_EQ(group.size(), 1u);
  clock.run_until_idle();
  EXPECT_EQ(events, (std::vector<std::string>{"after spawn", "task"}));
  EXPECT_EQ(group.size(), 0u);
}

TEST_F(TaskGroupTest, StopCancelsAllAndWaitsForTheLast) {
  group.spawn(sleeper("a", 1h));
  group.spawn(sleeper("b", 1h));
  clock.run_until_idle();
  stop();
  EXPECT_EQ(events, (std::vector<std::string>{"a ended", "b ended", "stopped"}));
  EXPECT_TRUE(errors.empty()) << "a cancellation that was asked for is no error";
  EXPECT_TRUE(group.stopping());
}

TEST_F(TaskGroupTest, StopWaitsForATaskThatDoesNotGiveUpAtOnce) {
  Event release;
  auto stubborn = [&]() -> Task<void> {
    try {
      co_await clock.sleep_for(1h);
    } catch (const boost::system::system_error&) {
    }
    co_await asio::this_coro::reset_cancellation_state();
    co_await release.wait();
    events.push_back("finished");
  };
  group.spawn(stubborn());
  clock.run_until_idle();
  stop();
  EXPECT_TRUE(events.empty());
  release.notify_all();
  clock.run_until_idle();
  EXPECT_EQ(events, (std::vector<std::string>{"finished", "stopped"}));
}

TEST_F(TaskGroupTest, ATaskSpawnedAfterStopIsDropped) {
  stop();
  group.spawn(note("too late"));
  clock.run_until_idle();
  EXPECT_EQ(events, std::vector<std::string>{"stopped"});
  EXPECT_EQ(group.size(), 0u);
}

TEST_F(TaskGroupTest, AnEscapedExceptionIsReportedOnceAndHarmsNobody) {
  for (int how = 0; how < 3; ++how) group.spawn(fails(how));
  group.spawn(sleeper("other", 1s));
  clock.advance(1s);
  EXPECT_EQ(events, (std::vector<std::string>{"other woke", "other ended"}));
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0], "a bug");
  EXPECT_EQ(errors[2], "an exception of unknown type");
}

struct EventTest : TaskGroupTest {
  Event event;
  Task<void> waiter(std::string name, Duration at_most) {
    const Monotonic until = clock.monotonic() + at_most;
    const bool came = co_await wait_until(event, clock, until);
    events.push_back(name + (came ? " got it" : " gave up"));
  }
};

TEST_F(EventTest, WakesAllWhoWait) {
  group.spawn(waiter("a", 1h));
  group.spawn(waiter("b", 1h));
  clock.run_until_idle();
  event.notify_all();
  clock.run_until_idle();
  EXPECT_EQ(events, (std::vector<std::string>{"a got it", "b got it"}));
  EXPECT_EQ(clock.sleepers(), 0u);
}

TEST_F(EventTest, WaitingEndsInTime) {
  group.spawn(waiter("a", 1s));
  clock.advance(1s);
  EXPECT_EQ(events, std::vector<std::string>{"a gave up"});
  event.notify_all();
  clock.run_until_idle();
  EXPECT_EQ(events.size(), 1u);
}

TEST_F(EventTest, ANotificationBetweenAddingAndWaitingIsNotLost) {
  const auto early = event.add();
  event.notify_all();
  auto late = [&]() -> Task<void> {
    co_await early->wait(early);
    events.push_back("went on");
  };
  group.spawn(late());
  clock.run_until_idle();
  EXPECT_EQ(events, std::vector<std::string>{"went on"});
}

TEST_F(EventTest, IsLeftWhenTheWaitingIsCancelled) {
  group.spawn(waiter("a", 1h));
  clock.run_until_idle();
  stop();
  event.notify_all();
  clock.run_until_idle();
  EXPECT_EQ(events, std::vector<std::string>{"stopped"});
}

}  // namespace
}  // namespace acceptd::runtime
