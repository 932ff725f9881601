#include "engine/impl.hpp"

namespace acceptd::engine {

std::string key_text(const Key& key) { return key.partition + "/" + model::to_string(key.id); }

void BatchBuilder::add(Write::Action action, Document document, Etag expected) {
  batch_.writes.push_back(Write{.action = action, .document = std::move(document), .expected = std::move(expected)});
}

void BatchBuilder::remove(Key key, Etag expected) {
  Document document;
  document.key = std::move(key);
  add(Write::Action::remove, std::move(document), std::move(expected));
}

void BatchBuilder::check(Key key, Etag expected) {
  Document document;
  document.key = std::move(key);
  add(Write::Action::check, std::move(document), std::move(expected));
}

void BatchBuilder::tell(const Operation& operation) {
  boost::json::object payload{{"status", model::to_string(operation.status)}, {"target", operation.target.text()}};
  batch_.feed.push_back(
      model::FeedEntry{.key = operation.key(), .subject = "operation.status", .payload = boost::json::serialize(payload)});
}

Engine::Impl::Impl(boost::asio::any_io_executor executor_in, EngineOptions options_in, Dependencies dependencies)
    : executor(executor_in),
      options(options_in),
      store(dependencies.store),
      types(dependencies.types),
      clock(dependencies.clock),
      random(dependencies.random),
      log(dependencies.log),
      probe_(dependencies.probe),
      writers(clock, options.queue_length_max),
      action_turns(clock, options.queue_length_max),
      tasks(executor,
            [&log_ref = dependencies.log](std::string_view what) { log_ref.error("engine.task_failed", {{"what", what}}); }) {}

// ---- work queue ------------------------------------------------------------------------------------------------

/// Takes up what nobody here works on: all of it after a start, later what another process accepted and left behind.
Task<void> Engine::Impl::find_work() {
  if (mutated(Mutation::no_work_after_start)) co_return;
  for (;;) {
    store::ActiveQuery query{
        .first_bucket = options.first_bucket, .last_bucket = options.last_bucket, .limit = options.find_page};
    std::uint64_t found = 0;
    for (;;) {
      probe("find_work.active");
      const auto page = co_await store.active(query);
      if (!page) {
        log.warn("engine.find_work_failed", {{"error", page.error().message}});
        probe("find_work.retry");
        co_await clock.sleep_for(kRetryDelay);
        continue;
      }
      for (const Key& key : page->keys) {
        if (schedule.contains(key) || running.contains(key_text(key))) continue;
        const double seconds = static_cast<double>(found++) / options.ramp_per_second;
        kick(key, std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
      }
      if (page->continuation.empty()) break;
      query.continuation = page->continuation;
      probe("find_work.next");
      co_await boost::asio::post(executor, boost::asio::use_awaitable);  // callers are not to wait for all pages
    }
    if (found > 0) log.info("engine.work_found", {{"active", found}});
    probe("find_work.sleep");
    co_await clock.sleep_for(options.sweep_period);
  }
}

void Engine::Impl::kick(const Key& key, Duration delay) {
  const std::string text = key_text(key);
  if (running.contains(text)) {
    const auto [entry, added] = again.try_emplace(text, delay);
    if (!added) entry->second = std::min(entry->second, delay);
    return;
  }
  const Monotonic when = clock.monotonic() + delay;
  schedule.at(key, when);
  if (when < pump_wakes) work_came->notify_all();
}

void Engine::Impl::start_now(const Key& key, bool claimed) {
  if (running.contains(key_text(key))) return;  // taken up already, after its commit was in doubt
  schedule.forget(key);
  running.insert(key_text(key));
  ++figures.steps_in_flight;
  tasks.spawn(run(key, claimed));
}

Task<void> Engine::Impl::pump() {
  for (;;) {
    schedule.make_due(clock.monotonic());
    while (figures.steps_in_flight < options.steps_in_flight_max) {
      const auto key = schedule.take();
      if (!key) break;
      start_now(*key, false);
    }
    figures.active = schedule.size() + running.size();
    pump_blocked = schedule.has_due();  // by the bound on steps in flight: run() wakes us
    const auto next = schedule.next();
    pump_wakes = pump_blocked ? Monotonic::min() : next.value_or(Monotonic::max());
    probe("pump.wait");
    if (pump_blocked || !next)
      co_await work_came->wait();
    else
      co_await runtime::wait_until(*work_came, clock, *next);
  }
}

Task<void> Engine::Impl::run(Key key, bool claimed) {
  Next next;
  try {
    next = co_await step(key, claimed);
  } catch (const boost::system::system_error& error) {
    if (stopping && error.code() == boost::asio::error::operation_aborted) throw;
    log.error("engine.step_failed", {{"operation", model::to_string(key.id)}, {"what", error.what()}});
    next = kRetryDelay;
  } catch (const std::exception& error) {
    log.error("engine.step_failed", {{"operation", model::to_string(key.id)}, {"what", error.what()}});
    next = kRetryDelay;
  }
  const std::string text = key_text(key);
  running.erase(text);
  --figures.steps_in_flight;
  if (const auto kicked = again.find(text); kicked != again.end()) {
    next = next ? std::min(*next, kicked->second) : kicked->second;
    again.erase(kicked);
  }
  const Monotonic when = next ? clock.monotonic() + *next : Monotonic::max();
  if (next) schedule.at(key, when);
  if (pump_blocked || when < pump_wakes) work_came->notify_all();
}

// ---- documents -------------------------------------------------------------------------------------------------

Task<Result<DocumentPtr>> Engine::Impl::read(const char* place, Key key) {
  probe(place);
  co_return co_await store.read(std::move(key));
}

Task<Result<store::Page>> Engine::Impl::query(const char* place, store::Query query) {
  probe(place);
  co_return co_await store.query(std::move(query));
}

Task<Result<std::optional<Loaded<Resource>>>> Engine::Impl::load_resource(const char* place, ResourceId id) {
  const auto document = co_await read(place, Key{id.partition(), id.document_id()});
  if (!document) co_return std::unexpected(document.error());
  if (!*document) co_return std::nullopt;
  auto resource = model::resource_from(**document);
  if (!resource) co_return std::unexpected(resource.error());
  co_return Loaded<Resource>{std::move(*resource), (*document)->etag};
}

Task<Result<std::optional<Loaded<Operation>>>> Engine::Impl::load_operation(const char* place, Key key) {
  const auto document = co_await read(place, std::move(key));
  if (!document) co_return std::unexpected(document.error());
  if (!*document || (*document)->index.kind != DocumentKind::operation) co_return std::nullopt;
  auto operation = model::operation_from(**document);
  if (!operation) co_return std::unexpected(operation.error());
  co_return Loaded<Operation>{std::move(*operation), (*document)->etag};
}

Task<Result<std::optional<Loaded<model::Subscription>>>> Engine::Impl::load_subscription(const char* place, std::string id) {
  const auto document = co_await read(place, model::subscription_key(id));
  if (!document) co_return std::unexpected(document.error());
  if (!*document) co_return std::nullopt;
  auto subscription = model::subscription_from(**document);
  if (!subscription) co_return std::unexpected(subscription.error());
  co_return Loaded<model::Subscription>{std::move(*subscription), (*document)->etag};
}

Task<Result<void>> Engine::Impl::commit(const char* place, BatchBuilder builder) {
  Batch batch = builder.take();
  std::vector<Key> written, active, begun;
  for (const Write& write : batch.writes) {
    if (write.action != Write::Action::check) written.push_back(write.document.key);
    if (write.document.index.kind != DocumentKind::operation || !write.document.index.active) continue;
    (write.action == Write::Action::create ? begun : active).push_back(write.document.key);
  }
  probe(place);
  const auto committed = co_await store.commit(std::move(batch));
  if (!committed) {
    if (committed.error().kind == ErrorKind::precondition_failed) ++figures.conflicts_retried;
    // If it was written after all, nobody else here knows that there is work.
    if (committed.error().kind == ErrorKind::unknown_outcome) {
      active.insert(active.end(), begun.begin(), begun.end());
      for (const Key& key : active) kick(key, kRetryDelay);
    }
    co_return std::unexpected(committed.error());
  }
  for (const Key& key : written) changed(key);
  for (const Key& key : begun) kick(key);
  co_return Result<void>{};
}

std::shared_ptr<Watch> Engine::Impl::watch(const Key& key) {
  auto& slot = watches[key_text(key)];
  auto watch = slot.lock();
  if (watch) return watch;
  // Whoever waits last takes the entry along.
  auto forget = [this, still_here = std::weak_ptr<bool>(alive), text = key_text(key)](Watch* gone) {
    delete gone;
    if (still_here.expired()) return;
    if (const auto found = watches.find(text); found != watches.end() && found->second.expired()) watches.erase(found);
  };
  watch = std::shared_ptr<Watch>(new Watch, std::move(forget));
  slot = watch;
  return watch;
}

void Engine::Impl::changed(const Key& key) {
  const auto found = watches.find(key_text(key));
  if (found == watches.end()) return;
  if (const auto watch = found->second.lock()) {
    ++watch->version;
    watch->event.notify_all();
  } else {
    watches.erase(found);
  }
}

void Engine::Impl::touch(Resource& resource) { resource.etag = fmt::format("{:016x}", random.next()); }

Task<Result<std::optional<Work>>> Engine::Impl::load_work(const char* place, Key key, bool whole) {
  auto operation = co_await load_operation(place, key);
  if (!operation) co_return std::unexpected(operation.error());
  if (!*operation) co_return std::nullopt;
  Work work;
  work.op = std::move((*operation)->value);
  work.op_etag = (*operation)->etag;
  work.type = types.find(work.op.target.type_key());
  if (work.type) {
    auto resource = co_await load_resource("load_work.resource", work.op.target);
    if (!resource) co_return std::unexpected(resource.error());
    // A successor of the same name is not this operation's resource.
    if (*resource && (*resource)->value.incarnation == work.op.incarnation) {
      work.resource = std::move((*resource)->value);
      work.resource_etag = (*resource)->etag;
    } else {
      work.successor = std::move(*resource);
    }
    for (auto above = work.op.target.parent(); above; above = above->parent()) {
      auto ancestor = co_await load_resource("load_work.ancestor", *above);
      if (!ancestor) co_return std::unexpected(ancestor.error());
      if (*ancestor) work.ancestors.push_back(std::move(**ancestor));
    }
  }
  if (whole && work.resource && work.op.active()) {
    for (const Uuid& id : work.type->companion_ids(*work.resource)) {
      auto companion = co_await read("load_work.companion", Key{work.op.partition, id});
      if (!companion) co_return std::unexpected(companion.error());
      if (*companion) work.companions.push_back(*companion);
    }
    const Desired desired{.properties = work.resource->desired, .location = work.resource->location};
    for (const Claim& claim :
         mutated(Mutation::keep_claims) ? std::vector<Claim>{} : work.type->claims(work.resource->id, desired)) {
      const Key held = claim_key(work.op.partition, claim.name);
      auto document = co_await read("load_work.claim", held);
      if (!document) co_return std::unexpected(document.error());
      if (*document) work.held.push_back({held, (*document)->etag});
    }
    auto siblings = co_await load_siblings("load_work.siblings", *work.type, work.resource->id);
    if (!siblings) co_return std::unexpected(siblings.error());
    work.siblings = std::move(*siblings);
    for (const auto& child : types.all()) {
      if (!child->needs_sibling_count() || !model::equals_ignoring_case(child->info().parent_key, work.type->info().name))
        continue;
      const Key counter = counter_key(work.resource->id, child->info().key());
      auto document = co_await read("load_work.counter", counter);
      if (!document) co_return std::unexpected(document.error());
      if (*document) work.held.push_back({counter, (*document)->etag});
    }
  }
  work.now = now();
  co_return work;
}

namespace {

/// Ended by itself, and is not part of a delete.
bool must_not_survive_delete(const Operation& op) {
  if (mutated(Mutation::survive_delete_above)) return false;
  return !op.active() && op.status != Status::canceled && op.request != RequestKind::remove && op.request != RequestKind::cleanup;
}

bool is_deleting(const Work& work) {
  return (work.resource && work.resource->subtree_deleting) || (work.successor && work.successor->value.subtree_deleting) ||
         std::ranges::any_of(work.ancestors, [](const Loaded<Resource>& ancestor) { return ancestor.value.subtree_deleting; });
}

}  // namespace

Task<Result<bool>> Engine::Impl::amend(const char* place, Key key, Decide decide, bool whole) {
  for (int attempt = 0; attempt < kConflictRetries; ++attempt) {
    auto loaded = co_await load_work("amend.read", key, whole);
    if (!loaded) co_return std::unexpected(loaded.error());
    if (!*loaded) co_return false;
    Work work = std::move(**loaded);
    const Status before = work.op.status;
    const std::optional<Resource> shown = work.resource;
    auto change = decide(work);
    if (!change) co_return false;
    const bool touched = shown && shown->etag != work.resource->etag;
    if (shown && !touched && (!reads_alike(*shown, *work.resource) || mutated(Mutation::touch_always))) touch(*work.resource);

    if (mutated(Mutation::overwrite_whatever_is_there)) {
      auto newest = co_await load_operation("amend.read", key);
      if (newest && *newest) work.op_etag = (*newest)->etag;
    }
    BatchBuilder batch(key.partition);
    if (must_not_survive_delete(work.op)) {
      // Callers see it as canceled from the moment on at which a delete above it was accepted: the cascade says so too.
      if (is_deleting(work)) co_return false;
      if (work.successor) batch.check(Key{key.partition, work.successor->value.id.document_id()}, work.successor->etag);
      for (const Loaded<Resource>& ancestor : work.ancestors)
        batch.check(Key{key.partition, ancestor.value.id.document_id()}, ancestor.etag);
    }
    if (change->remove_operation)
      batch.remove(key, work.op_etag);
    else if (change->operation)
      batch.replace(to_document(work.op), work.op_etag);
    else
      batch.check(key, work.op_etag);
    if (change->remove_resource) {
      batch.remove(Key{key.partition, work.resource->id.document_id()}, work.resource_etag);
    } else if (change->resource) {
      batch.replace(to_document(*work.resource), work.resource_etag);
    } else if (work.resource) {
      batch.check(Key{key.partition, work.resource->id.document_id()}, work.resource_etag);
    }
    for (Write& extra : change->extra) batch.add(std::move(extra));
    if (work.op.status != before) batch.tell(work.op);
    auto committed = co_await commit(place, std::move(batch));
    if (committed) {
      if (work.op.status != before && !work.op.active()) announce_end(work.op);
      co_return true;
    }
    if (committed.error().kind != ErrorKind::precondition_failed) co_return std::unexpected(committed.error());
  }
  co_return std::unexpected(Error{.kind = ErrorKind::contended,
                                  .code = "Conflict",
                                  .message = "The resource is being changed by many requests at once; retry.",
                                  .retry_after = std::chrono::seconds(1)});
}

}  // namespace acceptd::engine
