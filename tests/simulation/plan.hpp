#pragma once
/// What goes wrong in a run, and how often: drawn once from the seed.

#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "simulation/world.hpp"

namespace acceptd::simulation {

enum class StoreKind { model, sqlite };

/// A crash at the n-th time that a process comes by a place.
struct CrashPoint {
  std::string_view place;
  std::uint32_t occurrence = 1;
  bool after_effect = false;  ///< what the place is about to ask for still happens; nobody hears the answer
};

/// Nobody at the backend answers between the two moments.
struct Outage {
  Duration from{}, until{};
};

struct Plan {
  StoreKind store = StoreKind::model;
  // Store: shares of calls.
  double store_delay = 0, store_unavailable = 0, store_unknown = 0, store_conflict = 0;
  bool disk_fails = false;
  // Backend: shares of calls.
  double lost = 0, late = 0, dropped = 0, duplicated = 0, slow = 0, rejected = 0, silent = 0;
  // Backend: shares of objects, or of what they are asked to do.
  double provision_fails = 0, never_finishes = 0, unexpected = 0, lies = 0, refuses_twice = 0;
  bool removes_children = true;
  std::uint64_t strangers = 0;  ///< objects of others that have our resources' names for a while
  std::vector<Outage> outages;
  // Processes.
  std::vector<CrashPoint> crashes;
  std::vector<Duration> crashes_at, freezes_at, stops_at;
  std::vector<std::pair<Duration, Duration>> wall_jumps;  ///< when, by how much
  // Workload.
  std::size_t callers = 12;
  std::size_t requests = 220;
  Duration think_max = 60s;
  bool subscriptions_change = false;
  engine::EngineOptions engine;

  static Plan draw(std::uint64_t seed, StoreKind store);
};

/// How long after it was sent a request may still be carried out; the provider promises settle_time, which is longer by
/// the error that wall clocks may have.
inline constexpr Duration kRequestTimeout = 10s;
inline constexpr Duration kLateMax = 20s;
inline constexpr Duration kSettleTime = 40s;

}  // namespace acceptd::simulation
