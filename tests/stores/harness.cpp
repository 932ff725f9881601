#include "harness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "store/sqlite/sqlite_store.hpp"
#include "support/fault_vfs.hpp"

namespace acceptd::testing {
namespace {

namespace sqlite = store::sqlite;

class ModelHarness final : public Harness {
 public:
  ModelHarness() { reopen(); }
  store::Store& store() override { return *store_; }
  void reopen() override { store_.emplace(state_, clock); }
  const ModelState* model_state() const override { return &state_; }

 private:
  ModelState state_;
  std::optional<ModelStore> store_;
};

class SteppedHarness final : public Harness {
 public:
  SteppedHarness() { reopen(); }
  store::Store& store() override { return *store_; }
  void reopen() override {
    if (store_) store_->close();
    store_.reset();
    sqlite::Options options{.path = "stepped.db", .vfs = disk_.name(), .wal_pages_max = 20};
    store_ = std::make_unique<sqlite::SteppedSqliteStore>(options, clock, log);
  }
  void drive(boost::asio::io_context& io) override {
    do {
      io.restart();
      io.poll();
    } while (store_->step() > 0);
    io.poll();
  }

 private:
  FaultVfs disk_;
  std::unique_ptr<sqlite::SteppedSqliteStore> store_;
};

class ThreadedHarness final : public Harness {
 public:
  ThreadedHarness() : directory_(make_directory()) { reopen(); }
  ~ThreadedHarness() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }
  store::Store& store() override { return *store_; }
  void reopen() override {
    store_.reset();
    sqlite::Options options{.path = directory_ / "threaded.db"};
    store_ = sqlite::SqliteStore::open(options, clock, log);
  }

 private:
  static std::filesystem::path make_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "acceptd-store-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
    return name;
  }

  const std::filesystem::path directory_;
  std::unique_ptr<sqlite::SqliteStore> store_;
};

template <class H>
StoreKind kind_of(std::string name) {
  return {std::move(name), [] { return std::make_unique<H>(); }};
}

std::string text_of(const model::Document& document) {
  const model::Index& index = document.index;
  return fmt::format(
      "{} {} kind {} active {} path '{}' created {} error '{}' expires {} etag {} written {} body of {} bytes, hash "
      "{}\n",
      model::to_string(document.key.id), document.type, static_cast<int>(index.kind), index.active, index.path,
      index.created.time_since_epoch().count(), index.error_code,
      document.expires_at ? document.expires_at->time_since_epoch().count() : 0, document.etag,
      document.written_at.time_since_epoch().count(), document.body.size(), std::hash<std::string>{}(document.body));
}

}  // namespace

runtime::Task<void> ManualClock::sleep_until(runtime::Monotonic) {
  throw std::logic_error("a store does not sleep");
  co_return;
}

void RecordingLog::write(runtime::Level, std::string_view event, std::initializer_list<Field>) { events_.emplace_back(event); }

bool RecordingLog::contains(std::string_view event) const { return std::ranges::find(events_, event) != events_.end(); }

std::vector<StoreKind> store_kinds() {
  return {kind_of<ModelHarness>("Model"), kind_of<SteppedHarness>("SteppedSqlite"), kind_of<ThreadedHarness>("ThreadedSqlite")};
}

std::string dump(Harness& harness, const std::vector<std::string>& partitions) {
  std::string text;
  std::set<std::uint32_t> buckets;
  for (const std::string& partition : partitions) {
    buckets.insert(model::bucket_of(partition));
    for (int kind = 1; kind <= 5; ++kind) {
      store::Query query{.partition = partition, .kind = static_cast<model::DocumentKind>(kind), .limit = 1000};
      const store::Page page = harness.run(harness.store().query(query)).value();
      text += fmt::format("{} kind {}: {}\n", partition, kind, harness.run(harness.store().count(query)).value());
      for (const auto& document : page.documents) {
        text += text_of(*document);
        const model::DocumentPtr read = harness.run(harness.store().read(document->key)).value();
        if (!read || text_of(*read) != text_of(*document)) text += "  but read() differs\n";
      }
    }
  }
  for (const std::uint32_t bucket : buckets) {
    const store::FeedQuery query{.bucket = bucket, .limit = 1000};
    for (const store::FeedRecord& record : harness.run(harness.store().feed(query)).value())
      text += fmt::format("feed {} {}: {} {} {} {}\n", bucket, record.sequence, record.entry.key.partition,
                          model::to_string(record.entry.key.id), record.entry.subject, record.entry.payload);
  }
  std::vector<std::string> active;
  for (const model::Key& key : harness.run(harness.store().active({})).value().keys)
    active.push_back(key.partition + " " + model::to_string(key.id) + "\n");
  std::ranges::sort(active);
  for (const std::string& line : active) text += "active " + line;
  return text;
}

}  // namespace acceptd::testing
