/// act(): actions on a resource. They neither own its provisioningState nor its activeOperationId.

#include "engine/impl.hpp"

namespace acceptd::engine {

namespace {

Error contended(const ResourceId& id) {
  return Error{.kind = ErrorKind::contended,
               .code = "Conflict",
               .message = "The resource is being changed by many requests at once; retry.",
               .target = id.text(),
               .retry_after = std::chrono::seconds(10)};
}

}  // namespace

Task<Result<std::optional<Accepted>>> Engine::Impl::try_act(const ActionRequest& request, const ActionInfo& action,
                                                            Monotonic until) {
  auto loaded = co_await load_scene(request.id);
  if (!loaded) co_return std::unexpected(loaded.error());
  Scene scene = std::move(*loaded);
  const auto* subscription = scene.subscription ? &scene.subscription->value : nullptr;
  if (auto refusal = model::refuse_for_subscription(subscription, request.id.subscription(), model::Verb::action))
    co_return std::unexpected(std::move(*refusal));
  if (!scene.visible()) co_return std::unexpected(model::not_found(request.id));
  if (scene.active && scene.active->value.status == Status::intended) {  // an update that callers do not see yet
    const bool waited = co_await wait_while_hidden(scene.active->value.key(), until);
    if (!waited) co_return std::unexpected(contended(request.id));
    co_return std::nullopt;
  }
  Resource resource = std::move(scene.resource->value);
  const auto deleting = co_await below_deleting(resource.id, false);
  if (!deleting) co_return std::unexpected(deleting.error());
  Resource shown = resource;
  if (*deleting) model::show_deleting(shown);
  if (auto refusal = model::refuse_action(shown, action.phrase, action.blocked_message))
    co_return std::unexpected(std::move(*refusal));

  Operation op =
      new_operation(resource.id, RequestKind::action, request.caller, request.correlation, request.api_version, action.deadline);
  op.action = action.request;
  op.incarnation = resource.incarnation;
  op.desired = request.parameters;
  op.operation_path = request.operation_path ? request.operation_path(op.id) : std::string();
  op.status = Status::intended;
  // What it cancels is canceled before callers see it, and before the backend is asked.
  const bool cancels = !action.cancels.empty();
  const bool inline_submit = scene.type->info().submit == Submit::inline_ || cancels;
  if (cancels) op.stage = Stage::cascade;
  // Submissions without a name to search by take turns: the worker claims when its turn comes.
  if (!cancels && !action.one_at_a_time) claim(op, *scene.type);
  if (!inline_submit) expose(op, now());

  BatchBuilder batch(op.partition);
  batch.create(to_document(op));
  batch.tell(op);
  if (action.exclusive) {
    resource.exclusive_action = op.id;
    batch.replace(to_document(resource), scene.resource->etag);
  } else {
    batch.check(Key{op.partition, resource.id.document_id()}, scene.resource->etag);
  }
  guard_surroundings(batch, scene);
  const auto committed = co_await commit("act.commit", std::move(batch));
  if (!committed && committed.error().kind == ErrorKind::precondition_failed) co_return std::nullopt;
  if (!committed && committed.error().kind == ErrorKind::unknown_outcome) {
    const auto stored = co_await load_operation("act.read_back", op.key());
    if (!stored || !*stored) co_return std::unexpected(committed.error());
  } else if (!committed) {
    co_return std::unexpected(committed.error());
  }
  ++figures.accepted;
  const auto watching = watch(op.key());
  start_now(op.key(), op.stage == Stage::sending);
  if (!inline_submit)
    co_return Accepted{.outcome = Accepted::Outcome::started, .resource = std::move(resource), .operation = std::move(op)};
  auto answer = co_await await_exposure(op.key(), Accepted::Outcome::started, clock.monotonic() + options.inline_budget);
  if (!answer) co_return std::unexpected(answer.error());
  co_return std::move(*answer);
}

Task<Result<Accepted>> Engine::Impl::act(ActionRequest request) {
  const ResourceType* type = types.find(request.id.type_key());
  const ActionInfo* action = type ? type->info().action(request.action) : nullptr;
  if (!action) co_return std::unexpected(model::not_found(request.id));
  if (const std::size_t bytes = boost::json::serialize(request.parameters).size(); bytes > kMaxParameterBytes)
    co_return std::unexpected(
        Error{.kind = ErrorKind::invalid,
              .code = "InvalidRequestContent",
              .message = fmt::format("The parameters take {} bytes; at most {} are accepted.", bytes, kMaxParameterBytes)});
  if (!accepting())
    co_return std::unexpected(Error{.kind = ErrorKind::unavailable,
                                    .code = "ServiceUnavailable",
                                    .message = "The server is stopping; retry.",
                                    .retry_after = std::chrono::seconds(10)});
  const Monotonic until = clock.monotonic() + options.queue_timeout;
  for (int attempt = 0; attempt < kConflictRetries; ++attempt) {
    auto answer = co_await try_act(request, *action, until);
    if (!answer) co_return std::unexpected(answer.error());
    if (*answer) co_return std::move(**answer);
  }
  co_return std::unexpected(contended(request.id));
}

// ---- what an action cancels ------------------------------------------------------------------------------------------

/// Cancels what the action supersedes. What that may have sent is waited for: the backend is asked only when nothing of it
/// can appear any more that the action would not reach.
Task<Next> Engine::Impl::cancel_first(Work work) {
  const auto canceled = co_await cancel_others(work);
  if (!canceled) co_return kRetryDelay;
  Duration wait{};
  Decide done = [&wait](Work& mine) -> std::optional<Change> {
    if (!mine.op.active() || mine.op.stage != Stage::cascade) return std::nullopt;
    const bool quiet = !mine.op.send_until || *mine.op.send_until <= mine.now || mutated(Mutation::revoke_at_once);
    if (quiet) {
      mine.op.stage = Stage::submit;
      mine.op.send_until.reset();
      note(mine.op, mine.now, "others canceled");
      return Change{};
    }
    wait = *mine.op.send_until - mine.now;
    mine.op.waiting_on = "canceled requests, which the backend may still carry out";
    if (mine.op.status != Status::intended) return std::nullopt;
    expose(mine.op, mine.now);  // its caller need not wait for that
    return Change{};
  };
  const auto written = co_await amend("cascade.done", work.op.key(), std::move(done));
  if (!written) co_return kRetryDelay;
  co_return wait;
}

}  // namespace acceptd::engine
