#include "apps/cluster-service-sim/simulator/activity.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace acceptd::simulator {
namespace {

namespace json = boost::json;

struct Phase {
  std::string_view state;  ///< "" = no such phase
  int from_percent = 0;    ///< of the work's duration
};

struct Course {
  Kind kind;
  Work work;
  std::array<Phase, 3> phases;
  std::string_view success;  ///< "" = the object is gone
  std::string_view failure;
};

constexpr std::array kCourses{
    Course{Kind::cluster, Work::create, {{{"pending", 0}, {"validating", 10}, {"installing", 20}}}, "ready", "error"},
    Course{Kind::cluster, Work::update, {{{"updating", 0}}}, "ready", "error"},
    Course{Kind::cluster, Work::remove, {{{"uninstalling", 0}}}, "", "error"},
    Course{Kind::node_pool, Work::create, {{{"validating", 0}, {"pending", 10}, {"installing", 20}}}, "ready", "error"},
    Course{Kind::node_pool,
           Work::update,
           {{{"validating_update", 0}, {"pending_update", 10}, {"updating", 20}}},
           "ready",
           "recoverable_error"},
    Course{Kind::node_pool, Work::remove, {{{"uninstalling", 0}}}, "", "error"},
    Course{Kind::credential, Work::create, {{{"created", 0}}}, "issued", "failed"},
    Course{Kind::credential, Work::revoke, {{{"awaiting_revocation", 0}}}, "revoked", "failed"},
};

constexpr std::array<std::string_view, 3> kKinds{"cluster", "node_pool", "credential"};
constexpr std::array<std::string_view, 4> kWorks{"create", "update", "remove", "revoke"};
constexpr std::array<std::string_view, 3> kOutcomes{"succeed", "fail", "never"};

template <class Enum, std::size_t N>
Enum parse(const std::array<std::string_view, N>& names, const json::value& name) {
  const auto found = std::ranges::find(names, std::string_view(name.as_string()));
  if (found == names.end()) throw std::runtime_error("unknown name in stored activity");
  return static_cast<Enum>(found - names.begin());
}

const Course& course_of(Kind kind, Work work) {
  const auto found = std::ranges::find_if(kCourses, [=](const Course& c) { return c.kind == kind && c.work == work; });
  if (found == kCourses.end()) throw std::logic_error("no such work on this kind of object");
  return *found;
}

std::string text(const json::value& value) { return std::string(value.as_string()); }

}  // namespace

std::string_view to_string(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Work work) { return kWorks[static_cast<std::size_t>(work)]; }

bool finished(const Activity& activity, runtime::Time now) {
  return activity.outcome != Outcome::never && now - activity.start >= activity.duration;
}

bool failed(const Activity& activity, runtime::Time now) { return activity.outcome == Outcome::fail && finished(activity, now); }

std::optional<std::string_view> true_state(Kind kind, const Activity& activity, runtime::Time now) {
  const Course& course = course_of(kind, activity.work);
  if (failed(activity, now)) return course.failure;
  if (finished(activity, now)) {
    if (course.success.empty()) return std::nullopt;
    return course.success;
  }
  std::string_view state = course.phases.front().state;
  for (const Phase& phase : course.phases) {
    if (phase.state.empty()) break;
    if (now - activity.start >= activity.duration / 100 * phase.from_percent) state = phase.state;
  }
  return state;
}

std::optional<std::string_view> shown_state(Kind kind, const Activity& activity, runtime::Time now) {
  const auto truth = true_state(kind, activity, now);
  if (activity.lies.empty() || finished(activity, now)) return truth;
  const auto elapsed = std::max(now - activity.start, runtime::Duration(0));
  const auto share = std::max(activity.duration / static_cast<std::int64_t>(activity.lies.size()), runtime::Duration(1));
  const auto index = std::min(static_cast<std::size_t>(elapsed / share), activity.lies.size() - 1);
  return activity.lies[index];
}

json::object to_json(const Activity& activity) {
  json::array checks;
  for (const FailedCheck& check : activity.failure.checks)
    checks.push_back(json::object{{"name", check.name}, {"error", check.error}});
  return {{"work", kWorks[static_cast<std::size_t>(activity.work)]},
          {"start_ns", activity.start.time_since_epoch().count()},
          {"duration_ns", activity.duration.count()},
          {"outcome", kOutcomes[static_cast<std::size_t>(activity.outcome)]},
          {"code", activity.failure.code},
          {"message", activity.failure.message},
          {"checks", std::move(checks)},
          {"lies", json::value_from(activity.lies)}};
}

Activity activity_from_json(const json::object& stored) {
  Activity activity;
  activity.work = parse<Work>(kWorks, stored.at("work"));
  activity.start = runtime::Time(runtime::Duration(stored.at("start_ns").to_number<std::int64_t>()));
  activity.duration = runtime::Duration(stored.at("duration_ns").to_number<std::int64_t>());
  activity.outcome = parse<Outcome>(kOutcomes, stored.at("outcome"));
  activity.failure.code = text(stored.at("code"));
  activity.failure.message = text(stored.at("message"));
  for (const json::value& check : stored.at("checks").as_array())
    activity.failure.checks.push_back({text(check.at("name")), text(check.at("error"))});
  activity.lies = json::value_to<std::vector<std::string>>(stored.at("lies"));
  return activity;
}

}  // namespace acceptd::simulator
