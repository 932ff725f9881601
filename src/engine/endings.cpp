/// How an operation ends, and what that does to its resource: undone, ended, refused, removed.

#include "engine/impl.hpp"
#include "model/json.hpp"

namespace acceptd::engine {

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

bool names(const Resource& resource, const Operation& op) {
  return resource.active_operation == op.id || resource.exclusive_action == op.id || resource.cleanup_operation == op.id;
}

/// The resource goes, and with it what it held and its place in its parent's counter.
void Engine::Impl::drop_resource(Work& work, Change& change) {
  change.remove_resource = true;
  if (auto count = count_sibling(work.siblings, *work.type, *work.resource, false)) change.extra.push_back(std::move(*count));
  for (const auto& held : work.held) {
    Write release{.action = Write::Action::remove, .expected = held.etag};
    release.document.key = held.value;
    change.extra.push_back(std::move(release));
  }
}

/// Nothing of a hidden intent remains.
Change Engine::Impl::undo(Work& work) {
  Change change{.remove_operation = true};
  if (!work.resource) return change;
  Resource& resource = *work.resource;
  if (resource.active_operation == work.op.id && resource.hidden) {
    drop_resource(work, change);
  } else if (resource.active_operation == work.op.id) {
    resource.active_operation.reset();
    resource.uncertain_until.reset();  // what is hidden has had an answer to all that it sent
    change.resource = true;
  } else if (resource.exclusive_action == work.op.id) {
    resource.exclusive_action.reset();
    change.resource = true;
  }
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
  change.resource = names(*work.resource, work.op);
  settle(*work.resource, work.op);
  if (work.op.request == RequestKind::remove && !work.op.follows)  // it stays
    if (auto count = count_sibling(work.siblings, *work.type, *work.resource, true)) change.extra.push_back(std::move(*count));
  if (!good) return change;
  if (!mutated(Mutation::bill_nothing))
    for (Write& write : work.type->companions(Event::create_succeeded, *work.resource, work.op, work.companions, work.now))
      change.extra.push_back(std::move(write));
  touch(*work.resource);  // the snapshot shows the entity tag that callers see from now on
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
  drop_resource(work, change);
  for (Write& write : work.type->companions(Event::removed, *work.resource, work.op, work.companions, work.now))
    if (!mutated(Mutation::bill_for_ever)) change.extra.push_back(std::move(write));
  return change;
}

std::optional<Write> Engine::Impl::cleanup_of(Work& work) {
  if (!work.resource || mutated(Mutation::no_cleanup_after_deadline)) return std::nullopt;
  const bool unknown = work.resource->internal_id.empty() && work.resource->uncertain_until;
  // What a delete could not remove is known and stays for another one; what it could not even find would be forgotten.
  const bool left = work.op.request == RequestKind::create ? unknown || !work.resource->internal_id.empty()
                                                           : work.op.request == RequestKind::remove && unknown;
  if (!left) return std::nullopt;
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
  Decide refuse = [this, error, key](Work& work) -> std::optional<Change> {
    if (!work.op.active()) return std::nullopt;
    const bool lost_before = work.op.attempts > 1 && work.resource && work.resource->uncertain_until > work.now;
    if (work.op.status == Status::intended && !lost_before) {
      // A caller who still waits gets the reason handed over; the documents that could tell it are about to go.
      if (const auto found = watches.find(key_text(key)); found != watches.end())
        if (const auto waiting = found->second.lock()) waiting->rejection = error;
      return undo(work);
    }
    if (work.op.status == Status::intended) {  // something of it may still appear: it ends in sight of all, with a clean-up
      expose(work.op, work.now);
      show_resource(work);
    }
    if (work.op.request == RequestKind::cleanup) {  // it does not end before the object is gone
      work.op.stage = Stage::submit;
      return Change{};
    }
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

// ---- removal -------------------------------------------------------------------------------------------------------

/// Whether resources below keep this one from going, and who sees to them.
Task<Result<Engine::Impl::Below>> Engine::Impl::look_below(const char* place, ResourceId id) {
  store::Query walk{.partition = id.partition(), .path_prefix = id.key() + "/", .limit = kBelowPage};
  Below below;
  for (;;) {
    const auto page = co_await query(place, walk);
    if (!page) co_return std::unexpected(page.error());
    for (const DocumentPtr& document : page->documents) {
      const auto child = model::resource_from(*document);
      if (child) {
        // One that came while the walk went over its place is not leaving: the walk begins again.
        const bool leaving = child->active_operation && child->subtree_deleting;
        below.kind = leaving ? Below::Kind::leaving : Below::Kind::stuck;
        co_return below;
      }
      below = {.kind = Below::Kind::unreadable, .path = document->index.path};
    }
    if (page->continuation.empty()) co_return below;
    walk.continuation = page->continuation;
  }
}

/// nullopt: nothing below is in the way. Otherwise when to come back, after what can be done about it is done.
Task<std::optional<Next>> Engine::Impl::held_up_below(const char* place, const Work& work) {
  const auto below = co_await look_below(place, work.op.target);
  if (!below) co_return kRetryDelay;
  if (below->kind == Below::Kind::nothing || mutated(Mutation::parent_before_children)) co_return std::nullopt;
  if (below->kind == Below::Kind::leaving) co_return poll_again(work);  // woken when the last one goes
  const Key key = work.op.key();
  if (below->kind == Below::Kind::unreadable) {
    log.error("engine.unreadable_below", {{"operation", model::to_string(key.id)}, {"path", below->path}});
    Error error{.kind = ErrorKind::internal, .code = "InternalServerError", .message = unreadable_text(below->path)};
    co_return co_await reject(key, std::move(error));
  }
  // Its own delete failed, and nobody removes it any more: mark what is below again.
  Decide again_below = [](Work& mine) -> std::optional<Change> {
    if (!mine.op.active() || mine.op.stage == Stage::cascade) return std::nullopt;
    mine.op.stage = Stage::cascade;
    return Change{};
  };
  const auto written = co_await amend("finish.cascade_again", key, std::move(again_below));
  co_return Next(written ? kUnreachableMax : kRetryDelay);
}

/// Until when a request of the delete may still be carried out, or one of what it superseded: then it could hit a successor
/// that has the same address. nullopt: not any more.
std::optional<Time> Engine::Impl::stray_until(const Work& work, const std::optional<Sent>& answered) {
  if (work.type->provider().traits().unique_addresses || mutated(Mutation::free_address_at_once)) return std::nullopt;
  const std::optional<Time> until =
      answered && answered->attempt == work.op.attempts ? answered->stray_before : work.op.send_until;
  return until && *until > work.now ? until : std::nullopt;
}

/// The object is not there (any more): the resource goes too, unless something may still come true.
Task<Next> Engine::Impl::finish_remove(Key key, std::optional<Sent> answered) {
  auto loaded = co_await load_work("finish.read", key);
  if (!loaded) co_return kRetryDelay;
  if (!*loaded || !(*loaded)->op.active()) co_return std::nullopt;
  const Work& work = **loaded;
  const ResourceId target = work.op.target;
  const bool uncertain = work.resource && work.resource->uncertain_until;
  const std::optional<Time> stray = work.resource ? stray_until(work, answered) : std::nullopt;
  if (uncertain || stray) {
    // What was found is gone, but a lost request may still come true: forget the object and look until it is quiet.
    Decide look_again = [uncertain, stray](Work& mine) -> std::optional<Change> {
      if (!mine.op.active() || !mine.resource) return std::nullopt;
      if (uncertain) {
        mine.op.internal_id.clear();
        mine.resource->internal_id.clear();
      }
      mine.op.stage = Stage::watch;
      mine.op.send_until = stray;
      return Change{.resource = uncertain};
    };
    const auto written = co_await amend("finish.look_again", key, std::move(look_again));
    if (!written) co_return kRetryDelay;
    co_return uncertain ? Duration::zero() : std::max<Duration>(*stray - work.now, Duration::zero());
  }
  if (work.op.request == RequestKind::remove) {
    const auto held_up = co_await held_up_below("finish.descendants", work);
    if (held_up) co_return *held_up;
  }
  Decide remove_it = [this, answered](Work& mine) -> std::optional<Change> {
    if (!mine.op.active()) return std::nullopt;
    if (mine.resource && (mine.resource->uncertain_until || stray_until(mine, answered))) return std::nullopt;
    return end_removed(mine);
  };
  const auto written = co_await amend("finish.commit", key, std::move(remove_it), true);
  if (!written || !*written) co_return kRetryDelay;
  co_await wake_dependents(target);
  co_return std::nullopt;
}

/// The backend refuses to remove it: for good, or because it is removing it already.
Task<Next> Engine::Impl::removal_refused(Key key, Sent sent, Error error) {
  auto loaded = co_await load_work("submission.refused", key);
  if (!loaded) co_return kRetryDelay;
  if (!*loaded || !(*loaded)->op.active()) co_return std::nullopt;
  ++figures.observations;
  probe("submission.look");
  const Observation seen = co_await (*loaded)->type->provider().observe(target_of(**loaded));
  if (seen.kind == Observation::Kind::gone) co_return co_await finish_remove(key, sent);
  if (seen.kind == Observation::Kind::unavailable) co_return co_await unreachable(key, seen.summary);
  // A clean-up has no deadline: it asks again until the object is gone, whatever is said of it.
  const bool patient = (*loaded)->op.request == RequestKind::cleanup;
  if (seen.status != Status::deleting || patient) co_return co_await reject(key, std::move(error));
  Submission under_way{.answer = Submission::Answer::accepted, .summary = seen.summary};
  co_return co_await apply_submission(key, sent, std::move(under_way));
}

}  // namespace acceptd::engine
