/// Calling the backend, and looking for what a call made whose answer was lost.

#include "engine/impl.hpp"

namespace acceptd::engine {

namespace {

constexpr std::uint32_t kOperationsPage = 200;

bool makes_something(const Work& work) {
  if (mutated(Mutation::resend_without_search)) return false;
  if (work.op.request == RequestKind::create) return !work.type->provider().traits().idempotency_keys;
  const ActionInfo* action = work.op.request == RequestKind::action ? work.type->info().action(work.op.action) : nullptr;
  return action && action->one_at_a_time;
}
}  // namespace

Target Engine::Impl::target_of(const Work& work) const {
  Target target;
  target.id = work.op.target;
  target.internal_id = work.op.internal_id;
  if (work.resource && work.op.request != RequestKind::action && target.internal_id.empty())
    target.internal_id = work.resource->internal_id;
  if (work.parent()) target.parent_internal_id = work.parent()->internal_id;
  target.incarnation = work.op.incarnation;
  target.operation = work.op.id;
  target.tenant = work.op.initiator.tenant;
  target.request = work.op.request == RequestKind::cleanup ? RequestKind::remove : work.op.request;
  target.action = work.op.action;
  target.status = work.op.status;
  target.correlation_id = work.op.correlation_request_id;
  if (work.resource) {
    target.created = work.resource->created;
    if (work.op.request == RequestKind::action) target.parent_internal_id = work.resource->internal_id;
    target.location = work.resource->location;
    target.desired = work.resource->desired;
    target.tags = work.resource->tags;
    target.identity = work.resource->identity;
  }
  // A hidden intent over what callers see is in the operation until it is shown.
  const bool hidden_change =
      work.op.changes_state() && work.op.status == Status::intended && work.resource && !work.resource->hidden;
  if (hidden_change || work.op.request == RequestKind::action) target.desired = work.op.desired;
  if (hidden_change) {
    target.tags = work.op.desired_tags;
    target.identity = work.op.desired_identity;
  }
  return target;
}

/// Whether another request of the same action on the same resource may be under way (one_at_a_time).
Task<bool> Engine::Impl::must_wait_for_turn(const Work& work) {
  store::Query walk{.partition = work.op.partition,
                    .kind = DocumentKind::operation,
                    .path = work.op.target.key(),
                    .active = true,
                    .limit = kOperationsPage};
  for (;;) {
    const auto page = co_await query("submit.others", walk);
    if (!page) co_return true;
    for (const DocumentPtr& document : page->documents) {
      const auto other = model::operation_from(*document);
      if (!other || other->id == work.op.id || other->action != work.op.action) continue;
      if (other->stage == Stage::sending || other->stage == Stage::search) co_return true;
    }
    if (page->continuation.empty()) co_return false;
    walk.continuation = page->continuation;
  }
}

Task<std::optional<Work>> Engine::Impl::claim_submission(Work work) {
  const Key key = work.op.key();
  std::optional<locks::Turns::Turn> turn;
  const ActionInfo* action = work.op.request == RequestKind::action ? work.type->info().action(work.op.action) : nullptr;
  if (action && action->one_at_a_time && !mutated(Mutation::no_turns_for_actions)) {
    probe("submit.turn");
    turn = co_await action_turns.take(work.op.target.key(), options.queue_timeout);
    if (!turn) co_return std::nullopt;
    const bool wait = co_await must_wait_for_turn(work);
    if (wait) co_return std::nullopt;
  }
  Decide claim_it = [this](Work& mine) -> std::optional<Change> {
    if (!mine.op.active() || mine.op.stage != Stage::submit || !mine.resource) return std::nullopt;
    claim(mine.op, *mine.type);
    if (mine.op.request != RequestKind::create) return Change{};
    mine.resource->uncertain_until = mine.op.send_until;
    return Change{.resource = true};
  };
  const auto written = co_await amend("submit.claim", key, std::move(claim_it));
  if (!written || !*written) co_return std::nullopt;
  auto reloaded = co_await load_work("submit.reload", key);
  if (!reloaded || !*reloaded || (*reloaded)->op.stage != Stage::sending) co_return std::nullopt;
  co_return std::move(**reloaded);
}

/// Writes until when a request to remove may be carried out, before it is sent: whoever finds the object gone must know.
Task<std::optional<Sent>> Engine::Impl::mark_removal(const Work& work) {
  const ProviderTraits traits = work.type->provider().traits();
  Sent sent{.attempt = work.op.attempts, .removal = true};
  if (traits.unique_addresses) co_return sent;
  Decide mark = [&sent, &traits](Work& mine) -> std::optional<Change> {
    if (!mine.op.active() || mine.op.stage != Stage::submit) return std::nullopt;
    sent.stray_before = mine.op.send_until;
    sent.attempt = ++mine.op.attempts;
    const Time until = mine.now + kClaimGood + traits.request_timeout + traits.settle_time;
    mine.op.send_until = std::max(mine.op.send_until.value_or(until), until);
    return Change{};
  };
  const auto written = co_await amend("submit.mark", work.op.key(), std::move(mark));
  if (!written || !*written) co_return std::nullopt;
  co_return sent;
}

Task<Next> Engine::Impl::submit(Work work, bool claimed) {
  const Key key = work.op.key();
  const bool removing = work.op.request == RequestKind::remove || work.op.request == RequestKind::cleanup;
  Sent sent;
  const Time began = now();
  if (removing) {
    if (!work.resource) co_return co_await finish_remove(key);
    if (target_of(work).internal_id.empty()) {
      if (work.resource->uncertain_until) co_return co_await search(std::move(work));
      co_return co_await finish_remove(key);
    }
    if (!work.type->provider().traits().removes_children) {
      const auto held_up = co_await held_up_below("submit.descendants", work);
      if (held_up) co_return *held_up;
    }
    const auto marked = co_await mark_removal(work);
    if (!marked) co_return kRetryDelay;
    sent = *marked;
    if (now() > began + kClaimGood) co_return Duration::zero();
  } else {
    if (!claimed) {
      auto mine = co_await claim_submission(std::move(work));
      if (!mine) co_return kRetryDelay;
      work = std::move(*mine);
    }
    const ProviderTraits traits = work.type->provider().traits();
    if (now() + traits.request_timeout + traits.settle_time > work.op.send_until) co_return co_await search(std::move(work));
    sent.attempt = work.op.attempts;
  }
  ++figures.submissions;
  probe("submit.call");
  Submission submission = co_await work.type->provider().submit(target_of(work));
  co_return co_await apply_submission(key, sent, std::move(submission));
}

/// Every object that an operation of this resource already stands for.
Task<Result<std::vector<std::string>>> Engine::Impl::known_internal_ids(const Work& work) {
  std::vector<std::string> known;
  store::Query walk{
      .partition = work.op.partition, .kind = DocumentKind::operation, .path = work.op.target.key(), .limit = kOperationsPage};
  for (;;) {
    const auto page = co_await query("search.known", walk);
    if (!page) co_return std::unexpected(page.error());
    for (const DocumentPtr& document : page->documents)
      if (const auto other = model::operation_from(*document); other && other->id != work.op.id)
        known.push_back(other->internal_id);
    if (page->continuation.empty()) co_return known;
    walk.continuation = page->continuation;
  }
}

Task<Next> Engine::Impl::search(Work work) {
  const Key key = work.op.key();
  const bool removing = work.op.request == RequestKind::remove || work.op.request == RequestKind::cleanup;
  if (!removing && !makes_something(work)) {
    // Sending it again does no harm: the backend recognises the key, or the request says how things shall be.
    Decide resend = [](Work& mine) -> std::optional<Change> {
      if (!mine.op.active() || (mine.op.stage != Stage::sending && mine.op.stage != Stage::search)) return std::nullopt;
      mine.op.stage = Stage::submit;
      return Change{};
    };
    const auto written = co_await amend("search.resend", key, std::move(resend));
    if (!written) co_return kRetryDelay;
    co_return Duration::zero();
  }
  const std::optional<Time> quiet_from =
      removing ? (work.resource ? work.resource->uncertain_until : std::nullopt) : work.op.send_until;
  const Time asked_at = now();
  ++figures.searches;
  probe("search.call");
  const SearchResult result = co_await work.type->provider().search(target_of(work));
  if (!result.available) co_return co_await unreachable(key, result.summary);
  co_await reached(work);

  const bool by_stamp = work.op.request != RequestKind::action;
  std::vector<std::string> known;
  if (!by_stamp) {
    auto loaded = co_await known_internal_ids(work);
    if (!loaded) co_return kRetryDelay;
    known = std::move(*loaded);
  }
  bool strangers = false, leaving = false;
  for (const Found& found : result.found) {
    const bool ours =
        by_stamp ? found.incarnation == work.op.incarnation || mutated(Mutation::adopt_strangers)
                 : (std::ranges::find(known, found.internal_id) == known.end() || mutated(Mutation::adopt_what_others_have)) &&
                       (!found.created || *found.created + std::chrono::seconds(1) >= work.op.start);
    if (ours && found.removing && !removing) continue;
    if (ours) co_return co_await adopt(key, found);
    if (by_stamp) (found.removing ? leaving : strangers) = true;
  }
  const bool conclusive = !quiet_from || asked_at >= *quiet_from || mutated(Mutation::settle_at_once);
  if (removing) {
    if (!conclusive) co_return std::min<Duration>(*quiet_from - asked_at, options.poll_max);
    Decide nothing_there = [](Work& mine) -> std::optional<Change> {
      if (!mine.op.active() || !mine.resource || !mine.resource->uncertain_until) return std::nullopt;
      mine.resource->uncertain_until.reset();
      return Change{.operation = false, .resource = true};
    };
    const auto written = co_await amend("search.nothing", key, std::move(nothing_there));
    if (!written) co_return kRetryDelay;
    co_return co_await finish_remove(key);
  }
  if (strangers && conclusive)
    co_return co_await reject(
        key, model::conflict("The backend already has an object of this name that is not this resource's.", work.op.target));
  if (leaving) co_return poll_again(work);  // a predecessor of the name is on its way out
  if (!conclusive) co_return std::min<Duration>(*quiet_from - asked_at, options.poll_max);
  Decide resend = [](Work& mine) -> std::optional<Change> {
    if (!mine.op.active() || (mine.op.stage != Stage::sending && mine.op.stage != Stage::search)) return std::nullopt;
    mine.op.stage = Stage::submit;
    note(mine.op, mine.now, "request was lost");
    return Change{};
  };
  const auto written = co_await amend("search.lost", key, std::move(resend));
  if (!written) co_return kRetryDelay;
  if (!work.op.send_until) co_return poll_again(work);  // told "exists" of what cannot be found: not at once again
  co_return Duration::zero();
}

}  // namespace acceptd::engine
