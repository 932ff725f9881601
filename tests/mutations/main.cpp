/// Does the simulation notice when a promise is broken? Breaks them one by one and looks for a seed that says so.
/// mutations [--only NAME] [--five KEY] [--seeds N]

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model/mutation.hpp"
#include "model/uuid.hpp"
#include "simulation/run.hpp"

namespace {

using namespace acceptd;
using model::Mutation;
using model::NamedMutation;
using simulation::StoreKind;

/// What only the embedded store can break is looked for there.
StoreKind store_for(const NamedMutation& mutation) {
  return mutation.name.starts_with("store_") || mutation.mutation == Mutation::serve_expired ? StoreKind::sqlite
                                                                                             : StoreKind::model;
}

/// The first seed that notices; 0 = none.
std::uint64_t find(const NamedMutation& mutation, std::uint64_t seeds, std::string& violation) {
  model::active_mutation = mutation.mutation;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    violation = simulation::run_seed(seed, {.store = store_for(mutation)}).violation;
    if (violation.empty()) continue;
    model::active_mutation = Mutation::none;
    const std::string without = simulation::run_seed(seed, {.store = store_for(mutation)}).violation;
    if (!without.empty()) throw std::runtime_error(fmt::format("seed {} breaks without any mutation: {}", seed, without));
    return seed;
  }
  return 0;
}

/// Five in a row from a place that the key decides.
std::vector<NamedMutation> five(const std::string& key) {
  const std::size_t first = model::uuid_of_name(key).data[0] % model::kMutations.size();
  std::vector<NamedMutation> chosen;
  for (std::size_t i = 0; i < 5; ++i) chosen.push_back(model::kMutations[(first + i) % model::kMutations.size()]);
  return chosen;
}

/// How many were not noticed.
std::size_t try_all(const std::vector<NamedMutation>& mutations, std::uint64_t seeds) {
  std::size_t missed = 0;
  for (const NamedMutation& mutation : mutations) {
    std::string violation;
    const std::uint64_t seed = find(mutation, seeds, violation);
    missed += seed == 0;
    fmt::print("{:28} {:>6}  {}\n", mutation.name, seed == 0 ? "MISSED" : fmt::format("{}", seed), violation.substr(0, 120));
    std::fflush(stdout);
  }
  fmt::print("{} of {} mutations were noticed\n", mutations.size() - missed, mutations.size());
  return missed;
}

}  // namespace

int main(int argc, char** argv) {
  std::string only, key;
  std::uint64_t seeds = 500;
  CLI::App app("Breaks the engine on purpose and requires that the simulation notices");
  app.add_option("--only", only, "one mutation by name");
  app.add_option("--five", key, "five of them, chosen by this text");
  app.add_option("--seeds", seeds, "how many seeds each may take");
  CLI11_PARSE(app, argc, argv);

  std::vector<NamedMutation> chosen(model::kMutations.begin(), model::kMutations.end());
  if (!key.empty()) chosen = five(key);
  if (!only.empty()) std::erase_if(chosen, [&](const NamedMutation& mutation) { return mutation.name != only; });

  try {
    return try_all(chosen, seeds) == 0 && !chosen.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
}
