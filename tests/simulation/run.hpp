#pragma once
/// One seed: a world, its faults, its callers, from the first request until all is quiet.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "simulation/plan.hpp"

namespace acceptd::simulation {

struct Outcome {
  std::string violation;          ///< "" = all invariants held
  std::uint64_t hash = 0;         ///< of all that happened
  std::vector<std::string> last;  ///< events before the end
  std::uint64_t requests = 0, accepted = 0, refused = 0, lost = 0, faults = 0;
  std::size_t resources = 0;
  Duration simulated{};
  std::map<std::string_view, std::uint64_t> seen;  ///< places, and how often they were come by
  std::set<std::string_view> crashed;              ///< those at which a process died
};

struct RunOptions {
  StoreKind store = StoreKind::model;
  bool print = false;                 ///< every event
  std::optional<CrashPoint> crash{};  ///< besides those that the seed draws
};

/// Never throws for what the engine does. Deterministic.
Outcome run_seed(std::uint64_t seed, const RunOptions& options);

}  // namespace acceptd::simulation
