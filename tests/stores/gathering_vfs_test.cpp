#include "store/sqlite/gathering_vfs.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "store/sqlite/database.hpp"
#include "support/fault_vfs.hpp"

namespace acceptd::store::sqlite {
namespace {

using testing::FaultVfs;

constexpr int kReadWriteCreate = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
constexpr const char* kPath = "gathered.db";

Database open_log(const std::string& vfs) {
  Database database(kPath, kReadWriteCreate, vfs);
  database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(x)");
  return database;
}

/// How many calls change the disk while one transaction writes some 60 pages.
std::size_t calls_of_a_commit(FaultVfs& disk, Database& database) {
  const auto before = disk.calls();
  database.execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO t SELECT zeroblob(4000) FROM n");
  return static_cast<std::size_t>(disk.calls() - before);
}

TEST(GatheringVfs, WritesTheLogOfACommitInFewCalls) {
  FaultVfs plain_disk, disk;
  Database plain = open_log(plain_disk.name());
  const GatheringVfs vfs(disk.name());
  Database gathered = open_log(vfs.name());
  EXPECT_GE(calls_of_a_commit(plain_disk, plain), 100U);  // a frame's header and its page are two
  EXPECT_LE(calls_of_a_commit(disk, gathered), 10U);
}

TEST(GatheringVfs, OtherConnectionsSeeWhatIsCommitted) {
  FaultVfs disk;
  const GatheringVfs vfs(disk.name());
  Database writer = open_log(vfs.name());
  Database reader(kPath, SQLITE_OPEN_READWRITE, disk.name());
  for (int rows = 1; rows <= 5; ++rows) {
    writer.execute("INSERT INTO t VALUES (zeroblob(3000))");
    EXPECT_EQ(reader.integer("SELECT count(*) FROM t"), rows);
  }
}

TEST(GatheringVfs, AWriteThatFailsFailsTheCommit) {
  FaultVfs disk;
  const GatheringVfs vfs(disk.name());
  Database writer = open_log(vfs.name());
  disk.fail_at(disk.calls() + 1, FaultVfs::Fault::disk_full);
  EXPECT_THROW(writer.execute("INSERT INTO t VALUES (1)"), SqliteError);
}

TEST(GatheringVfs, NeedsABase) { EXPECT_THROW(GatheringVfs("no such VFS"), std::runtime_error); }

}  // namespace
}  // namespace acceptd::store::sqlite
