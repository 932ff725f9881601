#pragma once
/// The configuration file: YAML, every key known and typed, all that is wrong reported at once. deploy/acceptd.yaml shows each
/// key.

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "engine/resource_type.hpp"
#include "http/server.hpp"
#include "providers/cluster_service/connection.hpp"
#include "runtime/config/section.hpp"
#include "runtime/log.hpp"

namespace acceptd::process {

struct ListenerConfig {
  http::ListenOptions listen;
  std::vector<std::string> trusted_proxies;
};

struct SqliteConfig {
  std::string path;
  std::size_t cache_bytes = std::size_t{64} << 20;
};

struct ClusterServiceConfig {
  std::string url;
  std::string identity_url;
  std::string ca_file;
  std::size_t connections_max = 64;
  std::chrono::nanoseconds settle_time = std::chrono::seconds(30);
  providers::cluster_service::ConnectionOptions connection;
};

/// A backend inside the process instead of Cluster Service: for demonstrations and measurements.
struct SimulatedBackendConfig {
  std::chrono::nanoseconds work = std::chrono::seconds(1);
};

struct Config {
  std::string region;
  bool frontend = true, backend = true;  ///< roles
  runtime::Level log_level = runtime::Level::info;
  ListenerConfig arm, admin;
  SqliteConfig sqlite;
  ClusterServiceConfig cluster_service;
  std::optional<SimulatedBackendConfig> simulated_backend;  ///< instead of cluster_service
  std::vector<std::string> providers;                       ///< folders of declared providers
  bool hosted_clusters = true;                              ///< false: only the declared ones are served
  engine::EngineOptions engine;                             ///< all but the epoch
  engine::Deadlines deadlines;
  std::optional<std::chrono::seconds> action_deadline;  ///< nullopt: what the types say
  std::chrono::seconds retry_after{10};
  bool abort_on_violation = false;  ///< of a contract, by an answer of ours
  std::chrono::seconds stop_grace{25};
};

/// In order of their places in the file.
std::expected<Config, config::Problems> parse_config(const std::string& text);
/// Reads the file; one that cannot be read is a problem of its own.
std::expected<Config, config::Problems> load_config(const std::string& file);

}  // namespace acceptd::process
