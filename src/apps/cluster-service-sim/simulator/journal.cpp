#include "apps/cluster-service-sim/simulator/journal.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <stdexcept>
#include <string_view>

namespace acceptd::simulator {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

[[noreturn]] void fail(sqlite3* handle) {
  throw std::runtime_error(fmt::format("simulator's database: {}", sqlite3_errmsg(handle)));
}

Statement prepare(sqlite3* handle, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr) != SQLITE_OK) fail(handle);
  return Statement(statement);
}

void bind_text(sqlite3* handle, const Statement& statement, int index, std::string_view text) {
  if (sqlite3_bind_text64(statement.get(), index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
    fail(handle);
}

std::string column(const Statement& statement, int index) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), index));
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement.get(), index))};
}

}  // namespace

void Journal::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

Journal::Journal(const std::filesystem::path& file) {
  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (opened != SQLITE_OK) throw std::runtime_error(fmt::format("{}: {}", file.string(), sqlite3_errstr(opened)));
  try {
    // Exclusive: a second simulator on the same file would answer from its own memory.
    execute(
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS entries(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID; "
        "COMMIT");
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), error.what()));
  }
}

std::map<std::string, std::string> Journal::load() const {
  std::map<std::string, std::string> entries;
  const Statement statement = prepare(handle_.get(), "SELECT key, value FROM entries");
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(statement.get())) == SQLITE_ROW) entries.emplace(column(statement, 0), column(statement, 1));
  if (step != SQLITE_DONE) fail(handle_.get());
  return entries;
}

void Journal::commit(std::span<const Entry> entries) {
  execute("BEGIN IMMEDIATE");
  try {
    write(entries);
    execute("COMMIT");
  } catch (...) {
    sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

void Journal::clear() { execute("DELETE FROM entries"); }

void Journal::write(std::span<const Entry> entries) {
  const Statement put =
      prepare(handle_.get(), "INSERT INTO entries(key, value) VALUES(?1, ?2) ON CONFLICT DO UPDATE SET value = ?2");
  const Statement remove = prepare(handle_.get(), "DELETE FROM entries WHERE key = ?1");
  for (const Entry& entry : entries) {
    const Statement& statement = entry.value ? put : remove;
    bind_text(handle_.get(), statement, 1, entry.key);
    if (entry.value) bind_text(handle_.get(), statement, 2, *entry.value);
    if (sqlite3_step(statement.get()) != SQLITE_DONE) fail(handle_.get());
    sqlite3_reset(statement.get());
  }
}

void Journal::execute(const char* sql) const {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(handle_.get());
}

}  // namespace acceptd::simulator
