#include "apps/acceptd/process/providers.hpp"

#include <fmt/format.h>

#include <set>

#include "types/hcp/hcp.hpp"

namespace acceptd::process {

namespace {

using config::Section;
using std::chrono::hours;
using std::chrono::milliseconds;

providers::simulated::Options read_simulated(Section section) {
  providers::simulated::Options options;
  section.duration("work", options.work, milliseconds(0), hours(24));
  section.duration("removal", options.removal, milliseconds(0), hours(24));
  if (const auto observed = section.json("observed")) {
    if (observed->is_object())
      options.observed = observed->get_object();
    else
      section.complain("observed", "expected a mapping of read-only properties");
  }
  if (auto results = section.optional_child("results")) {
    for (const std::string& action : results->keys())
      if (auto result = results->json(action)) options.results[model::to_lower(action)] = std::move(*result);
    results->finish();
  }
  section.finish();
  return options;
}

void read_backend(const std::string& type, Section section, std::map<std::string, Backend>& backends) {
  auto simulated = section.optional_child("simulated");
  auto http = section.optional_child("http");
  if (simulated.has_value() == http.has_value()) section.complain("", "expected one of simulated and http");
  if (simulated) backends.insert_or_assign(type, read_simulated(std::move(*simulated)));
  if (http) backends.insert_or_assign(type, providers::http_backend::read_spec(std::move(*http)));
  section.finish();
}

/// No active operation may expire.
void check_deadlines(const std::string& folder, const DeclaredProvider& declared, const Config& config,
                     std::vector<std::string>& problems) {
  for (const auto& [type, settings] : declared.provider.settings) {
    const auto longest =
        std::max({settings.deadlines.create, settings.deadlines.update, settings.deadlines.remove, settings.action_deadline});
    if (longest + config.engine.pause_max < config.engine.retention) continue;
    problems.push_back(fmt::format("{}: {}deadlines: the longest with its pause ({}) must be shorter than engine.retention",
                                   folder, type.empty() ? "" : "types." + type + ".",
                                   config::format_duration(longest + config.engine.pause_max)));
  }
}

}  // namespace

std::vector<DeclaredProvider> load_providers(const Config& config, std::vector<std::string>& problems) {
  std::vector<DeclaredProvider> loaded;
  std::set<std::string> known;
  if (config.hosted_clusters) known.insert(model::to_lower(types::hcp::kNamespace));
  const types::declared::Defaults defaults{.deadlines = config.deadlines,
                                           .action_deadline = config.action_deadline.value_or(std::chrono::minutes(15))};
  for (const std::string& folder : config.providers) {
    DeclaredProvider declared;
    const std::size_t before = problems.size();
    declared.provider = types::declared::load_provider(
        folder, defaults,
        [&](const std::string& type, Section section) {
          read_backend(model::to_lower(type), std::move(section), declared.backends);
        },
        problems);
    if (problems.size() > before) continue;
    check_deadlines(folder, declared, config, problems);
    const std::string& name = declared.provider.description->provider;
    if (!known.insert(model::to_lower(name)).second)
      problems.push_back(fmt::format("{}: the namespace {} is served already", folder, name));
    loaded.push_back(std::move(declared));
  }
  return loaded;
}

std::unique_ptr<engine::Provider> make_backend(Backend backend, const TypeDependencies& dependencies) {
  if (auto* simulated = std::get_if<providers::simulated::Options>(&backend))
    return std::make_unique<providers::simulated::SimulatedProvider>(std::move(*simulated), dependencies.clock);
  auto& spec = std::get<providers::http_backend::Spec>(backend);
  auto client = http::make_client(dependencies.executor, providers::http_backend::client_options(spec), dependencies.clock);
  providers::http_backend::Calls::Dependencies needs{
      .client = std::move(client), .clock = dependencies.clock, .random = dependencies.random, .log = dependencies.log};
  return providers::http_backend::make_provider(std::move(spec), std::move(needs));
}

}  // namespace acceptd::process
