#include "model/time.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace acceptd::model {
namespace {

using namespace std::chrono;

constexpr Time at(std::int64_t since_1970_seconds, std::int64_t fraction_nanoseconds = 0) {
  return Time(seconds(since_1970_seconds) + nanoseconds(fraction_nanoseconds));
}

struct Known {
  const char* text;
  Time time;
};
void PrintTo(const Known& known, std::ostream* out) { *out << known.text; }
class ReadsTime : public ::testing::TestWithParam<Known> {};
TEST_P(ReadsTime, AsTheSameInstant) {
  const auto time = parse_rfc3339(GetParam().text);
  ASSERT_TRUE(time) << GetParam().text;
  EXPECT_EQ(*time, GetParam().time) << GetParam().text;
}
INSTANTIATE_TEST_SUITE_P(
    Time, ReadsTime,
    ::testing::Values(Known{"1970-01-01T00:00:00Z", at(0)}, Known{"2026-01-05T18:29:58.181047849Z", at(1767637798, 181047849)},
                      Known{"2026-01-05t18:29:58z", at(1767637798)}, Known{"2026-01-05T18:29:58.5Z", at(1767637798, 500000000)},
                      Known{"2026-01-05T20:29:58+02:00", at(1767637798)}, Known{"2026-01-05T13:14:58-05:15", at(1767637798)},
                      Known{"2026-01-05T18:29:58-00:00", at(1767637798)}, Known{"2024-02-29T00:00:00Z", at(1709164800)},
                      Known{"1969-12-31T23:59:59.999999999Z", at(-1, 999999999)}, Known{"2016-12-31T23:59:60Z", at(1483228800)}));

class NotATime : public ::testing::TestWithParam<std::string> {};
TEST_P(NotATime, IsRefused) { EXPECT_FALSE(parse_rfc3339(GetParam())) << GetParam(); }
INSTANTIATE_TEST_SUITE_P(Time, NotATime,
                         ::testing::Values("", "2026-01-05", "2026-01-05T18:29:58", "2026-01-05 18:29:58Z",
                                           "2026-13-05T18:29:58Z", "2026-02-29T18:29:58Z", "2026-01-32T18:29:58Z",
                                           "2026-01-05T24:00:00Z", "2026-01-05T18:60:00Z", "2026-01-05T18:29:61Z",
                                           "2026-01-05T18:29:58.Z", "2026-01-05T18:29:58.1234567890Z", "2026-01-05T18:29:58+2:00",
                                           "2026-01-05T18:29:58+24:00", "2026-01-05T18:29:58+02:60", "2026-01-05T18:29:58Zx",
                                           " 2026-01-05T18:29:58Z", "26-01-05T18:29:58Z", "2026-1-05T18:29:58Z",
                                           "1600-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "2026-01-05T18:29:58,5Z"));

TEST(Time, IsWrittenWithoutEmptyFractions) {
  EXPECT_EQ(format_rfc3339(at(1767637798)), "2026-01-05T18:29:58Z");
  EXPECT_EQ(format_rfc3339(at(1767637798, 181047849)), "2026-01-05T18:29:58.181047849Z");
  EXPECT_EQ(format_rfc3339(at(1767637798, 500000000)), "2026-01-05T18:29:58.5Z");
  EXPECT_EQ(format_rfc3339(at(-1, 1)), "1969-12-31T23:59:59.000000001Z");
}

RC_GTEST_PROP(Time, EveryInstantReadsBack, ()) {
  const auto first = sys_days(year(1678) / 1 / 2).time_since_epoch() / nanoseconds(1);
  const auto last = sys_days(year(2261) / 12 / 30).time_since_epoch() / nanoseconds(1);
  const Time time{nanoseconds(*rc::gen::inRange<std::int64_t>(first, last))};
  RC_ASSERT(parse_rfc3339(format_rfc3339(time)) == time);
}

}  // namespace
}  // namespace acceptd::model
