#pragma once
/// The real clock and the log of this program.

#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace acceptd::apps {

class WallClock : public runtime::Clock {
 public:
  runtime::Time now() const override;
  runtime::Monotonic monotonic() const override;
  runtime::Task<void> sleep_until(runtime::Monotonic when) override;
};

/// Warnings and errors only: a simulator has statistics instead of a log of calls.
class StandardError : public runtime::Log {
 public:
  void write(runtime::Level level, std::string_view event, std::initializer_list<Field> fields) override;
};

}  // namespace acceptd::apps
