/// remove(): a delete is always accepted; it supersedes what runs on the resource and, slice by slice, below it.

#include "engine/impl.hpp"

namespace acceptd::engine {

namespace {
/// Children written per batch: each costs up to three documents of the hundred that a batch may have.
constexpr std::uint32_t kCascadePage = 25;
/// … and its resource and operations twice their size at most: half a batch is left free.
constexpr std::size_t kCascadeBytes = model::kMaxBatchBytes / 2;
}  // namespace

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

Task<Result<std::optional<Accepted>>> Engine::Impl::follow_delete(const RemoveRequest& request, const Scene& scene) {
  const Operation& running = scene.active->value;
  const model::Identity asker{request.caller.tenant, request.caller.client};
  if (running.exposed == asker)
    co_return Accepted{.outcome = Accepted::Outcome::started, .resource = scene.resource->value, .operation = running};
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
  const model::EtagCondition condition{request.preconditions.if_match, request.preconditions.if_none_match};
  if (!model::precondition_holds(condition, scene.resource->value.etag, RequestKind::remove))
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
  resource.provisioning_state = Status::deleting;
  resource.subtree_deleting = !mutated(Mutation::delete_without_marker);
  resource.hidden = false;
  resource.previous.reset();
  touch(resource);
  std::optional<Write> count;
  if (!parent_goes) count = count_sibling(scene.siblings, *scene.type, resource, false);

  BatchBuilder batch(op.partition);
  batch.replace(to_document(resource), scene.resource->etag);
  batch.create(to_document(op));
  batch.tell(op);
  std::optional<Operation> superseded;
  if (scene.active && scene.active->value.active() && !mutated(Mutation::supersede_nothing)) {
    superseded = std::move(scene.active->value);
    supersede(*superseded, now(), retention());
    batch.replace(to_document(*superseded), scene.active->etag);
    batch.tell(*superseded);
  }
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
  if (superseded) announce_end(*superseded);
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
    if (!resource) co_return std::unexpected(resource.error());
    if (only_top_level && resource->id.segments().size() > 1) continue;
    std::optional<Loaded<Operation>> active;
    if (resource->active_operation) {
      auto loaded = co_await load_operation("cascade.active", Key{work.op.partition, *resource->active_operation});
      if (!loaded) co_return std::unexpected(loaded.error());
      active = std::move(*loaded);
    }
    if (active && active->value.active() && active->value.request == RequestKind::remove) continue;
    bytes += document->body.size() + (active ? to_document(active->value).body.size() : 0);
    if (bytes > kCascadeBytes && !begun.empty()) {
      partial = true;
      break;
    }
    const ResourceType* type = types.find(resource->type_key());
    Operation op = new_delete(*resource, type);
    // What the backend removes with the parent is only watched. Everything below has a delete of its own from this walk.
    const bool goes_with_parent = !only_top_level && work.type && work.type->provider().traits().removes_children;
    if (!only_top_level) op.stage = goes_with_parent ? Stage::watch : Stage::submit;
    if (active && active->value.active()) {
      supersede(active->value, now(), retention());
      batch.replace(to_document(active->value), active->etag);
      batch.tell(active->value);
      ended.push_back(active->value);
    }
    resource->active_operation = op.id;
    resource->provisioning_state = Status::deleting;
    resource->subtree_deleting = true;
    resource->hidden = false;
    resource->previous.reset();
    touch(*resource);
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

Task<Result<void>> Engine::Impl::delete_below(Work& work, std::string prefix, bool only_top_level) {
  if (mutated(Mutation::cascade_nothing)) co_return Result<void>{};
  store::Query walk{
      .partition = work.op.partition, .kind = DocumentKind::resource, .path_prefix = std::move(prefix), .limit = kCascadePage};
  for (;;) {
    const auto page = co_await query("cascade.query", walk);
    if (!page) co_return std::unexpected(page.error());
    const auto written = co_await delete_page(work, page->documents, only_top_level);
    if (!written) co_return std::unexpected(written.error());
    if (!*written) {  // a document changed meanwhile, or this operation itself: look again
      const auto mine = co_await load_operation("cascade.still_mine", work.op.key());
      if (!mine) co_return std::unexpected(mine.error());
      if (!*mine || (*mine)->etag != work.op_etag)
        co_return std::unexpected(Error{.kind = ErrorKind::contended, .code = "Conflict", .message = "superseded"});
      continue;
    }
    if (page->continuation.empty()) co_return Result<void>{};
    walk.continuation = page->continuation;
  }
}

/// Actions and clean-ups of the resource and below it end: what they work on goes away.
Task<Result<void>> Engine::Impl::cancel_others(Work& work) {
  for (const bool below : {false, true}) {
    store::Query walk{.partition = work.op.partition, .kind = DocumentKind::operation, .active = true, .limit = kCascadePage};
    (below ? walk.path_prefix : walk.path) = work.op.target.key() + (below ? "/" : "");
    for (;;) {
      const auto page = co_await query("cascade.operations", walk);
      if (!page) co_return std::unexpected(page.error());
      for (const DocumentPtr& document : page->documents) {
        auto other = model::operation_from(*document);
        if (!other) co_return std::unexpected(other.error());
        if (other->id == work.op.id || (other->request != RequestKind::action && other->request != RequestKind::cleanup))
          continue;
        Decide cancel = [this](Work& its) -> std::optional<Change> {
          if (!its.op.active()) return std::nullopt;
          supersede(its.op, its.now, retention());
          if (its.resource) settle(*its.resource, its.op);
          return Change{.resource = its.resource.has_value()};
        };
        const auto done = co_await amend("cascade.cancel", other->key(), std::move(cancel));
        if (!done) co_return std::unexpected(done.error());
      }
      if (page->continuation.empty()) break;
      walk.continuation = page->continuation;
    }
  }
  co_return Result<void>{};
}

Task<Next> Engine::Impl::cascade(Work work) {
  const bool sweep = is_sweep(work.op);
  const std::string prefix = sweep ? "/subscriptions/" + work.op.partition + "/" : work.op.target.key() + "/";
  const auto below = co_await delete_below(work, prefix, sweep);
  if (!below) co_return kRetryDelay;
  if (!sweep) {
    const auto canceled = co_await cancel_others(work);
    if (!canceled) co_return kRetryDelay;
  }
  Decide done = [this, sweep](Work& mine) -> std::optional<Change> {
    if (!mine.op.active() || mine.op.stage != Stage::cascade) return std::nullopt;
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
