#pragma once
/// When to ask again (ARM-126, ARM-200, ARM-201, SH-001). Pure.

#include <optional>

#include "http/client.hpp"
#include "http/message.hpp"
#include "runtime/clock.hpp"

namespace acceptd::acceptctl {

/// What a client waits before a poll when the server does not say.
inline constexpr std::chrono::seconds kPollDefault{60};
/// Attempts at one request that is not a poll.
inline constexpr unsigned kAttemptsMax = 4;
inline constexpr std::chrono::milliseconds kBackOffFirst{250};
inline constexpr std::chrono::seconds kBackOffLongest{30};

/// retry-after-ms, x-ms-retry-after-ms, or Retry-After as seconds or as a date; nullopt if absent or unreadable. A date
/// in the past is zero.
std::optional<runtime::Duration> retry_after(const http::Headers& headers, runtime::Time now);

/// Doubles from kBackOffFirst per failed attempt (0, 1, …) up to kBackOffLongest. `unit` is uniform in [0, 1): half of it is
/// chance.
runtime::Duration back_off(unsigned attempt, double unit);

/// Whether an answer says "not now" rather than how it ended.
bool is_transient(unsigned status, const http::Headers& headers);
/// Whether the request may be sent again after it: a POST or PATCH only if it certainly was not carried out.
bool may_repeat(http::Method method, const http::Response& answer);
bool may_repeat(http::Method method, const http::ClientError& error);

}  // namespace acceptd::acceptctl
