#pragma once
/// Group commit as a state machine without threads and without waiting: somebody enqueues, somebody steps.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/thread_annotations.hpp"
#include "store/sqlite/document_cache.hpp"
#include "store/sqlite/writer.hpp"
#include "store/store.hpp"

namespace acceptd::store::sqlite {

using runtime::Lock;
using runtime::Mutex;

/// For metrics.
struct Figures {
  std::size_t queued = 0;           ///< waiting for a step
  std::uint64_t groups = 0;         ///< commits, one fsync each
  std::uint64_t batches = 0;        ///< answered, in all groups
  std::size_t last_group = 0;       ///< batches in the last group
  runtime::Duration last_commit{};  ///< from taking the group to its being durable
  int wal_pages = 0;                ///< in the write-ahead log
  std::size_t cache_bytes = 0;
  std::string stopped_because;  ///< "" = writing
};

/// enqueue(), close() and figures(): any thread. step(): one thread at a time.
class Committer {
 public:
  struct Purge {
    std::uint32_t limit = 0;
  };
  using Work = std::variant<Batch, Purge>;
  struct Outcome {
    Committed committed;
    std::uint32_t purged = 0;
  };
  using Completion = std::move_only_function<void(Result<Outcome>)>;
  struct Settings {
    runtime::Duration feed_time_to_live{};
    int wal_pages_max = 0;  ///< then the log is copied into the database
  };

  static constexpr std::size_t kGroupMax = 128;  // more gains little and delays the first (STYLE B5)
  static constexpr std::size_t kQueuedMax = 8192;
  static constexpr std::size_t kQueuedBytesMax = std::size_t{128} << 20;

  Committer(Writer writer, DocumentCache& cache, runtime::Clock& clock, runtime::Log& log, Settings settings);

  /// `work` keeps the limits of store.hpp. `done` is called exactly once, from step(), or at once with `unavailable`
  /// when the queue is full, closed or the store has stopped writing. Whatever is queued at destruction is dropped.
  void enqueue(Work work, Completion done);

  /// Takes what is queued, up to kGroupMax, in order; commits it as one group; updates the cache; then completes each
  /// in order. Returns how many it took. After a failed write it stops for good: only a new start can tell what is in
  /// the file. Then all work is answered `unavailable`.
  std::size_t step();

  /// Refuses further work; what is queued is still done by step().
  void close();

  Figures figures() const;

 private:
  struct Item {
    Work work;
    Completion done;
  };
  std::vector<Item> take();
  std::vector<Result<Outcome>> run(std::vector<Item>& group);
  Result<Outcome> apply(Work& work, Time now, std::vector<Change>& changes);
  std::vector<Result<Outcome>> fail(const SqliteError& error, bool attempted, std::vector<Result<Outcome>> outcomes,
                                    std::size_t group_size);
  void checkpoint_if_due();
  void stop(std::string_view event, const SqliteError& error);
  std::string stopped_because() const;

  Writer writer_;
  DocumentCache& cache_;
  runtime::Clock& clock_;
  runtime::Log& log_;
  const Settings settings_;

  mutable Mutex mutex_;
  std::deque<Item> queue_ ACCEPTD_GUARDED_BY(mutex_);
  std::size_t queued_bytes_ ACCEPTD_GUARDED_BY(mutex_) = 0;
  bool closed_ ACCEPTD_GUARDED_BY(mutex_) = false;
  Figures figures_ ACCEPTD_GUARDED_BY(mutex_);
};

}  // namespace acceptd::store::sqlite
