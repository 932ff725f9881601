#include "store/sqlite/committer.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/mutation.hpp"
#include "store/limits.hpp"

namespace acceptd::store::sqlite {
namespace {

std::size_t bytes_of(const Committer::Work& work) {
  const auto* batch = std::get_if<Batch>(&work);
  std::size_t bytes = sizeof(Committer::Work);
  if (!batch) return bytes;
  for (const model::Write& write : batch->writes) bytes += sizeof(write) + write.document.body.size();
  for (const model::FeedEntry& entry : batch->feed) bytes += sizeof(entry) + entry.payload.size();
  return bytes;
}

}  // namespace

Committer::Committer(Writer writer, DocumentCache& cache, runtime::Clock& clock, runtime::Log& log, Settings settings)
    : writer_(std::move(writer)), cache_(cache), clock_(clock), log_(log), settings_(settings) {}

void Committer::enqueue(Work work, Completion done) {
  const std::size_t bytes = bytes_of(work);
  std::string refused;
  {
    const Lock lock(mutex_);
    if (closed_)
      refused = "The store is closing.";
    else if (!figures_.stopped_because.empty())
      refused = figures_.stopped_because;
    else if (queue_.size() >= kQueuedMax || queued_bytes_ + bytes > kQueuedBytesMax)
      refused = "Too many writes are waiting for the disk.";
    if (refused.empty()) {
      queue_.push_back(Item{std::move(work), std::move(done)});
      queued_bytes_ += bytes;
      return;
    }
  }
  done(std::unexpected(unavailable(std::move(refused))));
}

std::size_t Committer::step() {
  std::vector<Item> group = take();
  if (group.empty()) return 0;
  std::vector<Result<Outcome>> outcomes = run(group);
  for (std::size_t i = 0; i < group.size(); ++i) group[i].done(std::move(outcomes[i]));
  checkpoint_if_due();
  return group.size();
}

void Committer::close() {
  const Lock lock(mutex_);
  closed_ = true;
}

Figures Committer::figures() const {
  const Lock lock(mutex_);
  Figures figures = figures_;
  figures.queued = queue_.size();
  figures.cache_bytes = cache_.bytes();
  return figures;
}

std::vector<Committer::Item> Committer::take() {
  const Lock lock(mutex_);
  std::vector<Item> group;
  while (!queue_.empty() && group.size() < kGroupMax) {
    queued_bytes_ -= bytes_of(queue_.front().work);
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return group;
}

std::vector<Result<Committer::Outcome>> Committer::run(std::vector<Item>& group) {
  std::vector<Result<Outcome>> outcomes;
  if (const std::string reason = stopped_because(); !reason.empty()) {
    outcomes.assign(group.size(), std::unexpected(unavailable(reason)));
    return outcomes;
  }
  const runtime::Monotonic began = clock_.monotonic();
  const Time now = clock_.now();
  std::vector<Change> changes;
  bool attempted = false;
  try {
    writer_.begin();
    for (Item& item : group) outcomes.push_back(apply(item.work, now, changes));
    cache_.hide(changes, writer_.counter());
    attempted = true;
    writer_.commit();
  } catch (const SqliteError& error) {
    return fail(error, attempted, std::move(outcomes), group.size());
  }
  cache_.publish(std::move(changes), writer_.counter());
  const Lock lock(mutex_);
  ++figures_.groups;
  figures_.batches += group.size();
  figures_.last_group = group.size();
  figures_.last_commit = clock_.monotonic() - began;
  figures_.wal_pages = writer_.wal_pages();
  return outcomes;
}

Result<Committer::Outcome> Committer::apply(Work& work, Time now, std::vector<Change>& changes) {
  if (const auto* purge = std::get_if<Purge>(&work))
    return Outcome{.purged = writer_.purge(purge->limit, now, now - settings_.feed_time_to_live, changes)};
  Result<Committed> committed = writer_.apply(std::get<Batch>(work), now, changes);
  if (!committed) return std::unexpected(std::move(committed.error()));
  return Outcome{.committed = std::move(*committed)};
}

/// Nothing of the group is acknowledged. Only what was to be written by a COMMIT that failed is unknown: a batch that
/// was refused, perhaps for the sake of a neighbour that is lost now, and a group that never came that far are not.
std::vector<Result<Committer::Outcome>> Committer::fail(const SqliteError& error, bool attempted,
                                                        std::vector<Result<Outcome>> outcomes, std::size_t group_size) {
  const bool begun = !outcomes.empty() || attempted;
  writer_.rollback();
  const bool busy = error.code() == SQLITE_BUSY && !begun;
  if (busy)
    log_.warn("store.busy", {{"reason", error.what()}});
  else
    stop("store.stopped", error);
  const std::string reason = busy ? "The database file is locked by another program." : stopped_because();
  const model::Error not_done = error.is_corruption() ? broken(reason) : unavailable(reason);
  if (model::mutated(model::Mutation::store_forgets_failed_commit) && attempted) return outcomes;
  outcomes.resize(group_size, std::unexpected(not_done));
  for (Result<Outcome>& outcome : outcomes) outcome = std::unexpected(attempted && outcome ? unknown_outcome(reason) : not_done);
  return outcomes;
}

void Committer::checkpoint_if_due() {
  if (writer_.wal_pages() < settings_.wal_pages_max || !stopped_because().empty()) return;
  try {
    writer_.checkpoint();
  } catch (const SqliteError& error) {
    // All that was acknowledged is safe in the log. A retry might believe a sync that has lost pages: stop instead.
    stop("store.checkpoint_failed", error);
  }
}

void Committer::stop(std::string_view event, const SqliteError& error) {
  log_.error(event, {{"reason", error.what()}, {"code", error.code()}});
  writer_.leave_untouched();
  const Lock lock(mutex_);
  figures_.stopped_because = fmt::format(
      "The store has stopped writing after a failed write ({}); reads go on. Mend the disk, then restart.", error.what());
}

std::string Committer::stopped_because() const {
  const Lock lock(mutex_);
  return figures_.stopped_because;
}

}  // namespace acceptd::store::sqlite
