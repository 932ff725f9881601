#include "apps/acceptd/process/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "contracts/arm/caller.hpp"
#include "contracts/arm/options.hpp"
#include "http/uri.hpp"
#include "model/resource_id.hpp"
#include "runtime/config/file.hpp"

namespace acceptd::process {

namespace {

using config::Section;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kPortMax = 65'535;
constexpr std::int64_t kBodyBytesMax = 4 << 20;  // the contract's limit (README decision 10)

void read_limits(Section section, http::Limits& limits) {
  section.integer("header_bytes_max", limits.header_bytes_max, 1024, 1 << 20);
  section.integer("body_bytes_max", limits.body_bytes_max, 1024, kBodyBytesMax);
  section.integer("connections_max", limits.connections_max, 1, 1'000'000);
  section.duration("header_timeout", limits.header_timeout, seconds(1), minutes(10));
  section.duration("body_timeout", limits.body_timeout, seconds(1), minutes(10));
  section.duration("idle_timeout", limits.idle_timeout, seconds(1), hours(1));
  section.duration("write_timeout", limits.write_timeout, seconds(1), minutes(10));
  section.finish();
}

void read_tls(Section section, http::ListenOptions& listen) {
  http::TlsFiles files;
  section.required_text("certificate_chain", files.certificate_chain);
  section.required_text("private_key", files.private_key);
  section.finish();
  listen.tls = std::move(files);
}

void read_address(Section& section, http::ListenOptions& listen) {
  section.text("address", listen.address);
  boost::system::error_code failed;
  boost::asio::ip::make_address(listen.address, failed);
  if (failed) section.complain("address", fmt::format("expected a numeric IP address, got \"{}\"", listen.address));
  section.integer("port", listen.port, 1, kPortMax);
}

void read_arm_listener(Section section, ListenerConfig& listener) {
  listener.listen.port = 8202;
  read_address(section, listener.listen);
  if (auto tls = section.optional_child("tls")) read_tls(std::move(*tls), listener.listen);
  section.texts("trusted_proxies", listener.trusted_proxies);
  try {
    contracts::arm::TrustedProxies checked(listener.trusted_proxies);
  } catch (const std::invalid_argument& error) {
    section.complain("trusted_proxies", error.what());
  }
  read_limits(section.child("limits"), listener.listen.limits);
  section.finish();
}

void read_listeners(Section section, Config& config) {
  read_arm_listener(section.child("arm"), config.arm);
  Section admin = section.child("admin");
  config.admin.listen.port = 8204;
  read_address(admin, config.admin.listen);
  admin.finish();
  if (config.arm.listen.port == config.admin.listen.port && config.arm.listen.address == config.admin.listen.address)
    section.complain("admin", "has the same address and port as listeners.arm; choose another port");
  section.finish();
}

void read_store(Section section, Config& config) {
  Section sqlite = section.child("sqlite");
  sqlite.required_text("path", config.sqlite.path);
  std::int64_t cache_mib = 64;
  sqlite.integer("cache_mib", cache_mib, 1, 1 << 20);
  config.sqlite.cache_bytes = static_cast<std::size_t>(cache_mib) << 20;
  sqlite.finish();
  section.finish();
}

void read_cluster_service(Section section, ClusterServiceConfig& config) {
  section.required_text("url", config.url);
  const auto url = http::parse_url(config.url);
  if (!config.url.empty() && (!url || (!url->path.empty() && url->path != "/") || !url->query.empty()))
    section.complain("url", fmt::format("expected http://host:port or https://host:port without a path, got \"{}\"", config.url));
  section.text("ca_file", config.ca_file);
  section.text("identity_url", config.identity_url);
  section.integer("connections_max", config.connections_max, 1, 10'000);
  section.integer("concurrency", config.connection.concurrency, 1, 10'000);
  section.duration("request_timeout", config.connection.request_timeout, milliseconds(100), seconds(50));
  section.duration("settle_time", config.settle_time, milliseconds(0), hours(1));
  section.integer("breaker_failures", config.connection.breaker_failures, 1, 10'000);
  section.duration("breaker_open_for", config.connection.breaker_open_for, milliseconds(10), minutes(10));
  section.finish();
}

void read_simulated_backend(Section section, Config& config) {
  SimulatedBackendConfig simulated;
  section.duration("work", simulated.work, milliseconds(0), hours(24));
  section.finish();
  config.simulated_backend = simulated;
  config.cluster_service.url = "http://127.0.0.1:1";  // never called
}

/// Their backend is required unless there are declared providers to serve instead.
void read_hosted_clusters(Section& section, Config& config) {
  if (auto simulated = section.optional_child("simulated_backend")) return read_simulated_backend(std::move(*simulated), config);
  auto cluster_service = section.optional_child("cluster_service");
  config.hosted_clusters = cluster_service || config.providers.empty();
  if (config.hosted_clusters)
    read_cluster_service(cluster_service ? std::move(*cluster_service) : section.child("cluster_service"),
                         config.cluster_service);
  else
    config.cluster_service.url = "http://127.0.0.1:1";  // never called
}

void read_deadlines(Section section, Config& config) {
  section.duration("create", config.deadlines.create, seconds(1), days(30));
  section.duration("update", config.deadlines.update, seconds(1), days(30));
  section.duration("delete", config.deadlines.remove, seconds(1), days(30));
  seconds action{};
  section.duration("action", action, seconds(1), days(30));
  if (action.count() != 0) config.action_deadline = action;
  section.finish();
}

void read_retry_after(Section& section, Config& config) {
  section.duration("retry_after", config.retry_after, contracts::arm::kRetryAfterMin, contracts::arm::kRetryAfterMax);
  // Below what ARM clients may be told: for tests that do not want to wait.
  std::int64_t non_conforming = -1;
  section.integer("non_conforming_retry_after_seconds", non_conforming, 0, 600);
  if (non_conforming >= 0) config.retry_after = seconds(non_conforming);
}

void check_engine(Section& section, const Config& config) {
  const seconds longest = std::max({config.deadlines.create, config.deadlines.update, config.deadlines.remove});
  const seconds unreachable = config.engine.pause_max;
  if (longest + unreachable >= config.engine.retention)
    section.complain(
        "retention",
        fmt::format("must be longer than the longest deadline with its pause ({}), so that no active operation expires",
                    config::format_duration(longest + unreachable)));
  if (config.engine.poll_first > config.engine.poll_max) section.complain("poll_first", "must not be longer than poll_max");
}

void read_engine(Section section, Config& config) {
  engine::EngineOptions& engine = config.engine;
  // The contract gives a request 60 s (ARM-016); both waits together stay well below.
  section.duration("inline_budget", engine.inline_budget, milliseconds(0), seconds(30));
  section.duration("queue_timeout", engine.queue_timeout, milliseconds(0), seconds(20));
  section.integer("queue_length_max", engine.queue_length_max, 1, 10'000);
  section.duration("retention", engine.retention, seconds(10), days(365));
  section.duration("pause_max", engine.pause_max, seconds(0), days(30));
  section.duration("poll_first", engine.poll_first, milliseconds(1), minutes(10));
  section.duration("poll_max", engine.poll_max, milliseconds(1), hours(1));
  section.integer("steps_in_flight_max", engine.steps_in_flight_max, 1, 100'000);
  section.integer("ramp_per_second", engine.ramp_per_second, 1, 1'000'000);
  read_deadlines(section.child("deadlines"), config);
  read_retry_after(section, config);
  check_engine(section, config);
  section.finish();
}

void read_roles(Section& section, Config& config) {
  std::vector<std::string> roles{"frontend", "backend"};
  section.texts("roles", roles);
  config.frontend = std::ranges::find(roles, "frontend") != roles.end();
  config.backend = std::ranges::find(roles, "backend") != roles.end();
  for (const std::string& role : roles)
    if (role != "frontend" && role != "backend")
      section.complain("roles", fmt::format("expected frontend and backend, got \"{}\"", role));
  if (!config.frontend || !config.backend)
    section.complain("roles", "with the embedded store one process has both roles; write [frontend, backend]");
}

Config read_config(Section section) {
  Config config;
  section.required_text("region", config.region);
  const bool usable = std::ranges::all_of(config.region, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
  if (!usable)
    section.complain("region", fmt::format("expected lower-case letters and digits such as westus3, got \"{}\"", config.region));
  read_roles(section, config);
  Section log = section.child("log");
  if (const auto level = log.choice("level", {"debug", "info", "warn", "error"}))
    config.log_level = static_cast<runtime::Level>(*level);
  log.finish();
  read_listeners(section.child("listeners"), config);
  read_store(section.child("store"), config);
  section.texts("providers", config.providers);
  read_hosted_clusters(section, config);
  read_engine(section.child("engine"), config);
  if (const auto what = section.choice("on_contract_violation", {"log", "abort"})) config.abort_on_violation = *what == 1;
  section.duration("stop_grace", config.stop_grace, seconds(0), minutes(10));
  section.finish();
  return config;
}

}  // namespace

std::expected<Config, config::Problems> parse_config(const std::string& text) {
  Config config;
  auto problems = config::read_text(text, [&](Section section) { config = read_config(std::move(section)); });
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return config;
}

std::expected<Config, config::Problems> load_config(const std::string& file) {
  Config config;
  auto problems = config::read_file(file, [&](Section section) { config = read_config(std::move(section)); });
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return config;
}

}  // namespace acceptd::process
