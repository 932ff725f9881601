/// Durable accepts per second of the embedded store, beside a bare SQLite loop on the same schema in the same run.
/// An accept: one batch of a resource (900 bytes), an operation (600 bytes) and a feed entry. Usage: store_loop
/// [directory]

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace {

using namespace acceptd;
using store::sqlite::Database;
using store::sqlite::Statement;
using Stopwatch = std::chrono::steady_clock;

constexpr int kRounds = 3;
constexpr auto kRoundTime = std::chrono::seconds(3);
constexpr int kPartitions = 16;

class SystemClock final : public runtime::Clock {
 public:
  runtime::Time now() const override { return std::chrono::system_clock::now(); }
  runtime::Monotonic monotonic() const override {
    return runtime::Monotonic(std::chrono::steady_clock::now().time_since_epoch());
  }
  runtime::Task<void> sleep_until(runtime::Monotonic) override { co_return; }
};

class NoLog final : public runtime::Log {
  void write(runtime::Level, std::string_view, std::initializer_list<Field>) override {}
};

/// The batches of both loops: new resources with random ids, operations with ids in the order of time.
class Accepts {
 public:
  model::Batch next() {
    const std::uint64_t number = ++number_;
    const std::string partition = fmt::format("00000000-0000-0000-0000-{:012}", number % kPartitions);
    model::Document resource{.key = {.partition = partition}, .type = "microsoft.redhatopenshift/hcpopenshiftclusters"};
    for (std::uint8_t& byte : resource.key.id.data) byte = static_cast<std::uint8_t>(random_());
    resource.index.path = fmt::format("/subscriptions/{}/resourcegroups/group-{:03}/providers/{}/cluster-{:08x}", partition,
                                      random_() % 500, resource.type, random_() & 0xffffffff);
    resource.body = std::string(900, 'r');
    model::Document operation{.key = {.partition = partition}, .type = "microsoft.redhatopenshift/hcpoperationstatuses"};
    for (int i = 0; i < 8; ++i) operation.key.id.data[i] = static_cast<std::uint8_t>(number >> (56 - 8 * i));
    operation.index = {.kind = model::DocumentKind::operation, .path = resource.index.path, .active = true};
    operation.index.created = model::Time(std::chrono::microseconds(number));
    operation.body = std::string(600, 'o');

    model::Batch batch{.partition = partition};
    batch.feed.push_back({.key = operation.key, .subject = "operation.status", .payload = R"({"status":"Accepted"})"});
    batch.writes.push_back({.document = std::move(resource)});
    batch.writes.push_back({.document = std::move(operation)});
    return batch;
  }

 private:
  std::uint64_t number_ = 0;
  std::mt19937_64 random_{1};
};

/// Wall time follows the disk and the neighbours; processor time is the steadier figure.
class Measure {
 public:
  std::uint64_t accepts = 0;
  Stopwatch::time_point end() const { return start_ + kRoundTime; }
  void stop() {
    seconds_ = std::chrono::duration<double>(Stopwatch::now() - start_).count();
    cpu_seconds_ = static_cast<double>(std::clock() - cpu_start_) / CLOCKS_PER_SEC;
  }
  double per_second() const { return static_cast<double>(accepts) / seconds_; }
  double cpu_microseconds() const { return 1e6 * cpu_seconds_ / static_cast<double>(accepts); }

 private:
  Stopwatch::time_point start_ = Stopwatch::now();
  std::clock_t cpu_start_ = std::clock();
  double seconds_ = 0, cpu_seconds_ = 0;
};

runtime::Task<void> accept_on(store::Store& store, Accepts& accepts, Measure& measure) {
  while (Stopwatch::now() < measure.end()) {
    model::Batch batch = accepts.next();
    const auto committed = co_await store.commit(std::move(batch));
    if (!committed) throw std::runtime_error(committed.error().message);
    ++measure.accepts;
  }
}

Measure measure_store(const std::string& path, int concurrent) {
  SystemClock clock;
  NoLog log;
  Accepts accepts;
  boost::asio::io_context io(1);
  const auto store = store::sqlite::SqliteStore::open({.path = path}, clock, log);
  Measure measure;
  for (int i = 0; i < concurrent; ++i)
    boost::asio::co_spawn(io, accept_on(*store, accepts, measure), [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    });
  io.run();
  measure.stop();
  return measure;
}

/// The ceiling: one thread, the same rows into the same tables, no preconditions, no answers, no cache.
class RawLoop {
 public:
  explicit RawLoop(const std::string& path) : database_(store::sqlite::open_for_writing(path, "", false)) {
    Statement partition(database_, "INSERT INTO partitions VALUES (?1, ?2)");
    for (int i = 0; i < kPartitions; ++i)
      partition.run(i + 1, std::string_view(fmt::format("00000000-0000-0000-0000-{:012}", i)));
    database_.execute("INSERT INTO types VALUES (1, 'a'), (2, 'b')");
    database_.execute("PRAGMA wal_autocheckpoint=40000");
  }

  Measure measure(int group) {
    Accepts accepts;
    Measure measure;
    while (Stopwatch::now() < measure.end()) {
      begin_.run();
      for (int i = 0; i < group; ++i) write(accepts.next(), ++measure.accepts);
      save_counter_.run(measure.accepts);
      commit_.run();
    }
    measure.stop();
    return measure;
  }

 private:
  void write(const model::Batch& batch, std::uint64_t number) {
    const auto partition = static_cast<std::int64_t>(number % kPartitions + 1);
    for (const model::Write& step : batch.writes) {
      const model::Document& document = step.document;
      const bool operation = document.index.kind == model::DocumentKind::operation;
      insert_.run(partition, document.key.id, operation ? 3 : 2, operation ? 2 : 1, document.index.active, number,
                  document.index.created, number, document.index.error_code,
                  store::sqlite::hash_of(store::sqlite::family_of(document.index.path)), document.index.path, document.body);
    }
    const model::FeedEntry& entry = batch.feed.front();
    feed_.run(store::sqlite::feed_place(static_cast<std::uint32_t>(partition), number), partition, entry.key.id, number,
              entry.subject, entry.payload);
  }

  Database database_;
  Statement begin_{database_, "BEGIN IMMEDIATE"}, commit_{database_, "COMMIT"};
  Statement insert_{database_,
                    "INSERT INTO documents(pk, id, kind, type, active, etag, created, written_at, error_code, family, path,"
                    " body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"};
  Statement feed_{database_, "INSERT INTO feed VALUES (?1, ?2, ?3, ?4, ?5, ?6)"};
  Statement save_counter_{database_, "UPDATE state SET counter = ?1"};
};

Measure measure_raw(const std::string& path, int group) { return RawLoop(path).measure(group); }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path directory = argc > 1 ? argv[1] : ".";
  const auto fresh = [&] {
    for (const char* suffix : {"", "-wal", "-shm", ".lock"})
      std::filesystem::remove(directory / (std::string("store_loop.db") + suffix));
    return (directory / "store_loop.db").string();
  };
  fmt::print("durable accepts, median of {} rounds of {} s\n{:>8}{:>12}{:>12}{:>8}{:>16}{:>16}\n", kRounds, kRoundTime.count(),
             "group", "store/s", "raw loop/s", "ratio", "store CPU us", "raw CPU us");
  for (const int group : {1, 8, 32, 128}) {
    std::vector<double> store, raw, ratio, store_cpu, raw_cpu;
    for (int round = 0; round < kRounds; ++round) {
      const Measure ceiling = measure_raw(fresh(), group);
      const Measure ours = measure_store(fresh(), group);
      raw.push_back(ceiling.per_second());
      store.push_back(ours.per_second());
      ratio.push_back(ours.per_second() / ceiling.per_second());
      store_cpu.push_back(ours.cpu_microseconds());
      raw_cpu.push_back(ceiling.cpu_microseconds());
    }
    fmt::print("{:>8}{:>12.0f}{:>12.0f}{:>8.2f}{:>16.1f}{:>16.1f}\n", group, median(store), median(raw), median(ratio),
               median(store_cpu), median(raw_cpu));
  }
  fresh();
}
