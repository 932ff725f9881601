#pragma once
/// The simulator's memory on disk: named JSON texts in one SQLite file.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

struct sqlite3;

namespace acceptd::simulator {

struct Entry {
  std::string key;
  std::optional<std::string> value;  ///< nullopt: remove
};

/// For one thread. One process at a time: a second one that opens the same file gets an exception.
class Journal {
 public:
  /// Creates the file if it is missing. Throws std::runtime_error with the file's name and the reason.
  explicit Journal(const std::filesystem::path& file);

  std::map<std::string, std::string> load() const;
  /// All or nothing, on disk on return (WAL, synchronous=FULL). Throws std::runtime_error; then nothing was written.
  void commit(std::span<const Entry> entries);
  void clear();

 private:
  void execute(const char* sql) const;
  void write(std::span<const Entry> entries);

  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace acceptd::simulator
