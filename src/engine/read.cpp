/// What callers see. Hidden intents are not there; below a deleting resource everything reads as deleting, however many
/// batches it still takes to write that (DESIGN invariant 4).

#include "engine/impl.hpp"

namespace acceptd::engine {

namespace {

/// A page ends early when its documents take this much: the front door drops answers over 8 MB (ARM-017).
constexpr std::size_t kListBytes = 2 * 1024 * 1024;
constexpr std::uint32_t kListSlice = 8;  ///< looked at between two checks of the size

Error no_operation() {
  return Error{.kind = ErrorKind::not_found, .code = "NotFound", .message = "The operation was not found."};
}

bool same(const std::string& a, const std::string& b) { return !a.empty() && model::equals_ignoring_case(a, b); }

bool visible_to(const Operation& op, const Caller& caller) {
  if (mutated(Mutation::show_to_everybody)) return true;
  return op.exposed && same(op.exposed->tenant, caller.tenant) && same(op.exposed->client, caller.client);
}

}  // namespace

/// One document that cannot be read must not keep callers from all others.
void Engine::Impl::log_unreadable(const Document& document, const Error& error) {
  ++figures.unreadable_documents;
  log.error("engine.unreadable_document", {{"document", model::to_string(document.key.id)},
                                           {"partition", document.key.partition},
                                           {"path", document.index.path},
                                           {"error", error.message}});
}

/// Since when a delete of an enclosing resource (or of `id` itself, if so) is accepted; nullopt: none is.
Task<Result<std::optional<Time>>> Engine::Impl::below_deleting(ResourceId id, bool itself) {
  if (mutated(Mutation::read_without_marker)) co_return std::nullopt;
  std::optional<ResourceId> next = itself ? std::optional(id) : id.parent();
  while (next) {
    const auto document = co_await read("read.ancestor", Key{next->partition(), next->document_id()});
    if (!document) co_return std::unexpected(document.error());
    // The marker's text cannot stand inside a JSON string, so looking for it spares parsing nearly every time.
    if (*document && (*document)->body.find(R"("subtreeDeleting":true)") != std::string::npos) {
      const auto resource = model::resource_from(**document);
      if (resource && resource->subtree_deleting) co_return resource->deleting_since.value_or(now());
    }
    next = next->parent();
  }
  co_return std::nullopt;
}

Task<Result<Resource>> Engine::Impl::get(ResourceId id) {
  auto loaded = co_await load_resource("get.read", id);
  if (!loaded) co_return std::unexpected(loaded.error());
  if (!*loaded || ((*loaded)->value.hidden && !mutated(Mutation::show_hidden))) co_return std::unexpected(model::not_found(id));
  Resource resource = std::move((*loaded)->value);
  const auto deleting = co_await below_deleting(resource.id, false);
  if (!deleting) co_return std::unexpected(deleting.error());
  if (*deleting) model::show_deleting(resource);
  co_return resource;
}

Task<Result<ResourcePage>> Engine::Impl::list(ListRequest request) {
  const std::string partition = model::to_lower(request.subscription);
  store::Query walk{.partition = partition,
                    .kind = DocumentKind::resource,
                    .type = request.type_key,
                    .path_prefix = request.path_prefix,
                    .continuation = request.continuation};
  ResourcePage answer;
  std::map<std::string, bool> deleting_parents;
  std::uint32_t read_so_far = 0;
  std::size_t bytes = 0;
  for (;;) {
    walk.limit = std::min(request.limit - read_so_far, kListSlice);
    const auto page = co_await query("list.query", walk);
    if (!page) co_return std::unexpected(page.error());
    read_so_far += walk.limit;
    for (const DocumentPtr& document : page->documents) bytes += document->body.size();
    for (const DocumentPtr& document : page->documents) {
      auto resource = model::resource_from(*document);
      if (!resource) {
        log_unreadable(*document, resource.error());
        continue;
      }
      if (resource->hidden && !mutated(Mutation::show_hidden)) continue;
      if (const auto parent = resource->id.parent()) {
        auto known = deleting_parents.find(parent->key());
        if (known == deleting_parents.end()) {
          const auto deleting = co_await below_deleting(resource->id, false);
          if (!deleting) co_return std::unexpected(deleting.error());
          known = deleting_parents.emplace(parent->key(), deleting->has_value()).first;
        }
        if (known->second) model::show_deleting(*resource);
      }
      answer.resources.push_back(std::move(*resource));
    }
    answer.continuation = walk.continuation = page->continuation;
    if (page->continuation.empty() || read_so_far >= request.limit || bytes >= kListBytes) break;
  }
  co_return answer;
}

/// An operation that a delete above it superseded reads as Canceled from the batch that accepted the delete.
Task<Result<void>> Engine::Impl::derive(Operation& op) {
  if (!op.active() || op.request == RequestKind::remove || mutated(Mutation::derive_nothing)) co_return Result<void>{};
  const auto deleting = co_await below_deleting(op.target, true);
  if (!deleting) co_return std::unexpected(deleting.error());
  if (!*deleting) co_return Result<void>{};
  const Time since = **deleting;
  // It may have ended before the delete was accepted, after it was read. What is active still, now that the delete is seen,
  // cannot end in another way any more.
  auto again = co_await load_operation("operation.read", op.key());
  if (!again) co_return std::unexpected(again.error());
  if (*again) op = std::move((*again)->value);
  if (op.active()) supersede(op, since, retention());
  co_return Result<void>{};
}

Task<Result<Operation>> Engine::Impl::operation(std::string subscription, Uuid id, Caller caller) {
  auto loaded = co_await load_operation("operation.read", Key{model::to_lower(subscription), id});
  if (!loaded) co_return std::unexpected(loaded.error());
  if (!*loaded || !visible_to((*loaded)->value, caller)) co_return std::unexpected(no_operation());
  Operation op = std::move((*loaded)->value);
  const auto derived = co_await derive(op);
  if (!derived) co_return std::unexpected(derived.error());
  co_return op;
}

Task<Result<OperationPage>> Engine::Impl::operations(OperationFilter filter, Caller caller) {
  const store::Query walk{.partition = model::to_lower(filter.subscription),
                          .kind = DocumentKind::operation,
                          .active = filter.active,
                          .limit = filter.limit,
                          .continuation = filter.continuation};
  const auto page = co_await query("operations.query", walk);
  if (!page) co_return std::unexpected(page.error());
  OperationPage answer{.continuation = page->continuation};
  for (const DocumentPtr& document : page->documents) {
    auto op = model::operation_from(*document);
    if (!op) {
      log_unreadable(*document, op.error());
      continue;
    }
    if (!visible_to(*op, caller)) continue;
    const auto derived = co_await derive(*op);
    if (!derived) co_return std::unexpected(derived.error());
    answer.operations.push_back(std::move(*op));
  }
  co_return answer;
}

Task<Result<boost::json::value>> Engine::Impl::action_result(Operation operation) {
  const ResourceType* type = types.find(operation.target.type_key());
  if (!type || operation.request != RequestKind::action || operation.status != Status::succeeded)
    co_return std::unexpected(no_operation());
  Work work;
  work.op = std::move(operation);
  work.type = type;
  auto resource = co_await load_resource("action_result.resource", work.op.target);
  if (!resource) co_return std::unexpected(resource.error());
  if (!*resource || (*resource)->value.incarnation != work.op.incarnation) co_return std::unexpected(no_operation());
  work.resource = std::move((*resource)->value);
  probe("action_result.call");
  co_return co_await type->provider().result(target_of(work));
}

}  // namespace acceptd::engine
