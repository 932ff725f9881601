/// The power fails at every call that changes the disk, in turn; the disk forgets what was not synced.

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <random>

#include "harness.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "support/fault_vfs.hpp"
#include "workload.hpp"

namespace acceptd::testing {
namespace {

namespace sqlite = store::sqlite;
using model::ErrorKind;
using model::Result;
using store::Committed;

constexpr int kGroups = 30;
constexpr std::uint64_t kCrashPointsPerSeed = 300;

/// Awaits a store that fails; the harness of every kind of store expects one that works.
class Disk final : public Harness {
 public:
  store::Store& store() override { return *store_; }
  void reopen() override {
    store_.reset();
    sqlite::Options options{.path = "crash.db", .vfs = vfs.name(), .wal_pages_max = 12};
    store_ = std::make_unique<sqlite::SteppedSqliteStore>(options, clock, log);
  }
  void close() {
    if (store_) store_->close();
    store_.reset();
  }
  void drop() { store_.reset(); }
  void drive(boost::asio::io_context& io) override {
    do {
      io.restart();
      io.poll();
    } while (store_->step() > 0);
    io.poll();
  }

  FaultVfs vfs;

 private:
  std::unique_ptr<sqlite::SteppedSqliteStore> store_;
};

/// What a run of batches has promised. states[n]: after the n-th batch that was applied.
struct Promises {
  std::vector<ModelState> states{ModelState{}};
  std::size_t sure = 0;      ///< states up to this one were acknowledged
  std::size_t possible = 0;  ///< states up to this one may have been written
};

class CrashTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  /// Random groups of batches with checkpoints and restarts, until the end or the first trouble.
  void run(Disk& disk, Promises& promises, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    try {
      disk.reopen();
      for (int group = 0; group < kGroups; ++group) {
        if (random() % 8 == 0) {
          disk.close();
          disk.reopen();
        }
        disk.clock.advance(std::chrono::seconds(random() % 4));
        if (!commit_group(disk, promises, random)) return;
      }
      disk.close();
    } catch (const std::runtime_error&) {  // opening failed: the machine died just then
    }
  }

  bool commit_group(Disk& disk, Promises& promises, std::mt19937_64& random) {
    ModelState state = promises.states.back();
    ModelStore reference(state, disk.clock);
    std::vector<runtime::Task<Result<Committed>>> tasks;
    std::vector<bool> expected;
    std::vector<ModelState> after;
    for (std::uint64_t i = 1 + random() % 4; i > 0; --i) {
      std::vector<std::uint8_t> bytes(64);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
      Choices choices(bytes);
      model::Batch batch = make_batch(choices, state, disk.clock.now());
      batch.feed.push_back({.key = {.partition = batch.partition}, .payload = "no batch is invisible"});
      expected.push_back(reference_.run(reference.commit(batch)).has_value());
      after.push_back(state);
      tasks.push_back(disk.store().commit(std::move(batch)));
    }
    return judge(disk.run_all(std::move(tasks)), expected, std::move(after), promises);
  }

  /// Takes note of what was acknowledged. False: the store has stopped.
  bool judge(const std::vector<Result<Committed>>& results, const std::vector<bool>& expected, std::vector<ModelState> after,
             Promises& promises) {
    bool stopped = false;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ErrorKind kind = results[i] ? ErrorKind::internal : results[i].error().kind;
      if (results[i] || kind == ErrorKind::unknown_outcome) {
        EXPECT_TRUE(expected[i]);
        promises.states.push_back(std::move(after[i]));
        promises.possible = promises.states.size() - 1;
        if (results[i]) promises.sure = promises.possible;
        if (results[i]) EXPECT_FALSE(stopped) << "acknowledged after a failure";
        stopped |= !results[i];
      } else if (kind == ErrorKind::precondition_failed) {
        EXPECT_FALSE(expected[i]) << "refused without reason";
      } else {
        EXPECT_EQ(kind, ErrorKind::unavailable) << results[i].error().message;
        stopped = true;
      }
    }
    return !stopped;
  }

  std::string dump_of(const ModelState& state, runtime::Duration age) {
    ModelHarnessView view(state, age);
    return dump(view, workload_partitions());
  }

  /// The store holds one of the states that it may hold, and goes on from there.
  void expect_promises_kept(Disk& disk, const Promises& promises, const std::string& where) {
    disk.reopen();
    const std::string found = dump(disk, workload_partitions());
    const runtime::Duration age = disk.clock.now() - ManualClock().now();
    bool kept = false;
    std::size_t held = promises.sure;
    for (; held <= promises.possible && !kept; ++held) kept = dump_of(promises.states[held], age) == found;
    ASSERT_TRUE(kept) << where << "\nfound:\n" << found << "\npromised:\n" << dump_of(promises.states[promises.sure], age);
    Promises more{.states = {promises.states[held - 1]}};
    std::mt19937_64 random(7);
    ASSERT_TRUE(commit_group(disk, more, random)) << where;
    ASSERT_EQ(more.sure, more.possible) << where;
    ASSERT_EQ(dump(disk, workload_partitions()), dump_of(more.states.back(), age)) << where;
    disk.close();
  }

  /// A reference store over a given state, at a given time.
  class ModelHarnessView final : public Harness {
   public:
    ModelHarnessView(ModelState state, runtime::Duration age) : state_(std::move(state)), store_(state_, clock) {
      clock.advance(age);
    }
    store::Store& store() override { return store_; }
    void reopen() override {}

   private:
    ModelState state_;
    ModelStore store_;
  };
  ModelHarnessView reference_{ModelState{}, {}};
};

INSTANTIATE_TEST_SUITE_P(Seeds, CrashTest, ::testing::Range<std::uint64_t>(1, 7));

TEST_P(CrashTest, APowerCutAtAnyCallLosesNothingAcknowledgedAndLeavesNothingHalfDone) {
  std::uint64_t calls = 0;
  {
    Disk disk;
    Promises promises;
    run(disk, promises, GetParam());
    ASSERT_EQ(promises.sure, promises.possible);
    ASSERT_GT(promises.sure, 10u);
    calls = disk.vfs.calls();
  }
  ASSERT_GT(calls, 100u);
  std::size_t unknown = 0;
  const std::uint64_t stride = 1 + calls / kCrashPointsPerSeed;
  for (std::uint64_t call = 1 + GetParam() % stride; call <= calls; call += stride) {
    const auto unsynced = static_cast<Unsynced>((call / stride) % 3);
    Disk disk;
    Promises promises;
    disk.vfs.fail_at(call, FaultVfs::Fault::power_cut);
    run(disk, promises, GetParam());
    disk.drop();
    disk.vfs.power_on(unsynced, GetParam() * 1000 + call);
    unknown += promises.possible - promises.sure;
    expect_promises_kept(disk, promises, fmt::format("seed {} call {} of {}", GetParam(), call, calls));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(unknown, 0u) << "no crash point fell into a commit";
}

TEST_P(CrashTest, AFailedCallStopsTheWritingAndKeepsThePromises) {
  std::uint64_t calls = 0;
  {
    Disk disk;
    Promises promises;
    run(disk, promises, GetParam());
    calls = disk.vfs.calls();
  }
  const std::uint64_t stride = 1 + calls / kCrashPointsPerSeed;
  for (std::uint64_t call = 1 + GetParam() % stride; call <= calls; call += stride) {
    Disk disk;
    Promises promises;
    disk.vfs.fail_at(call, call % 2 == 0 ? FaultVfs::Fault::io_error : FaultVfs::Fault::disk_full);
    run(disk, promises, GetParam());
    disk.drop();
    disk.vfs.power_on(Unsynced::random, GetParam() * 1000 + call);
    expect_promises_kept(disk, promises, fmt::format("seed {} call {} of {}", GetParam(), call, calls));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace acceptd::testing
