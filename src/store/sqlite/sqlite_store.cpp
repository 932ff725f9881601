#include "store/sqlite/sqlite_store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "model/mutation.hpp"
#include "store/limits.hpp"

namespace acceptd::store::sqlite {

namespace asio = boost::asio;

namespace {

/// Runs a read; its failure becomes the store's answer.
template <class Read>
auto answer(Read read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const SqliteError& error) {
    return std::unexpected(error.is_corruption() ? broken(error.what()) : unavailable(error.what()));
  }
}

}  // namespace

SteppedSqliteStore::SteppedSqliteStore(const Options& options, runtime::Clock& clock, runtime::Log& log)
    : lock_(options.path, options.vfs),
      log_vfs_(options.vfs),
      clock_(clock),
      feed_time_to_live_(options.feed_time_to_live),
      cache_(options.cache_bytes),
      committer_(Writer(open_for_writing(options.path, log_vfs_.name(), options.check_all_pages)), cache_, clock, log,
                 {.feed_time_to_live = options.feed_time_to_live, .wal_pages_max = options.wal_pages_max}),
      readers_(options.path, options.vfs, options.readers) {
  log.info("store.opened", {{"path", boost::json::value(options.path)}, {"synchronous", "FULL"}});  // open_for_writing saw to it
}

Task<Result<DocumentPtr>> SteppedSqliteStore::read(Key key) {
  const Time now = clock_.now();
  if (DocumentPtr cached = cache_.find(key))
    co_return is_expired(cached->expires_at, now) && !model::mutated(model::Mutation::serve_expired) ? nullptr : cached;
  const std::uint64_t began = cache_.begin_read();
  co_return answer([&] {
    DocumentPtr document = readers_.take()->read(key, now);
    if (document) cache_.fill(document, began);
    return document;
  });
}

Task<Result<Committed>> SteppedSqliteStore::commit(Batch batch) {
  if (auto error = check_limits(batch)) co_return std::unexpected(std::move(*error));
  Committer::Work work = std::move(batch);
  Result<Outcome> outcome = co_await submit(std::move(work));
  if (!outcome) co_return std::unexpected(std::move(outcome.error()));
  co_return std::move(outcome->committed);
}

Task<Result<Page>> SteppedSqliteStore::query(Query query) {
  if (auto error = check_limits(query)) co_return std::unexpected(std::move(*error));
  std::optional<Position> after;
  if (!query.continuation.empty() && !(after = decode_position(query.kind, query.continuation)))
    co_return std::unexpected(bad_continuation());
  co_return answer([&] { return readers_.take()->query(query, after, clock_.now()); });
}

Task<Result<std::uint64_t>> SteppedSqliteStore::count(Query query) {
  query.limit = 1;
  if (auto error = check_limits(query)) co_return std::unexpected(std::move(*error));
  co_return answer([&] { return readers_.take()->count(query, clock_.now()); });
}

Task<Result<ActivePage>> SteppedSqliteStore::active(ActiveQuery query) {
  if (auto error = check_limits(query)) co_return std::unexpected(std::move(*error));
  Result<Result<ActivePage>> page = answer([&] { return readers_.take()->active(query, clock_.now()); });
  if (!page) co_return std::unexpected(std::move(page.error()));
  co_return std::move(*page);
}

Task<Result<std::vector<FeedRecord>>> SteppedSqliteStore::feed(FeedQuery query) {
  if (auto error = check_limits(query)) co_return std::unexpected(std::move(*error));
  co_return answer([&] { return readers_.take()->feed(query, clock_.now() - feed_time_to_live_); });
}

Task<Result<std::uint32_t>> SteppedSqliteStore::purge(std::uint32_t limit) {
  Committer::Work work = Committer::Purge{limit};
  Result<Outcome> outcome = co_await submit(std::move(work));
  if (!outcome) co_return std::unexpected(std::move(outcome.error()));
  co_return outcome->purged;
}

Task<Result<SteppedSqliteStore::Outcome>> SteppedSqliteStore::submit(Committer::Work work) {
  auto initiate = [this](auto handler, Committer::Work queued) {
    const asio::any_io_executor executor = asio::get_associated_executor(handler);
    // The guard keeps the caller's io_context running while only another thread has something to do for it.
    auto done = [handler = std::move(handler), guard = asio::make_work_guard(executor)](Result<Outcome> outcome) mutable {
      asio::post(guard.get_executor(), asio::append(std::move(handler), std::move(outcome)));
    };
    committer_.enqueue(std::move(queued), std::move(done));
    work_arrived();
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<Outcome>)>(
      std::move(initiate), asio::use_awaitable, std::move(work));
}

void SteppedSqliteStore::close() {
  committer_.close();
  while (step() > 0) {
  }
  readers_.close();
}

SqliteStore::SqliteStore(const Options& options, runtime::Clock& clock, runtime::Log& log)
    : SteppedSqliteStore(options, clock, log), thread_([this] { work(); }) {}

SqliteStore::~SqliteStore() { close(); }

std::unique_ptr<SqliteStore> SqliteStore::open(const Options& options, runtime::Clock& clock, runtime::Log& log) {
  return std::make_unique<SqliteStore>(options, clock, log);
}

void SqliteStore::close() {
  if (!thread_.joinable()) return;
  committer().close();
  stopping_ = true;
  work_arrived();
  thread_.join();
  SteppedSqliteStore::close();
}

void SqliteStore::work_arrived() {
  ++arrivals_;
  arrivals_.notify_one();
}

void SqliteStore::work() {
  for (;;) {
    const std::uint32_t seen = arrivals_;
    if (step() > 0) continue;
    if (stopping_) return;
    arrivals_.wait(seen);
  }
}

}  // namespace acceptd::store::sqlite
