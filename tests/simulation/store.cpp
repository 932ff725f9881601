#include "simulation/store.hpp"

#include <fmt/format.h>

#include "store/limits.hpp"

namespace acceptd::simulation {

using model::Result;
using runtime::Task;

namespace {

std::string outline(const model::Batch& batch) {
  std::string text;
  for (const model::Write& write : batch.writes) {
    if (write.action == model::Write::Action::check) continue;
    constexpr std::string_view kSigns = "+~-";
    text += fmt::format(" {}{}", kSigns[static_cast<std::size_t>(write.action)],
                        model::to_string(write.document.key.id).substr(0, 8));
  }
  return text;
}

}  // namespace

Duration SimStore::delay() {
  if (!faults_.on || !world_.random.chance(plan_.store_delay)) return 0s;
  return world_.random.chance(0.02) ? world_.random.between(1s, 15s) : world_.random.between(1ms, 100ms);
}

template <class T, class Call>
Task<Result<T>> SimStore::pass_through(Call call) {
  const bool last = process_.take_doom();
  co_await process_.pass_after(delay());
  if (!last && fails(plan_.store_unavailable)) co_return std::unexpected(store::unavailable("simulated"));
  Task<Result<T>> task = call();
  Result<T> result = co_await std::move(task);
  if (last) process_.die("crash after a read");
  co_await process_.pass_after(delay());
  co_return result;
}

Task<Result<model::DocumentPtr>> SimStore::read(model::Key key) {
  auto call = [&] { return base_.read(key); };
  co_return co_await pass_through<model::DocumentPtr>(call);
}

Task<Result<store::Page>> SimStore::query(store::Query query) {
  auto call = [&] { return base_.query(query); };
  co_return co_await pass_through<store::Page>(call);
}

Task<Result<std::uint64_t>> SimStore::count(store::Query query) {
  auto call = [&] { return base_.count(query); };
  co_return co_await pass_through<std::uint64_t>(call);
}

Task<Result<store::ActivePage>> SimStore::active(store::ActiveQuery query) {
  auto call = [&] { return base_.active(query); };
  co_return co_await pass_through<store::ActivePage>(call);
}

Task<Result<std::vector<store::FeedRecord>>> SimStore::feed(store::FeedQuery query) {
  auto call = [&] { return base_.feed(query); };
  co_return co_await pass_through<std::vector<store::FeedRecord>>(call);
}

Task<Result<std::uint32_t>> SimStore::purge(std::uint32_t limit) {
  auto call = [&] { return base_.purge(limit); };
  co_return co_await pass_through<std::uint32_t>(call);
}

/// A true conflict: somebody else writes one of the documents, though nothing new, just before.
Task<void> SimStore::disturb(const model::Batch& batch) {
  for (const model::Write& write : batch.writes) {
    if (write.action == model::Write::Action::create) continue;
    const auto found = co_await base_.read(write.document.key);
    if (!found || !*found) continue;
    model::Batch touch{.partition = batch.partition};
    touch.writes.push_back({.action = model::Write::Action::replace, .document = **found, .expected = (*found)->etag});
    world_.say("store: somebody else writes " + model::to_string(write.document.key.id).substr(0, 8));
    (void)co_await carry_out(std::move(touch));
    co_return;
  }
}

Task<Result<store::Committed>> SimStore::carry_out(model::Batch batch) {
  const model::Batch copy = batch;
  auto committed = co_await base_.commit(std::move(batch));
  if (committed) {
    world_.say(fmt::format("process {} commit{}", process_.epoch(), outline(copy)));
    auditor_.committed(copy, committed->etags);
  } else {
    world_.say(fmt::format("process {} commit refused: {}", process_.epoch(), committed.error().message));
    if (committed.error().kind == model::ErrorKind::unknown_outcome) auditor_.unknown(copy);
    if (committed.error().kind == model::ErrorKind::invalid)
      world_.fail("the engine made a batch that breaks a limit: " + committed.error().message);
  }
  co_return committed;
}

Task<Result<store::Committed>> SimStore::commit(model::Batch batch) {
  const bool last = process_.take_doom();
  co_await process_.pass_after(delay());
  if (!last && fails(plan_.store_unavailable)) co_return std::unexpected(store::unavailable("simulated"));
  if (!last && fails(plan_.store_conflict)) co_await disturb(batch);
  const bool unknown = fails(plan_.store_unknown);
  if (!last && unknown && world_.random.chance(0.5)) co_return std::unexpected(store::unknown_outcome("simulated, not done"));
  auto committed = co_await carry_out(std::move(batch));
  if (last) process_.die("crash after a commit");
  co_await process_.pass_after(delay());
  if (unknown && committed) co_return std::unexpected(store::unknown_outcome("simulated, done"));
  co_return committed;
}

}  // namespace acceptd::simulation
