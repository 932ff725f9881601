#include "apps/acceptd/process/epoch.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "support/model_store.hpp"
#include "support/sim_clock.hpp"

namespace acceptd::process {
namespace {

class EpochTest : public ::testing::Test {
 protected:
  std::uint64_t take() {
    testing::ModelStore store(state_, clock_);
    std::uint64_t taken = 0;
    boost::asio::co_spawn(io_, take_epoch(store), [&](std::exception_ptr failure, model::Result<std::uint64_t> epoch) {
      EXPECT_FALSE(failure);
      taken = epoch.value();
    });
    clock_.run_until_idle();
    return taken;
  }
  boost::asio::io_context io_;
  testing::SimClock clock_{io_};
  testing::ModelState state_;
};

TEST_F(EpochTest, GrowsWithEveryStart) {
  EXPECT_EQ(take(), 1u);
  EXPECT_EQ(take(), 2u);
  EXPECT_EQ(take(), 3u);
}

TEST_F(EpochTest, IsPartOfTheStoredState) {
  take();
  const testing::ModelState copy = state_;
  EXPECT_EQ(take(), 2u);
  state_ = copy;
  EXPECT_EQ(take(), 2u);
}

}  // namespace
}  // namespace acceptd::process
