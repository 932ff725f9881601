// acceptd: durable, asynchronous HTTP APIs in front of slow backends.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "apps/acceptd/process/config.hpp"
#include "apps/acceptd/process/providers.hpp"
#include "apps/acceptd/process/serve.hpp"

namespace {

using namespace acceptd::process;

/// All that is wrong with the file, one line each; nullopt then.
std::optional<Config> read_config(const std::string& file) {
  auto config = load_config(file);
  if (config) return std::move(*config);
  for (const acceptd::config::Problem& problem : config.error()) fmt::print(stderr, "{}\n", to_string(problem, file));
  return std::nullopt;
}

/// What a declared provider serves, and what of its documents it does not.
void describe(const acceptd::types::declared::Description& description) {
  fmt::print("{}: {} resource types\n", description.provider, description.types.size());
  for (const auto& type : description.types) fmt::print("  {} ({} API versions)\n", type.name, type.versions.size());
  for (const auto& note : description.notes) fmt::print("note: {}\n", to_string(note));
}

int check(const std::string& file) {
  const auto config = read_config(file);
  if (!config) return 1;
  std::vector<std::string> problems;
  const auto providers = load_providers(*config, problems);
  for (const std::string& problem : problems) fmt::print(stderr, "{}\n", problem);
  if (!problems.empty()) return 1;
  for (const DeclaredProvider& declared : providers) describe(*declared.provider.description);
  fmt::print("{}: good\n", file);
  return 0;
}

int run(const std::string& file) {
  const auto config = read_config(file);
  if (!config) return 1;
  serve(*config);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Durable, asynchronous HTTP APIs in front of slow backends.", "acceptd");
  app.set_version_flag("--version", "acceptd " ACCEPTD_VERSION);
  app.require_subcommand(0, 1);
  std::string config_file = "acceptd.yaml", checked_file;
  app.add_option("--config", config_file, "configuration file; deploy/acceptd.yaml shows every key")->capture_default_str();
  app.add_subcommand("serve", "serve until SIGTERM or SIGINT (what is done without a command, too)")->fallthrough();
  CLI::App* check_command =
      app.add_subcommand("check", "say what is wrong with a configuration file, and exit with 1 if anything is");
  check_command->add_option("file", checked_file, "configuration file")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    return check_command->parsed() ? check(checked_file) : run(config_file);
  } catch (const std::exception& error) {
    fmt::print(stderr, "acceptd: {}\n", error.what());
    return 1;
  }
}
