#include "contracts/arm/waiting.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace acceptd::contracts::arm {
namespace {

using namespace std::chrono_literals;

TEST(Waiting, ARM_016_NoRequestWaitsLongerThanFiftySecondsFromItsStart) {
  const runtime::Monotonic began{1h};
  EXPECT_EQ(wait_until(began, 20s), began + 20s);
  EXPECT_EQ(wait_until(began, 50s), began + 50s);
  EXPECT_EQ(wait_until(began, 10min), began + 50s);
}

TEST(Waiting, BeyondTheBoundThereIsNoPlaceUntilOneIsGivenBack) {
  Waiters waiters;
  std::vector<Waiters::Place> places;
  while (places.size() < kWaitersMax) {
    auto place = waiters.take();
    ASSERT_TRUE(place) << places.size();
    places.push_back(std::move(*place));
  }
  EXPECT_FALSE(waiters.take());
  places.pop_back();
  {
    EXPECT_TRUE(waiters.take());
  }
  EXPECT_TRUE(waiters.take()) << "each gives its own place back";
}

}  // namespace
}  // namespace acceptd::contracts::arm
