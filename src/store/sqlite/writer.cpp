#include "store/sqlite/writer.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/mutation.hpp"
#include "store/limits.hpp"
#include "store/sqlite/file.hpp"

namespace acceptd::store::sqlite {

using model::Write;

/// What the file holds under a key. `number` 0: no row. A row that has expired is absent, but its place is taken.
struct Writer::Stored {
  std::int64_t number = 0;
  std::string etag;  ///< "" = absent or expired
  DocumentKind kind = DocumentKind::resource;
  std::int64_t type = 0;
  Time created{};
  std::string path;
};

namespace {

constexpr std::size_t kPartitionsKept = 100'000;  // 10 MB; beyond that they are looked up again

bool is_put(Write::Action action) { return action == Write::Action::create || action == Write::Action::replace; }

bool holds(const Write& write, const std::string& stored_etag) {
  switch (write.action) {
    case Write::Action::create: return stored_etag.empty();
    case Write::Action::check: return stored_etag == write.expected;
    default: return !stored_etag.empty() && stored_etag == write.expected;
  }
}

}  // namespace

Writer::Writer(Database database)
    : database_(std::move(database)),
      begin_(database_, "BEGIN IMMEDIATE"),
      commit_(database_, "COMMIT"),
      save_counter_(database_, "UPDATE state SET counter = ?1 WHERE only_row = 1"),
      look_up_(database_, "SELECT number, etag, expires_at, kind, type, created, path FROM documents WHERE pk = ?1 AND id = ?2"),
      insert_(database_,
              "INSERT INTO documents(active, etag, written_at, expires_at, error_code, body, pk, id, kind, type, created,"
              " family, path) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"),
      update_(database_,
              "UPDATE documents SET active = ?1, etag = ?2, written_at = ?3, expires_at = ?4, error_code = ?5, body = ?6"
              " WHERE number = ?7"),
      replace_(database_,
               "UPDATE documents SET active = ?1, etag = ?2, written_at = ?3, expires_at = ?4, error_code = ?5,"
               " body = ?6, kind = ?8, type = ?9, created = ?10, family = ?11, path = ?12 WHERE number = ?7"),
      remove_(database_, "DELETE FROM documents WHERE number = ?1"),
      find_partition_(database_, "SELECT pk FROM partitions WHERE name = ?1"),
      last_partition_(database_, "SELECT max(pk) FROM partitions WHERE pk >= ?1 AND pk < ?2"),
      insert_partition_(database_, "INSERT INTO partitions(pk, name) VALUES (?1, ?2)"),
      find_type_(database_, "SELECT type FROM types WHERE type_name = ?1"),
      insert_type_(database_, "INSERT INTO types(type_name) VALUES (?1) RETURNING type"),
      insert_feed_(database_, "INSERT INTO feed(place, pk, id, written_at, subject, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
      expired_(database_,
               "SELECT d.number, p.name, d.id FROM documents d INDEXED BY document_expiring"
               " CROSS JOIN partitions p ON p.pk = d.pk WHERE d.expires_at <= ?1 LIMIT ?2"),
      oldest_feed_(database_, "SELECT place, written_at FROM feed WHERE place >= ?1 AND place < ?2 ORDER BY place LIMIT ?3"),
      remove_feed_(database_, "DELETE FROM feed WHERE place >= ?1 AND place <= ?2") {
  counter_ = static_cast<std::uint64_t>(database_.integer("SELECT counter FROM state"));
  saved_counter_ = counter_;
  const auto remember_pages = [](void* pages, sqlite3*, const char*, int count) {
    *static_cast<int*>(pages) = count;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(database_.handle(), remember_pages, wal_pages_.get());
}

void Writer::begin() { begin_.run(); }

void Writer::commit() {
  if (counter_ != saved_counter_) save_counter_.run(static_cast<std::int64_t>(counter_));
  commit_.run();
  saved_counter_ = counter_;
}

void Writer::rollback() noexcept {
  if (database_.in_transaction()) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  counter_ = saved_counter_;
  partitions_.clear();  // they may name rows that are gone again
  types_.clear();
}

void Writer::checkpoint() {
  const int code = sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) throw SqliteError(code, sqlite3_errmsg(database_.handle()));
}

void Writer::leave_untouched() { sqlite3_db_config(database_.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr); }

Result<Committed> Writer::apply(Batch& batch, Time now, std::vector<Change>& changes) {
  std::int64_t partition = find_partition(batch.partition);
  std::vector<Stored> stored;
  stored.reserve(batch.writes.size());
  for (std::size_t i = 0; i < batch.writes.size(); ++i) {
    stored.push_back(look_up(partition, batch.writes[i].document.key.id, now));
    const bool ignored = model::mutated(model::Mutation::store_ignores_etags) && stored[i].number != 0;
    if (!ignored && !holds(batch.writes[i], stored[i].etag)) return std::unexpected(precondition_failed(i));
  }

  if (partition == 0) partition = make_partition(batch.partition);
  const auto etag = std::to_string(++counter_);
  Committed committed;
  for (std::size_t i = 0; i < batch.writes.size(); ++i) {
    Write& write = batch.writes[i];
    committed.etags.push_back(is_put(write.action) ? etag : "");
    if (write.action == Write::Action::check) continue;
    Change change{.key = write.document.key};
    if (is_put(write.action)) {
      write.document.etag = etag;
      write.document.written_at = now;
      put(write.document, partition, stored[i]);
      change.document = std::make_shared<const Document>(std::move(write.document));
    } else {
      remove_.run(stored[i].number);
    }
    changes.push_back(std::move(change));
  }
  const std::uint32_t bucket = model::bucket_of(batch.partition);
  for (const model::FeedEntry& entry : batch.feed)
    insert_feed_.run(feed_place(bucket, ++counter_), partition, entry.key.id, now, entry.subject, entry.payload);
  return committed;
}

Writer::Stored Writer::look_up(std::int64_t partition, const model::Uuid& id, Time now) {
  Stored stored;
  if (partition == 0) return stored;
  Rows rows = look_up_.open(partition, id);
  if (!rows.next()) return stored;
  stored.number = rows.integer(0);
  const bool expired = !rows.is_null(2) && rows.time(2) <= now;
  if (!expired) stored.etag = std::to_string(rows.integer(1));
  stored.kind = static_cast<DocumentKind>(rows.integer(3));
  stored.type = rows.integer(4);
  stored.created = rows.time(5);
  stored.path = rows.text(6);
  return stored;
}

void Writer::put(Document& document, std::int64_t partition, const Stored& stored) {
  const model::Index& index = document.index;
  const auto etag = static_cast<std::int64_t>(counter_);
  const std::int64_t type = type_number(document.type);
  const auto kind = static_cast<int>(index.kind);
  const std::int64_t family = hash_of(family_of(index.path));
  if (stored.number == 0) {
    insert_.run(index.active, etag, document.written_at, document.expires_at, index.error_code, document.body, partition,
                document.key.id, kind, type, index.created, family, index.path);
    return;
  }
  // SQLite rewrites every index that has a column named in an UPDATE, changed or not: name only what may have changed.
  const bool same_place =
      stored.kind == index.kind && stored.type == type && stored.created == index.created && stored.path == index.path;
  if (same_place)
    update_.run(index.active, etag, document.written_at, document.expires_at, index.error_code, document.body, stored.number);
  else
    replace_.run(index.active, etag, document.written_at, document.expires_at, index.error_code, document.body, stored.number,
                 kind, type, index.created, family, index.path);
}

std::int64_t Writer::find_partition(const std::string& name) {
  if (const auto known = partitions_.find(name); known != partitions_.end()) return known->second;
  Rows rows = find_partition_.open(name);
  if (!rows.next()) return 0;
  if (partitions_.size() >= kPartitionsKept) partitions_.clear();
  return partitions_[name] = rows.integer(0);
}

std::int64_t Writer::make_partition(const std::string& name) {
  const std::uint32_t bucket = model::bucket_of(name);
  std::int64_t last = first_partition(bucket);
  {
    Rows rows = last_partition_.open(first_partition(bucket), first_partition(bucket + 1));
    if (rows.next() && !rows.is_null(0)) last = rows.integer(0);
  }
  insert_partition_.run(last + 1, name);
  return last + 1;
}

std::int64_t Writer::type_number(const std::string& name) {
  if (const auto known = types_.find(name); known != types_.end()) return known->second;
  {
    Rows rows = find_type_.open(name);
    if (rows.next()) return types_[name] = rows.integer(0);
  }
  Rows rows = insert_type_.open(name);
  if (!rows.next()) throw SqliteError(SQLITE_INTERNAL, "a new type got no number");
  return types_[name] = rows.integer(0);
}

std::uint32_t Writer::purge(std::uint32_t limit, Time now, Time feed_oldest, std::vector<Change>& changes) {
  std::uint32_t gone = purge_documents(limit, now, changes);
  for (std::uint32_t bucket = 0; bucket < model::kBuckets && gone < limit; ++bucket)
    gone += purge_feed(bucket, limit - gone, feed_oldest);
  return gone;
}

std::uint32_t Writer::purge_documents(std::uint32_t limit, Time now, std::vector<Change>& changes) {
  std::vector<std::int64_t> numbers;
  {
    Rows rows = expired_.open(now, limit);
    while (rows.next()) {
      numbers.push_back(rows.integer(0));
      changes.push_back(Change{.key = Key{.partition = std::string(rows.text(1)), .id = rows.uuid(2)}});
    }
  }
  for (const std::int64_t number : numbers) remove_.run(number);
  return static_cast<std::uint32_t>(numbers.size());
}

/// Entries lie in the order of their writing: the first that is still young ends the search.
std::uint32_t Writer::purge_feed(std::uint32_t bucket, std::uint32_t limit, Time oldest) {
  const std::int64_t first = feed_place(bucket, 0);
  std::int64_t last = first - 1;
  std::uint32_t gone = 0;
  {
    Rows rows = oldest_feed_.open(first, feed_place(bucket + 1, 0), limit);
    for (; rows.next() && rows.time(1) <= oldest; ++gone) last = rows.integer(0);
  }
  if (gone > 0) remove_feed_.run(first, last);
  return gone;
}

}  // namespace acceptd::store::sqlite
