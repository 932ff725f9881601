// cluster-service-sim: a program that answers like OpenShift Cluster Service and provisions nothing.
// docs/cluster-service-sim.md describes it.

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <stdexcept>
#include <string>

#include "apps/cluster-service-sim/simulator/serve.hpp"
#include "http/server.hpp"
#include "runtime/json_log.hpp"
#include "runtime/signals.hpp"
#include "runtime/system_clock.hpp"

namespace {

using namespace acceptd;
namespace asio = boost::asio;

constexpr std::chrono::seconds kGrace{5};
constexpr double kSecondsMax = 1e9;

struct Arguments {
  std::string listen = "127.0.0.1:8203";
  std::string data = "cluster-service-sim.db";
  std::uint64_t seed = 1;
  simulator::Durations durations;
};

http::ListenOptions listen_options(const std::string& text) {
  http::ListenOptions options;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw std::runtime_error("--listen must be address:port");
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, options.port);
  if (error != std::errc() || stopped != end) throw std::runtime_error("--listen must be address:port");
  options.address = text.substr(0, colon);
  return options;
}

void add_duration(CLI::App& app, const std::string& name, runtime::Duration& duration, const std::string& what) {
  const auto set = [&duration](const double& seconds) {
    duration = std::chrono::duration_cast<runtime::Duration>(std::chrono::duration<double>(seconds));
  };
  app.add_option_function<double>(name, set, what)
      ->check(CLI::Range(0.0, kSecondsMax))
      ->type_name("SECONDS")
      ->default_str(fmt::format("{}", std::chrono::duration<double>(duration).count()));
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.set_version_flag("--version", "cluster-service-sim " ACCEPTD_VERSION);
  app.add_option("--listen", arguments.listen, "address:port to serve; port 0 takes any free one")->capture_default_str();
  app.add_option("--data", arguments.data, "SQLite file that keeps the simulated objects")->capture_default_str();
  app.add_option("--seed", arguments.seed, "decides generated ids and the chance of scripted faults")->capture_default_str();
  simulator::Durations& durations = arguments.durations;
  add_duration(app, "--create-seconds", durations.cluster_create, "creation of a cluster");
  add_duration(app, "--update-seconds", durations.cluster_update, "update of a cluster");
  add_duration(app, "--delete-seconds", durations.cluster_delete, "removal of a cluster");
  add_duration(app, "--node-pool-create-seconds", durations.node_pool_create, "creation of a node pool");
  add_duration(app, "--node-pool-update-seconds", durations.node_pool_update, "update of a node pool");
  add_duration(app, "--node-pool-delete-seconds", durations.node_pool_delete, "removal of a node pool");
  add_duration(app, "--credential-seconds", durations.credential, "issue of a break-glass credential");
  add_duration(app, "--revocation-seconds", durations.revocation, "revocation of break-glass credentials");
}

runtime::Task<void> stop_on_signal(http::Server& server) {
  co_await runtime::wait_for_stop_signal();
  co_await server.stop(kGrace);
}

int serve(const Arguments& arguments) {
  asio::io_context io(1);
  runtime::SystemClock clock;
  runtime::JsonLog log(STDERR_FILENO, runtime::Level::warn, clock);
  simulator::Journal journal(arguments.data);
  simulator::World world(journal, clock, arguments.durations, arguments.seed);
  simulator::Simulator simulator(world);
  const http::ListenOptions options = listen_options(arguments.listen);
  http::Server server(io.get_executor(), options, simulator::make_handler(simulator, clock), simulator::make_refuse(),
                      {clock, log});
  server.start();
  std::exception_ptr failure;
  const auto ended = [&failure](std::exception_ptr error) { failure = error; };
  asio::co_spawn(io, stop_on_signal(server), ended);
  const auto announce = [&] {  // after the signals are caught: who reads the line may stop the process at once
    fmt::print("cluster-service-sim {}: a SIMULATOR of OpenShift Cluster Service, serving http://{}:{} from {}\n",
               ACCEPTD_VERSION, options.address, server.port(), arguments.data);
    std::fflush(stdout);
  };
  asio::post(io, announce);
  io.run();
  if (failure) std::rethrow_exception(failure);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A simulator of OpenShift Cluster Service: answers like it, provisions nothing.");
  Arguments arguments;
  add_options(app, arguments);
  CLI11_PARSE(app, argc, argv);
  try {
    return serve(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "cluster-service-sim: {}\n", error.what());
    return 1;
  }
}
