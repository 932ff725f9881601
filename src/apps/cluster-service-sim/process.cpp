#include "process.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

namespace acceptd::apps {

runtime::Time WallClock::now() const {
  return std::chrono::time_point_cast<runtime::Duration>(std::chrono::system_clock::now());
}

runtime::Monotonic WallClock::monotonic() const {
  return runtime::Monotonic(std::chrono::steady_clock::now().time_since_epoch());
}

runtime::Task<void> WallClock::sleep_until(runtime::Monotonic when) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
  timer.expires_at(std::chrono::steady_clock::time_point(when.time_since_epoch()));
  co_await timer.async_wait(boost::asio::use_awaitable);
}

void StandardError::write(runtime::Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (level != runtime::Level::warn && level != runtime::Level::error) return;
  boost::json::object line{{"level", level == runtime::Level::warn ? "warn" : "error"}, {"event", event}};
  for (const Field& field : fields) line[field.first] = field.second;
  fmt::print(stderr, "{}\n", boost::json::serialize(line));
}

}  // namespace acceptd::apps
