/// simulate --from N --seeds M [--store model|sqlite] [--trace]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "simulation/run.hpp"

namespace {

namespace sim = acceptd::simulation;

void report(std::uint64_t seed, const std::string& store, const sim::Outcome& outcome) {
  fmt::print("\nseed {} breaks an invariant: {}\nthe last {} events:\n", seed, outcome.violation, outcome.last.size());
  for (const std::string& line : outcome.last) fmt::print("  {}\n", line);
  fmt::print("replay: make simulate SEEDS=1 FROM={}{}\n", seed, store == "model" ? "" : " STORE=" + store);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t from = 1, seeds = 1;
  std::string store = "model";
  bool trace = false, brief = false, places = false;
  std::uint64_t broken_max = 5;
  CLI::App app("Deterministic simulation of the engine under seeded faults");
  app.add_option("--from", from, "first seed");
  app.add_option("--seeds", seeds, "how many seeds");
  app.add_option("--store", store)->check(CLI::IsMember({"model", "sqlite"}));
  app.add_flag("--trace", trace, "print every event");
  app.add_flag("--brief", brief, "of a broken seed, print one line");
  app.add_flag("--places", places, "print how often each place was come by");
  app.add_option("--broken-max", broken_max, "stop after so many broken seeds");
  CLI11_PARSE(app, argc, argv);

  const auto kind = store == "model" ? sim::StoreKind::model : sim::StoreKind::sqlite;
  const auto began = std::chrono::steady_clock::now();
  std::uint64_t broken = 0, requests = 0, faults = 0;
  sim::Duration simulated{};
  std::map<std::string_view, std::uint64_t> seen;
  for (std::uint64_t seed = from; seed < from + seeds && broken < broken_max; ++seed) {
    const sim::Outcome outcome = sim::run_seed(seed, {.store = kind, .print = trace});
    requests += outcome.requests;
    faults += outcome.faults;
    simulated += outcome.simulated;
    for (const auto& [place, count] : outcome.seen) seen[place] += count;
    if (outcome.violation.empty()) continue;
    ++broken;
    if (brief)
      fmt::print("seed {}: {}\n", seed, outcome.violation);
    else
      report(seed, store, outcome);
  }
  if (places)
    for (const auto& [place, count] : seen) fmt::print("{:>10} {}\n", count, place);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  fmt::print(
      "{} seeds, {} broken, {} requests, {} crashes and other faults of processes, {:.0f} simulated hours in {:.1f} s ({:.1f} "
      "seeds/s)\n",
      seeds, broken, requests, faults, std::chrono::duration<double>(simulated).count() / 3600, seconds,
      static_cast<double>(seeds) / seconds);
  return broken == 0 ? 0 : 1;
}
