#include "simulation/provider.hpp"

#include <fmt/format.h>

#include "model/lifecycle.hpp"

namespace acceptd::simulation {

using engine::Observation;
using engine::Submission;
using engine::Target;
using model::RequestKind;
using model::Status;
using runtime::Task;

engine::ProviderTraits SimProvider::traits() const {
  return {.idempotency_keys = keys_,
          .settle_time = kSettleTime,
          .request_timeout = kRequestTimeout,
          .unique_addresses = keys_,
          .removes_children = plan_.removes_children};
}

bool SimProvider::out() const {
  if (!faults_.on) return false;
  return std::ranges::any_of(plan_.outages,
                             [&](const Outage& one) { return world_.elapsed() >= one.from && world_.elapsed() < one.until; });
}

void SimProvider::execute_late(Target target, Duration least) {
  auto carry_out = [&world = world_, &backend = backend_, keys = keys_, target = std::move(target)] {
    if (target.request == RequestKind::remove && backend.refused(target.operation)) return;
    world.say("backend: a late request is carried out: " + target.id.key());
    (void)backend.execute(target, keys);
  };
  world_.after(world_.random.between(least, kRequestTimeout + kLateMax), std::move(carry_out));
}

Task<Submission> SimProvider::send(Target target, bool last) {
  if (last) {
    (void)backend_.execute(target, keys_);
    process_.die("crash after a request to the backend");
    co_await process_.pass();
  }
  const Submission unknown{.answer = Submission::Answer::unknown, .summary = "timeout"};
  const Submission unavailable{.answer = Submission::Answer::unavailable, .summary = "503"};
  if (out() || fails(plan_.silent)) {
    co_await process_.pass_after(world_.random.between(1ms, kRequestTimeout));
    co_return world_.random.chance(0.5) ? unavailable : unknown;
  }
  if (fails(plan_.rejected)) {
    Submission no{.answer = Submission::Answer::rejected, .summary = "400"};
    no.error =
        model::Error{.kind = model::ErrorKind::invalid, .code = "InvalidRequestContent", .message = "The backend refuses it."};
    if (target.request == RequestKind::remove) backend_.refuse(target.operation);
    co_return no;
  }
  const bool late = fails(plan_.late);
  if (late || fails(plan_.dropped)) {
    if (late) execute_late(target, 0s);
    co_await process_.pass_after(world_.random.between(1s, kRequestTimeout));
    co_return unknown;
  }
  Submission answer = backend_.execute(target, keys_);
  // Doing it twice is harmless where the backend can tell: by key, by name, or because it only says how things shall be.
  if (target.request != RequestKind::action && fails(plan_.duplicated)) {
    if ((target.request == RequestKind::create || target.id.parent()) && !keys_)
      (void)backend_.execute(target, keys_);  // at once: later the name may be free again, or somebody else's
    else
      execute_late(target, 0s);
  }
  const bool lost = fails(plan_.lost);
  co_await process_.pass_after(lost || fails(plan_.slow) ? world_.random.between(1s, kRequestTimeout) : Duration(20ms));
  co_return lost ? unknown : answer;
}

Task<Submission> SimProvider::submit(Target target) {
  const bool last = process_.take_doom();
  const Monotonic called = process_.clock().monotonic();
  co_await process_.pass();
  if (process_.clock().monotonic() - called >= kRequestTimeout)  // frozen: the client's own time-out comes first
    co_return Submission{.answer = Submission::Answer::unknown, .summary = "not sent in time"};
  world_.say(fmt::format("process {} sends {} {} {}", process_.epoch(), static_cast<int>(target.request), target.id.key(),
                         model::to_string(target.operation).substr(0, 8)));
  Submission answer = co_await send(std::move(target), last);
  world_.say(fmt::format("process {} hears {} {}", process_.epoch(), static_cast<int>(answer.answer), answer.internal_id));
  co_return answer;
}

/// Wrong, but nothing that can make an object unknown: a false "gone" of a live object could not be seen through.
Observation SimProvider::lie(Observation truth) {
  if (fails(plan_.unexpected)) return {.kind = Observation::Kind::unexpected, .summary = "state 'sleeping'"};
  if (truth.kind == Observation::Kind::state && fails(plan_.lies)) {
    constexpr std::array kLies{Status::accepted, Status::provisioning, Status::updating, Status::deleting};
    truth.status = world_.random.one_of(kLies);
  }
  return truth;
}

Task<Observation> SimProvider::observe(Target target) {
  const bool last = process_.take_doom();
  co_await process_.pass_after(5ms);
  if (last) process_.die("crash after an observation");
  co_await process_.pass();
  if (out() || fails(plan_.silent)) co_return Observation{.kind = Observation::Kind::unavailable, .summary = "timeout"};
  Observation seen = lie(backend_.observe(target));
  if (fails(plan_.slow)) co_await process_.pass_after(world_.random.between(1s, kRequestTimeout));
  co_return seen;
}

Task<engine::SearchResult> SimProvider::search(Target target) {
  const bool last = process_.take_doom();
  co_await process_.pass_after(5ms);
  if (last) process_.die("crash after a search");
  co_await process_.pass();
  if (out() || fails(plan_.silent)) co_return engine::SearchResult{.available = false, .summary = "timeout"};
  engine::SearchResult found = backend_.search(target);
  world_.say(fmt::format("process {} finds {} of {}", process_.epoch(), found.found.size(), target.id.key()));
  if (fails(plan_.slow)) co_await process_.pass_after(world_.random.between(1s, kRequestTimeout));
  co_return found;
}

Task<model::Result<boost::json::value>> SimProvider::result(Target target) {
  const bool last = process_.take_doom();
  co_await process_.pass_after(5ms);
  if (last) process_.die("crash after reading a result");
  co_await process_.pass();
  if (out()) co_return std::unexpected(model::Error{.kind = model::ErrorKind::unavailable, .code = "ServiceUnavailable"});
  const auto& objects = backend_.objects();
  if (!objects.contains(target.internal_id)) co_return std::unexpected(model::not_found(target.id));
  co_return boost::json::value{{"secret", target.internal_id}};
}

}  // namespace acceptd::simulation
