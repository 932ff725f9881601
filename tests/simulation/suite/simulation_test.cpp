/// Seeds in bulk; every place crashed at; the same seed, the same run.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simulation/places.hpp"
#include "simulation/run.hpp"

namespace acceptd::simulation {
namespace {

constexpr std::uint64_t kShards = 10;
static_assert(SIMULATION_MODEL_SEEDS % kShards == 0 && SIMULATION_SQLITE_SEEDS % kShards == 0);

std::string story(std::uint64_t seed, StoreKind store, const Outcome& outcome) {
  std::string text = fmt::format("seed {}: {}\n", seed, outcome.violation);
  for (const std::string& line : outcome.last) text += "  " + line + "\n";
  return text + fmt::format("replay: make simulate SEEDS=1 FROM={}{}\n", seed, store == StoreKind::sqlite ? " STORE=sqlite" : "");
}

void run_seeds(std::uint64_t first, std::uint64_t count, StoreKind store) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Outcome outcome = run_seed(seed, {.store = store});
    ASSERT_EQ(outcome.violation, "") << story(seed, store, outcome);
    // A run in which little happens would prove little.
    ASSERT_GE(outcome.requests, 200u) << "seed " << seed;
    ASSERT_GE(outcome.resources, 20u) << "seed " << seed;
  }
}

class Seeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Seeds, TheInvariantsHoldOverTheModelStore) {
  run_seeds(1 + GetParam() * (SIMULATION_MODEL_SEEDS / kShards), SIMULATION_MODEL_SEEDS / kShards, StoreKind::model);
}

TEST_P(Seeds, TheInvariantsHoldOverTheEmbeddedStore) {
  run_seeds(1 + GetParam() * (SIMULATION_SQLITE_SEEDS / kShards), SIMULATION_SQLITE_SEEDS / kShards, StoreKind::sqlite);
}

INSTANTIATE_TEST_SUITE_P(All, Seeds, ::testing::Range<std::uint64_t>(0, kShards));

TEST(Simulation, TheSameSeedIsTheSameRun) {
  for (const StoreKind store : {StoreKind::model, StoreKind::sqlite})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Outcome first = run_seed(seed, {.store = store}), second = run_seed(seed, {.store = store});
      EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
      EXPECT_EQ(first.requests, second.requests) << "seed " << seed;
    }
}

TEST(Simulation, SeedsDiffer) { EXPECT_NE(run_seed(1, {}).hash, run_seed(2, {}).hash); }

/// Runs seeds until a process died at the place, before its effect or after it.
bool crash_at(std::string_view place, bool after_effect) {
  constexpr std::uint64_t kSeedsMax = 200;
  for (std::uint64_t i = 0; i < kSeedsMax; ++i) {
    const std::uint64_t seed = 100'000 + i;
    const CrashPoint point{.place = place, .occurrence = static_cast<std::uint32_t>(1 + i % 2), .after_effect = after_effect};
    const Outcome outcome = run_seed(seed, {.crash = point});
    EXPECT_EQ(outcome.violation, "") << fmt::format("crash {} {}, ", after_effect ? "after" : "before", place)
                                     << story(seed, StoreKind::model, outcome);
    if (outcome.crashed.contains(place) || !outcome.violation.empty()) return true;
  }
  return false;
}

class Places : public ::testing::TestWithParam<std::uint64_t> {};

/// The list of places is complete: a run that comes by another one fails. Here each one on it is crashed at.
TEST_P(Places, AProcessDiesAtEveryOne) {
  for (std::size_t i = GetParam(); i < kPlaces.size(); i += 2) {
    for (const bool after_effect : {false, true})
      EXPECT_TRUE(crash_at(kPlaces[i], after_effect)) << "never came by " << kPlaces[i];
  }
}

INSTANTIATE_TEST_SUITE_P(All, Places, ::testing::Range<std::uint64_t>(0, 2));

}  // namespace
}  // namespace acceptd::simulation
