#pragma once
/// Log lines as JSON on a file descriptor.

#include <atomic>

#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace acceptd::runtime {

/// Thread-safe: each line is one write(2).
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
