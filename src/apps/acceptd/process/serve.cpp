#include "apps/acceptd/process/serve.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <stdexcept>

#include "apps/acceptd/process/admin.hpp"
#include "apps/acceptd/process/epoch.hpp"
#include "apps/acceptd/process/figures.hpp"
#include "apps/acceptd/process/types.hpp"
#include "contracts/arm/arm.hpp"
#include "http/client.hpp"
#include "runtime/json_log.hpp"
#include "runtime/signals.hpp"
#include "runtime/system_clock.hpp"
#include "runtime/system_random.hpp"
#include "runtime/task_group.hpp"

namespace acceptd::process {

namespace {

namespace asio = boost::asio;
using runtime::Task;

constexpr std::chrono::seconds kPurgeInterval{10};
constexpr std::uint32_t kPurgeLimit = 500;  // documents per commit: others wait for it
constexpr std::chrono::seconds kAdminGrace{1};

/// One thread runs the server, the engine and the clients; the store has a thread of its own. More threads would each get
/// such a set and a range of buckets.
class Process {
 public:
  explicit Process(const Config& config);
  void run();

 private:
  template <class T>
  T finish(Task<T> task);
  engine::EngineOptions engine_options();
  contracts::arm::Options arm_options();
  void begin();
  Task<void> stop();
  Task<void> run_until_told();
  Task<void> purge();

  const Config& config_;
  asio::io_context io_{1};
  runtime::SystemClock clock_;
  runtime::SystemRandom random_;
  runtime::JsonLog log_;
  std::unique_ptr<store::sqlite::SqliteStore> store_;
  std::unique_ptr<http::Client> client_;
  providers::cluster_service::Connection connection_;
  std::unique_ptr<ServedTypes> types_;
  Figures figures_;
  engine::Engine engine_;
  contracts::arm::Doors doors_;
  http::Server arm_, admin_;
  runtime::TaskGroup tasks_;
  bool ready_ = false;
};

store::sqlite::Options store_options(const Config& config) {
  return {.path = config.sqlite.path, .cache_bytes = config.sqlite.cache_bytes};
}

http::ClientOptions client_options(const ClusterServiceConfig& config) {
  return {.url = config.url, .connections_max = config.connections_max, .ca_file = config.ca_file};
}

Process::Process(const Config& config)
    : config_(config),
      log_(STDERR_FILENO, config.log_level, clock_),
      store_(store::sqlite::SqliteStore::open(store_options(config), clock_, log_)),
      client_(http::make_client(io_.get_executor(), client_options(config.cluster_service), clock_)),
      connection_(config.cluster_service.connection, {.client = *client_, .clock = clock_, .random = random_}),
      types_(make_types(
          config, {.executor = io_.get_executor(), .connection = connection_, .clock = clock_, .random = random_, .log = log_})),
      engine_(io_.get_executor(), engine_options(),
              {.store = *store_, .types = types_->registry, .clock = clock_, .random = random_, .log = log_}),
      doors_(contracts::arm::make_doors(
          arm_options(), {.engine = engine_, .types = types_->registry, .clock = clock_, .random = random_, .log = log_})),
      arm_(io_.get_executor(), config.arm.listen, doors_.handle, doors_.refuse, {.clock = clock_, .log = log_}),
      admin_(io_.get_executor(), config.admin.listen,
             make_admin_handler({.metrics = [this] { return figures_.text({engine_, *store_, connection_, arm_}); },
                                 .ready = [this] { return ready_; }}),
             {}, {.clock = clock_, .log = log_}),
      tasks_(io_.get_executor(), [this](std::string_view what) { log_.error("process.task_failed", {{"what", what}}); }) {}

/// Runs the event loop until the task has ended; what it throws is thrown here.
template <class T>
T Process::finish(Task<T> task) {
  std::exception_ptr failure;
  std::optional<T> result;
  asio::co_spawn(io_, std::move(task), [&](std::exception_ptr thrown, T value) {
    failure = thrown;
    result = std::move(value);
  });
  io_.restart();
  io_.run();
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

engine::EngineOptions Process::engine_options() {
  engine::EngineOptions options = config_.engine;
  const auto epoch = finish(take_epoch(*store_));
  if (!epoch) throw std::runtime_error("the store does not take writes: " + epoch.error().message);
  options.epoch = *epoch;
  return options;
}

contracts::arm::Options Process::arm_options() {
  return {.region = config_.region,
          .namespaces = types_->namespaces,
          .retry_after = config_.retry_after,
          .trusted_proxies = config_.arm.trusted_proxies,
          .observe = [this](const contracts::arm::RequestRecord& request) { figures_.count(request); },
          .count_violation = [this](std::string_view rule) { figures_.count_violation(rule); },
          .abort_on_violation = config_.abort_on_violation};
}

/// Expired documents are never served; this makes room.
Task<void> Process::purge() {
  for (;;) {
    co_await clock_.sleep_for(kPurgeInterval);
    const auto removed = co_await store_->purge(kPurgeLimit);
    if (!removed) log_.warn("process.purge_failed", {{"error", removed.error().message}});
  }
}

void Process::begin() {
  tasks_.spawn(purge());
  admin_.start();
  arm_.start();
  ready_ = true;
  log_.info("process.serving", {{"version", ACCEPTD_VERSION},
                                {"arm", fmt::format("{}:{}", config_.arm.listen.address, arm_.port())},
                                {"admin", fmt::format("{}:{}", config_.admin.listen.address, admin_.port())}});
}

Task<void> Process::stop() {
  ready_ = false;
  log_.info("process.stopping");
  co_await arm_.stop(config_.stop_grace);
  co_await tasks_.stop();
  co_await engine_.stop();
  co_await admin_.stop(kAdminGrace);
}

Task<void> Process::run_until_told() {
  const auto started = co_await engine_.start();
  if (started) {
    begin();
    co_await runtime::wait_for_stop_signal();
  }
  co_await stop();
  if (!started) throw std::runtime_error("the engine cannot start: " + started.error().message);
}

void Process::run() {
  std::exception_ptr failure;
  asio::co_spawn(io_, run_until_told(), [&](std::exception_ptr thrown) { failure = thrown; });
  io_.restart();
  io_.run();
  if (failure) std::rethrow_exception(failure);
  store_->close();
  log_.info("process.stopped");
}

}  // namespace

void serve(const Config& config) { Process(config).run(); }

}  // namespace acceptd::process
