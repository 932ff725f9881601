#pragma once
/// Chance by seed: the same seed gives the same numbers on every machine.

#include <cstdint>

#include "runtime/random.hpp"

namespace acceptd::simulation {

/// SplitMix64: tiny, and good enough to decide what goes wrong next.
class Seeded final : public runtime::Random {
 public:
  explicit Seeded(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 0x1234567) {}

  std::uint64_t next() override {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  bool chance(double probability) { return unit() < probability; }
  runtime::Duration between(runtime::Duration least, runtime::Duration most) {
    return least + runtime::Duration(static_cast<std::int64_t>(below(static_cast<std::uint64_t>((most - least).count()) + 1)));
  }
  template <class Range>
  auto& one_of(Range& values) {
    return values[below(values.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace acceptd::simulation
