#include "store/sqlite/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace acceptd::store::sqlite {
namespace {

// Small keys: integer partitions, 16-byte ids, a rowid table so that bodies append. Texts are indexed only where a row
// is created seldom: paths of resources, not of operations (kind 3) and reservations (kind 5), of which each create makes
// some. What a start asks for (which operations are active?) is answered by its index alone, not by a row here and a row
// there in the whole file. pk = partition number, see first_partition().
constexpr const char* kSchema = R"sql(
CREATE TABLE state(only_row INTEGER PRIMARY KEY CHECK (only_row = 1), counter INTEGER NOT NULL);
INSERT INTO state VALUES (1, 0);
CREATE TABLE partitions(pk INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE types(type INTEGER PRIMARY KEY, type_name TEXT NOT NULL UNIQUE);
CREATE TABLE documents(
  number INTEGER PRIMARY KEY, pk INTEGER NOT NULL, id BLOB NOT NULL, kind INTEGER NOT NULL, type INTEGER NOT NULL,
  active INTEGER NOT NULL, etag INTEGER NOT NULL, created INTEGER NOT NULL, written_at INTEGER NOT NULL,
  expires_at INTEGER, family INTEGER NOT NULL, error_code TEXT NOT NULL, path TEXT NOT NULL, body TEXT NOT NULL);
CREATE UNIQUE INDEX document_by_key ON documents(pk, id);
CREATE INDEX document_by_path ON documents(pk, kind, path, type) WHERE kind NOT IN (3, 5);
CREATE INDEX operation_by_time ON documents(pk, created) WHERE kind = 3;
CREATE INDEX operation_by_family ON documents(pk, family, created) WHERE kind = 3;
CREATE INDEX operation_active ON documents(pk, family, created, id, expires_at) WHERE kind = 3 AND active = 1;
CREATE INDEX operation_failed ON documents(pk, error_code, created) WHERE kind = 3 AND error_code <> '';
CREATE INDEX document_expiring ON documents(expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE feed(
  place INTEGER PRIMARY KEY, pk INTEGER NOT NULL, id BLOB NOT NULL, written_at INTEGER NOT NULL,
  subject TEXT NOT NULL, payload TEXT NOT NULL);
)sql";

// https://www.sqlite.org/fileformat2.html §1.3
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kUserVersionOffset = 60;
constexpr std::size_t kApplicationIdOffset = 68;

std::int64_t big_endian(const std::array<char, kHeaderBytes>& header, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(header[offset + i]);
  return value;
}

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw std::runtime_error(fmt::format("The store file '{}' {}.", path, why));
}

void check_identity(const std::string& path, std::int64_t application_id, std::int64_t version) {
  if (application_id != kApplicationId) refuse(path, "is an SQLite database of another program");
  if (version > kFileVersion)
    refuse(path, fmt::format("has version {}, but this program knows only versions up to {}: use a newer acceptd", version,
                             kFileVersion));
  if (version < kFileVersion)
    refuse(path, fmt::format("has version {}, of a time before the first release, and nothing converts it to version {}: move it "
                             "away to begin with an empty one",
                             version, kFileVersion));
}

/// Judges the first bytes by themselves, since opening a database may already write (recovery). They are constant
/// once the file is made. While a rollback journal exists the file is still being made: SQLite recovers it first.
void check_header(const std::string& path, const std::string& vfs_name) {
  sqlite3_vfs* vfs = sqlite3_vfs_find(vfs_name.empty() ? nullptr : vfs_name.c_str());
  if (!vfs) refuse(path, fmt::format("cannot be opened: there is no VFS '{}'", vfs_name));
  int found = 0, journal = 0;
  vfs->xAccess(vfs, path.c_str(), SQLITE_ACCESS_EXISTS, &found);
  vfs->xAccess(vfs, (path + "-journal").c_str(), SQLITE_ACCESS_EXISTS, &journal);
  if (!found || journal) return;

  const std::unique_ptr<char, decltype(&sqlite3_free_filename)> name(
      const_cast<char*>(sqlite3_create_filename(path.c_str(), "", "", 0, nullptr)), &sqlite3_free_filename);
  const auto storage =
      std::make_unique<std::max_align_t[]>(static_cast<std::size_t>(vfs->szOsFile) / sizeof(std::max_align_t) + 1);
  auto* file = reinterpret_cast<sqlite3_file*>(storage.get());
  if (vfs->xOpen(vfs, name.get(), file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr) != SQLITE_OK)
    refuse(path, "cannot be opened");
  sqlite3_int64 size = 0;
  std::array<char, kHeaderBytes> header{};
  int code = file->pMethods->xFileSize(file, &size);
  if (code == SQLITE_OK && size > 0) code = file->pMethods->xRead(file, header.data(), kHeaderBytes, 0);
  file->pMethods->xClose(file);
  if (code == SQLITE_OK && size == 0) return;
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) refuse(path, "cannot be read");
  if (std::string_view(header.data(), kMagic.size()) != kMagic) refuse(path, "is no SQLite database or corrupted");
  check_identity(path, big_endian(header, kApplicationIdOffset), big_endian(header, kUserVersionOffset));
}

void create_schema(Database& database) {
  database.execute("BEGIN IMMEDIATE");
  database.execute(kSchema);
  database.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, kFileVersion).c_str());
  database.execute("COMMIT");
}

void check_contents(Database& database, const std::string& path, bool check_all) {
  check_identity(path, database.integer("PRAGMA application_id"), database.integer("PRAGMA user_version"));
  const std::string verdict = check_all ? database.text("PRAGMA quick_check(1)") : "ok";
  if (verdict != "ok") refuse(path, fmt::format("is corrupted: {}", verdict));
}

void set_checkpoint_on_close(Database& database, bool on) {
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr);
}

}  // namespace

FileLock::FileLock(const std::string& path, const std::string& vfs) try
    : sidecar_(path + ".lock", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs) {
  // An empty database held in an exclusive transaction: a lock that works the same on every platform and VFS.
  sqlite3_busy_timeout(sidecar_.handle(), 0);
  sidecar_.execute("BEGIN EXCLUSIVE");
} catch (const SqliteError& error) {
  if (error.code() == SQLITE_BUSY) refuse(path, fmt::format("is in use by another process (it holds '{}.lock')", path));
  refuse(path, fmt::format("cannot be locked: '{}.lock': {}", path, error.what()));
}

Database open_for_writing(const std::string& path, const std::string& vfs, bool check_all) {
  check_header(path, vfs);
  try {
    Database database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs);
    set_checkpoint_on_close(database, false);      // a file that is refused stays as it is
    database.execute("PRAGMA synchronous=EXTRA");  // a rollback journal that comes back would undo the making
    if (database.integer("PRAGMA page_count") == 0) create_schema(database);
    check_contents(database, path, check_all);
    if (database.text("PRAGMA journal_mode=WAL") != "wal") refuse(path, "cannot use a write-ahead log");
    // Checkpoints are the committer's: SQLite's own would hide their errors.
    database.execute(
        "PRAGMA synchronous=FULL; PRAGMA cache_size=-65536; PRAGMA wal_autocheckpoint=0;"
        "PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
    if (database.integer("PRAGMA synchronous") != 2)
      refuse(path, "cannot be written durably: SQLite does not keep synchronous=FULL");
    set_checkpoint_on_close(database, true);
    return database;
  } catch (const SqliteError& error) {
    if (error.is_corruption()) refuse(path, fmt::format("is corrupted: {}", error.what()));
    refuse(path, fmt::format("cannot be opened: {}", error.what()));
  }
}

Database open_for_reading(const std::string& path, const std::string& vfs) {
  Database database(path, SQLITE_OPEN_READWRITE, vfs);  // reading a WAL writes its index
  database.execute("PRAGMA query_only=ON; PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF");
  set_checkpoint_on_close(database, false);
  return database;
}

namespace {

// "/subscriptions/{s}/resourcegroups/{rg}/providers/{ns}/{type}/{name}" has eight segments.
constexpr int kFamilySegments = 8;

/// Where the segment number kFamilySegments ends; nullopt if there are fewer.
std::optional<std::size_t> family_end(std::string_view path) {
  std::size_t slash = 0;
  for (int segment = 0; segment < kFamilySegments; ++segment) {
    if (slash >= path.size() || path[slash] != '/') return std::nullopt;
    slash = std::min(path.find('/', slash + 1), path.size());
  }
  return slash;
}

}  // namespace

std::string_view family_of(std::string_view path) { return path.substr(0, family_end(path).value_or(path.size())); }

bool is_within_family(std::string_view prefix) {
  const auto end = family_end(prefix);
  return end && *end < prefix.size();  // the name of the top-level resource is complete
}

std::int64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return static_cast<std::int64_t>(hash);
}

}  // namespace acceptd::store::sqlite
