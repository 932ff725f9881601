#pragma once
/// One reading connection with its prepared statements, and a pool of them.

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/thread_annotations.hpp"
#include "store/position.hpp"
#include "store/sqlite/database.hpp"
#include "store/store.hpp"

namespace acceptd::store::sqlite {

using runtime::Lock;
using runtime::Mutex;

/// One thread at a time. Throws SqliteError. `now` decides what has expired.
class Reader {
 public:
  explicit Reader(Database database);

  DocumentPtr read(const Key& key, Time now);
  /// `after`: the decoded continuation.
  Page query(const Query& query, const std::optional<Position>& after, Time now);
  std::uint64_t count(const Query& query, Time now);
  /// Errors: `invalid` for a continuation that active() did not give out.
  Result<ActivePage> active(const ActiveQuery& query, Time now);
  /// `oldest`: entries written at or before are past their time to live.
  std::vector<FeedRecord> feed(const FeedQuery& query, Time oldest);

 private:
  static constexpr std::size_t kPartitionsKept = 10'000;  // beyond that they are looked up again

  Statement& prepared(const std::string& sql);
  std::optional<std::int64_t> partition_of(const std::string& name);
  const std::string& type_name(std::int64_t type);

  Database database_;
  Statement read_, feed_, active_, partition_, type_;
  std::unordered_map<std::string, std::int64_t> partitions_;  ///< as numbered in the file: they never change
  std::unordered_map<std::int64_t, std::string> types_;       ///< likewise
  std::unordered_map<std::string, Statement> queries_;        ///< one per combination of filters in use: some dozens at most
};

/// Thread-safe. At most `connections` at work; more callers wait for one (a call takes microseconds to milliseconds).
class ReaderPool {
 public:
  ReaderPool(std::string path, std::string vfs, std::size_t connections);

  class Lease {
   public:
    Lease(ReaderPool& pool, std::unique_ptr<Reader> reader) : pool_(&pool), reader_(std::move(reader)) {}
    Lease(Lease&&) = default;
    ~Lease() {
      if (reader_) pool_->give_back(std::move(reader_));
    }
    Reader* operator->() { return reader_.get(); }

   private:
    ReaderPool* pool_;
    std::unique_ptr<Reader> reader_;
  };

  /// Throws SqliteError when a connection cannot be opened or after close().
  Lease take();
  /// Waits until every lease is back, then closes the connections.
  void close();

 private:
  void give_back(std::unique_ptr<Reader> reader);

  const std::string path_, vfs_;
  const std::size_t connections_max_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<Reader>> idle_ ACCEPTD_GUARDED_BY(mutex_);
  std::size_t leased_ ACCEPTD_GUARDED_BY(mutex_) = 0;  ///< at work
  bool closed_ ACCEPTD_GUARDED_BY(mutex_) = false;
};

}  // namespace acceptd::store::sqlite
