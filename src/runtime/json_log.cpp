#include "runtime/json_log.hpp"

#include <fmt/chrono.h>
#include <unistd.h>

#include <array>
#include <boost/locale/utf.hpp>

namespace acceptd::runtime {

namespace {

constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warn", "error"};
/// What a pipe takes whole next to other writers is less, but a longer line is of no use to anyone.
constexpr std::size_t kLineBytesMax = 16 * 1024;

/// A copy whose bytes are valid UTF-8: each byte that is not becomes U+FFFD.
std::string readable(std::string_view text) {
  namespace utf = boost::locale::utf;
  std::string out;
  out.reserve(text.size());
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* next = at;
    const utf::code_point point = utf::utf_traits<char>::decode(next, end);
    if (point == utf::illegal || point == utf::incomplete) {
      out += "\xef\xbf\xbd";
      ++at;
    } else {
      out.append(at, next);
      at = next;
    }
  }
  return out;
}

boost::json::value readable(const boost::json::value& value) {
  if (const auto* text = value.if_string()) return boost::json::value_from(readable(std::string_view(*text)));
  return value;
}

std::string now_text(const Clock& clock) {
  const auto now = clock.now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds).count();
  return fmt::format("{:%FT%T}.{:06}Z", fmt::gmtime(static_cast<std::time_t>(seconds.time_since_epoch().count())), micros);
}

}  // namespace

void JsonLog::write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (level < least_) return;
  boost::json::object line;
  line["time"] = now_text(clock_);
  line["level"] = kLevels[static_cast<std::size_t>(level)];
  line["event"] = event;
  for (const Field& field : fields) line[field.first] = readable(field.second);
  std::string text = boost::json::serialize(line);
  if (text.size() > kLineBytesMax) {
    boost::json::object instead;
    for (const char* key : {"time", "level", "event"}) instead[key] = line[key];
    instead["dropped"] = "the line was too long";
    text = boost::json::serialize(instead);
  }
  text += '\n';
  // A log that cannot be written must not stop the work.
  [[maybe_unused]] const auto written = ::write(descriptor_, text.data(), text.size());
}

}  // namespace acceptd::runtime
