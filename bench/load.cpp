/// A load generator that speaks the ARM contract: registers subscriptions, puts clusters, reads statuses, and checks what it
/// gets. Prints one JSON line per phase. Loopback only.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "http/client.hpp"
#include "http/uri.hpp"
#include "runtime/system_clock.hpp"

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace acceptd;
using runtime::Task;

struct Settings {
  std::string url = "http://127.0.0.1:8202";
  std::string phases = "register,accept";
  std::size_t connections = 32, tenants = 1000, operations = 20'000, seconds = 10;
  std::string prefix = "b";
};

struct Accepted {
  std::string status_target;
  std::string operation;
};

struct Phase {
  std::string name;
  std::vector<double> latencies_us;
  std::size_t failures = 0;
  std::string first_failure;
  double seconds = 0;
};

std::string subscription(std::size_t tenant) { return fmt::format("00000000-0000-4000-8000-{:012x}", tenant); }

std::string cluster_target(const Settings& settings, std::size_t n) {
  return fmt::format(
      "/subscriptions/{}/resourceGroups/bench/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/{}{}"
      "?api-version=2024-06-10-preview",
      subscription(n % settings.tenants), settings.prefix, n);
}

/// A full body of about 1 KB.
std::string cluster_body(const Settings& settings, std::size_t n) {
  const std::string scope =
      fmt::format("/subscriptions/{}/resourceGroups/net/providers/Microsoft.Network", subscription(n % settings.tenants));
  json::object platform{{"managedResourceGroup", fmt::format("mrg-{}{}", settings.prefix, n)},
                        {"subnetId", fmt::format("{}/virtualNetworks/vnet/subnets/s{}{}", scope, settings.prefix, n)},
                        {"networkSecurityGroupId", fmt::format("{}/networkSecurityGroups/n{}{}", scope, settings.prefix, n)},
                        {"outboundType", "LoadBalancer"}};
  json::object network{{"networkType", "OVNKubernetes"},
                       {"podCidr", "10.128.0.0/14"},
                       {"serviceCidr", "172.30.0.0/16"},
                       {"machineCidr", "10.0.0.0/16"},
                       {"hostPrefix", 23}};
  json::object properties{{"version", {{"id", "4.20"}, {"channelGroup", "stable"}}},
                          {"network", std::move(network)},
                          {"platform", std::move(platform)},
                          {"api", {{"visibility", "Public"}}},
                          {"dns", json::object{}},
                          {"nodeDrainTimeoutMinutes", 15}};
  json::object tags{{"purpose", "measurement"}, {"note", std::string(200, 'x')}};
  return json::serialize(json::object{{"location", "westus3"},
                                      {"tags", std::move(tags)},
                                      {"identity", {{"type", "UserAssigned"}, {"userAssignedIdentities", json::object{}}}},
                                      {"properties", std::move(properties)}});
}

http::Headers caller(std::size_t tenant, bool body) {
  http::Headers headers;
  headers.add("x-ms-home-tenant-id", fmt::format("10000000-0000-4000-8000-{:012x}", tenant));
  headers.add("x-ms-client-object-id", "20000000-0000-4000-8000-000000000001");
  if (body) headers.add("Content-Type", "application/json");
  return headers;
}

class Load {
 public:
  Load(asio::io_context& io, Settings settings)
      : io_(io),
        settings_(std::move(settings)),
        client_(http::make_client(io.get_executor(), {.url = settings_.url, .connections_max = settings_.connections}, clock_)) {}

  /// Runs `one(i)` for i in [0, count) on as many lines as connections; stops early after the seconds, if set.
  template <class One>
  Phase run(std::string name, std::size_t count, bool timed, One one) {
    Phase phase{.name = std::move(name)};
    std::size_t next = 0, lines = settings_.connections;
    const auto start = clock_.monotonic();
    const auto until = start + std::chrono::seconds(settings_.seconds);
    auto line = [&]() -> Task<void> {
      while (next < count && (!timed || clock_.monotonic() < until)) {
        const std::size_t mine = next++;
        const auto begin = clock_.monotonic();
        const std::string failure = co_await one(mine);
        phase.latencies_us.push_back(static_cast<double>((clock_.monotonic() - begin).count()) / 1000.0);
        if (failure.empty()) continue;
        if (phase.failures++ == 0) phase.first_failure = failure;
      }
    };
    for (std::size_t i = 0; i < lines; ++i) asio::co_spawn(io_, line(), asio::detached);
    io_.restart();
    io_.run();
    phase.seconds = std::chrono::duration<double>(clock_.monotonic() - start).count();
    return phase;
  }

  Phase register_subscriptions() {
    return run("register", settings_.tenants, false, [this](std::size_t i) -> Task<std::string> {
      http::ClientRequest request{.method = http::Method::put,
                                  .target = "/subscriptions/" + subscription(i) + "?api-version=2.0"};
      request.headers = caller(i, true);
      request.body = R"({"state":"Registered","registrationDate":"2026-01-01T00:00:00Z","properties":null})";
      const auto answer = co_await client_->send(std::move(request));
      co_return answer && answer->status == 200 ? "" : describe(answer);
    });
  }

  Phase accept(bool timed) {
    return run("accept", timed ? SIZE_MAX : settings_.operations, timed,
               [this](std::size_t i) -> Task<std::string> { co_return co_await put(base_ + i); });
  }

  /// Reads random statuses; every hundredth answer is parsed and compared.
  Phase status() {
    return run("status", SIZE_MAX, true, [this](std::size_t i) -> Task<std::string> {
      const std::size_t pick = random_() % accepted_.size();
      const auto& [target, operation] = accepted_[pick];
      http::ClientRequest request{.target = target};
      request.headers = caller(tenant_of_[pick], false);
      const auto answer = co_await client_->send(std::move(request));
      if (!answer || answer->status != 200) co_return describe(answer);
      if (i % 100 != 0) co_return "";
      const json::value body = json::parse(answer->body);
      const bool right = body.at("name").as_string() == operation &&
                         body.at("id").as_string().find(operation) != json::string::npos &&
                         !body.at("status").as_string().empty();
      co_return right ? "" : "wrong answer: " + answer->body;
    });
  }

  /// From the PUT to the terminal status.
  Phase noop() {
    return run("noop", SIZE_MAX, true, [this](std::size_t i) -> Task<std::string> {
      const std::size_t n = base_ + i;
      std::size_t place = 0;
      std::string failure = co_await put(n, &place);
      if (!failure.empty()) co_return failure;
      const std::string target = accepted_[place].status_target;
      const std::size_t tenant = tenant_of_[place];
      for (int poll = 0; poll < 100'000; ++poll) {
        http::ClientRequest request{.target = target};
        request.headers = caller(tenant, false);
        const auto answer = co_await client_->send(std::move(request));
        if (!answer || answer->status != 200) co_return describe(answer);
        if (answer->body.find("\"Succeeded\"") != std::string::npos) co_return "";
        if (answer->body.find("\"Failed\"") != std::string::npos) co_return answer->body;
        co_await clock_.sleep_for(std::chrono::milliseconds(2));
      }
      co_return "never ended";
    });
  }

  void skip(std::size_t names) { base_ += names; }

 private:
  static std::string describe(const std::expected<http::Response, http::ClientError>& answer) {
    return answer ? fmt::format("{} {}", answer->status, answer->body) : answer.error().reason;
  }

  /// `place`: where accepted_ and tenant_of_ have it.
  Task<std::string> put(std::size_t n, std::size_t* place = nullptr) {
    http::ClientRequest request{.method = http::Method::put, .target = cluster_target(settings_, n)};
    request.headers = caller(n % settings_.tenants, true);
    request.body = cluster_body(settings_, n);
    request.timeout = std::chrono::seconds(60);
    const auto answer = co_await client_->send(std::move(request));
    if (!answer || answer->status != 201) co_return describe(answer);
    const auto header = answer->headers.get("Azure-AsyncOperation");
    const auto url = header ? http::parse_url(*header) : std::nullopt;
    if (!url) co_return "no Azure-AsyncOperation";
    accepted_.push_back({url->path + "?" + url->query, url->path.substr(url->path.rfind('/') + 1)});
    tenant_of_.push_back(n % settings_.tenants);
    if (place) *place = accepted_.size() - 1;
    co_return "";
  }

  asio::io_context& io_;
  Settings settings_;
  runtime::SystemClock clock_;
  std::unique_ptr<http::Client> client_;
  std::vector<Accepted> accepted_;
  std::vector<std::size_t> tenant_of_;
  std::mt19937_64 random_{42};
  std::size_t base_ = 0;
};

void print(Phase& phase) {
  std::ranges::sort(phase.latencies_us);
  const auto at = [&](double q) {
    return phase.latencies_us.empty()
               ? 0.0
               : phase.latencies_us[static_cast<std::size_t>(q * static_cast<double>(phase.latencies_us.size() - 1))];
  };
  json::object line{{"phase", phase.name},        {"count", phase.latencies_us.size()},
                    {"failures", phase.failures}, {"per_second", static_cast<double>(phase.latencies_us.size()) / phase.seconds},
                    {"p50_us", at(0.5)},          {"p99_us", at(0.99)},
                    {"seconds", phase.seconds}};
  if (!phase.first_failure.empty()) line["first_failure"] = phase.first_failure.substr(0, 300);
  std::cout << json::serialize(line) << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Loads an acceptd server on this machine.");
  app.add_option("--url", settings.url);
  app.add_option("--phases", settings.phases, "comma separated: register, accept, accept-timed, status, noop");
  app.add_option("--connections", settings.connections);
  app.add_option("--tenants", settings.tenants);
  app.add_option("--operations", settings.operations);
  app.add_option("--seconds", settings.seconds);
  app.add_option("--prefix", settings.prefix, "of the names, so that runs do not meet");
  CLI11_PARSE(app, argc, argv);

  asio::io_context io(1);
  Load load(io, settings);
  bool failed = false;
  for (const std::string& name : CLI::detail::split(settings.phases, ',')) {
    Phase phase = name == "register"       ? load.register_subscriptions()
                  : name == "accept"       ? load.accept(false)
                  : name == "accept-timed" ? load.accept(true)
                  : name == "status"       ? load.status()
                                           : load.noop();
    load.skip(phase.latencies_us.size());
    failed = failed || phase.failures != 0;
    print(phase);
  }
  return failed ? 1 : 0;
}
