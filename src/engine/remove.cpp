/// remove(): a delete is always accepted; it supersedes what runs on the resource and, slice by slice, below it.

#include "engine/impl.hpp"

namespace acceptd::engine {

namespace {
/// Children written per batch: each costs up to three documents of the hundred that a batch may have.
constexpr std::uint32_t kCascadePage = 25;
/// … and its resource and operations twice their size at most: half a batch is left free.
constexpr std::size_t kCascadeBytes = model::kMaxBatchBytes / 2;
}  // namespace

std::string unreadable_text(const std::string& path) {
  return fmt::format("The stored document of {} cannot be read, so that it cannot be removed; everything else was.", path);
}

bool is_sweep(const Operation& op) { return op.target.type_key() == "microsoft.resources/subscriptions"; }

/// An implicit delete: nobody may read it until it is exposed.
Operation Engine::Impl::new_delete(const Resource& resource, const ResourceType* type) {
  const Duration deadline = type ? Duration(type->info().deadlines.remove) : Duration(std::chrono::hours(12));
  Operation op = new_operation(resource.id, RequestKind::remove, Caller{}, Correlation{}, resource.api_version, deadline);
  op.status = Status::deleting;
  op.internal_id = resource.internal_id;
  op.incarnation = resource.incarnation;
  bool has_below = resource.cleanup_operation.has_value() || (type && !type->info().actions.empty());
  for (const auto& other : types.all())
    has_below = has_below || (type && model::equals_ignoring_case(other->info().parent_key, type->info().name));
  op.stage = has_below ? Stage::cascade : Stage::submit;
  return op;
}

/// Those who wait for the delete; a few more than kFollowersMax where several came at one moment.
Task<Result<std::vector<Operation>>> Engine::Impl::followers_of(const Operation& running) {
  store::Query walk{.partition = running.partition,
                    .kind = DocumentKind::operation,
                    .path = running.target.key(),
                    .active = true,
                    .limit = kCascadePage};
  std::vector<Operation> followers;
  for (;;) {
    const auto page = co_await query("remove.followers", walk);
    if (!page) co_return std::unexpected(page.error());
    for (const DocumentPtr& document : page->documents)
      if (auto other = model::operation_from(*document); other && other->follows == running.id)
        followers.push_back(std::move(*other));
    if (page->continuation.empty() || followers.size() >= kFollowersMax) co_return followers;
    walk.continuation = page->continuation;
  }
}

Task<Result<std::optional<Accepted>>> Engine::Impl::follow_delete(const RemoveRequest& request, const Scene& scene) {
  const Operation& running = scene.active->value;
  const model::Identity asker{request.caller.tenant, request.caller.client};
  if (running.exposed == asker)
    co_return Accepted{.outcome = Accepted::Outcome::started, .resource = scene.resource->value, .operation = running};
  auto followers = co_await followers_of(running);
  if (!followers) co_return std::unexpected(followers.error());
  for (Operation& follower : *followers)
    if (follower.exposed == asker)
      co_return Accepted{
          .outcome = Accepted::Outcome::started, .resource = scene.resource->value, .operation = std::move(follower)};
  if (followers->size() >= kFollowersMax) {
    Error error = model::conflict("The resource is being deleted already, and too many wait for that.", request.id);
    error.retry_after = std::chrono::seconds(10);
    co_return std::unexpected(std::move(error));
  }
  Operation op = new_delete(scene.resource->value, scene.type);
  op.initiator = asker;
  op.operation_path = request.operation_path ? request.operation_path(op.id) : std::string();
  op.client_request_id = request.correlation.client_request_id;
  op.correlation_request_id = request.correlation.correlation_request_id;
  op.notification_uri = request.correlation.notification_uri;
  op.deadline = running.deadline + std::chrono::hours(1);  // ends with the delete that it follows
  op.follows = running.id;
  op.stage = Stage::follow;
  op.waiting_on = "the delete that is already running";
  expose(op, now());
  BatchBuilder batch(op.partition);
  batch.check(running.key(), scene.active->etag);
  batch.create(to_document(op));
  batch.tell(op);
  const auto committed = co_await commit("remove.follow_commit", std::move(batch));
  if (!committed && committed.error().kind == ErrorKind::precondition_failed) co_return std::nullopt;
  if (!committed) co_return std::unexpected(committed.error());
  ++figures.accepted;
  co_return Accepted{.outcome = Accepted::Outcome::started, .resource = scene.resource->value, .operation = std::move(op)};
}

Task<Result<std::optional<Accepted>>> Engine::Impl::try_remove(const RemoveRequest& request) {
  auto loaded = co_await load_scene(request.id);
  if (!loaded) co_return std::unexpected(loaded.error());
  Scene scene = std::move(*loaded);
  const auto* subscription = scene.subscription ? &scene.subscription->value : nullptr;
  if (auto refusal = model::refuse_for_subscription(subscription, request.id.subscription(), model::Verb::remove))
    co_return std::unexpected(std::move(*refusal));
  if (!scene.resource) co_return Accepted{.outcome = Accepted::Outcome::absent};
  // Who names an entity tag does not mean a creation that nobody can see yet.
  const bool conditional = !request.preconditions.if_match.empty();
  if (!scene.visible() && conditional) co_return Accepted{.outcome = Accepted::Outcome::absent};
  const model::EtagCondition condition{request.preconditions.if_match, request.preconditions.if_none_match};
  std::string etag = scene.resource->value.etag;
  if (conditional) {  // what callers were shown
    const auto deleting = co_await below_deleting(request.id, false);
    if (!deleting) co_return std::unexpected(deleting.error());
    Resource shown = scene.resource->value;
    if (*deleting) model::show_deleting(shown);
    etag = shown.etag;
  }
  if (!model::precondition_holds(condition, etag, RequestKind::remove))
    co_return std::unexpected(model::precondition_failed(request.id));
  if (scene.active && scene.active->value.request == RequestKind::remove && scene.active->value.active())
    co_return co_await follow_delete(request, scene);
  const bool parent_goes = scene.parent && scene.parent->value.subtree_deleting;
  const AdmitInput admit{.request = RequestKind::remove,
                         .existing = &scene.resource->value,
                         .parent = scene.parent ? &scene.parent->value : nullptr,
                         .siblings = scene.siblings ? scene.siblings->value : 0};
  if (!parent_goes)
    if (auto refusal = scene.type->admit(admit)) co_return std::unexpected(std::move(*refusal));
  co_return co_await begin_delete(request, std::move(scene), parent_goes);
}

/// Takes the place of what was active, and knows until when that may still reach the backend.
void Engine::Impl::replace_active(Operation& op, Loaded<Operation>& active, Time at, BatchBuilder& batch) {
  op.send_until = active.value.send_until;
  supersede(active.value, at, retention());
  batch.replace(to_document(active.value), active.etag);
  batch.tell(active.value);
}

Task<Result<std::optional<Accepted>>> Engine::Impl::begin_delete(const RemoveRequest& request, Scene scene, bool parent_goes) {
  Resource resource = std::move(scene.resource->value);
  Operation op = new_delete(resource, scene.type);
  op.initiator = {request.caller.tenant, request.caller.client};
  op.operation_path = request.operation_path ? request.operation_path(op.id) : std::string();
  op.api_version = request.api_version;
  op.client_request_id = request.correlation.client_request_id;
  op.correlation_request_id = request.correlation.correlation_request_id;
  op.traceparent = request.correlation.traceparent;
  op.notification_uri = request.correlation.notification_uri;
  expose(op, now());
  resource.active_operation = op.id;
  model::show_deleting(resource);
  resource.subtree_deleting = !mutated(Mutation::delete_without_marker);
  resource.deleting_since = op.start;
  resource.hidden = false;
  resource.previous.reset();
  std::optional<Write> count;
  if (!parent_goes) count = count_sibling(scene.siblings, *scene.type, resource, false);

  BatchBuilder batch(op.partition);
  batch.replace(to_document(resource), scene.resource->etag);
  const bool supersedes = scene.active && scene.active->value.active() && !mutated(Mutation::supersede_nothing);
  if (supersedes) replace_active(op, *scene.active, op.start, batch);
  batch.create(to_document(op));
  batch.tell(op);
  if (count) batch.add(std::move(*count));
  const auto committed = co_await commit("remove.commit", std::move(batch));
  if (!committed && committed.error().kind == ErrorKind::precondition_failed) co_return std::nullopt;
  if (!committed && committed.error().kind == ErrorKind::unknown_outcome) {
    const auto stored = co_await load_operation("remove.read_back", op.key());
    if (!stored || !*stored) co_return std::unexpected(committed.error());
  } else if (!committed) {
    co_return std::unexpected(committed.error());
  }
  ++figures.accepted;
  if (supersedes) announce_end(scene.active->value);
  co_return Accepted{.outcome = Accepted::Outcome::started, .resource = std::move(resource), .operation = std::move(op)};
}

Task<Result<Accepted>> Engine::Impl::remove(RemoveRequest request) {
  if (!accepting())
    co_return std::unexpected(Error{.kind = ErrorKind::unavailable,
                                    .code = "ServiceUnavailable",
                                    .message = "The server is stopping; retry.",
                                    .retry_after = std::chrono::seconds(10)});
  if (!types.find(request.id.type_key())) co_return std::unexpected(model::not_found(request.id));
  for (int attempt = 0; attempt < kConflictRetries; ++attempt) {
    auto answer = co_await try_remove(request);
    if (!answer) co_return std::unexpected(answer.error());
    if (*answer) co_return std::move(**answer);
  }
  co_return std::unexpected(Error{.kind = ErrorKind::contended,
                                  .code = "Conflict",
                                  .message = "The resource is being changed by many requests at once; retry.",
                                  .target = request.id.text(),
                                  .retry_after = std::chrono::seconds(10)});
}

// ---- cascade -----------------------------------------------------------------------------------------------------

Task<Result<bool>> Engine::Impl::delete_page(Work& work, const std::vector<DocumentPtr>& page, bool only_top_level) {
  BatchBuilder batch(work.op.partition);
  batch.check(work.op.key(), work.op_etag);
  std::vector<Operation> begun, ended;
  std::size_t bytes = 0;
  bool partial = false;
  for (const DocumentPtr& document : page) {
    auto resource = model::resource_from(*document);
    if (!resource) continue;  // told by delete_below()
    if (only_top_level && resource->id.segments().size() > 1) continue;
    std::optional<Loaded<Operation>> active;
    if (resource->active_operation) {
      auto loaded = co_await load_operation("cascade.active", Key{work.op.partition, *resource->active_operation});
      const bool unreadable = !loaded && loaded.error().kind == ErrorKind::internal;  // its resource goes all the same
      if (!loaded && !unreadable) co_return std::unexpected(loaded.error());
      if (loaded) active = std::move(*loaded);
    }
    if (active && active->value.active() && active->value.request == RequestKind::remove) continue;
    bytes += document->body.size() + (active ? to_document(active->value).body.size() : 0);
    if (bytes > kCascadeBytes && !begun.empty()) {
      partial = true;
      break;
    }
    const ResourceType* type = types.find(resource->type_key());
    Operation op = new_delete(*resource, type);
    const Time since = work.resource && work.resource->deleting_since ? *work.resource->deleting_since : op.start;
    // What the backend removes with the parent is only watched. Everything below has a delete of its own from this walk.
    const bool goes_with_parent = !only_top_level && work.type && work.type->provider().traits().removes_children;
    if (!only_top_level) op.stage = goes_with_parent ? Stage::watch : Stage::submit;
    if (active && active->value.active()) {
      replace_active(op, *active, since, batch);
      ended.push_back(active->value);
    }
    resource->active_operation = op.id;
    model::show_deleting(*resource);
    resource->subtree_deleting = true;
    resource->deleting_since = since;
    resource->hidden = false;
    resource->previous.reset();
    batch.replace(to_document(*resource), document->etag);
    batch.create(to_document(op));
    batch.tell(op);
    begun.push_back(std::move(op));
  }
  if (begun.empty()) co_return true;
  const auto committed = co_await commit("cascade.commit", std::move(batch));
  if (!committed && committed.error().kind == ErrorKind::precondition_failed) co_return false;
  if (!committed) co_return std::unexpected(committed.error());
  for (const Operation& op : ended) announce_end(op);
  co_return !partial;  // the rest of the page: once more, what is marked is skipped
}

Task<Result<std::string>> Engine::Impl::delete_below(Work& work, std::string prefix, bool only_top_level) {
  std::string unreadable;
  if (mutated(Mutation::cascade_nothing)) co_return unreadable;
  store::Query walk{
      .partition = work.op.partition, .kind = DocumentKind::resource, .path_prefix = std::move(prefix), .limit = kCascadePage};
  for (;;) {
    const auto page = co_await query("cascade.query", walk);
    if (!page) co_return std::unexpected(page.error());
    for (const DocumentPtr& document : page->documents) {
      const auto resource = model::resource_from(*document);
      if (resource) continue;
      log_unreadable(*document, resource.error());
      unreadable = document->index.path;
    }
    const auto written = co_await delete_page(work, page->documents, only_top_level);
    if (!written) co_return std::unexpected(written.error());
    if (!*written) {  // a document changed meanwhile, or this operation itself: look again
      const auto mine = co_await load_operation("cascade.still_mine", work.op.key());
      if (!mine) co_return std::unexpected(mine.error());
      if (!*mine || (*mine)->etag != work.op_etag)
        co_return std::unexpected(Error{.kind = ErrorKind::contended, .code = "Conflict", .message = "superseded"});
      continue;
    }
    if (page->continuation.empty()) co_return unreadable;
    walk.continuation = page->continuation;
  }
}

/// Whether what `by` is about to do ends `other`: a delete ends actions and clean-ups, an action those that its type names.
bool Engine::Impl::ends(const Work& by, const Operation& other) const {
  if (other.id == by.op.id) return false;
  if (by.op.request != RequestKind::action) return other.request == RequestKind::action || other.request == RequestKind::cleanup;
  const ActionInfo* action = by.type->info().action(by.op.action);
  return action && other.request == RequestKind::action &&
         std::ranges::find(action->cancels, other.action) != action->cancels.end();
}

/// Ends the operations of one page that `work` supersedes. Until when their requests may still be carried out is written
/// before they end, since it is known nowhere else then.
Task<Result<void>> Engine::Impl::cancel_page(Work& work, const std::vector<DocumentPtr>& page) {
  for (const DocumentPtr& document : page) {
    const auto other = model::operation_from(*document);
    if (!other) log_unreadable(*document, other.error());
    if (!other || !ends(work, *other)) continue;
    if (other->send_until && (!work.op.send_until || *work.op.send_until < *other->send_until)) {
      work.op.send_until = other->send_until;
      Decide remember = [until = other->send_until](Work& mine) -> std::optional<Change> {
        if (!mine.op.active() || mine.op.stage != Stage::cascade) return std::nullopt;
        mine.op.send_until = std::max(mine.op.send_until, until);
        return Change{};
      };
      const auto written = co_await amend("cascade.remember", work.op.key(), std::move(remember));
      if (!written) co_return std::unexpected(written.error());
    }
    bool sent_again = false;
    // A delete's marker has ended it for all who read: the time is that of the marker.
    const bool marked = work.op.request == RequestKind::remove && work.resource;
    const std::optional<Time> since = marked ? work.resource->deleting_since : std::nullopt;
    Decide cancel = [this, &sent_again, since, known = work.op.send_until](Work& its) -> std::optional<Change> {
      if (!its.op.active()) return std::nullopt;
      sent_again = its.op.send_until && (!known || *known < *its.op.send_until);
      if (sent_again) return std::nullopt;
      supersede(its.op, since.value_or(its.now), retention());
      const bool named = its.resource && names(*its.resource, its.op);
      if (named) settle(*its.resource, its.op);
      return Change{.resource = named};
    };
    const auto done = co_await amend("cascade.cancel", other->key(), std::move(cancel));
    if (!done) co_return std::unexpected(done.error());
    if (sent_again)
      co_return std::unexpected(Error{.kind = ErrorKind::contended, .code = "Conflict", .message = "sent meanwhile"});
  }
  co_return Result<void>{};
}

/// Of the resource, and of what is below it if it goes.
Task<Result<void>> Engine::Impl::cancel_others(Work& work) {
  for (const bool below : {false, true}) {
    if (below && work.op.request == RequestKind::action) break;
    store::Query walk{.partition = work.op.partition, .kind = DocumentKind::operation, .active = true, .limit = kCascadePage};
    (below ? walk.path_prefix : walk.path) = work.op.target.key() + (below ? "/" : "");
    for (;;) {
      const auto page = co_await query("cascade.operations", walk);
      if (!page) co_return std::unexpected(page.error());
      const auto canceled = co_await cancel_page(work, page->documents);
      if (!canceled) co_return std::unexpected(canceled.error());
      if (page->continuation.empty()) break;
      walk.continuation = page->continuation;
    }
  }
  co_return Result<void>{};
}

Task<Next> Engine::Impl::cascade(Work work) {
  if (work.op.request == RequestKind::action) co_return co_await cancel_first(std::move(work));
  const bool sweep = is_sweep(work.op);
  const std::string prefix = sweep ? "/subscriptions/" + work.op.partition + "/" : work.op.target.key() + "/";
  const auto below = co_await delete_below(work, prefix, sweep);
  if (!below) co_return kRetryDelay;
  if (!sweep) {
    const auto canceled = co_await cancel_others(work);
    if (!canceled) co_return kRetryDelay;
  }
  Decide done = [this, sweep, unreadable = *below](Work& mine) -> std::optional<Change> {
    if (!mine.op.active() || mine.op.stage != Stage::cascade) return std::nullopt;
    if (sweep && !unreadable.empty())
      return end(mine, Status::failed,
                 Error{.kind = ErrorKind::internal, .code = "InternalServerError", .message = unreadable_text(unreadable)});
    if (sweep) return end(mine, Status::succeeded, std::nullopt);
    mine.op.stage = Stage::submit;
    note(mine.op, mine.now, "descendants marked");
    return Change{};
  };
  const auto written = co_await amend("cascade.done", work.op.key(), std::move(done));
  if (!written) co_return kRetryDelay;
  if (sweep) co_return std::nullopt;
  co_return Duration::zero();
}

}  // namespace acceptd::engine
