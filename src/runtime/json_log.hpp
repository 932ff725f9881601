#pragma once
/// Log lines as JSON on a file descriptor.

#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace acceptd::runtime {

/// Thread-safe: each line is one write(2). Text values that are not UTF-8 are repaired; nested ones must be. Names of
/// events and fields are literals of the program. The clock must outlive it.
class JsonLog final : public Log {
 public:
  JsonLog(int descriptor, Level least, const Clock& clock) : descriptor_(descriptor), least_(least), clock_(clock) {}
  void write(Level level, std::string_view event, std::initializer_list<Field> fields) override;

 private:
  int descriptor_;
  Level least_;
  const Clock& clock_;
};

}  // namespace acceptd::runtime
