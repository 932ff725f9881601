#pragma once
/// The embedded store: one SQLite file, one writer with group commit, readers beside it, a cache in front (STYLE B5).

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "store/sqlite/committer.hpp"
#include "store/sqlite/file.hpp"
#include "store/sqlite/gathering_vfs.hpp"
#include "store/sqlite/reader.hpp"
#include "store/store.hpp"

namespace acceptd::store::sqlite {

struct Options {
  std::string path;
  std::string vfs;  ///< of SQLite; "" = the platform's
  std::size_t cache_bytes = std::size_t{64} << 20;
  std::size_t readers = 4;  ///< reading connections, 8 MB each at most; more concurrent calls wait
  runtime::Duration feed_time_to_live = std::chrono::hours(24);
  int wal_pages_max = 20'000;    ///< then the log is copied into the database: less often is faster, but a restart reads all
  bool check_all_pages = false;  ///< on opening: reads the whole file
};

/// Reads complete at once on the caller's thread; commit() and purge() wait in a queue until step() and resume on the
/// caller's executor. Everything but step() and close() may be called from any thread. Life cycle: open, use, close(),
/// destroy; destroyed without close() it drops what is queued, as a crash would.
class SteppedSqliteStore : public Store {
 public:
  /// Throws std::runtime_error with a reason fit for an operator: in use, not ours, too new, corrupted, no access.
  SteppedSqliteStore(const Options& options, runtime::Clock& clock, runtime::Log& log);
  ~SteppedSqliteStore() override = default;

  Task<Result<DocumentPtr>> read(Key key) override;
  Task<Result<Committed>> commit(Batch batch) override;
  Task<Result<Page>> query(Query query) override;
  Task<Result<std::uint64_t>> count(Query query) override;
  Task<Result<ActivePage>> active(ActiveQuery query) override;
  Task<Result<std::vector<FeedRecord>>> feed(FeedQuery query) override;
  Task<Result<std::uint32_t>> purge(std::uint32_t limit) override;

  /// One group commit, if anything is queued; returns how much was done.
  std::size_t step() { return committer_.step(); }

  /// Refuses new work, finishes what is queued, closes the readers. Later calls answer `unavailable`.
  virtual void close();

  Figures figures() const { return committer_.figures(); }

 protected:
  /// Called from any thread after something was queued.
  virtual void work_arrived() {}
  Committer& committer() { return committer_; }

 private:
  using Outcome = Committer::Outcome;
  Task<Result<Outcome>> submit(Committer::Work work);

  const FileLock lock_;
  const GatheringVfs log_vfs_;
  runtime::Clock& clock_;
  const runtime::Duration feed_time_to_live_;
  DocumentCache cache_;
  Committer committer_;
  ReaderPool readers_;
};

/// The same, stepped by a thread of its own. close() waits for that thread; the destructor calls close().
class SqliteStore final : public SteppedSqliteStore {
 public:
  SqliteStore(const Options& options, runtime::Clock& clock, runtime::Log& log);
  ~SqliteStore() override;

  static std::unique_ptr<SqliteStore> open(const Options& options, runtime::Clock& clock, runtime::Log& log);
  void close() override;

 private:
  void work_arrived() override;
  void work();

  std::atomic<std::uint32_t> arrivals_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace acceptd::store::sqlite
