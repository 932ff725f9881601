#include "runtime/random.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <set>

#include "runtime/system_random.hpp"

namespace acceptd::runtime {
namespace {

using namespace std::chrono_literals;

/// Hands out the numbers that a test wrote down.
class Scripted : public Random {
 public:
  explicit Scripted(std::deque<std::uint64_t> numbers) : numbers_(std::move(numbers)) {}
  std::uint64_t next() override {
    if (numbers_.empty()) throw std::logic_error("no number left");
    const std::uint64_t number = numbers_.front();
    numbers_.pop_front();
    return number;
  }
  std::size_t left() const { return numbers_.size(); }

 private:
  std::deque<std::uint64_t> numbers_;
};

TEST(Random, AUnitIsNeverOne) {
  EXPECT_EQ(Scripted({0}).unit(), 0.0);
  EXPECT_LT(Scripted({UINT64_MAX}).unit(), 1.0);
  EXPECT_EQ(Scripted({std::uint64_t(1) << 63}).unit(), 0.5);
}

TEST(Random, DrawsAgainRatherThanFavourSmallNumbers) {
  Scripted random({UINT64_MAX, 7});  // the last incomplete run of 10: refused
  EXPECT_EQ(random.below(10), 7u);
  EXPECT_EQ(random.left(), 0u);
}

RC_GTEST_PROP(Random, StaysBelowTheBound, (std::uint64_t number)) {
  const auto bound = *rc::gen::inRange<std::uint64_t>(1, UINT64_MAX);
  RC_ASSERT(Scripted({number, 0}).below(bound) < bound);
}

TEST(Random, UuidsHaveTheirVersionAndVariant) {
  EXPECT_EQ(Scripted({UINT64_MAX, UINT64_MAX}).uuid_v4(),
            (boost::uuids::uuid{{255, 255, 255, 255, 255, 255, 0x4f, 255, 0xbf, 255, 255, 255, 255, 255, 255, 255}}));
  EXPECT_EQ(Scripted({0, 0}).uuid_v4(), (boost::uuids::uuid{{0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0}}));
}

TEST(Random, Uuid7BeginsWithTheMilliseconds) {
  // The example of RFC 9562, appendix A.6: 2022-02-22T19:22:22Z.
  EXPECT_EQ(
      Scripted({0x0cc3, 0x18c4dc0c0c07398f}).uuid_v7(Time(1645557742000ms)),
      (boost::uuids::uuid{{0x01, 0x7f, 0x22, 0xe2, 0x79, 0xb0, 0x7c, 0xc3, 0x98, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f}}));
}

RC_GTEST_PROP(Random, JitterStaysInItsPart, (std::uint64_t number)) {
  const Duration jittered = Scripted({number}).jitter(1s, 0.25);
  RC_ASSERT(jittered >= 750ms);
  RC_ASSERT(jittered <= 1250ms);
}

TEST(SystemRandom, DoesNotRepeatItself) {
  SystemRandom random;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.next());
  EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace acceptd::runtime
