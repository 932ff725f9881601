#include "apps/acceptd/process/figures.hpp"

#include <fmt/format.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

namespace acceptd::process {

namespace {
const std::vector<double> kSeconds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
}  // namespace

Figures::Figures() = default;

void Figures::count(const contracts::arm::RequestRecord& request) {
  const std::string code = fmt::to_string(request.status);
  auto [found, added] = requests_.try_emplace(fmt::format("{} {} {}", request.method, request.route, code));
  if (added) {
    const runtime::Metrics::Labels labels{
        {"method", std::string(request.method)}, {"route", std::string(request.route)}, {"code", code}};
    found->second = Request{.total = &metrics_.counter("acceptd_http_requests_total", "Requests answered.", labels),
                            .seconds = &metrics_.histogram("acceptd_http_request_duration_seconds",
                                                           "From a request's end to its answer.", kSeconds, labels)};
  }
  found->second.total->Increment();
  found->second.seconds->Observe(std::chrono::duration<double>(request.duration).count());
}

void Figures::count_violation(std::string_view rule) {
  metrics_
      .counter("acceptd_contract_violations_total", "Answers that broke a rule of their contract: each is a bug of acceptd.",
               {{"rule", std::string(rule)}})
      .Increment();
}

void Figures::total(const std::string& name, const std::string& help, std::uint64_t value,
                    const runtime::Metrics::Labels& labels) {
  std::string key = name;
  for (const auto& [label, text] : labels) key += " " + text;
  auto [found, added] = totals_.try_emplace(key);
  if (added) found->second.first = &metrics_.counter(name, help, labels);
  auto& [counter, seen] = found->second;
  if (value > seen) counter->Increment(static_cast<double>(value - seen));
  seen = value;
}

void Figures::level(const std::string& name, const std::string& help, double value) {
  auto [found, added] = levels_.try_emplace(name);
  if (added) found->second = &metrics_.gauge(name, help);
  found->second->Set(value);
}

std::string Figures::text(const Sources& sources) {
  const engine::EngineFigures engine = sources.engine.figures();
  total("acceptd_operations_accepted_total", "Operations accepted.", engine.accepted);
  const std::string finished = "acceptd_operations_finished_total", finished_help = "Operations that ended, by result.";
  total(finished, finished_help, engine.finished_succeeded, {{"result", "Succeeded"}});
  total(finished, finished_help, engine.finished_failed, {{"result", "Failed"}});
  total(finished, finished_help, engine.finished_canceled, {{"result", "Canceled"}});
  const std::string calls = "acceptd_engine_backend_calls_total", calls_help = "Calls of the engine to backends, by purpose.";
  total(calls, calls_help, engine.submissions, {{"purpose", "submit"}});
  total(calls, calls_help, engine.observations, {{"purpose", "observe"}});
  total(calls, calls_help, engine.searches, {{"purpose", "search"}});
  total("acceptd_engine_adoptions_total", "Backend objects found after a lost answer and adopted.", engine.adoptions);
  total("acceptd_engine_unexpected_answers_total", "Answers of backends that no rule knows.", engine.unexpected_answers);
  total("acceptd_engine_write_conflicts_total", "Writes that were decided again since a document had changed.",
        engine.conflicts_retried);
  level("acceptd_operations_active", "Operations that have not ended.", static_cast<double>(engine.active));
  level("acceptd_engine_steps_in_flight", "Steps of operations under way.", static_cast<double>(engine.steps_in_flight));
  level("acceptd_engine_writers_waiting", "Requests that wait for another write of the same resource.",
        static_cast<double>(engine.writers_waiting));

  const store::sqlite::Figures store = sources.store.figures();
  total("acceptd_store_commits_total", "Group commits, one fsync each.", store.groups);
  total("acceptd_store_batches_total", "Batches answered, in all commits.", store.batches);
  level("acceptd_store_queued", "Batches that wait for a commit.", static_cast<double>(store.queued));
  level("acceptd_store_last_commit_seconds", "Duration of the last commit.",
        std::chrono::duration<double>(store.last_commit).count());
  level("acceptd_store_wal_pages", "Pages in the write-ahead log.", store.wal_pages);
  level("acceptd_store_cache_bytes", "Documents kept in memory.", static_cast<double>(store.cache_bytes));
  level("acceptd_store_writing", "1 while the store takes writes.", store.stopped_because.empty() ? 1 : 0);

  const providers::cluster_service::ConnectionFigures backend = sources.backend.figures();
  total("acceptd_backend_requests_total", "Requests sent to Cluster Service.", backend.calls);
  total("acceptd_backend_failures_total", "Requests that Cluster Service did not answer, or with a server's error.",
        backend.failures);
  total("acceptd_backend_retries_total", "Reads that were tried again.", backend.retries);
  total("acceptd_backend_refused_total", "Calls not made: the circuit was open or the queue full.", backend.refused);
  level("acceptd_backend_in_flight", "Requests under way.", static_cast<double>(backend.in_flight));
  level("acceptd_backend_waiting", "Calls that wait for their turn.", static_cast<double>(backend.waiting));
  level("acceptd_backend_circuit_open", "1 while no calls are made since the backend does not answer.", backend.open ? 1 : 0);
  level("acceptd_http_connections", "Connections of the ARM listener.", static_cast<double>(sources.server.connections()));
  return metrics_.text();
}

}  // namespace acceptd::process
