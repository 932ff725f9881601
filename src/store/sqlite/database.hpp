#pragma once
/// One SQLite connection, its prepared statements and their rows. Errors are thrown as SqliteError and caught where the
/// store answers: a read, a commit group, an opening.

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/time.hpp"
#include "model/uuid.hpp"

namespace acceptd::store::sqlite {

class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const { return code_ & 0xff; }  ///< primary result code
  bool is_corruption() const { return code() == SQLITE_CORRUPT || code() == SQLITE_NOTADB; }

 private:
  int code_;
};

/// A connection without a mutex: one thread at a time.
class Database {
 public:
  /// `flags` of sqlite3_open_v2; `vfs` "" = the platform's.
  Database(const std::string& path, int flags, const std::string& vfs);

  /// Runs statements that return nothing of interest.
  void execute(const char* sql);
  std::int64_t integer(const char* sql);
  std::string text(const char* sql);
  bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// One execution of a statement. Resets it at the end, so that no read transaction stays open.
class Rows {
 public:
  explicit Rows(sqlite3_stmt* statement) : statement_(statement) {}
  ~Rows() { sqlite3_reset(statement_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  bool next();
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::string_view text(int column) const;  ///< until next()
  model::Uuid uuid(int column) const;
  model::Time time(int column) const { return model::Time(model::Duration(integer(column))); }

 private:
  sqlite3_stmt* statement_;
};

class Statement {
 public:
  Statement(Database& database, std::string_view sql);

  /// Binds ?1, ?2, …; texts are not copied: they must outlive the rows.
  template <class... Values>
  Rows open(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    return Rows(statement_.get());
  }
  /// For statements put together at run time.
  using Value = std::variant<std::int64_t, std::string_view, model::Uuid>;
  Rows open_with(const std::vector<Value>& values);
  template <class... Values>
  void run(const Values&... values) {
    Rows rows = open(values...);
    while (rows.next()) {
    }
  }

  void bind(int index, std::integral auto value) { check(sqlite3_bind_int64(statement_.get(), index, value)); }
  void bind(int index, std::string_view value);
  void bind(int index, const model::Uuid& value);
  void bind(int index, model::Time value) { bind(index, value.time_since_epoch().count()); }
  void bind(int index, const std::optional<model::Time>& value);

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  void check(int code);
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace acceptd::store::sqlite
