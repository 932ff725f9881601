/// What only the embedded store promises: which files it opens, how it commits, how it stops.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "support/fault_vfs.hpp"

namespace acceptd::testing {
namespace {

using namespace store::sqlite;
using model::Batch;
using model::Document;
using model::DocumentPtr;
using model::ErrorKind;
using model::Key;
using model::Result;
using model::Write;
using store::Committed;
using ::testing::HasSubstr;

Batch put(std::uint8_t number, std::string body = "{}", std::string expected = "") {
  Document document{.key = {.partition = "p"}, .type = "t", .body = std::move(body)};
  document.key.id.data[0] = number;
  Batch batch{.partition = "p"};
  const auto action = expected.empty() ? Write::Action::create : Write::Action::replace;
  batch.writes.push_back({.action = action, .document = std::move(document), .expected = std::move(expected)});
  return batch;
}
Key key_of(std::uint8_t number) {
  Key key{.partition = "p"};
  key.id.data[0] = number;
  return key;
}

/// A stepped store on a disk in memory; nothing steps it by itself.
class SqliteStoreTest : public ::testing::Test {
 protected:
  static constexpr const char* kPath = "test.db";

  void open(int wal_pages_max = 1000, std::size_t cache_bytes = 1 << 20) {
    const Options options{
        .path = kPath, .vfs = disk_.name(), .cache_bytes = cache_bytes, .wal_pages_max = wal_pages_max, .check_all_pages = true};
    store_ = std::make_unique<SteppedSqliteStore>(options, clock_, log_);
  }
  /// What opening says; "" if it works.
  std::string refusal() {
    try {
      open();
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  void reopen() {
    store_->close();
    store_.reset();
    open();
  }

  /// Queues a batch; the place for its answer is filled by a later step().
  std::shared_ptr<std::optional<Result<Committed>>> start(Batch batch) {
    auto answer = std::make_shared<std::optional<Result<Committed>>>();
    auto keep = [answer](std::exception_ptr, Result<Committed> result) { *answer = std::move(result); };
    boost::asio::co_spawn(io_, store_->commit(std::move(batch)), std::move(keep));
    poll();
    return answer;
  }
  std::size_t step() {
    const std::size_t done = store_->step();
    poll();
    return done;
  }
  void poll() {
    io_.restart();
    io_.poll();
  }
  Result<Committed> commit(Batch batch) {
    const auto answer = start(std::move(batch));
    while (step() > 0) {
    }
    return answer->value();
  }
  template <class T>
  T now(runtime::Task<T> task) {
    std::optional<T> value;
    boost::asio::co_spawn(io_, std::move(task), [&](std::exception_ptr, T result) { value = std::move(result); });
    poll();
    return std::move(value.value());
  }
  std::string body(std::uint8_t number) {
    const Result<DocumentPtr> document = now(store_->read(key_of(number)));
    if (!document) return "error: " + document.error().message;
    return *document ? (*document)->body : "none";
  }
  ErrorKind kind(const Result<Committed>& result) { return result.error().kind; }

  boost::asio::io_context io_{1};
  FaultVfs disk_;
  ManualClock clock_;
  RecordingLog log_;
  std::unique_ptr<SteppedSqliteStore> store_;
};

// Which files are opened

TEST_F(SqliteStoreTest, ASecondStoreOnTheSameFileIsRefused) {
  open();
  ASSERT_TRUE(commit(put(1)).has_value());
  const Options options{.path = kPath, .vfs = disk_.name()};
  try {
    SteppedSqliteStore second(options, clock_, log_);
    FAIL() << "opened twice";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("in use by another process"));
  }
  ASSERT_TRUE(commit(put(2)).has_value());
  reopen();
  EXPECT_EQ(body(2), "{}");
}

TEST_F(SqliteStoreTest, ANewerFileIsRefusedAndLeftUntouched) {
  open();
  ASSERT_TRUE(commit(put(1)).has_value());
  store_->close();
  store_.reset();
  std::string file = disk_.contents(kPath);
  file[63] = static_cast<char>(kFileVersion + 1);
  disk_.set_contents(kPath, file);
  EXPECT_THAT(refusal(), HasSubstr("version 3, but this program knows only versions up to 2"));
  EXPECT_EQ(disk_.contents(kPath), file);
  EXPECT_FALSE(disk_.exists(std::string(kPath) + "-wal"));
}

TEST_F(SqliteStoreTest, AnOlderFileIsRefusedAndLeftUntouched) {
  open();
  ASSERT_TRUE(commit(put(1)).has_value());
  store_->close();
  store_.reset();
  std::string file = disk_.contents(kPath);
  file[63] = static_cast<char>(kFileVersion - 1);
  disk_.set_contents(kPath, file);
  EXPECT_THAT(refusal(), HasSubstr("version 1, of a time before the first release"));
  EXPECT_EQ(disk_.contents(kPath), file);
}

TEST_F(SqliteStoreTest, AFileOfAnotherProgramIsRefusedAndLeftUntouched) {
  {
    Database other(kPath, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, disk_.name());
    other.execute("CREATE TABLE t(x)");
  }
  const std::string file = disk_.contents(kPath);
  EXPECT_THAT(refusal(), HasSubstr("another program"));
  EXPECT_EQ(disk_.contents(kPath), file);
}

TEST_F(SqliteStoreTest, ACorruptedFileIsRefusedAndLeftUntouched) {
  open();
  for (std::uint8_t i = 0; i < 200; ++i) ASSERT_TRUE(commit(put(i, std::string(500, 'x'))).has_value());
  store_->close();
  store_.reset();
  const std::string good = disk_.contents(kPath);
  ASSERT_GT(good.size(), 40'000u);

  std::string header = good;
  header.replace(0, 16, "no database here");
  std::string schema = good;
  schema.replace(100, 1000, std::string(1000, '\xff'));
  std::string page = good;
  page.replace(12 * 4096, 4096, std::string(4096, '\xee'));
  const std::string cut = good.substr(0, good.size() / 2);
  const std::string tiny = "SQLite";
  for (const std::string& bad : {header, schema, page, cut, tiny}) {
    disk_.set_contents(kPath, bad);
    EXPECT_THAT(refusal(), HasSubstr("corrupted"));
    EXPECT_TRUE(disk_.contents(kPath) == bad) << "the file was changed";
  }
  disk_.set_contents(kPath, good);
  EXPECT_EQ(refusal(), "");
}

TEST_F(SqliteStoreTest, CorruptionFoundByAReadIsInternal) {
  open();
  for (std::uint8_t i = 0; i < 200; ++i) ASSERT_TRUE(commit(put(i, std::string(500, 'x'))).has_value());
  store_->close();
  store_.reset();
  std::string file = disk_.contents(kPath);
  for (std::size_t at = 12 * 4096; at < file.size(); ++at) file[at] = '\xee';
  disk_.set_contents(kPath, file);
  const Options options{.path = kPath, .vfs = disk_.name()};
  store_ = std::make_unique<SteppedSqliteStore>(options, clock_, log_);
  bool found = false;
  for (std::uint8_t i = 0; i < 200; ++i) {
    const Result<DocumentPtr> document = now(store_->read(key_of(i)));
    if (!document) EXPECT_EQ(document.error().kind, ErrorKind::internal);
    found |= !document;
  }
  EXPECT_TRUE(found);
}

TEST_F(SqliteStoreTest, AnEmptyFileIsAFreshStore) {
  disk_.set_contents(kPath, "");
  EXPECT_EQ(refusal(), "");
}

TEST(SqliteStoreFileTest, OtherProgramsCanReadWhileTheStoreIsOpen) {
  std::string name = (std::filesystem::temp_directory_path() / "acceptd-file-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(name.data()));
  const std::filesystem::path directory = name;
  ManualClock clock;
  RecordingLog log;
  const Options options{.path = directory / "a#b?c%41.db"};
  {
    SteppedSqliteStore store(options, clock, log);
    Database other(options.path, SQLITE_OPEN_READONLY, "");
    EXPECT_EQ(other.integer("SELECT count(*) FROM documents"), 0);
    EXPECT_THROW(SteppedSqliteStore(options, clock, log), std::runtime_error);
    store.close();
  }
  EXPECT_FALSE(std::filesystem::exists(options.path + "-wal"));
  EXPECT_NO_THROW(SteppedSqliteStore(options, clock, log));
  EXPECT_THROW(SteppedSqliteStore({.path = directory / "no" / "such.db"}, clock, log), std::runtime_error);
  std::filesystem::remove_all(directory);
}

// Group commit

TEST_F(SqliteStoreTest, OneStepCommitsUpTo128BatchesWithOneSync) {
  open();
  ASSERT_TRUE(commit(put(250)).has_value());
  std::vector<std::shared_ptr<std::optional<Result<Committed>>>> answers;
  for (std::uint8_t i = 0; i < 130; ++i) answers.push_back(start(put(i)));
  EXPECT_EQ(store_->figures().queued, 130u);
  const std::uint64_t groups = store_->figures().groups;
  EXPECT_EQ(step(), Committer::kGroupMax);
  EXPECT_EQ(store_->figures().groups, groups + 1);
  EXPECT_EQ(store_->figures().last_group, Committer::kGroupMax);
  EXPECT_TRUE(answers[127]->has_value());
  EXPECT_FALSE(answers[128]->has_value());
  EXPECT_EQ(body(127), "{}");
  EXPECT_EQ(body(128), "none");
  EXPECT_EQ(step(), 2u);
  EXPECT_TRUE(answers[129]->has_value());
  EXPECT_EQ(step(), 0u);
}

TEST_F(SqliteStoreTest, NothingIsAcknowledgedOrShownBeforeItsStep) {
  open();
  const auto answer = start(put(1));
  EXPECT_FALSE(answer->has_value());
  EXPECT_EQ(body(1), "none");
  step();
  EXPECT_TRUE(answer->value().has_value());
  EXPECT_EQ(body(1), "{}");
}

TEST_F(SqliteStoreTest, TheQueueIsBounded) {
  open();
  std::vector<std::shared_ptr<std::optional<Result<Committed>>>> answers;
  for (std::size_t i = 0; i < Committer::kQueuedMax; ++i) answers.push_back(start(put(static_cast<std::uint8_t>(i))));
  const auto refused = start(put(1));
  ASSERT_TRUE(refused->has_value());
  EXPECT_EQ(kind(refused->value()), ErrorKind::unavailable);
  EXPECT_FALSE(answers.back()->has_value());
  step();
  EXPECT_FALSE(start(put(1))->has_value());
  store_->close();
}

TEST_F(SqliteStoreTest, CloseFinishesWhatIsQueuedAndRefusesTheRest) {
  open();
  const auto queued = start(put(1));
  store_->close();
  poll();
  EXPECT_TRUE(queued->value().has_value());
  const auto late = start(put(2));
  EXPECT_EQ(kind(late->value()), ErrorKind::unavailable);
  EXPECT_EQ(now(store_->read(key_of(9))).error().kind, ErrorKind::unavailable);
  store_.reset();
  open();
  EXPECT_EQ(body(1), "{}");
  EXPECT_EQ(body(2), "none");
}

TEST_F(SqliteStoreTest, DroppedWithoutCloseItForgetsWhatIsQueued) {
  open();
  const auto queued = start(put(1));
  store_.reset();
  open();
  EXPECT_FALSE(queued->has_value());
  EXPECT_EQ(body(1), "none");
}

// Failures of the disk

TEST_F(SqliteStoreTest, AFullDiskStopsTheWritingAndReadsGoOn) {
  open();
  ASSERT_TRUE(commit(put(1, "before")).has_value());
  disk_.fail_at(disk_.calls() + 1, FaultVfs::Fault::disk_full);
  const auto lost = start(put(2));
  step();
  const auto refused = start(put(3));
  ASSERT_FALSE(lost->value().has_value());
  EXPECT_EQ(kind(lost->value()), ErrorKind::unknown_outcome);
  EXPECT_EQ(kind(refused->value()), ErrorKind::unavailable);
  EXPECT_THAT(refused->value().error().message, HasSubstr("disk is full"));
  EXPECT_THAT(store_->figures().stopped_because, HasSubstr("disk is full"));
  EXPECT_TRUE(log_.contains("store.stopped"));

  EXPECT_EQ(body(1), "before");
  EXPECT_EQ(body(2), "none");
  EXPECT_EQ(now(store_->count({.partition = "p"})).value(), 1u);
  disk_.clear_fault();
  EXPECT_EQ(kind(commit(put(4))), ErrorKind::unavailable) << "only a new start goes on";
  reopen();
  EXPECT_EQ(body(1), "before");
  EXPECT_TRUE(commit(put(4)).has_value());
}

TEST_F(SqliteStoreTest, AFailedSyncLeavesTheOutcomeUnknownAndNothingElseIsTried) {
  open();
  ASSERT_TRUE(commit(put(1)).has_value());
  const std::uint64_t before = disk_.calls();
  ASSERT_TRUE(commit(put(9)).has_value());
  const std::uint64_t calls_per_commit = disk_.calls() - before;  // the last of them is the sync
  const auto refused = start(put(1));
  const auto lost = start(put(2));
  disk_.fail_at(disk_.calls() + calls_per_commit, FaultVfs::Fault::io_error);
  step();
  EXPECT_EQ(kind(lost->value()), ErrorKind::unknown_outcome);
  EXPECT_EQ(kind(refused->value()), ErrorKind::unavailable) << "its refusal was never durable; nothing was written";
  EXPECT_EQ(body(2), "none");
  EXPECT_EQ(kind(commit(put(3))), ErrorKind::unavailable);
}

TEST_F(SqliteStoreTest, WhatWasNeverAttemptedIsUnavailableNotUnknown) {
  open();
  ASSERT_TRUE(commit(put(1)).has_value());
  const std::string large(1 << 20, 'x');
  std::vector<std::shared_ptr<std::optional<Result<Committed>>>> answers;
  // More than the page cache holds: pages spill to the log, and fail, before the commit.
  for (std::uint8_t i = 2; i < 100; ++i) answers.push_back(start(put(i, large)));
  disk_.fail_at(disk_.calls() + 1, FaultVfs::Fault::disk_full);
  step();
  for (const auto& answer : answers) EXPECT_EQ(kind(answer->value()), ErrorKind::unavailable);
  EXPECT_EQ(body(2), "none");
  EXPECT_EQ(body(1), "{}");
}

TEST_F(SqliteStoreTest, AFailedCheckpointStopsTheWritingAndLosesNothing) {
  open(1);
  ASSERT_TRUE(commit(put(1)).has_value());
  bool stopped = false;
  std::uint8_t number = 2;
  for (std::uint64_t ahead = 1; !stopped && ahead < 40; ++ahead, ++number) {
    disk_.fail_at(disk_.calls() + ahead, FaultVfs::Fault::io_error);
    const auto result = commit(put(number));
    stopped = log_.contains("store.checkpoint_failed");
    ASSERT_TRUE(stopped || result.has_value() || log_.contains("store.stopped"));
    if (log_.contains("store.stopped")) {  // the commit itself was hit: start again, aim further
      log_ = RecordingLog();
      disk_.clear_fault();
      store_.reset();
      open(1);
      continue;
    }
    EXPECT_TRUE(result.has_value());
    if (stopped) {
      EXPECT_EQ(kind(commit(put(200))), ErrorKind::unavailable);
      EXPECT_EQ(body(number), "{}");
      store_.reset();
      disk_.power_on(Unsynced::lost, 1);
      open();
      EXPECT_EQ(body(1), "{}");
      EXPECT_EQ(body(number), "{}");
    }
  }
  EXPECT_TRUE(stopped);
}

TEST_F(SqliteStoreTest, AFileLockedByAnotherProgramIsNoFailure) {
  open();
  Database visitor(kPath, SQLITE_OPEN_READWRITE, disk_.name());
  visitor.execute("BEGIN IMMEDIATE");
  EXPECT_EQ(kind(commit(put(1))), ErrorKind::unavailable);
  visitor.execute("ROLLBACK");
  EXPECT_TRUE(commit(put(1)).has_value());
}

// Cost

TEST_F(SqliteStoreTest, CheckpointsKeepTheLogShort) {
  open(50);
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(commit(put(static_cast<std::uint8_t>(i), std::string(3000, 'x'))).has_value());
  EXPECT_LT(store_->figures().wal_pages, 70);
  EXPECT_LT(disk_.contents(std::string(kPath) + "-wal").size(), 100u * 4200);
}

TEST_F(SqliteStoreTest, TheCacheIsBoundedAndServesWithoutTheDisk) {
  open(1000, 20'000);
  for (std::uint8_t i = 0; i < 100; ++i) ASSERT_TRUE(commit(put(i, std::string(1000, 'x'))).has_value());
  EXPECT_LE(store_->figures().cache_bytes, 20'000u);
  EXPECT_GT(store_->figures().cache_bytes, 10'000u);
  for (std::uint8_t i = 0; i < 100; ++i) EXPECT_EQ(body(i).size(), 1000u);
  EXPECT_LE(store_->figures().cache_bytes, 20'000u);
  const DocumentPtr first = now(store_->read(key_of(99))).value();
  EXPECT_EQ(first, now(store_->read(key_of(99))).value()) << "the same object: it came from memory";
}

}  // namespace
}  // namespace acceptd::testing
