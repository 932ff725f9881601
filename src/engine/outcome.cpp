/// What a backend's answer does to the documents. Each function loads, decides and commits one batch; an operation that
/// ended or was taken over meanwhile is left alone.

#include "engine/impl.hpp"
#include "model/json.hpp"

namespace acceptd::engine {

namespace {

constexpr Duration kUnreachableMax = std::chrono::seconds(30);
constexpr std::size_t kSummaryBytes = 200;

bool is_removal(const Operation& op) { return op.request == RequestKind::remove || op.request == RequestKind::cleanup; }

void remember_answer(Operation& op, const std::string& summary) {
  if (!summary.empty()) op.last_answer = summary.substr(0, kSummaryBytes);
}

/// The backend works on it from here on.
void begin_watch(Operation& op) {
  op.stage = Stage::watch;
  op.send_until.reset();
  op.waiting_on = "backend, which works on it";
}

}  // namespace

void Engine::Impl::show_resource(Work& work) {
  if (!work.resource || work.resource->active_operation != work.op.id) return;
  work.resource->hidden = false;
  if (work.op.request == RequestKind::update) apply_desired(*work.resource, work.op);
  work.resource->provisioning_state = work.op.status;
}

void Engine::Impl::announce_end(const Operation& op) {
  if (op.status == Status::succeeded) ++figures.finished_succeeded;
  if (op.status == Status::failed) ++figures.finished_failed;
  if (op.status == Status::canceled) ++figures.finished_canceled;
  log.info("operation.ended", {{"operation", model::to_string(op.id)},
                               {"request", request_name(op)},
                               {"target", op.target.text()},
                               {"status", model::to_string(op.status)},
                               {"code", op.error ? op.error->code : ""},
                               {"client_request_id", op.client_request_id},
                               {"correlation_request_id", op.correlation_request_id}});
}

Next Engine::Impl::poll_again(const Work& work) {
  // With very many active operations each is looked at less often, so that all together stay within the rate.
  const auto round = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(static_cast<double>(schedule.size()) / options.ramp_per_second));
  return model::poll_interval(now() - work.op.last_transition, std::max(options.poll_first, round),
                              std::max(options.poll_max, round), random.unit());
}

// ---- endings -------------------------------------------------------------------------------------------------------

/// Nothing of a hidden intent remains.
Change Engine::Impl::undo(Work& work) {
  Change change{.remove_operation = true};
  if (!work.resource || work.resource->active_operation != work.op.id) {
    if (work.resource && work.resource->exclusive_action == work.op.id) {
      work.resource->exclusive_action.reset();
      change.resource = true;
    }
    return change;
  }
  if (work.resource->hidden) {
    change.remove_resource = true;
    if (auto count = count_sibling(work.siblings, *work.type, *work.resource, false)) change.extra.push_back(std::move(*count));
    for (const auto& held : work.held) {
      Write release{.action = Write::Action::remove, .expected = held.etag};
      release.document.key = held.value;
      change.extra.push_back(std::move(release));
    }
    return change;
  }
  if (work.op.request == RequestKind::create) work.resource->provisioning_state = Status::failed;
  work.resource->active_operation.reset();
  change.resource = true;
  return change;
}

Change Engine::Impl::end(Work& work, Status status, std::optional<Error> error) {
  Change change;
  if (!model::transition(work.op, status, work.now, retention())) return change;
  work.op.error = std::move(error);
  if (!work.resource) return change;
  // An update that succeeds after a failed creation makes the resource good as well; a type writes what is missing.
  const bool good =
      (work.op.request == RequestKind::create || work.op.request == RequestKind::update) && status == Status::succeeded;
  settle(*work.resource, work.op);
  change.resource = true;
  if (work.op.request == RequestKind::remove && !work.op.follows)  // it stays
    if (auto count = count_sibling(work.siblings, *work.type, *work.resource, true)) change.extra.push_back(std::move(*count));
  if (good && !mutated(Mutation::bill_nothing))
    for (Write& write : work.type->companions(Event::create_succeeded, *work.resource, work.op, work.companions, work.now))
      change.extra.push_back(std::move(write));
  if (good)
    if (auto body = model::parse_json(to_document(*work.resource).body, {}, model::kMaxStoredDepth))
      work.op.result = std::move(*body);
  return change;
}

Change Engine::Impl::end_removed(Work& work) {
  Change change;
  model::transition(work.op, Status::succeeded, work.now, retention());
  if (!work.resource) return change;
  if (work.op.request == RequestKind::cleanup) {
    work.resource->internal_id.clear();
    work.resource->uncertain_until.reset();
    settle(*work.resource, work.op);
    change.resource = true;
    return change;
  }
  change.remove_resource = true;
  if (auto count = count_sibling(work.siblings, *work.type, *work.resource, false)) change.extra.push_back(std::move(*count));
  for (Write& write : work.type->companions(Event::removed, *work.resource, work.op, work.companions, work.now))
    if (!mutated(Mutation::bill_for_ever)) change.extra.push_back(std::move(write));
  for (const auto& held : work.held) {
    Write release{.action = Write::Action::remove, .expected = held.etag};
    release.document.key = held.value;
    change.extra.push_back(std::move(release));
  }
  return change;
}

std::optional<Write> Engine::Impl::cleanup_of(Work& work) {
  if (work.op.request != RequestKind::create || !work.resource || mutated(Mutation::no_cleanup_after_deadline))
    return std::nullopt;
  if (work.resource->internal_id.empty() && !work.resource->uncertain_until) return std::nullopt;
  Operation op = new_operation(work.op.target, RequestKind::cleanup, Caller{}, Correlation{}, work.op.api_version,
                               std::chrono::hours(24 * 365));
  op.status = Status::deleting;
  op.incarnation = work.op.incarnation;
  op.internal_id = work.resource->internal_id;
  op.stage = Stage::cascade;  // a backend that reported it as working may have let callers create below it
  op.waiting_on = "removal of what a given-up creation left";
  work.resource->cleanup_operation = op.id;
  return Write{.action = Write::Action::create, .document = to_document(op)};
}

Task<Next> Engine::Impl::reject(Key key, Error error) {
  // A caller who still waits gets the reason handed over; the documents that could tell it are about to go.
  if (const auto found = watches.find(key_text(key)); found != watches.end())
    if (const auto waiting = found->second.lock()) waiting->rejection = error;
  Decide refuse = [this, error](Work& work) -> std::optional<Change> {
    if (!work.op.active()) return std::nullopt;
    if (work.op.status == Status::intended) return undo(work);
    if (work.op.request == RequestKind::cleanup) {  // it does not end before the object is gone
      work.op.stage = Stage::submit;
      return Change{};
    }
    const bool lost_before = work.op.attempts > 1 && work.resource && work.resource->uncertain_until > work.now;
    std::optional<Write> cleanup = lost_before ? cleanup_of(work) : std::nullopt;
    if (!cleanup && work.op.request == RequestKind::create && work.resource) work.resource->uncertain_until.reset();
    Change change = end(work, Status::failed, error);
    if (cleanup) change.extra.push_back(std::move(*cleanup));
    return change;
  };
  const auto written = co_await amend("reject.commit", key, std::move(refuse), true);
  if (!written) co_return kRetryDelay;
  co_return kUnreachableMax;  // an ended operation is forgotten then
}

Task<void> Engine::Impl::wake_dependents(ResourceId id) {
  if (const auto parent_id = id.parent()) {
    const auto parent = co_await load_resource("wake.parent", *parent_id);
    if (parent && *parent && (*parent)->value.active_operation) kick(Key{id.partition(), *(*parent)->value.active_operation});
  }
  const store::Query others{
      .partition = id.partition(), .kind = DocumentKind::operation, .path = id.key(), .active = true, .limit = 100};
  const auto page = co_await query("wake.followers", others);
  if (!page) co_return;
  for (const DocumentPtr& document : page->documents) kick(document->key);
}

Task<Next> Engine::Impl::finish_remove(Key key) {
  auto loaded = co_await load_work("finish.read", key);
  if (!loaded) co_return kRetryDelay;
  if (!*loaded || !(*loaded)->op.active()) co_return std::nullopt;
  const Work& work = **loaded;
  const ResourceId target = work.op.target;
  if (work.resource && work.resource->uncertain_until) {
    // What was found is gone, but a lost create may still come true: forget the object and look until it is quiet.
    Decide look_again = [](Work& mine) -> std::optional<Change> {
      if (!mine.op.active() || !mine.resource) return std::nullopt;
      mine.op.internal_id.clear();
      mine.resource->internal_id.clear();
      mine.op.stage = Stage::watch;
      return Change{.resource = true};
    };
    const auto written = co_await amend("finish.look_again", key, std::move(look_again));
    if (!written) co_return kRetryDelay;
    co_return Duration::zero();
  }
  if (work.op.request == RequestKind::remove) {
    const store::Query below{.partition = key.partition, .path_prefix = target.key() + "/", .limit = 1};
    const auto left = co_await query("finish.descendants", below);
    if (!left) co_return kRetryDelay;
    if (!left->documents.empty() && !mutated(Mutation::parent_before_children)) {
      const auto child = model::resource_from(*left->documents.front());
      if (child && child->active_operation) co_return poll_again(work);  // woken when the last one goes
      // Its own delete failed, and nobody removes it any more: mark what is below again.
      Decide again_below = [](Work& mine) -> std::optional<Change> {
        if (!mine.op.active() || mine.op.stage == Stage::cascade) return std::nullopt;
        mine.op.stage = Stage::cascade;
        return Change{};
      };
      const auto written = co_await amend("finish.cascade_again", key, std::move(again_below));
      co_return written ? kUnreachableMax : kRetryDelay;
    }
  }
  Decide remove_it = [this](Work& mine) -> std::optional<Change> {
    if (!mine.op.active()) return std::nullopt;
    if (mine.resource && mine.resource->uncertain_until) return std::nullopt;
    return end_removed(mine);
  };
  const auto written = co_await amend("finish.commit", key, std::move(remove_it), true);
  if (!written) co_return kRetryDelay;
  co_await wake_dependents(target);
  co_return std::nullopt;
}

// ---- answers -------------------------------------------------------------------------------------------------------

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

Task<Next> Engine::Impl::adopt(Key key, Found found) {
  Decide take = [this, &found](Work& work) -> std::optional<Change> {
    if (!work.op.active()) return std::nullopt;
    model::mark_reachable(work.op, work.now, std::chrono::duration_cast<Duration>(options.pause_max));
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
    const bool was_hidden = work.op.status == Status::intended;
    if (was_hidden) expose(work.op, work.now);
    if (work.op.request == RequestKind::create && work.resource) {
      work.resource->internal_id = found.internal_id;
      work.resource->uncertain_until.reset();
      if (!found.observed.empty()) work.resource->observed = found.observed;
      change.resource = true;
    }
    if (was_hidden) show_resource(work);
    return change;
  };
  const auto written = co_await amend("adopt.commit", key, std::move(take));
  if (!written) co_return kRetryDelay;
  if (*written) ++figures.adoptions;
  co_return Duration::zero();
}

Task<Next> Engine::Impl::apply_submission(Key key, std::uint32_t attempt, Submission submission) {
  using Answer = Submission::Answer;
  if (submission.answer == Answer::rejected && submission.error) co_return co_await reject(key, std::move(*submission.error));
  if (submission.answer == Answer::rejected || submission.answer == Answer::gone) {
    auto loaded = co_await load_work("submission.gone", key);
    if (!loaded) co_return kRetryDelay;
    if (!*loaded) co_return std::nullopt;
    if (is_removal((*loaded)->op)) co_return co_await finish_remove(key);
    co_return co_await reject(key,
                              model::conflict("The backend no longer has the object of this resource.", (*loaded)->op.target));
  }
  Duration wait = options.poll_first;
  Decide take = [this, attempt, &submission, &wait](Work& work) -> std::optional<Change> {
    Operation& op = work.op;
    const bool removal = is_removal(op);
    const bool mine =
        mutated(Mutation::answer_too_late) ||
        (op.active() && (removal ? op.stage == Stage::submit
                                 : op.stage == Stage::sending && op.attempts == attempt && op.epoch == options.epoch));
    if (!mine) {
      // Superseded meanwhile: whoever removes the resource is spared a search if it learns the object's name.
      const bool tell = submission.answer == Answer::accepted && op.request == RequestKind::create && work.resource &&
                        work.resource->internal_id.empty() && !op.active();
      if (!tell) return std::nullopt;
      work.resource->internal_id = submission.internal_id;
      if (op.attempts == 1 && attempt == 1) work.resource->uncertain_until.reset();  // its only request has been answered
      return Change{.operation = false, .resource = true};
    }
    remember_answer(op, submission.summary);
    Change change;
    switch (submission.answer) {
      case Answer::accepted:
        model::mark_reachable(op, work.now, std::chrono::duration_cast<Duration>(options.pause_max));
        begin_watch(op);
        note(op, work.now, "submitted");
        if (submission.status && op.status != Status::intended &&
            model::transition(op, *submission.status, work.now, retention()) && work.resource &&
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
        if (!removal && !submission.observed.empty() && work.resource && op.request != RequestKind::action) {
          work.resource->observed = submission.observed;
          change.resource = true;
        }
        break;
      case Answer::exists:
        op.stage = Stage::search;
        if (op.attempts == 1) {  // answered: nothing of ours is on its way
          op.send_until.reset();
          if (op.request == RequestKind::create && work.resource) {
            work.resource->uncertain_until.reset();
            change.resource = true;
          }
        }
        wait = Duration::zero();
        return change;
      case Answer::unavailable:
        model::mark_unreachable(op, work.now);
        if (op.request == RequestKind::create && op.attempts == 1 && work.resource) {
          work.resource->uncertain_until.reset();
          change.resource = true;
        }
        op.stage = Stage::submit;
        wait = model::poll_interval(work.now - *op.unreachable_since, kRetryDelay, kUnreachableMax, random.unit());
        break;
      default:
        op.stage = removal ? Stage::submit : Stage::search;
        op.waiting_on = "backend, which did not say whether it has the request";
        wait = kRetryDelay;
        break;
    }
    if (op.status == Status::intended) {
      expose(op, work.now);
      show_resource(work);
      change.resource = work.resource.has_value();
    }
    return change;
  };
  const auto written = co_await amend("submission.commit", key, std::move(take));
  if (!written) co_return kRetryDelay;
  if (!*written) co_return Duration::zero();  // look at it as it is now
  co_return wait;
}

Task<Next> Engine::Impl::apply_observation(Key key, Observation observation) {
  if (observation.kind == Observation::Kind::unavailable) co_return co_await unreachable(key, std::move(observation.summary));
  auto loaded = co_await load_work("observation.read", key);
  if (!loaded) co_return kRetryDelay;
  if (!*loaded || !(*loaded)->op.active()) co_return std::nullopt;
  const bool removal = is_removal((*loaded)->op);
  if (observation.kind == Observation::Kind::gone && removal) co_return co_await finish_remove(key);
  const bool expected = observation.kind == Observation::Kind::state;
  if (!expected) ++figures.unexpected_answers;

  const bool ends = expected && observation.status && is_terminal(*observation.status);
  Next next;
  Decide take = [this, &observation, &next, expected, removal, ends](Work& work) -> std::optional<Change> {
    Operation& op = work.op;
    if (!op.active() || op.stage != Stage::watch) return std::nullopt;
    bool changed = model::mark_reachable(op, work.now, std::chrono::duration_cast<Duration>(options.pause_max));
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
  };
  const auto written = co_await amend("observation.commit", key, std::move(take), ends);
  if (!written) co_return kRetryDelay;
  if (!next) co_await wake_dependents((*loaded)->op.target);
  co_return next;
}

}  // namespace acceptd::engine
