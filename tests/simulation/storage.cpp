#include "simulation/storage.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace acceptd::simulation {

namespace {

namespace sqlite = store::sqlite;

class ModelStorage final : public Storage {
 public:
  explicit ModelStorage(World& world) : world_(world) {}
  std::unique_ptr<store::Store> open(Auditor&) override { return std::make_unique<testing::ModelStore>(state_, world_); }

 private:
  World& world_;
  testing::ModelState state_;
};

class SilentLog final : public runtime::Log {
 public:
  void write(runtime::Level, std::string_view, std::initializer_list<Field>) override {}
};

/// SQLite on a disk that forgets what was not synced.
class SqliteStorage final : public Storage {
 public:
  explicit SqliteStorage(World& world) : world_(world) {}

  std::unique_ptr<store::Store> open(Auditor& auditor) override {
    try {
      const sqlite::Options options{.path = "simulation.db", .vfs = disk_.name(), .readers = 1, .wal_pages_max = 200};
      auto opened = std::make_unique<sqlite::SteppedSqliteStore>(options, world_, log_);
      auditor.recovered(contents(*opened));
      store_ = opened.get();
      return opened;
    } catch (const std::runtime_error& error) {
      world_.say(std::string("store: cannot be opened: ") + error.what());
      power_cut();
      return nullptr;
    }
  }
  bool step() override { return store_ && store_->step() > 0; }
  void break_disk() override {
    const auto fault = world_.random.chance(0.5) ? testing::FaultVfs::Fault::io_error : testing::FaultVfs::Fault::disk_full;
    disk_.fail_at(disk_.calls() + 1 + world_.random.below(40), fault);
  }
  bool has_stopped() override { return store_ && !store_->figures().stopped_because.empty(); }
  void closed() override {
    store_ = nullptr;
    power_cut();
  }

 private:
  void power_cut() {
    disk_.clear_fault();
    disk_.power_on(world_.random.chance(0.5) ? testing::Unsynced::random : testing::Unsynced::lost, world_.random.next());
  }

  static std::map<model::Key, model::DocumentPtr> contents(store::Store& store) {
    std::map<model::Key, model::DocumentPtr> documents;
    boost::asio::io_context io;
    boost::asio::co_spawn(io, collect(store, documents), [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    });
    io.run();
    return documents;
  }
  static runtime::Task<void> collect(store::Store& store, std::map<model::Key, model::DocumentPtr>& documents) {
    for (const std::string partition : {"s1", "s2"}) {
      for (std::uint8_t kind = 1; kind <= 5; ++kind) {
        store::Query query{.partition = partition, .kind = static_cast<model::DocumentKind>(kind), .limit = 1000};
        do {
          const auto page = co_await store.query(query);
          if (!page) throw std::runtime_error(page.error().message);
          for (const model::DocumentPtr& document : page->documents) documents.emplace(document->key, document);
          query.continuation = page->continuation;
        } while (!query.continuation.empty());
      }
    }
  }

  World& world_;
  SilentLog log_;
  testing::FaultVfs disk_;
  sqlite::SteppedSqliteStore* store_ = nullptr;
};

}  // namespace

std::unique_ptr<Storage> make_storage(World& world, StoreKind kind) {
  if (kind == StoreKind::sqlite) return std::make_unique<SqliteStorage>(world);
  return std::make_unique<ModelStorage>(world);
}

}  // namespace acceptd::simulation
