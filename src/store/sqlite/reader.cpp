#include "store/sqlite/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "store/sqlite/file.hpp"

namespace acceptd::store::sqlite {
namespace {

constexpr std::string_view kColumns =
    "d.id, d.etag, d.kind, d.active, d.created, d.written_at, d.expires_at, d.error_code, d.path, d.body, d.type";

constexpr int kTypeColumn = 10;

DocumentPtr document_of(const Rows& rows, const std::string& partition, const std::string& type) {
  auto document = std::make_shared<Document>();
  document->key = Key{.partition = partition, .id = rows.uuid(0)};
  document->etag = std::to_string(rows.integer(1));
  document->index.kind = static_cast<DocumentKind>(rows.integer(2));
  document->index.active = rows.integer(3) != 0;
  document->index.created = rows.time(4);
  document->written_at = rows.time(5);
  if (!rows.is_null(6)) document->expires_at = rows.time(6);
  document->index.error_code = rows.text(7);
  document->index.path = rows.text(8);
  document->body = rows.text(9);
  document->type = type;
  return document;
}

/// The statement of a query and what it binds; grows condition by condition.
struct Selection {
  std::string sql;
  std::vector<Statement::Value> values;

  template <class... Bound>
  void add(std::string_view condition, const Bound&... bound) {
    sql += condition;
    (values.emplace_back(bound), ...);
  }
};

std::int64_t count_of(Time time) { return time.time_since_epoch().count(); }

/// The index is named, not left to guesses of the planner, which has no statistics: the worst case stays the same.
std::string_view index_of(const Query& query) {
  if (query.kind == DocumentKind::reservation) return "document_by_key";
  if (query.kind != DocumentKind::operation) return "document_by_path";
  if (query.active == true) return "operation_active";
  if (!query.error_code.empty()) return "operation_failed";
  if (!query.path.empty() || is_within_family(query.path_prefix)) return "operation_by_family";
  return "operation_by_time";
}

/// `after_prefix` is where paths below the prefix end: '0' follows '/'. Both outlive the selection.
void add_conditions(Selection& selection, const Query& query, const std::string& after_prefix, Time now) {
  const std::string_view index = index_of(query);
  selection.add(fmt::format(" FROM documents d INDEXED BY {} WHERE d.kind = {}{}", index, static_cast<int>(query.kind),
                            index == "document_by_path" ? " AND d.kind NOT IN (3, 5)" : ""));
  selection.add(" AND d.pk = (SELECT pk FROM partitions WHERE name = ?)", std::string_view(query.partition));
  selection.add(" AND (d.expires_at IS NULL OR d.expires_at > ?)", count_of(now));
  if (!query.type.empty())
    selection.add(" AND d.type = (SELECT type FROM types WHERE type_name = ?)", std::string_view(query.type));
  const std::string& within = query.path.empty() ? query.path_prefix : query.path;
  const bool one_family = !query.path.empty() || is_within_family(query.path_prefix);
  if (index == "operation_by_family" || (index == "operation_active" && one_family))
    selection.add(" AND d.family = ?", hash_of(family_of(within)));
  if (!query.path.empty()) selection.add(" AND d.path = ?", std::string_view(query.path));
  if (!query.path_prefix.empty())
    selection.add(" AND d.path > ? AND d.path < ?", std::string_view(query.path_prefix), std::string_view(after_prefix));
  if (query.active) selection.add(*query.active ? " AND d.active = 1" : " AND d.active = 0");
  if (query.created_from) selection.add(" AND d.created >= ?", count_of(*query.created_from));
  if (query.created_until) selection.add(" AND d.created < ?", count_of(*query.created_until));
  if (!query.error_code.empty())
    selection.add(" AND d.error_code = ? AND d.error_code <> ''", std::string_view(query.error_code));
}

void add_page(Selection& selection, const Query& query, const std::optional<Position>& after) {
  const bool by_time = query.kind == DocumentKind::operation;
  if (after && by_time)
    selection.add(" AND d.created >= ? AND (d.created > ? OR d.id > ?)", count_of(after->created), count_of(after->created),
                  after->id);
  if (after && !by_time)
    selection.add(" AND d.path >= ? AND (d.path > ? OR d.id > ?)", std::string_view(after->path), std::string_view(after->path),
                  after->id);
  // One more than the page, to know whether another one follows.
  selection.add(by_time ? " ORDER BY d.created, d.id LIMIT ?" : " ORDER BY d.path, d.id LIMIT ?", std::int64_t{query.limit} + 1);
}

std::string end_of_prefix(const std::string& prefix) {
  std::string end = prefix;
  if (!end.empty()) ++end.back();
  return end;
}

constexpr std::string_view kRead =
    "FROM documents d WHERE d.pk = ?1 AND d.id = ?2 AND (d.expires_at IS NULL OR d.expires_at > ?3)";

constexpr std::string_view kFeed =
    "SELECT f.place, p.name, f.id, f.subject, f.payload, f.written_at FROM feed f CROSS JOIN partitions p ON p.pk = "
    "f.pk"
    " WHERE f.place > ?1 AND f.place < ?2 AND f.written_at > ?3 ORDER BY f.place LIMIT ?4";

constexpr std::string_view kActive =
    "SELECT d.pk, d.family, d.created, d.number, p.name, d.id FROM documents d INDEXED BY operation_active"
    " CROSS JOIN partitions p ON p.pk = d.pk WHERE d.kind = 3 AND d.active = 1 AND d.pk < ?1"
    " AND (d.pk, d.family, d.created, d.number) > (?2, ?3, ?4, ?5) AND (d.expires_at IS NULL OR d.expires_at > ?6)"
    " ORDER BY d.pk, d.family, d.created, d.number LIMIT ?7";

/// Where a page of active() ended, in the order of its index.
using ActivePlace = std::array<std::int64_t, 4>;

std::optional<ActivePlace> parse_active_place(std::string_view text) {
  ActivePlace place{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ':')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, place[i]);
    if (error != std::errc{}) return std::nullopt;
    at = next;
  }
  return at == end ? std::optional(place) : std::nullopt;
}

}  // namespace

Reader::Reader(Database database)
    : database_(std::move(database)),
      read_(database_, fmt::format("SELECT {} {}", kColumns, kRead)),
      feed_(database_, kFeed),
      active_(database_, kActive),
      partition_(database_, "SELECT pk FROM partitions WHERE name = ?1"),
      type_(database_, "SELECT type_name FROM types WHERE type = ?1") {}

DocumentPtr Reader::read(const Key& key, Time now) {
  const auto partition = partition_of(key.partition);
  if (!partition) return nullptr;
  Rows rows = read_.open(*partition, key.id, now);
  return rows.next() ? document_of(rows, key.partition, type_name(rows.integer(kTypeColumn))) : nullptr;
}

std::optional<std::int64_t> Reader::partition_of(const std::string& name) {
  if (const auto known = partitions_.find(name); known != partitions_.end()) return known->second;
  Rows rows = partition_.open(name);
  if (!rows.next()) return std::nullopt;
  if (partitions_.size() >= kPartitionsKept) partitions_.clear();
  return partitions_[name] = rows.integer(0);
}

const std::string& Reader::type_name(std::int64_t type) {
  if (const auto known = types_.find(type); known != types_.end()) return known->second;
  Rows rows = type_.open(type);
  if (!rows.next()) throw SqliteError(SQLITE_CORRUPT, "a document's type is not in the file");
  return types_[type] = rows.text(0);
}

Statement& Reader::prepared(const std::string& sql) {
  const auto found = queries_.find(sql);
  return found != queries_.end() ? found->second : queries_.try_emplace(sql, database_, sql).first->second;
}

Page Reader::query(const Query& query, const std::optional<Position>& after, Time now) {
  Selection selection;
  const std::string after_prefix = end_of_prefix(query.path_prefix);
  selection.add(fmt::format("SELECT {}", kColumns));
  add_conditions(selection, query, after_prefix, now);
  add_page(selection, query, after);
  Page page;
  Rows rows = prepared(selection.sql).open_with(selection.values);
  while (rows.next()) {
    if (page.documents.size() == query.limit) {
      page.continuation = encode_position(query.kind, position_of(*page.documents.back()));
      break;
    }
    page.documents.push_back(document_of(rows, query.partition, type_name(rows.integer(kTypeColumn))));
  }
  return page;
}

std::uint64_t Reader::count(const Query& query, Time now) {
  Selection selection;
  const std::string after_prefix = end_of_prefix(query.path_prefix);
  selection.add("SELECT count(*)");
  add_conditions(selection, query, after_prefix, now);
  Rows rows = prepared(selection.sql).open_with(selection.values);
  return rows.next() ? static_cast<std::uint64_t>(rows.integer(0)) : 0;
}

Result<ActivePage> Reader::active(const ActiveQuery& query, Time now) {
  std::optional<ActivePlace> after =
      ActivePlace{first_partition(query.first_bucket), std::numeric_limits<std::int64_t>::min(), 0, 0};
  if (!query.continuation.empty()) after = parse_active_place(query.continuation);
  if (!after) return std::unexpected(bad_continuation());
  ActivePage page;
  ActivePlace last{};
  Rows rows = active_.open(first_partition(query.last_bucket + 1), (*after)[0], (*after)[1], (*after)[2], (*after)[3], now,
                           query.limit + 1);
  while (rows.next()) {
    if (page.keys.size() == query.limit) {
      page.continuation = fmt::format("{}", fmt::join(last, ":"));
      break;
    }
    last = {rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3)};
    page.keys.push_back(Key{.partition = std::string(rows.text(4)), .id = rows.uuid(5)});
  }
  return page;
}

std::vector<FeedRecord> Reader::feed(const FeedQuery& query, Time oldest) {
  std::vector<FeedRecord> records;
  if (query.after >= kMaxSequence) return records;
  Rows rows = feed_.open(feed_place(query.bucket, query.after), feed_place(query.bucket + 1, 0), oldest, query.limit);
  while (rows.next()) {
    FeedRecord record;
    record.sequence = static_cast<std::uint64_t>(rows.integer(0) - feed_place(query.bucket, 0));
    record.entry.key = Key{.partition = std::string(rows.text(1)), .id = rows.uuid(2)};
    record.entry.subject = rows.text(3);
    record.entry.payload = rows.text(4);
    record.written_at = rows.time(5);
    records.push_back(std::move(record));
  }
  return records;
}

ReaderPool::ReaderPool(std::string path, std::string vfs, std::size_t connections)
    : path_(std::move(path)), vfs_(std::move(vfs)), connections_max_(std::max<std::size_t>(connections, 1)) {}

ReaderPool::Lease ReaderPool::take() {
  {
    const Lock lock(mutex_);
    while (idle_.empty() && leased_ >= connections_max_ && !closed_) changed_.wait(mutex_);
    if (closed_) throw SqliteError(SQLITE_MISUSE, "the store is closed");
    ++leased_;
    if (!idle_.empty()) {
      auto reader = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(reader));
    }
  }
  try {
    return Lease(*this, std::make_unique<Reader>(open_for_reading(path_, vfs_)));
  } catch (...) {
    give_back(nullptr);
    throw;
  }
}

void ReaderPool::give_back(std::unique_ptr<Reader> reader) {
  {
    const Lock lock(mutex_);
    --leased_;
    if (reader && !closed_) idle_.push_back(std::move(reader));
  }
  changed_.notify_all();
}

void ReaderPool::close() {
  const Lock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
  while (leased_ > 0) changed_.wait(mutex_);
  idle_.clear();
}

}  // namespace acceptd::store::sqlite
