#pragma once
/// The writing connection: what a batch does inside a transaction.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/sqlite/database.hpp"
#include "store/sqlite/document_cache.hpp"
#include "store/store.hpp"

namespace acceptd::store::sqlite {

/// One thread at a time. Throws SqliteError; after that only rollback() makes sense.
class Writer {
 public:
  explicit Writer(Database database);

  void begin();
  /// Checks all preconditions, then writes: a batch that is refused leaves no trace. Moves the documents into
  /// `changes`.
  Result<Committed> apply(Batch& batch, Time now, std::vector<Change>& changes);
  /// Removes up to `limit` expired documents and feed entries written at or before `feed_oldest`.
  std::uint32_t purge(std::uint32_t limit, Time now, Time feed_oldest, std::vector<Change>& changes);
  /// Durable on return. When it throws, the group may or may not be found after the next start.
  void commit();
  void rollback() noexcept;

  /// The commit counter: the last etag or feed sequence number given out, with those of the open transaction.
  std::uint64_t counter() const { return counter_; }

  /// Pages in the write-ahead log after the last commit.
  int wal_pages() const { return *wal_pages_; }
  /// Copies the log into the database as far as readers allow.
  void checkpoint();
  /// From now on the file stays as it is, also when it is closed.
  void leave_untouched();

 private:
  struct Stored;
  Stored look_up(std::int64_t partition, const model::Uuid& id, Time now);
  void put(Document& document, std::int64_t partition, const Stored& stored);
  std::int64_t find_partition(const std::string& name);
  std::int64_t make_partition(const std::string& name);
  std::int64_t type_number(const std::string& name);
  std::uint32_t purge_documents(std::uint32_t limit, Time now, std::vector<Change>& changes);
  std::uint32_t purge_feed(std::uint32_t bucket, std::uint32_t limit, Time oldest);

  Database database_;
  Statement begin_, commit_, save_counter_;
  Statement look_up_, insert_, update_, replace_, remove_;
  Statement find_partition_, last_partition_, insert_partition_, find_type_, insert_type_;
  Statement insert_feed_, expired_, oldest_feed_, remove_feed_;
  std::uint64_t counter_ = 0, saved_counter_ = 0;
  std::unique_ptr<int> wal_pages_ = std::make_unique<int>(0);  ///< SQLite's hook keeps its address
  std::unordered_map<std::string, std::int64_t> partitions_;   ///< bounded
  std::unordered_map<std::string, std::int64_t> types_;
};

}  // namespace acceptd::store::sqlite
