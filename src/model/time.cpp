#include "model/time.hpp"

namespace acceptd::model {

namespace {

using namespace std::chrono;

/// Reads exactly `digits` decimal digits at `at` and moves past them; -1 if they are not there.
int read_digits(std::string_view text, std::size_t& at, std::size_t digits) {
  if (at + digits > text.size()) return -1;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = text[at + i];
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  at += digits;
  return value;
}

bool read_char(std::string_view text, std::size_t& at, char lower, char upper) {
  if (at >= text.size() || (text[at] != lower && text[at] != upper)) return false;
  ++at;
  return true;
}

std::optional<nanoseconds> read_fraction(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '.') return nanoseconds(0);
  ++at;
  std::int64_t value = 0, unit = 100'000'000;
  const std::size_t start = at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at - start < 9) {
    value += (text[at++] - '0') * unit;
    unit /= 10;
  }
  if (at == start) return std::nullopt;
  return nanoseconds(value);
}

std::optional<minutes> read_offset(std::string_view text, std::size_t& at) {
  if (read_char(text, at, 'z', 'Z')) return minutes(0);
  if (at >= text.size() || (text[at] != '+' && text[at] != '-')) return std::nullopt;
  const bool west = text[at++] == '-';
  const int hour = read_digits(text, at, 2);
  if (hour < 0 || hour > 23 || !read_char(text, at, ':', ':')) return std::nullopt;
  const int minute = read_digits(text, at, 2);
  if (minute < 0 || minute > 59) return std::nullopt;
  const minutes offset(hour * 60 + minute);
  return west ? -offset : offset;
}

}  // namespace

// By hand: every document has a dozen of times, and a general formatter was a tenth of the work of accepting a request.
std::string format_rfc3339(Time time) {
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::string text = "0000-00-00T00:00:00";
  const auto put = [&text](std::size_t at, std::size_t digits, auto value) {
    for (; digits > 0; --digits, value /= 10) text[at + digits - 1] = static_cast<char>('0' + value % 10);
  };
  put(0, 4, static_cast<int>(date.year()));  // Time reaches from 1678 to 2261
  put(5, 2, static_cast<unsigned>(date.month()));
  put(8, 2, static_cast<unsigned>(date.day()));
  put(11, 2, clock.hours().count());
  put(14, 2, clock.minutes().count());
  put(17, 2, clock.seconds().count());
  if (const auto fraction = clock.subseconds().count(); fraction != 0) {
    text += ".000000000";
    put(20, 9, fraction);
    while (text.back() == '0') text.pop_back();
  }
  return text += 'Z';
}

std::optional<Time> parse_rfc3339(std::string_view text) {
  std::size_t at = 0;
  const int y = read_digits(text, at, 4);
  if (y < 0 || !read_char(text, at, '-', '-')) return std::nullopt;
  const int m = read_digits(text, at, 2);
  if (m < 0 || !read_char(text, at, '-', '-')) return std::nullopt;
  const int d = read_digits(text, at, 2);
  if (d < 0 || !read_char(text, at, 't', 'T')) return std::nullopt;
  const int hour = read_digits(text, at, 2);
  if (hour < 0 || hour > 23 || !read_char(text, at, ':', ':')) return std::nullopt;
  const int minute = read_digits(text, at, 2);
  if (minute < 0 || minute > 59 || !read_char(text, at, ':', ':')) return std::nullopt;
  const int second = read_digits(text, at, 2);
  if (second < 0 || second > 60) return std::nullopt;
  const auto fraction = read_fraction(text, at);
  if (!fraction) return std::nullopt;
  const auto offset = read_offset(text, at);
  const year_month_day date(year(y), month(static_cast<unsigned>(m)), day(static_cast<unsigned>(d)));
  // Nanoseconds since 1970 fit 64 bits from 1678 to 2261.
  if (!offset || at != text.size() || !date.ok() || y < 1678 || y > 2261) return std::nullopt;
  return Time(sys_days(date)) + hours(hour) + minutes(minute) + seconds(second) + *fraction - *offset;
}

}  // namespace acceptd::model
