#pragma once
/// Points in time as documents hold them. Pure values: who needs "now" is handed it.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace acceptd::model {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;

/// RFC 3339 in UTC, "2026-01-05T18:29:58.181047849Z"; no fraction when it is zero.
std::string format_rfc3339(Time time);

/// Accepts any offset and 0 to 9 fractional digits; nullopt if the text is not RFC 3339.
std::optional<Time> parse_rfc3339(std::string_view text);

}  // namespace acceptd::model
