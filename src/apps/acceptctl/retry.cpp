#include "retry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

namespace acceptd::acceptctl {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kSecondsMax = 7 * 24 * 3600;  // an answer that asks for more is not to be believed

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<runtime::Time> http_date(const std::string& text) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return runtime::Time(seconds(timegm(&parts)));
}

bool is_idempotent(http::Method method) { return method != http::Method::post && method != http::Method::patch; }

}  // namespace

std::optional<runtime::Duration> retry_after(const http::Headers& headers, runtime::Time now) {
  for (const std::string_view name : {"retry-after-ms", "x-ms-retry-after-ms"}) {
    const auto value = headers.get(name);
    const auto number = value ? whole_number(*value) : std::nullopt;
    if (number) return milliseconds(std::min(*number, kSecondsMax * 1000));
  }
  const auto value = headers.get("Retry-After");
  if (!value) return std::nullopt;
  if (const auto number = whole_number(*value)) return seconds(std::min(*number, kSecondsMax));
  const auto date = http_date(std::string(*value));
  if (!date) return std::nullopt;
  return std::clamp<runtime::Duration>(*date - now, runtime::Duration(0), seconds(kSecondsMax));
}

runtime::Duration back_off(unsigned attempt, double unit) {
  const double longest = std::chrono::duration<double>(kBackOffLongest).count();
  const double whole = std::min(std::chrono::duration<double>(kBackOffFirst).count() * std::exp2(attempt), longest);
  return std::chrono::duration_cast<runtime::Duration>(std::chrono::duration<double>(whole / 2 + whole / 2 * unit));
}

bool is_transient(unsigned status, const http::Headers& headers) {
  return status == 408 || status == 429 || status >= 500 || (status >= 400 && headers.get("Retry-After").has_value());
}

bool may_repeat(http::Method method, const http::Response& answer) {
  if (!is_transient(answer.status, answer.headers)) return false;
  return is_idempotent(method) || answer.status < 500 || answer.status == 503;
}

bool may_repeat(http::Method method, const http::ClientError& error) {
  return is_idempotent(method) || error.failure == http::Failure::not_sent;
}

}  // namespace acceptd::acceptctl
