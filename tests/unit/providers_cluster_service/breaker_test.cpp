#include "providers/cluster_service/breaker.hpp"

#include <gtest/gtest.h>

namespace acceptd::providers::cluster_service {
namespace {

using namespace std::chrono_literals;
using State = Breaker::State;

constexpr runtime::Monotonic kStart{1000h};

Breaker opened() {
  Breaker breaker(2, 10s);
  breaker.failed(kStart);
  breaker.failed(kStart);
  return breaker;
}

TEST(Breaker, OpensAfterSoManyFailuresInARow) {
  Breaker breaker(3, 10s);
  breaker.failed(kStart);
  breaker.failed(kStart);
  EXPECT_TRUE(breaker.admit(kStart));
  breaker.failed(kStart);
  EXPECT_EQ(breaker.state(kStart), State::open);
  EXPECT_FALSE(breaker.admit(kStart));
}

TEST(Breaker, ASuccessInBetweenStartsTheCountAgain) {
  Breaker breaker(2, 10s);
  breaker.failed(kStart);
  breaker.succeeded();
  breaker.failed(kStart);
  EXPECT_EQ(breaker.state(kStart), State::closed);
}

TEST(Breaker, AfterThePauseOneCallProbes) {
  Breaker breaker = opened();
  EXPECT_FALSE(breaker.admit(kStart + 10s - 1ns));
  EXPECT_EQ(breaker.state(kStart + 10s), State::half_open);
  EXPECT_TRUE(breaker.admit(kStart + 10s));
  EXPECT_FALSE(breaker.admit(kStart + 10s));
}

TEST(Breaker, AProbeThatSucceedsCloses) {
  Breaker breaker = opened();
  ASSERT_TRUE(breaker.admit(kStart + 10s));
  breaker.succeeded();
  EXPECT_EQ(breaker.state(kStart + 10s), State::closed);
  breaker.failed(kStart + 11s);
  EXPECT_EQ(breaker.state(kStart + 11s), State::closed);
}

TEST(Breaker, AProbeThatFailsOpensForAnotherPause) {
  Breaker breaker = opened();
  ASSERT_TRUE(breaker.admit(kStart + 12s));
  breaker.failed(kStart + 13s);
  EXPECT_FALSE(breaker.admit(kStart + 22s));
  EXPECT_TRUE(breaker.admit(kStart + 23s));
}

TEST(Breaker, ALateFailureOfAnEarlierCallDoesNotProlongThePause) {
  Breaker breaker = opened();
  breaker.failed(kStart + 9s);
  EXPECT_TRUE(breaker.admit(kStart + 10s));
}

TEST(Breaker, AProbeThatIsAbandonedMakesRoomForAnother) {
  Breaker breaker = opened();
  ASSERT_TRUE(breaker.admit(kStart + 10s));
  breaker.abandoned();
  EXPECT_TRUE(breaker.admit(kStart + 10s));
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
