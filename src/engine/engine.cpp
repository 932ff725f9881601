/// The outside of the engine: what callers have, handed on.

#include "engine/impl.hpp"

namespace acceptd::engine {

Engine::Engine(boost::asio::any_io_executor executor, EngineOptions options, Dependencies dependencies)
    : impl_(std::make_unique<Impl>(std::move(executor), options, dependencies)) {}
Engine::~Engine() = default;

Task<Result<void>> Engine::start() {
  impl_->tasks.spawn(impl_->pump());
  impl_->tasks.spawn(impl_->find_work());
  co_return Result<void>{};
}

Task<void> Engine::stop() {
  impl_->stopping = true;
  co_await impl_->tasks.stop();
}

Task<Result<Accepted>> Engine::write(WriteRequest request) { return impl_->write(std::move(request)); }
Task<Result<Accepted>> Engine::remove(RemoveRequest request) { return impl_->remove(std::move(request)); }
Task<Result<Accepted>> Engine::act(ActionRequest request) { return impl_->act(std::move(request)); }
Task<Result<Resource>> Engine::get(ResourceId id) { return impl_->get(std::move(id)); }
Task<Result<ResourcePage>> Engine::list(ListRequest request) { return impl_->list(std::move(request)); }
Task<Result<Operation>> Engine::operation(std::string subscription, Uuid id, Caller caller) {
  return impl_->operation(std::move(subscription), id, std::move(caller));
}
Task<Result<OperationPage>> Engine::operations(OperationFilter filter, Caller caller) {
  return impl_->operations(std::move(filter), std::move(caller));
}
Task<Result<boost::json::value>> Engine::action_result(Operation operation) { return impl_->action_result(std::move(operation)); }
Task<Result<model::Subscription>> Engine::put_subscription(model::Subscription subscription) {
  return impl_->put_subscription(std::move(subscription));
}
Task<Result<model::Subscription>> Engine::get_subscription(std::string id) { return impl_->get_subscription(std::move(id)); }

Task<void> Engine::wait_for_change(Key operation, Etag seen, std::chrono::nanoseconds timeout) {
  const auto watch = impl_->watch(operation);
  const std::uint64_t version = watch->version;
  const Monotonic until = impl_->clock.monotonic() + timeout;
  const auto document = co_await impl_->read("wait_for_change.read", operation);
  if (!document || !*document || (*document)->etag != seen || watch->version != version) co_return;
  impl_->probe("wait_for_change.wait");
  co_await runtime::wait_until(watch->event, impl_->clock, until);
}

EngineFigures Engine::figures() const {
  EngineFigures figures = impl_->figures;
  figures.writers_waiting = impl_->writers.waiting();
  return figures;
}

}  // namespace acceptd::engine
