/// Subscriptions: their state decides what is allowed; Deleted removes everything in them.

#include "engine/impl.hpp"

namespace acceptd::engine {

namespace {
constexpr Duration kSweepDeadline = std::chrono::hours(24);

ResourceId sweep_target(const std::string& partition) {
  return *ResourceId::parse("/subscriptions/" + partition + "/providers/Microsoft.Resources/subscriptions/" + partition);
}
}  // namespace

Task<Result<model::Subscription>> Engine::Impl::put_subscription(model::Subscription subscription) {
  const ResourceId target = sweep_target(model::to_lower(subscription.id));
  for (int attempt = 0; attempt < kConflictRetries; ++attempt) {
    const auto stored = co_await load_subscription("subscription.read", subscription.id);
    if (!stored) co_return std::unexpected(stored.error());
    if (*stored && (*stored)->value.body == subscription.body) co_return (*stored)->value;
    BatchBuilder batch(target.partition());
    if (*stored)
      batch.replace(to_document(subscription), (*stored)->etag);
    else
      batch.create(to_document(subscription));

    // A clean-up that still runs belongs to an earlier Deleted: the last state wins (ARM-261).
    const store::Query sweeps{
        .partition = target.partition(), .kind = DocumentKind::operation, .path = target.key(), .active = true, .limit = 10};
    const auto running = co_await query("subscription.sweeps", sweeps);
    if (!running) co_return std::unexpected(running.error());
    for (const DocumentPtr& document : running->documents) {
      auto op = model::operation_from(*document);
      if (!op) co_return std::unexpected(op.error());
      supersede(*op, now(), retention());
      batch.replace(to_document(*op), document->etag);
    }
    std::optional<Operation> sweep;
    if (subscription.state == "Deleted") {
      sweep = new_operation(target, RequestKind::remove, Caller{}, Correlation{}, "", kSweepDeadline);
      sweep->status = Status::deleting;
      sweep->stage = Stage::cascade;
      batch.create(to_document(*sweep));
    }
    const auto committed = co_await commit("subscription.commit", std::move(batch));
    if (!committed && committed.error().kind == ErrorKind::precondition_failed) continue;
    if (!committed) co_return std::unexpected(committed.error());
    co_return subscription;
  }
  co_return std::unexpected(Error{.kind = ErrorKind::contended,
                                  .code = "Conflict",
                                  .message = "The subscription is being changed by many requests at once; retry.",
                                  .retry_after = std::chrono::seconds(10)});
}

Task<Result<model::Subscription>> Engine::Impl::get_subscription(std::string id) {
  const auto stored = co_await load_subscription("get_subscription.read", id);
  if (!stored) co_return std::unexpected(stored.error());
  if (!*stored)
    co_return std::unexpected(Error{.kind = ErrorKind::not_found,
                                    .code = "SubscriptionNotFound",
                                    .message = fmt::format("The subscription '{}' could not be found.", id)});
  co_return (*stored)->value;
}

}  // namespace acceptd::engine
