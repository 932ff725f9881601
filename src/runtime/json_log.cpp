#include "runtime/json_log.hpp"

#include <fmt/chrono.h>
#include <unistd.h>

#include <array>

namespace acceptd::runtime {

namespace {
constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warn", "error"};
constexpr std::size_t kLineBytesMax = 16 * 1024;
}  // namespace

void JsonLog::write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (level < least_) return;
  const auto now = clock_.now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds).count();
  boost::json::object line;
  line["time"] = fmt::format("{:%FT%T}.{:06}Z", fmt::gmtime(static_cast<std::time_t>(seconds.time_since_epoch().count())), micros);
  line["level"] = kLevels[static_cast<std::size_t>(level)];
  line["event"] = event;
  for (const Field& field : fields)
    if (!(field.second.is_string() && field.second.get_string().empty())) line[field.first] = field.second;
  std::string text = boost::json::serialize(line);
  if (text.size() > kLineBytesMax)
    text = boost::json::serialize(boost::json::object{{"time", line["time"]}, {"level", line["level"]}, {"event", event}, {"dropped", "line too long"}});
  text += '\n';
  // A log that cannot be written must not stop the work.
  [[maybe_unused]] const auto written = ::write(descriptor_, text.data(), text.size());
}

}  // namespace acceptd::runtime
