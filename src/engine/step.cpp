/// One step of one operation: read it, do what its stage asks for, say when to come back.

#include "engine/impl.hpp"

namespace acceptd::engine {

namespace {

/// Most looks at a backend find what is written already: those need neither another read nor a batch.
bool says_nothing_new(const Work& work, const Observation& observation) {
  if (observation.kind != Observation::Kind::state || work.op.unreachable_since) return false;
  if (observation.status && *observation.status != work.op.status) return false;
  if (observation.percent && observation.percent != work.op.percent) return false;
  return observation.observed.empty() || (work.resource && work.resource->observed == observation.observed);
}

}  // namespace

Task<Next> Engine::Impl::step(Key key, bool claimed) {
  auto loaded = co_await load_work("step.read", key);
  if (!loaded) {
    log.warn("engine.step_read_failed", {{"operation", model::to_string(key.id)}, {"error", loaded.error().message}});
    co_return loaded.error().kind == ErrorKind::internal ? kUnreadableDelay : kRetryDelay;
  }
  if (!*loaded || !(*loaded)->op.active()) co_return std::nullopt;
  Work work = std::move(**loaded);
  if (work.now >= model::effective_deadline(work.op, work.now, std::chrono::duration_cast<Duration>(options.pause_max)) &&
      work.op.request != RequestKind::cleanup && work.op.stage != Stage::follow && !mutated(Mutation::no_deadline))
    co_return co_await overdue(std::move(work));
  if (work.op.stage == Stage::cascade) co_return co_await cascade(std::move(work));
  if (work.op.stage == Stage::follow) co_return co_await follow(std::move(work));
  if (!work.type) {
    log.error("engine.unknown_type", {{"operation", model::to_string(key.id)}, {"type", work.op.target.type_key()}});
    co_return std::chrono::minutes(1);
  }
  switch (work.op.stage) {
    case Stage::submit: co_return co_await submit(std::move(work), false);
    case Stage::sending:
      if (claimed) co_return co_await submit(std::move(work), true);
      co_return co_await search(std::move(work));  // whoever sent it is gone: its outcome is unknown
    case Stage::search: co_return co_await search(std::move(work));
    case Stage::watch: co_return co_await observe(std::move(work));
    case Stage::cascade:
    case Stage::follow:
    case Stage::done: break;
  }
  co_return std::nullopt;
}

Task<Next> Engine::Impl::overdue(Work work) {
  const Duration pause_max = std::chrono::duration_cast<Duration>(options.pause_max);
  Decide give_up = [this, pause_max](Work& mine) -> std::optional<Change> {
    if (!mine.op.active() || mine.now < model::effective_deadline(mine.op, mine.now, pause_max)) return std::nullopt;
    if (mine.op.status == Status::intended) {
      expose(mine.op, mine.now);
      show_resource(mine);
    }
    std::optional<Write> cleanup = cleanup_of(mine);
    Change change = end(mine, Status::failed, model::deadline_error(mine.op));
    if (cleanup) change.extra.push_back(std::move(*cleanup));
    return change;
  };
  const auto written = co_await amend("overdue.commit", work.op.key(), std::move(give_up), true);
  if (!written || !*written) co_return kRetryDelay;
  log.warn("engine.deadline_exceeded", {{"operation", model::to_string(work.op.id)}, {"request", request_name(work.op)}});
  co_await wake_dependents(work.op.target);
  co_return Duration::zero();
}

Task<Next> Engine::Impl::follow(Work work) {
  const auto followed = co_await load_operation("follow.read", Key{work.op.partition, *work.op.follows});
  if (!followed) co_return kRetryDelay;
  if (*followed && (*followed)->value.active()) co_return poll_again(work);  // woken when it ends
  const Status status = *followed ? (*followed)->value.status : Status::succeeded;
  const std::optional<Error> error = *followed ? (*followed)->value.error : std::nullopt;
  Decide end_with = [this, status, error](Work& mine) -> std::optional<Change> {
    if (!mine.op.active()) return std::nullopt;
    model::transition(mine.op, status, mine.now, retention());
    mine.op.error = error;
    return Change{};
  };
  const auto written = co_await amend("follow.commit", work.op.key(), std::move(end_with));
  if (!written) co_return kRetryDelay;
  co_return std::nullopt;
}

Task<Next> Engine::Impl::observe(Work work) {
  const bool removing = work.op.request == RequestKind::remove || work.op.request == RequestKind::cleanup;
  if (work.op.internal_id.empty() && removing) {
    // Nothing known to watch: either nothing is there, or a create of unknown outcome may still make it.
    if (work.resource && work.resource->internal_id.empty()) {
      if (work.resource->uncertain_until) co_return co_await search(std::move(work));
      co_return co_await finish_remove(work.op.key());
    }
    if (!work.resource) co_return co_await finish_remove(work.op.key());
  }
  ++figures.observations;
  probe("observe.call");
  Observation observation = co_await work.type->provider().observe(target_of(work));
  if (says_nothing_new(work, observation)) co_return poll_again(work);
  co_return co_await apply_observation(work.op.key(), std::move(observation));
}

}  // namespace acceptd::engine
