/// write(): a create or an update becomes durable documents, then an answer.

#include "engine/impl.hpp"
#include "model/json.hpp"

namespace acceptd::engine {

namespace {

Error contended(const ResourceId& id) {
  return Error{.kind = ErrorKind::contended,
               .code = "Conflict",
               .message = "Another request on the resource is still being accepted; retry.",
               .target = id.text(),
               .retry_after = std::chrono::seconds(10)};
}

Error stopping_error() {
  return Error{.kind = ErrorKind::unavailable,
               .code = "ServiceUnavailable",
               .message = "The server is stopping; retry.",
               .retry_after = std::chrono::seconds(10)};
}

/// The request is recorded, so its caller must not take this for "nothing happened".
Error recorded_but(const Error& error) {
  return Error{.kind = ErrorKind::unknown_outcome,
               .code = error.code,
               .message = "The request was recorded, but its state cannot be read now; read the resource before you retry.",
               .retry_after = std::chrono::seconds(10)};
}

/// A reservation or a counter: small documents that guard what spans several resources.
Document reservation(const Key& key, std::string path, boost::json::object body) {
  Document document;
  document.key = key;
  document.type = "acceptd/reservations";
  document.body = boost::json::serialize(body);
  document.index = model::Index{.kind = DocumentKind::reservation, .path = std::move(path)};
  return document;
}

}  // namespace

Key Engine::Impl::counter_key(const ResourceId& parent, const std::string& type_key) {
  return Key{parent.partition(), model::uuid_of_name(parent.key() + "|count|" + type_key)};
}

Key Engine::Impl::claim_key(const std::string& partition, const std::string& name) {
  return Key{partition, model::uuid_of_name(partition + "|claim|" + name)};
}

Task<Result<Engine::Impl::Scene>> Engine::Impl::load_scene(ResourceId id) {
  Scene scene;
  scene.type = types.find(id.type_key());
  auto subscription = co_await load_subscription("scene.subscription", id.subscription());
  if (!subscription) co_return std::unexpected(subscription.error());
  scene.subscription = std::move(*subscription);
  auto resource = co_await load_resource("scene.resource", id);
  if (!resource) co_return std::unexpected(resource.error());
  scene.resource = std::move(*resource);
  if (const auto parent_id = id.parent()) {
    auto parent = co_await load_resource("scene.parent", *parent_id);
    if (!parent) co_return std::unexpected(parent.error());
    scene.parent = std::move(*parent);
    if (scene.type) {
      auto siblings = co_await load_siblings("scene.counter", *scene.type, id);
      if (!siblings) co_return std::unexpected(siblings.error());
      scene.siblings = std::move(*siblings);
    }
  }
  if (scene.resource && scene.resource->value.active_operation) {
    auto active = co_await load_operation("scene.active", Key{id.partition(), *scene.resource->value.active_operation});
    if (!active) co_return std::unexpected(active.error());
    scene.active = std::move(*active);
  }
  co_return scene;
}

Operation Engine::Impl::new_operation(const ResourceId& id, RequestKind kind, const Caller& caller,
                                      const Correlation& correlation, std::string api_version, Duration deadline) {
  Operation op;
  op.id = random.uuid_v4();
  op.partition = id.partition();
  op.request = kind;
  op.target = id;
  op.api_version = std::move(api_version);
  op.initiator = {caller.tenant, caller.client};
  op.notification_uri = correlation.notification_uri;
  op.client_request_id = correlation.client_request_id;
  op.correlation_request_id = correlation.correlation_request_id;
  op.traceparent = correlation.traceparent;
  op.start = op.last_transition = op.next_attempt_at = now();
  op.deadline = op.start + deadline;
  op.epoch = options.epoch;
  note(op, op.start, "accepted");
  return op;
}

/// From here on a request may be on its way: whoever takes over looks for its outcome first.
void Engine::Impl::claim(Operation& op, const ResourceType& type) {
  const ProviderTraits traits = type.provider().traits();
  op.stage = Stage::sending;
  op.epoch = options.epoch;
  ++op.attempts;
  op.send_until = now() + kClaimGood + traits.request_timeout + traits.settle_time;
  op.waiting_on = "backend, which has the request";
}

/// What the batch must find unchanged besides the resource: the parent and the subscription that allowed it.
void Engine::Impl::guard_surroundings(BatchBuilder& batch, const Scene& scene) {
  if (scene.parent && !mutated(Mutation::child_ignores_parent))
    batch.check(Key{scene.parent->value.id.partition(), scene.parent->value.id.document_id()}, scene.parent->etag);
  if (scene.subscription) batch.check(model::subscription_key(scene.subscription->value.id), scene.subscription->etag);
}

Task<Result<std::optional<Loaded<std::uint64_t>>>> Engine::Impl::load_siblings(const char* place, const ResourceType& type,
                                                                               ResourceId id) {
  const auto parent = id.parent();
  if (!parent || !type.needs_sibling_count()) co_return std::nullopt;
  const auto counter = co_await read(place, counter_key(*parent, id.type_key()));
  if (!counter) co_return std::unexpected(counter.error());
  if (!*counter) co_return std::nullopt;
  const auto body = boost::json::parse((*counter)->body);
  co_return Loaded<std::uint64_t>{body.at("count").to_number<std::uint64_t>(), (*counter)->etag};
}

std::optional<Write> Engine::Impl::count_sibling(const std::optional<Loaded<std::uint64_t>>& siblings, const ResourceType& type,
                                                 Resource& resource, bool counted) {
  const auto parent = resource.id.parent();
  if (!parent || !type.needs_sibling_count() || resource.counted == counted) return std::nullopt;
  if (!counted && mutated(Mutation::never_count_down)) return std::nullopt;
  resource.counted = counted;
  const std::uint64_t count = siblings ? siblings->value : 0;
  boost::json::object body{{"count", counted ? count + 1 : count - std::min<std::uint64_t>(count, 1)}};
  Write write{.action = siblings ? Write::Action::replace : Write::Action::create,
              .document = reservation(counter_key(*parent, resource.id.type_key()), parent->key() + "/", std::move(body))};
  if (siblings) write.expected = siblings->etag;
  return write;
}

void Engine::Impl::add_claims(BatchBuilder& batch, const Scene& scene, const ResourceId& id, const Desired& desired,
                              std::vector<std::pair<std::size_t, Error>>& refusals) {
  if (scene.resource) return;  // claims are made of create-only properties: an update keeps them
  for (Claim& claim : scene.type->claims(id, desired)) {
    refusals.emplace_back(batch.size(), std::move(claim.refusal));
    boost::json::object body{{"claim", claim.name}, {"holder", id.text()}};
    batch.create(reservation(claim_key(id.partition(), claim.name), id.key(), std::move(body)));
  }
}

Result<Operation> Engine::Impl::plan_write(const WriteRequest& request, const Scene& scene, Desired& desired) {
  const Resource* existing = scene.visible() ? &scene.resource->value : nullptr;
  const Resource* parent = scene.parent ? &scene.parent->value : nullptr;
  if (request.patch && !existing) return std::unexpected(model::not_found(request.id));
  if (auto refusal = model::refuse_write(existing, parent); refusal && !mutated(Mutation::write_while_active))
    return std::unexpected(std::move(*refusal));
  const model::EtagCondition condition{request.preconditions.if_match, request.preconditions.if_none_match};
  // A resource whose creation failed without leaving anything at the backend is created again.
  const bool create = !existing || existing->internal_id.empty();
  const RequestKind kind = create ? RequestKind::create : RequestKind::update;
  if (!model::precondition_holds(condition, existing ? existing->etag : std::string(), RequestKind::update))
    return std::unexpected(model::precondition_failed(request.id));
  const AdmitInput admit{
      .request = kind, .existing = existing, .parent = parent, .siblings = scene.siblings ? scene.siblings->value : 0};
  if (auto refusal = scene.type->admit(admit)) return std::unexpected(std::move(*refusal));
  auto built = request.build(existing, parent);
  if (!built) return std::unexpected(built.error());
  desired = std::move(*built);
  const std::size_t bytes =
      model::text_size(desired.properties) + model::text_size(desired.tags) + model::text_size(desired.identity);
  if (bytes > kMaxDesiredBytes)
    return std::unexpected(
        Error{.kind = ErrorKind::invalid,
              .code = "InvalidRequestContent",
              .message = fmt::format("The resource takes {} bytes; at most {} are kept.", bytes, kMaxDesiredBytes)});
  const Deadlines& deadlines = scene.type->info().deadlines;
  Operation op = new_operation(existing ? existing->id : request.id, kind, request.caller, request.correlation,
                               request.api_version, create ? deadlines.create : deadlines.update);
  op.operation_path = request.operation_path ? request.operation_path(op.id) : std::string();
  op.status = Status::intended;
  return op;
}

Task<Result<std::optional<Accepted>>> Engine::Impl::try_write(const WriteRequest& request, Monotonic until, Uuid incarnation) {
  auto loaded = co_await load_scene(request.id);
  if (!loaded) co_return std::unexpected(loaded.error());
  Scene scene = std::move(*loaded);
  const auto* subscription = scene.subscription ? &scene.subscription->value : nullptr;
  if (auto refusal = model::refuse_for_subscription(subscription, request.id.subscription(), model::Verb::write))
    co_return std::unexpected(std::move(*refusal));
  if (const auto parent_id = request.id.parent(); parent_id && (!scene.parent || scene.parent->value.hidden))
    co_return std::unexpected(model::parent_not_found(*parent_id));
  if (scene.active && scene.active->value.status == Status::intended) {
    const bool waited = co_await wait_while_hidden(scene.active->value.key(), until);
    if (!waited) co_return std::unexpected(contended(request.id));
    co_return std::nullopt;
  }

  Desired desired;
  auto planned = plan_write(request, scene, desired);
  if (!planned) co_return std::unexpected(planned.error());
  Operation op = std::move(*planned);
  Resource resource = intend(request, scene, desired, op, incarnation);
  co_return co_await record(request, scene, desired, std::move(resource), std::move(op));
}

/// Somebody's intent is still hidden: neither there nor not there. Waits for it to become one of both; false: out of time.
Task<bool> Engine::Impl::wait_while_hidden(Key key, Monotonic until) {
  const auto pending = watch(key);
  if (clock.monotonic() >= until) co_return false;
  const std::uint64_t version = pending->version;
  const auto again = co_await load_operation("write.pending", key);
  if (again && *again && (*again)->value.status == Status::intended && pending->version == version) {
    probe("write.wait_pending");
    co_await runtime::wait_until(pending->event, clock, until);
  }
  co_return true;
}

/// The resource with the intent recorded. What a hidden intent wants of a resource that callers see stays in the operation
/// until it is shown: nothing that they read changes, not even the entity tag.
Resource Engine::Impl::intend(const WriteRequest& request, const Scene& scene, const Desired& desired, Operation& op,
                              Uuid incarnation) {
  const bool hide = scene.type->info().submit == Submit::inline_;
  Resource resource = scene.resource ? scene.resource->value : Resource{};
  if (scene.visible()) {
    op.desired = desired.properties;
    op.desired_tags = desired.tags;
    op.desired_identity = desired.identity;
    op.desired_system_data = desired.system_data;
  } else {
    resource.id = request.id;
    resource.created = op.start;
    resource.owner = request.caller.client;
    resource.hidden = hide;
    resource.provisioning_state = Status::accepted;
    resource.desired = desired.properties;
    resource.tags = desired.tags;
    resource.identity = desired.identity;
    resource.system_data = desired.system_data;
    resource.api_version = desired.api_version;
    resource.location = desired.location;
    resource.observed.clear();
  }
  if (op.request == RequestKind::create) resource.incarnation = incarnation;
  op.incarnation = resource.incarnation;
  op.internal_id = resource.internal_id;
  resource.active_operation = op.id;
  claim(op, *scene.type);
  if (op.request == RequestKind::create) resource.uncertain_until = op.send_until;
  if (!hide || mutated(Mutation::show_hidden_update)) {
    if (!hide) expose(op, now());
    if (scene.visible()) apply_desired(resource, op);
    if (!hide) resource.provisioning_state = op.status;
  }
  if (!scene.visible() || !reads_alike(scene.resource->value, resource)) touch(resource);
  return resource;
}

Task<Result<std::optional<Accepted>>> Engine::Impl::record(const WriteRequest& request, const Scene& scene,
                                                           const Desired& desired, Resource resource, Operation op) {
  const bool existed = scene.resource.has_value();
  const bool inline_submit = scene.type->info().submit == Submit::inline_;
  std::optional<Write> count = count_sibling(scene.siblings, *scene.type, resource, true);

  BatchBuilder batch(op.partition);
  std::vector<std::pair<std::size_t, Error>> refusals;
  if (existed)
    batch.replace(to_document(resource), scene.resource->etag);
  else
    batch.create(to_document(resource));
  if (!mutated(Mutation::half_an_intent)) batch.create(to_document(op));
  guard_surroundings(batch, scene);
  add_claims(batch, scene, request.id, desired, refusals);
  if (count) batch.add(std::move(*count));
  batch.tell(op);
  const auto committed = co_await commit("write.commit", std::move(batch));
  if (!committed && committed.error().kind == ErrorKind::precondition_failed) {
    for (auto& [index, refusal] : refusals)
      if (committed.error().target == std::to_string(index)) co_return std::unexpected(std::move(refusal));
    co_return std::nullopt;  // somebody was faster: look again
  }
  if (!committed && committed.error().kind == ErrorKind::unknown_outcome) {
    const auto stored = co_await load_operation("write.read_back", op.key());
    if ((!stored || !*stored) && !mutated(Mutation::promise_without_commit)) co_return std::unexpected(committed.error());
  } else if (!committed && !mutated(Mutation::promise_without_commit)) {
    co_return std::unexpected(committed.error());
  }
  ++figures.accepted;
  const auto outcome = existed && !scene.resource->value.hidden ? Accepted::Outcome::updated : Accepted::Outcome::created;
  const auto watching = watch(op.key());  // before the step starts: its rejection is handed over here
  start_now(op.key(), true);
  if (!inline_submit) {
    co_return Accepted{.outcome = outcome, .resource = std::move(resource), .operation = std::move(op)};
  }
  auto answer = co_await await_exposure(op.key(), outcome, clock.monotonic() + options.inline_budget);
  if (!answer) co_return std::unexpected(answer.error());
  co_return std::move(*answer);
}

Task<Result<Accepted>> Engine::Impl::write(WriteRequest request) {
  if (!accepting()) co_return std::unexpected(stopping_error());
  if (!types.find(request.id.type_key())) co_return std::unexpected(model::not_found(request.id));
  const Monotonic until = clock.monotonic() + options.queue_timeout;
  probe("write.turn");
  const auto turn = co_await writers.take(request.id.key(), options.queue_timeout);
  if (!turn) co_return std::unexpected(contended(request.id));
  const Uuid incarnation = random.uuid_v4();
  for (int attempt = 0; attempt < kConflictRetries; ++attempt) {
    auto answer = co_await try_write(request, until, incarnation);
    if (!answer) co_return std::unexpected(answer.error());
    if (*answer) co_return std::move(**answer);
  }
  co_return std::unexpected(contended(request.id));
}

Task<Result<Accepted>> Engine::Impl::accepted(Key key, Accepted::Outcome outcome) {
  auto op = co_await load_operation("accepted.operation", key);
  if (!op) co_return std::unexpected(recorded_but(op.error()));
  if (!*op) co_return std::unexpected(stopping_error());
  Accepted answer{.outcome = outcome, .operation = std::move((*op)->value)};
  auto resource = co_await load_resource("accepted.resource", answer.operation->target);
  if (!resource) co_return std::unexpected(recorded_but(resource.error()));
  if (*resource) answer.resource = std::move((*resource)->value);
  co_return answer;
}

/// Waits until the hidden intent is shown or undone; past `until` it is shown as it is.
Task<Result<Accepted>> Engine::Impl::await_exposure(Key key, Accepted::Outcome outcome, Monotonic until) {
  const auto watching = watch(key);
  for (;;) {
    const std::uint64_t version = watching->version;
    auto op = co_await load_operation("await_exposure.read", key);
    if (!op) co_return std::unexpected(recorded_but(op.error()));
    if (!*op) {
      if (watching->rejection) co_return std::unexpected(*watching->rejection);
      co_return std::unexpected(Error{.kind = ErrorKind::unavailable,
                                      .code = "ServiceUnavailable",
                                      .message = "The request was not carried out; retry.",
                                      .retry_after = std::chrono::seconds(10)});
    }
    if ((*op)->value.exposed) co_return co_await accepted(key, outcome);
    if (!(*op)->value.active())
      co_return std::unexpected(model::conflict("The request was superseded by a delete of the resource.", (*op)->value.target));
    if (clock.monotonic() >= until) {
      Decide show = [](Work& work) -> std::optional<Change> {
        if (work.op.exposed || !work.op.active()) return std::nullopt;
        const bool was_hidden = work.op.status == Status::intended;
        expose(work.op, work.now);
        if (!work.resource || !was_hidden) return Change{};
        show_resource(work);
        return Change{.resource = true};
      };
      const auto shown = co_await amend("await_exposure.show", key, std::move(show));
      if (!shown) co_return std::unexpected(recorded_but(shown.error()));
      continue;
    }
    if (watching->version != version) continue;
    probe("await_exposure.wait");
    co_await runtime::wait_until(watching->event, clock, until);
  }
}

}  // namespace acceptd::engine
