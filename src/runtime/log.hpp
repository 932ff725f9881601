#pragma once
/// JSON lines: one event name and key/value pairs. Never pass secrets, bodies or systemData (HCP, ARM-070).

#include <boost/json.hpp>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace acceptd::runtime {

enum class Level : std::uint8_t { debug, info, warn, error };

/// Thread-safe; one write per line.
class Log {
 public:
  struct Field {
    std::string_view first;
    boost::json::value second;
    template <class Value>
    Field(std::string_view name, Value&& value) : first(name), second(boost::json::value_from(std::forward<Value>(value))) {}
  };
  virtual ~Log() = default;
  /// {"time":…,"level":…,"event":"accept.committed", fields…}
  virtual void write(Level level, std::string_view event, std::initializer_list<Field> fields) = 0;

  void debug(std::string_view event, std::initializer_list<Field> fields = {}) { write(Level::debug, event, fields); }
  void info(std::string_view event, std::initializer_list<Field> fields = {}) { write(Level::info, event, fields); }
  void warn(std::string_view event, std::initializer_list<Field> fields = {}) { write(Level::warn, event, fields); }
  void error(std::string_view event, std::initializer_list<Field> fields = {}) { write(Level::error, event, fields); }
};

}  // namespace acceptd::runtime
