#include "providers/cluster_service/turns.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <string>
#include <vector>

#include "support/sim_clock.hpp"

namespace acceptd::providers::cluster_service {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Task;

struct TurnsTest : ::testing::Test {
  asio::io_context io;
  testing::SimClock clock{io};
  Turns turns{2, 3};
  std::vector<std::string> events;

  Task<void> work(std::string name, runtime::Duration duration) {
    const auto turn = co_await turns.take();
    if (!turn) {
      events.push_back(name + " refused");
      co_return;
    }
    events.push_back(name);
    co_await clock.sleep_for(duration);
  }
  void spawn(std::string name, runtime::Duration duration = 1s) {
    asio::co_spawn(io, work(std::move(name), duration), [](std::exception_ptr) {});
    clock.run_until_idle();
  }
};

TEST_F(TurnsTest, ComeInOrderOfArrival) {
  for (const char* name : {"a", "b", "c", "d", "e"}) spawn(name);
  EXPECT_EQ(events, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(turns.waiting(), 3u);
  clock.advance(1s);
  EXPECT_EQ(events, (std::vector<std::string>{"a", "b", "c", "d"}));
  clock.advance(2s);
  EXPECT_EQ(events, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(turns.taken(), 0u);
}

TEST_F(TurnsTest, ALatecomerDoesNotOvertakeThoseWhoWait) {
  spawn("a", 1s);
  spawn("b", 5s);
  spawn("c", 5s);
  clock.advance(1s);  // c has a's turn
  spawn("d");
  EXPECT_EQ(events, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(TurnsTest, RefuseBeyondTheBound) {
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) spawn(name);
  EXPECT_EQ(events, (std::vector<std::string>{"a", "b", "f refused"}));
}

TEST_F(TurnsTest, ACancelledWaiterGivesUpItsPlace) {
  spawn("a");
  spawn("b");
  asio::cancellation_signal signal;
  bool aborted = false;
  auto ended = [&](std::exception_ptr error) { aborted = error != nullptr; };
  asio::co_spawn(io, work("c", 1s), asio::bind_cancellation_slot(signal.slot(), ended));
  clock.run_until_idle();
  spawn("d");
  signal.emit(asio::cancellation_type::terminal);
  clock.run_until_idle();
  EXPECT_TRUE(aborted);
  EXPECT_EQ(turns.waiting(), 1u);
  clock.advance(5s);
  EXPECT_EQ(events, (std::vector<std::string>{"a", "b", "d"}));
  EXPECT_EQ(turns.taken(), 0u);
}

TEST_F(TurnsTest, ACancelledHolderPassesItsTurnOn) {
  asio::cancellation_signal signal;
  asio::co_spawn(io, work("a", 1h), asio::bind_cancellation_slot(signal.slot(), [](std::exception_ptr) {}));
  clock.run_until_idle();
  spawn("b", 1h);
  spawn("c", 1h);
  signal.emit(asio::cancellation_type::terminal);
  clock.run_until_idle();
  EXPECT_EQ(events, (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
