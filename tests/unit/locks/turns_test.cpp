#include "locks/turns.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "support/sim_clock.hpp"

namespace acceptd::locks {
namespace {

using namespace std::chrono_literals;

struct TurnsTest : ::testing::Test {
  boost::asio::io_context io;
  acceptd::testing::SimClock clock{io};
  Turns turns{clock, 2};
  std::vector<std::string> story;

  /// Takes a turn for `key`, keeps it for `hold`, tells the story.
  runtime::Task<void> worker(std::string name, std::string key, runtime::Duration timeout, runtime::Duration hold) {
    auto turn = co_await turns.take(key, timeout);
    story.push_back(name + (turn ? " in" : " refused"));
    if (!turn) co_return;
    co_await clock.sleep_for(hold);
    story.push_back(name + " out");
  }
  void start(std::string name, std::string key = "k", runtime::Duration timeout = 10s, runtime::Duration hold = 1s) {
    boost::asio::co_spawn(io, worker(name, key, timeout, hold), boost::asio::detached);
    clock.run_until_idle();
  }
};

TEST_F(TurnsTest, WhoComesFirstGoesFirst) {
  start("a");
  start("b");
  start("c");
  clock.advance(5s);
  EXPECT_EQ(story, (std::vector<std::string>{"a in", "a out", "b in", "b out", "c in", "c out"}));
}

TEST_F(TurnsTest, KeysDoNotWaitForEachOther) {
  start("a", "x");
  start("b", "y");
  EXPECT_EQ(story, (std::vector<std::string>{"a in", "b in"}));
}

TEST_F(TurnsTest, BeyondTheBoundOneIsRefusedAtOnce) {
  start("a");
  start("b");
  start("c");
  start("d");
  EXPECT_EQ(story, (std::vector<std::string>{"a in", "d refused"}));
}

TEST_F(TurnsTest, WhoWaitsTooLongIsRefusedAndTheLineGoesOn) {
  start("a", "k", 10s, 5s);
  start("b", "k", 2s);
  start("c", "k", 10s);
  clock.advance(10s);
  EXPECT_EQ(story, (std::vector<std::string>{"a in", "b refused", "a out", "c in", "c out"}));
  EXPECT_EQ(turns.waiting(), 0u);
}

TEST_F(TurnsTest, ATurnThatWasReleasedIsFreeAgain) {
  start("a");
  clock.advance(2s);
  start("b");
  EXPECT_EQ(story.back(), "b in");
}

}  // namespace
}  // namespace acceptd::locks
