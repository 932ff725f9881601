#pragma once
/// Puts the many small writes of a commit to the write-ahead log together: SQLite writes each page and its header by itself.

#include <sqlite3.h>

#include <string>

namespace acceptd::store::sqlite {

/// A VFS over another one. All files are the other's own but the write-ahead log: what is appended to it is kept in memory
/// until it is synced, read or has grown to kGatheredBytes. What SQLite synced is in the file, as before: at
/// synchronous=FULL nobody looks at a transaction in the log that is not synced, and a crash may lose it anyway.
/// Registered as long as it lives; outlives the connections that were opened with it.
class GatheringVfs {
 public:
  static constexpr std::size_t kGatheredBytes = 120 * 1024;  // the Unix VFS takes less than 128 KiB at a time

  /// `base` "" = the platform's. Throws std::runtime_error if there is none of that name.
  explicit GatheringVfs(const std::string& base);
  ~GatheringVfs();
  GatheringVfs(const GatheringVfs&) = delete;
  GatheringVfs& operator=(const GatheringVfs&) = delete;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
  sqlite3_vfs vfs_{};
};

}  // namespace acceptd::store::sqlite
