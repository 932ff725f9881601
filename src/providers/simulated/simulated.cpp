#include "providers/simulated/simulated.hpp"

#include <charconv>

namespace acceptd::providers::simulated {

namespace {

using model::RequestKind;
using model::Status;

constexpr std::string_view kPrefix = "/simulated/";

std::string name_until(model::Time done) { return std::string(kPrefix) + std::to_string(done.time_since_epoch().count()); }

/// When the object of that name is done; nullopt if it is none of ours.
std::optional<model::Time> done_at(std::string_view internal_id) {
  if (!internal_id.starts_with(kPrefix)) return std::nullopt;
  internal_id.remove_prefix(kPrefix.size());
  std::int64_t nanoseconds = 0;
  const auto read = std::from_chars(internal_id.data(), internal_id.data() + internal_id.size(), nanoseconds);
  if (read.ec != std::errc() || read.ptr != internal_id.data() + internal_id.size()) return std::nullopt;
  return model::Time(model::Duration(nanoseconds));
}

}  // namespace

engine::ProviderTraits SimulatedProvider::traits() const {
  return {.idempotency_keys = true,
          .settle_time = std::chrono::seconds(0),
          .request_timeout = std::chrono::seconds(1),
          .removes_children = true};
}

engine::Task<engine::Submission> SimulatedProvider::submit(engine::Target target) {
  const bool removal = target.request == RequestKind::remove;
  engine::Submission answer{.answer = engine::Submission::Answer::accepted, .summary = "accepted"};
  if (target.request == RequestKind::create) answer.status = Status::provisioning;
  if (target.request == RequestKind::update) answer.status = Status::updating;
  answer.internal_id = name_until(clock_.now() + (removal ? options_.removal : options_.work));
  co_return answer;
}

engine::Task<engine::Observation> SimulatedProvider::observe(engine::Target target) {
  engine::Observation answer{.kind = engine::Observation::Kind::state, .summary = "state"};
  const auto done = done_at(target.internal_id);
  const bool removal = target.request == RequestKind::remove;
  if (!done || clock_.now() >= *done) {
    if (removal) answer.kind = engine::Observation::Kind::gone;
    answer.status = Status::succeeded;
    if (!removal && target.request != RequestKind::action) answer.observed = options_.observed;
    co_return answer;
  }
  answer.status = removal ? Status::deleting : target.request == RequestKind::update ? Status::updating : Status::provisioning;
  co_return answer;
}

engine::Task<engine::SearchResult> SimulatedProvider::search(engine::Target) {
  co_return engine::SearchResult{.available = true, .summary = "nothing"};
}

engine::Task<engine::Result<boost::json::value>> SimulatedProvider::result(engine::Target target) {
  const auto found = options_.results.find(model::to_lower(target.action));
  co_return found == options_.results.end() ? boost::json::value(boost::json::object{}) : found->second;
}

}  // namespace acceptd::providers::simulated
