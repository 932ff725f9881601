/// What a backend's answer does to the documents. Each function loads, decides and commits one batch; an operation that
/// ended or was taken over meanwhile is left alone.

#include "engine/impl.hpp"

namespace acceptd::engine {

namespace {

constexpr std::size_t kSummaryBytes = 200;
constexpr std::size_t kMaxResultBytes = 64 * 1024;  ///< of an action; a larger one is not kept

bool is_removal(const Operation& op) { return op.request == RequestKind::remove || op.request == RequestKind::cleanup; }

void remember_answer(Operation& op, const std::string& summary) {
  if (!summary.empty()) op.last_answer = summary.substr(0, kSummaryBytes);
}

/// The backend works on it from here on.
void begin_watch(Operation& op) {
  op.stage = Stage::watch;
  if (op.attempts <= 1) op.send_until.reset();  // an earlier request may still be carried out
  op.waiting_on = "backend, which works on it";
}

}  // namespace

/// The operation was exposed: its resource reads accordingly from here on.
void Engine::Impl::show_resource(Work& work) {
  if (!work.resource || work.resource->active_operation != work.op.id) return;
  const bool holds_all = work.resource->hidden;  // a creation of what was not there: the document is what it wants
  work.resource->hidden = false;
  if (!holds_all) apply_desired(*work.resource, work.op);
  work.resource->provisioning_state = work.op.status;
}

Next Engine::Impl::poll_again(const Work& work) {
  // With very many active operations each is looked at less often, so that all together stay within the rate.
  const auto round = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(static_cast<double>(schedule.size()) / options.ramp_per_second));
  return model::poll_interval(now() - work.op.last_transition, std::max(options.poll_first, round),
                              std::max(options.poll_max, round), random.unit());
}

bool Engine::Impl::mark_reachable(Work& work) {
  return model::mark_reachable(work.op, work.now, std::chrono::duration_cast<Duration>(options.pause_max));
}

Task<Next> Engine::Impl::unreachable(Key key, std::string summary) {
  Duration since{};
  Decide mark = [&since, &summary](Work& work) -> std::optional<Change> {
    if (!work.op.active()) return std::nullopt;
    const bool marked = model::mark_unreachable(work.op, work.now);
    since = work.now - *work.op.unreachable_since;
    if (!marked) return std::nullopt;
    remember_answer(work.op, summary);
    return Change{};
  };
  const auto written = co_await amend("unreachable.commit", key, std::move(mark));
  if (!written) co_return kRetryDelay;
  co_return model::poll_interval(since, kRetryDelay, kUnreachableMax, random.unit());
}

/// The backend answered, though with nothing to go on with: the deadline runs again.
Task<void> Engine::Impl::reached(const Work& work) {
  if (!work.op.unreachable_since) co_return;
  Decide mark = [this](Work& mine) -> std::optional<Change> {
    if (!mine.op.active() || !mark_reachable(mine)) return std::nullopt;
    return Change{};
  };
  (void)co_await amend("reached.commit", work.op.key(), std::move(mark));  // if not now, with the next answer
}

Task<Next> Engine::Impl::adopt(Key key, Found found) {
  Decide take = [this, &found](Work& work) -> std::optional<Change> {
    if (!work.op.active()) return std::nullopt;
    mark_reachable(work);
    work.op.internal_id = found.internal_id;
    note(work.op, work.now, "adopted");
    Change change;
    if (is_removal(work.op)) {
      work.op.stage = Stage::submit;
      if (work.resource) work.resource->internal_id = found.internal_id;
      change.resource = work.resource.has_value();
      return change;
    }
    begin_watch(work.op);
    if (work.op.status == Status::intended) {
      expose(work.op, work.now);
      show_resource(work);
      change.resource = work.resource.has_value();
    }
    if (work.op.request == RequestKind::create && work.resource) {
      work.resource->internal_id = found.internal_id;
      work.resource->uncertain_until.reset();
      if (!found.observed.empty()) work.resource->observed = found.observed;
      change.resource = true;
    }
    return change;
  };
  const auto written = co_await amend("adopt.commit", key, std::move(take));
  if (!written) co_return kRetryDelay;
  if (*written) ++figures.adoptions;
  co_return Duration::zero();
}

// ---- the answer to a request ---------------------------------------------------------------------------------------

/// Superseded meanwhile: whoever removes the resource is spared a search if it learns the object's name.
std::optional<Change> Engine::Impl::tell_late(Work& work, const Sent& sent, const Submission& submission) {
  const Operation& op = work.op;
  const bool tell = submission.answer == Submission::Answer::accepted && op.request == RequestKind::create && work.resource &&
                    work.resource->internal_id.empty() && !op.active();
  if (!tell) return std::nullopt;
  work.resource->internal_id = submission.internal_id;
  if (op.attempts == 1 && sent.attempt == 1) work.resource->uncertain_until.reset();  // its only request has been answered
  return Change{.operation = false, .resource = true};
}

/// The backend has the request. `shown`: callers could see the operation before.
void Engine::Impl::take_accepted(Work& work, const Sent& sent, const Submission& submission, bool shown, Change& change) {
  Operation& op = work.op;
  begin_watch(op);
  if (is_removal(op)) op.send_until = sent.stray_before;
  note(op, work.now, "submitted");
  if (submission.status && shown && model::transition(op, *submission.status, work.now, retention()) && work.resource &&
      work.resource->active_operation == op.id) {
    work.resource->provisioning_state = op.status;
    change.resource = true;
  }
  if (!submission.internal_id.empty()) op.internal_id = submission.internal_id;
  if (op.request == RequestKind::create && work.resource) {
    work.resource->internal_id = submission.internal_id;
    work.resource->uncertain_until.reset();
    change.resource = true;
  }
  if (!is_removal(op) && !submission.observed.empty() && work.resource && op.request != RequestKind::action) {
    work.resource->observed = submission.observed;
    change.resource = true;
  }
}

std::optional<Change> Engine::Impl::take_answer(Work& work, const Sent& sent, const Submission& submission, Duration& wait) {
  using Answer = Submission::Answer;
  Operation& op = work.op;
  const bool removal = is_removal(op);
  const bool only_request = op.request == RequestKind::create && op.attempts == 1 && work.resource;
  remember_answer(op, submission.summary);
  Change change;
  if (submission.answer != Answer::unavailable) mark_reachable(work);
  if (submission.answer == Answer::exists) {
    op.stage = Stage::search;
    if (op.attempts == 1) op.send_until.reset();  // answered: nothing of ours is on its way
    if (only_request) work.resource->uncertain_until.reset();
    change.resource = only_request;
    wait = Duration::zero();
    return change;
  }
  const bool shown = op.status != Status::intended;
  if (!shown) {
    expose(op, work.now);
    show_resource(work);
    change.resource = work.resource.has_value();
  }
  switch (submission.answer) {
    case Answer::accepted: take_accepted(work, sent, submission, shown, change); break;
    case Answer::unavailable:
      model::mark_unreachable(op, work.now);
      if (only_request) work.resource->uncertain_until.reset();
      change.resource = change.resource || only_request;
      op.stage = Stage::submit;
      if (removal) op.send_until = sent.stray_before;
      wait = model::poll_interval(work.now - *op.unreachable_since, kRetryDelay, kUnreachableMax, random.unit());
      break;
    default:
      op.stage = removal ? Stage::submit : Stage::search;
      op.waiting_on = "backend, which did not say whether it has the request";
      wait = *poll_again(work);
      break;
  }
  return change;
}

Task<Next> Engine::Impl::apply_submission(Key key, Sent sent, Submission submission) {
  using Answer = Submission::Answer;
  const bool refused = submission.answer == Answer::rejected && submission.error;
  if (refused && sent.removal) co_return co_await removal_refused(key, sent, std::move(*submission.error));
  if (refused) co_return co_await reject(key, std::move(*submission.error));
  if (submission.answer == Answer::rejected || submission.answer == Answer::gone) {
    if (sent.removal) co_return co_await finish_remove(key, sent);
    auto loaded = co_await load_work("submission.gone", key);
    if (!loaded) co_return kRetryDelay;
    if (!*loaded) co_return std::nullopt;
    co_return co_await reject(key,
                              model::conflict("The backend no longer has the object of this resource.", (*loaded)->op.target));
  }
  Duration wait = options.poll_first;
  Decide take = [this, sent, &submission, &wait](Work& work) -> std::optional<Change> {
    const Operation& op = work.op;
    const bool mine =
        mutated(Mutation::answer_too_late) ||
        (op.active() && (sent.removal ? op.stage == Stage::submit
                                      : op.stage == Stage::sending && op.attempts == sent.attempt && op.epoch == options.epoch));
    if (!mine) return tell_late(work, sent, submission);
    return take_answer(work, sent, submission, wait);
  };
  const auto written = co_await amend("submission.commit", key, std::move(take));
  if (!written) co_return kRetryDelay;
  if (!*written) co_return Duration::zero();  // look at it as it is now
  co_return wait;
}

// ---- what the backend says of the object ---------------------------------------------------------------------------

std::optional<Change> Engine::Impl::take_observation(Work& work, const Observation& observation, Next& next) {
  Operation& op = work.op;
  if (op.active()) next = Duration::zero();
  if (!op.active() || op.stage != Stage::watch) return std::nullopt;
  next.reset();
  const bool removal = is_removal(op);
  const bool expected = observation.kind == Observation::Kind::state;
  const bool ends = expected && observation.status && is_terminal(*observation.status);
  bool changed = mark_reachable(work);
  if (op.last_answer != observation.summary && !expected) changed = true;
  if (changed || !expected) remember_answer(op, observation.summary);
  Change change;
  if (expected && !removal && work.resource && op.request != RequestKind::action && !observation.observed.empty() &&
      work.resource->observed != observation.observed) {
    work.resource->observed = observation.observed;
    change.resource = changed = true;
  }
  if (expected && observation.percent && (!op.percent || *observation.percent > *op.percent)) {
    op.percent = observation.percent;
    changed = true;
  }
  if (ends && op.request == RequestKind::cleanup) {  // still there, whatever it says: ask again for its removal, slowly
    op.stage = Stage::submit;
    next = kUnreachableMax;
    return change;
  }
  // A delete succeeds by the object's absence only.
  if (ends && !(removal && observation.status == Status::succeeded)) {
    const bool keep = change.resource;
    const ActionInfo* action = op.request == RequestKind::action ? work.type->info().action(op.action) : nullptr;
    const bool keeps_result = action && !action->secret_result && observation.status == Status::succeeded && observation.result;
    if (keeps_result && boost::json::serialize(*observation.result).size() <= kMaxResultBytes) op.result = observation.result;
    change = end(work, *observation.status, observation.error);
    change.resource = change.resource || keep;
    return change;
  }
  if (expected && observation.status && !ends && model::transition(op, *observation.status, work.now, retention())) {
    changed = true;
    if (work.resource && work.resource->active_operation == op.id) {
      work.resource->provisioning_state = op.status;
      change.resource = true;
    }
  }
  next = poll_again(work);
  if (!changed) return std::nullopt;
  return change;
}

Task<Next> Engine::Impl::apply_observation(Key key, Observation observation) {
  if (observation.kind == Observation::Kind::unavailable) co_return co_await unreachable(key, std::move(observation.summary));
  auto loaded = co_await load_work("observation.read", key);
  if (!loaded) co_return kRetryDelay;
  if (!*loaded || !(*loaded)->op.active()) co_return std::nullopt;
  if (observation.kind == Observation::Kind::gone && is_removal((*loaded)->op)) co_return co_await finish_remove(key);
  const bool expected = observation.kind == Observation::Kind::state;
  if (!expected) ++figures.unexpected_answers;
  const bool whole = expected && observation.status && is_terminal(*observation.status);
  Next next;
  Decide take = [this, &observation, &next](Work& work) { return take_observation(work, observation, next); };
  const auto written = co_await amend("observation.commit", key, std::move(take), whole);
  if (!written) co_return kRetryDelay;
  if (!*written && !next) co_return poll_again(**loaded);  // it ended already, or must wait for what is above it
  if (!next) co_await wake_dependents((*loaded)->op.target);
  co_return next;
}

}  // namespace acceptd::engine
