#include "simulation/workload.hpp"

#include <fmt/format.h>

#include "simulation/types/types.hpp"

namespace acceptd::simulation {

using engine::Accepted;
using model::ErrorKind;
using model::Result;
using Kind = Ask::Kind;

namespace {

constexpr std::array kKinds{
    "put",   "patch", "remove", "act", "get", "list", "status", "operations", "wait", "subscription", "subscription read",
    "result"};

}  // namespace

const char* Workload::name_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

bool Workload::worth_a_retry(const model::Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::contended || error.kind == ErrorKind::unknown_outcome;
}

Workload::Workload(World& world, const Plan& plan, Auditor& auditor, std::function<Process*()> current)
    : world_(world), plan_(plan), auditor_(auditor), current_(std::move(current)), requests_left_(plan.requests) {
  for (int s = 1; s <= 2; ++s) {
    const std::string subscription = fmt::format("s{}", s);
    subscriptions_.push_back(subscription);
    const std::string providers = fmt::format("/subscriptions/{}/resourceGroups/g/providers/", subscription);
    for (int c = 1; c <= 3; ++c) {
      const std::string cluster = fmt::format("{}{}/c{}", providers, kCluster, c);
      resources_.push_back(cluster);
      for (int p = 1; p <= 2; ++p) resources_.push_back(fmt::format("{}/pools/p{}", cluster, p));
      resources_.push_back(fmt::format("{}{}/j{}", providers, kJob, c));
    }
  }
  for (std::size_t i = 0; i < plan_.callers; ++i)
    callers_.push_back({.identity = {.tenant = "t", .client = fmt::format("client{}", i % 4), .principal = "p"}});
}

void Workload::begin() {
  for (const std::string& subscription : subscriptions_)
    send({.kind = Kind::subscription,
          .caller = plan_.callers,
          .subscription = subscription,
          .value = "Registered",
          .tries_left = 1000});
  for (std::size_t i = 0; i < plan_.callers; ++i)
    world_.after(world_.random.between(1s, plan_.think_max), [this, i] { next(i); });
}

void Workload::next(std::size_t caller) {
  if (requests_left_ == 0) {
    ++finished_callers_;
    return;
  }
  --requests_left_;
  Ask ask = choose(caller);
  if (ask.kind <= Kind::act && world_.random.chance(ask.kind == Kind::act ? 0.6 : 0.2)) meet(ask);
  send(std::move(ask));
}

/// Somebody else wants something of the same tree at the same moment.
void Workload::meet(const Ask& ask) {
  std::vector<std::string> near;
  for (const std::string& id : resources_)
    if (id.starts_with(ask.id) || ask.id.starts_with(id)) near.push_back(id);
  const std::size_t other = world_.random.below(callers_.size());
  world_.after(world_.random.between(0s, 200ms), [this, ask, other, id = world_.random.one_of(near)] {
    Ask beside = ask.kind == Kind::act ? ask : choose_write(other, id);
    beside.caller = other;
    beside.beside = true;
    send(std::move(beside));
  });
}

// ---- choosing --------------------------------------------------------------------------------------------------------

Ask Workload::choose_write(std::size_t caller, std::string id) {
  Seeded& random = world_.random;
  const auto parsed = *model::ResourceId::parse(id);
  const bool there = auditor_.mirror().resource(parsed) != nullptr;
  Ask ask{.kind = Kind::put, .caller = caller, .id = std::move(id), .subscription = parsed.subscription()};
  ask.value = fmt::format("net{}", random.below(4));
  if (const auto seen = callers_[caller].etags.find(parsed.key()); seen != callers_[caller].etags.end() && random.chance(0.2))
    ask.preconditions.if_match = random.chance(0.2) ? "*" : seen->second;
  if (!there && random.chance(0.9)) return ask;
  const double dice = random.unit();
  if (dice < 0.3) ask.kind = Kind::remove;
  if (dice >= 0.3 && dice < 0.45) ask.kind = Kind::patch;
  if (dice >= 0.45 && dice < 0.7 && parsed.type_key() == model::to_lower(kCluster)) {
    ask.kind = Kind::act;
    ask.value = random.chance(0.75) ? "requestCredential" : "revokeCredentials";
  }
  if (dice > 0.95) ask.preconditions.if_none_match = "*";
  return ask;
}

Ask Workload::choose(std::size_t caller) {
  Seeded& random = world_.random;
  // Some are wanted more than others, so that callers meet.
  const std::size_t range = random.chance(0.5) ? resources_.size() : 6;
  std::string id = resources_[random.below(range)];
  const std::string subscription = model::ResourceId::parse(id)->subscription();
  const double dice = random.unit();
  if (dice < 0.55) return choose_write(caller, std::move(id));
  if (dice < 0.65) return {.kind = Kind::get, .caller = caller, .id = id, .subscription = subscription};
  if (dice < 0.70) return {.kind = Kind::list, .caller = caller, .subscription = subscription};
  if (dice < 0.73) return {.kind = Kind::operations, .caller = caller, .subscription = subscription};
  if (dice < 0.75 && plan_.subscriptions_change) {
    static constexpr std::array kStates{"Registered", "Registered", "Warned", "Suspended", "Unregistered", "Deleted"};
    return {.kind = Kind::subscription, .caller = caller, .subscription = subscription, .value = random.one_of(kStates)};
  }
  if (dice < 0.76) return {.kind = Kind::subscription_read, .caller = caller, .subscription = subscription};
  auto& known = callers_[caller].operations;
  if (known.empty()) return {.kind = Kind::get, .caller = caller, .id = id, .subscription = subscription};
  const Known& one = random.chance(0.6) ? known.back() : random.one_of(known);
  Ask ask{.kind = Kind::status, .caller = caller, .id = one.target, .operation = one.key};
  if (dice > 0.90) ask.kind = Kind::wait;
  if (dice > 0.95) ask.kind = Kind::result;
  return ask;
}

// ---- sending ---------------------------------------------------------------------------------------------------------

void Workload::again_or_next(Ask ask) {
  const std::size_t caller = ask.caller;
  if (--ask.tries_left > 0) {
    world_.after(world_.random.between(1s, 30s), [this, ask = std::move(ask)]() mutable { send(std::move(ask)); });
  } else if (!ask.beside && caller < callers_.size()) {
    world_.after(world_.random.between(0s, plan_.think_max), [this, caller] { next(caller); });
  }
}

void Workload::send(Ask ask) {
  Process* process = current_();
  if (!process) return again_or_next(std::move(ask));
  ++figures_.requests;
  if (!ask.id.empty()) figures_.resources.insert(ask.id);
  world_.say(fmt::format("caller {} {} {} {}", ask.caller, name_of(ask.kind),
                         ask.operation    ? model::to_string(ask.operation->id).substr(0, 8)
                         : ask.id.empty() ? ask.subscription
                                          : ask.id,
                         ask.value));
  switch (ask.kind) {
    case Kind::put:
    case Kind::patch: return write(*process, std::move(ask));
    case Kind::remove: return remove(*process, std::move(ask));
    case Kind::act: return act(*process, std::move(ask));
    case Kind::get: return get(*process, std::move(ask));
    case Kind::list: return list(*process, std::move(ask));
    case Kind::status: return status(*process, std::move(ask));
    case Kind::operations: return operations(*process, std::move(ask));
    case Kind::wait: return wait(*process, std::move(ask));
    case Kind::subscription: return subscription(*process, std::move(ask));
    case Kind::subscription_read: return subscription_read(*process, std::move(ask));
    case Kind::result: return result(*process, std::move(ask));
  }
}

std::function<std::string(model::Uuid)> Workload::path_for(const Made& made) {
  return [made](model::Uuid id) {
    made->push_back(id);
    return "/operations/" + model::to_string(id);
  };
}

/// The entity tag that the request demands was replaced already: it never comes back.
bool Workload::is_stale(const Ask& ask) const {
  if (ask.preconditions.if_match.empty() || ask.preconditions.if_match == "*") return false;
  const model::Resource* resource = auditor_.mirror().resource(*model::ResourceId::parse(ask.id));
  return resource && resource->etag != ask.preconditions.if_match;
}

/// Those who watch something at or below what is being deleted look at once: it must read as superseded already.
void Workload::look_below(const std::string& id) {
  for (std::size_t caller = 0; caller < callers_.size(); ++caller)
    for (const Known& known : callers_[caller].operations) {
      const model::Operation* op = auditor_.mirror().operation(known.key);
      if (!op || !op->active() || op->request == model::RequestKind::remove || !known.target.starts_with(id)) continue;
      Ask look{
          .kind = Kind::status, .caller = caller, .id = known.target, .operation = known.key, .tries_left = 1, .beside = true};
      world_.after(0s, [this, look = std::move(look)]() mutable { send(std::move(look)); });
    }
}

void Workload::check_accepted(const Ask& ask, const Made& made, bool stale, const Result<Accepted>& answer) {
  const engine::Caller& identity = callers_[ask.caller].identity;
  const std::string partition = model::to_lower(ask.subscription);
  if (!answer) {
    ++figures_.refused;
    if (answer.error().kind == ErrorKind::unknown_outcome) return;
    for (const model::Uuid& id : *made) {
      const model::Operation* left = auditor_.mirror().operation({partition, id});
      if (left && (left->active() || left->exposed))
        world_.fail(
            fmt::format("a refused request ({}) left its operation {} behind", answer.error().message, model::to_string(id)));
    }
    return;
  }
  ++figures_.accepted;
  if (stale && answer->outcome != Accepted::Outcome::absent)
    world_.fail("a write was accepted though its If-Match named a former version of " + ask.id);
  if (!answer->operation) return;
  if (ask.kind == Kind::remove) look_below(ask.id);
  const model::Key key = answer->operation->key();
  const model::Operation* stored = auditor_.mirror().operation(key);
  if (!stored)
    return world_.fail("durable before acknowledged: operation " + model::to_string(key.id) + " was promised but is not there");
  if (stored->exposed != model::Identity{identity.tenant, identity.client})
    world_.fail("operation " + model::to_string(key.id) + " was promised to somebody who may not read it");
  callers_[ask.caller].operations.push_back({.key = key, .target = ask.id});
}

void Workload::write(Process& process, Ask ask) {
  const auto made = std::make_shared<std::vector<model::Uuid>>();
  engine::WriteRequest request{.id = *model::ResourceId::parse(ask.id),
                               .patch = ask.kind == Kind::patch,
                               .caller = callers_[ask.caller].identity,
                               .preconditions = ask.preconditions,
                               .api_version = "1"};
  request.operation_path = path_for(made);
  request.build = [size = world_.random.below(100), subnet = ask.value](const model::Resource* existing,
                                                                        const model::Resource*) -> Result<engine::Desired> {
    engine::Desired desired{
        .properties = {{"size", size}, {"subnet", subnet}}, .tags = {{"size", size}}, .location = "here", .api_version = "1"};
    if (existing) desired.properties["subnet"] = existing->desired.at("subnet");  // can be chosen once only
    return desired;
  };
  auto check = [this, ask, made, stale = is_stale(ask)](const Result<Accepted>& answer) {
    check_accepted(ask, made, stale, answer);
  };
  pass<Accepted>(process, std::move(ask), process.engine().write(std::move(request)), std::move(check));
}

void Workload::remove(Process& process, Ask ask) {
  const auto made = std::make_shared<std::vector<model::Uuid>>();
  engine::RemoveRequest request{.id = *model::ResourceId::parse(ask.id),
                                .caller = callers_[ask.caller].identity,
                                .preconditions = ask.preconditions,
                                .api_version = "1"};
  request.operation_path = path_for(made);
  auto check = [this, ask, made, stale = is_stale(ask)](const Result<Accepted>& answer) {
    check_accepted(ask, made, stale, answer);
  };
  pass<Accepted>(process, std::move(ask), process.engine().remove(std::move(request)), std::move(check));
}

void Workload::act(Process& process, Ask ask) {
  const auto made = std::make_shared<std::vector<model::Uuid>>();
  engine::ActionRequest request{
      .id = *model::ResourceId::parse(ask.id), .action = ask.value, .caller = callers_[ask.caller].identity, .api_version = "1"};
  request.operation_path = path_for(made);
  auto check = [this, ask, made](const Result<Accepted>& answer) { check_accepted(ask, made, false, answer); };
  pass<Accepted>(process, std::move(ask), process.engine().act(std::move(request)), std::move(check));
}

void Workload::subscription(Process& process, Ask ask) {
  const model::Subscription wanted{.id = ask.subscription, .state = ask.value, .body = {{"state", ask.value}}};
  auto check = [](const Result<model::Subscription>&) {};
  pass<model::Subscription>(process, std::move(ask), process.engine().put_subscription(wanted), std::move(check));
}

}  // namespace acceptd::simulation
