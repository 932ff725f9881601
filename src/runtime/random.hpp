#pragma once
/// The door to chance: random numbers and new identifiers.

#include <boost/uuid/uuid.hpp>
#include <cstdint>

#include "runtime/clock.hpp"

namespace acceptd::runtime {

/// Thread-safe.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;  ///< 64 uniform bits

  double unit();                                ///< uniform in [0, 1)
  std::uint64_t below(std::uint64_t bound);     ///< uniform in [0, bound); bound > 0
  boost::uuids::uuid uuid_v4();                 ///< RFC 9562 §5.4
  boost::uuids::uuid uuid_v7(Time now);         ///< RFC 9562 §5.7: sorts by time
  Duration jitter(Duration base, double part);  ///< base × uniform in [1 - part, 1 + part]
};

}  // namespace acceptd::runtime
