#pragma once
/// What /metrics says: requests as they are answered, and the figures of engine, store and backend as they stand when asked.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "contracts/arm/options.hpp"
#include "engine/engine.hpp"
#include "http/server.hpp"
#include "providers/cluster_service/connection.hpp"
#include "runtime/metrics.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace acceptd::process {

/// For one thread. The sources outlive it.
class Figures {
 public:
  struct Sources {
    const engine::Engine& engine;
    const store::sqlite::SteppedSqliteStore& store;
    const providers::cluster_service::Connection& backend;
    const http::Server& server;
  };
  Figures();

  /// Labels come from the fixed sets of RequestRecord.
  void count(const contracts::arm::RequestRecord& request);
  /// `rule` is one of the contract's, such as "ARM-120".
  void count_violation(std::string_view rule);
  /// The text exposition format.
  std::string text(const Sources& sources);

 private:
  struct Request {
    prometheus::Counter* total;
    prometheus::Histogram* seconds;
  };
  void total(const std::string& name, const std::string& help, std::uint64_t value, const runtime::Metrics::Labels& labels = {});
  void level(const std::string& name, const std::string& help, double value);

  runtime::Metrics metrics_;
  std::map<std::string, Request> requests_;
  std::map<std::string, std::pair<prometheus::Counter*, std::uint64_t>> totals_;
  std::map<std::string, prometheus::Gauge*> levels_;
};

}  // namespace acceptd::process
