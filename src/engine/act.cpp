/// act(): actions on a resource. They neither own its provisioningState nor its activeOperationId.

#include "engine/impl.hpp"

namespace acceptd::engine {

Task<Result<std::optional<Accepted>>> Engine::Impl::try_act(const ActionRequest& request, const ActionInfo& action) {
  auto loaded = co_await load_scene(request.id);
  if (!loaded) co_return std::unexpected(loaded.error());
  Scene scene = std::move(*loaded);
  const auto* subscription = scene.subscription ? &scene.subscription->value : nullptr;
  if (auto refusal = model::refuse_for_subscription(subscription, request.id.subscription(), model::Verb::action))
    co_return std::unexpected(std::move(*refusal));
  if (!scene.visible()) co_return std::unexpected(model::not_found(request.id));
  Resource resource = std::move(scene.resource->value);
  if (auto refusal = model::refuse_action(resource, action.phrase, action.blocked_message))
    co_return std::unexpected(std::move(*refusal));

  Operation op =
      new_operation(resource.id, RequestKind::action, request.caller, request.correlation, request.api_version, action.deadline);
  op.action = action.request;
  op.incarnation = resource.incarnation;
  op.desired = request.parameters;
  op.operation_path = request.operation_path ? request.operation_path(op.id) : std::string();
  op.status = Status::intended;
  const bool inline_submit = scene.type->info().submit == Submit::inline_;
  // Submissions without a name to search by take turns: the worker claims when its turn comes.
  if (!action.one_at_a_time) claim(op, *scene.type);
  if (!inline_submit) expose(op, now());

  BatchBuilder batch(op.partition);
  batch.create(to_document(op));
  batch.tell(op);
  if (action.exclusive) {
    resource.exclusive_action = op.id;
    touch(resource);
    batch.replace(to_document(resource), scene.resource->etag);
  } else {
    batch.check(Key{op.partition, resource.id.document_id()}, scene.resource->etag);
  }
  std::vector<Operation> ended;
  if (!action.cancels.empty()) {
    const store::Query active{.partition = op.partition,
                              .kind = DocumentKind::operation,
                              .path = resource.id.key(),
                              .active = true,
                              .limit = model::kMaxBatchDocuments - 10};
    const auto page = co_await query("act.query", active);
    if (!page) co_return std::unexpected(page.error());
    for (const DocumentPtr& document : page->documents) {
      auto other = model::operation_from(*document);
      if (!other) co_return std::unexpected(other.error());
      if (other->request != RequestKind::action || std::ranges::find(action.cancels, other->action) == action.cancels.end())
        continue;
      supersede(*other, now(), retention());
      batch.replace(to_document(*other), document->etag);
      batch.tell(*other);
      ended.push_back(std::move(*other));
    }
  }
  const auto committed = co_await commit("act.commit", std::move(batch));
  if (!committed && committed.error().kind == ErrorKind::precondition_failed) co_return std::nullopt;
  if (!committed && committed.error().kind == ErrorKind::unknown_outcome) {
    const auto stored = co_await load_operation("act.read_back", op.key());
    if (!stored || !*stored) co_return std::unexpected(committed.error());
  } else if (!committed) {
    co_return std::unexpected(committed.error());
  }
  ++figures.accepted;
  for (const Operation& other : ended) announce_end(other);
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
  for (int attempt = 0; attempt < kConflictRetries; ++attempt) {
    auto answer = co_await try_act(request, *action);
    if (!answer) co_return std::unexpected(answer.error());
    if (*answer) co_return std::move(**answer);
  }
  co_return std::unexpected(Error{.kind = ErrorKind::contended,
                                  .code = "Conflict",
                                  .message = "The resource is being changed by many requests at once; retry.",
                                  .target = request.id.text(),
                                  .retry_after = std::chrono::seconds(10)});
}

}  // namespace acceptd::engine
