#pragma once
/// The machine's clock.

#include "runtime/clock.hpp"

namespace acceptd::runtime {

class SystemClock final : public Clock {
 public:
  Time now() const override;
  Monotonic monotonic() const override;
  Task<void> sleep_until(Monotonic when) override;
};

}  // namespace acceptd::runtime
