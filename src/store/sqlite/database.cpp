#include "store/sqlite/database.hpp"

#include <algorithm>

namespace acceptd::store::sqlite {
namespace {

void check(int code, sqlite3* handle) {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
    throw SqliteError(code, handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code));
}

constexpr int kBusyTimeoutMs = 5000;  // how long a visitor with the sqlite3 tool may hold us up

}  // namespace

Database::Database(const std::string& path, int flags, const std::string& vfs) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                   vfs.empty() ? nullptr : vfs.c_str());
  handle_.reset(handle);
  check(code, handle);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
}

void Database::execute(const char* sql) { check(sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr), handle()); }

std::int64_t Database::integer(const char* sql) {
  Statement statement(*this, sql);
  Rows rows = statement.open();
  return rows.next() ? rows.integer(0) : 0;
}

std::string Database::text(const char* sql) {
  Statement statement(*this, sql);
  Rows rows = statement.open();
  return rows.next() ? std::string(rows.text(0)) : std::string();
}

bool Rows::next() {
  const int code = sqlite3_step(statement_);
  check(code, sqlite3_db_handle(statement_));
  return code == SQLITE_ROW;
}

std::string_view Rows::text(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

model::Uuid Rows::uuid(int column) const {
  model::Uuid id{};
  const std::string_view bytes = text(column);
  if (bytes.size() != id.size()) throw SqliteError(SQLITE_CORRUPT, "an id in the file has not 16 bytes");
  std::ranges::copy(bytes, id.begin());
  return id;
}

Statement::Statement(Database& database, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  statement_.reset(statement);
  sqlite::check(code, database.handle());
}

Rows Statement::open_with(const std::vector<Value>& values) {
  int index = 0;
  for (const Value& value : values) std::visit([&](const auto& held) { bind(++index, held); }, value);
  return Rows(statement_.get());
}

void Statement::bind(int index, std::string_view value) {
  // A null pointer would bind NULL instead of an empty text.
  const char* data = value.data() ? value.data() : "";
  check(sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int index, const model::Uuid& value) {
  check(sqlite3_bind_blob64(statement_.get(), index, value.data, value.size(), SQLITE_STATIC));
}

void Statement::bind(int index, const std::optional<model::Time>& value) {
  if (value)
    bind(index, *value);
  else
    check(sqlite3_bind_null(statement_.get(), index));
}

void Statement::check(int code) { sqlite::check(code, sqlite3_db_handle(statement_.get())); }

}  // namespace acceptd::store::sqlite
