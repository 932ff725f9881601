#include "apps/cluster-service-sim/simulator/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace acceptd::simulator {
namespace {

constexpr std::array<std::string_view, 10> kActions{
    "delay",        "answer", "reject", "drop_before_work", "drop_reply_after_work", "allow_duplicate", "fail",
    "never_finish", "lie",    "slow"};
constexpr double kWholeMax = 1e15;

/// Reads members one by one; the first mistake is kept, later reads are harmless.
class Reader {
 public:
  explicit Reader(const json::object& object) : object_(object) {}

  void text(std::string_view name, std::string& into) {
    const json::value* value = take(name);
    if (value == nullptr) return;
    if (!value->is_string()) return mistake(name, "must be a string");
    into = value->get_string().c_str();
  }
  double number(std::string_view name, double fallback, double least, double most) {
    const json::value* value = take(name);
    if (value == nullptr) return fallback;
    boost::system::error_code error;
    const double number = value->is_number() ? value->to_number<double>(error) : std::nan("");
    if (!(number >= least && number <= most)) {
      mistake(name, fmt::format("must be a number from {} to {}", least, most));
      return fallback;
    }
    return number;
  }
  const json::array* list(std::string_view name) {
    const json::value* value = take(name);
    if (value == nullptr) return nullptr;
    const json::array* array = value->if_array();
    if (array == nullptr || array->empty() || array->size() > kListedMax) {
      mistake(name, fmt::format("must be a list of 1 to {} elements", kListedMax));
      return nullptr;
    }
    return array;
  }
  bool has(std::string_view name) const { return object_.contains(name); }
  void ignore(std::string_view name) { take(name); }
  void mistake(std::string_view name, std::string_view what) {
    if (!refusal_) refusal_ = Refusal{400, fmt::format("'{}' {}", name, what)};
  }
  /// Also refuses what nobody has read.
  std::optional<Refusal> finish() {
    for (const auto& member : object_)
      if (std::ranges::find(known_, std::string_view(member.key())) == known_.end())
        mistake(member.key(), "is not a member of this kind of rule");
    return refusal_;
  }

 private:
  const json::value* take(std::string_view name) {
    known_.emplace_back(name);
    return object_.if_contains(name);
  }
  const json::object& object_;
  std::vector<std::string> known_;
  std::optional<Refusal> refusal_;
};

std::chrono::milliseconds milliseconds(double number) { return std::chrono::milliseconds(std::llround(number)); }

void read_refusal(Reader& reader, Rule& rule, double status) {
  rule.refusal.status = static_cast<unsigned>(reader.number("status", status, 400, 599));
  rule.refusal.reason = "Scripted by the simulator";
  reader.text("code", rule.refusal.code);
  reader.text("reason", rule.refusal.reason);
}

void read_failure(Reader& reader, Rule& rule) {
  rule.failure = {"OCM4001", "Scripted by the simulator", {}};
  reader.text("code", rule.failure.code);
  reader.text("message", rule.failure.message);
  const json::array* checks = reader.list("inflight_checks");
  if (checks == nullptr) return;
  for (const json::value& check : *checks) {
    FailedCheck failed;
    if (!check.is_object()) return reader.mistake("inflight_checks", "must hold objects {name, error}");
    Reader inner(check.get_object());
    inner.text("name", failed.name);
    inner.text("error", failed.error);
    if (inner.finish() || failed.name.empty()) return reader.mistake("inflight_checks", "must hold objects {name, error}");
    rule.failure.checks.push_back(std::move(failed));
  }
}

void read_states(Reader& reader, Rule& rule) {
  const json::array* states = reader.list("states");
  if (states == nullptr) return reader.mistake("states", "is missing");
  for (const json::value& state : *states) {
    if (!state.is_string()) return reader.mistake("states", "must hold strings");
    rule.states.emplace_back(state.get_string());
  }
}

void read_parameters(Reader& reader, Rule& rule) {
  const auto delay_max = static_cast<double>(kDelayMax.count());
  switch (rule.action) {
    case Action::delay: {
      std::string when = "before_work";
      rule.delay = milliseconds(reader.number("delay_ms", 0, 1, delay_max));
      if (!reader.has("delay_ms")) reader.mistake("delay_ms", "is missing");
      reader.text("when", when);
      if (when != "before_work" && when != "after_work") reader.mistake("when", "must be before_work or after_work");
      rule.delay_after = when == "after_work";
      break;
    }
    case Action::answer: read_refusal(reader, rule, 500); break;
    case Action::reject: read_refusal(reader, rule, 400); break;
    case Action::fail: read_failure(reader, rule); break;
    case Action::lie: read_states(reader, rule); break;
    case Action::slow:
      rule.duration = milliseconds(1000 * reader.number("seconds", 0, 0, kWholeMax / 1e6));
      if (!reader.has("seconds")) reader.mistake("seconds", "is missing");
      break;
    case Action::drop_before_work:
    case Action::drop_reply_after_work:
    case Action::allow_duplicate:
    case Action::never_finish: break;
  }
}

std::string_view next_segment(std::string_view& path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

bool route_matches(std::string_view pattern, std::string_view route) {
  if (pattern.empty()) return true;
  for (;;) {
    const std::string_view expected = next_segment(pattern);
    const std::string_view actual = next_segment(route);
    if (expected.empty() || actual.empty()) return expected == actual;
    if (expected != "*" && expected != actual) return false;
  }
}

/// These actions change what a call begins; a GET begins nothing and must not use them up.
bool bends_work(Action action) {
  return action == Action::allow_duplicate || action == Action::fail || action == Action::never_finish || action == Action::lie ||
         action == Action::slow;
}

void act(const Rule& rule, Treatment& treatment) {
  switch (rule.action) {
    case Action::delay: (rule.delay_after ? treatment.delay_after : treatment.delay_before) += rule.delay; break;
    case Action::answer:
    case Action::reject: treatment.answer = rule.refusal; break;
    case Action::drop_before_work: treatment.drop_before_work = true; break;
    case Action::drop_reply_after_work: treatment.drop_reply_after_work = true; break;
    case Action::allow_duplicate: treatment.allow_duplicate = true; break;
    case Action::fail:
      treatment.outcome = Outcome::fail;
      treatment.failure = rule.failure;
      break;
    case Action::never_finish: treatment.outcome = Outcome::never; break;
    case Action::lie: treatment.lies = rule.states; break;
    case Action::slow: treatment.duration = rule.duration; break;
  }
}

void write_parameters(const Rule& rule, json::object& object) {
  if (rule.action == Action::delay) {
    object["delay_ms"] = rule.delay.count();
    object["when"] = rule.delay_after ? "after_work" : "before_work";
  } else if (rule.action == Action::answer || rule.action == Action::reject) {
    object["status"] = rule.refusal.status;
    object["code"] = rule.refusal.code;
    object["reason"] = rule.refusal.reason;
  } else if (rule.action == Action::fail) {
    object["code"] = rule.failure.code;
    object["message"] = rule.failure.message;
    json::array checks;
    for (const FailedCheck& check : rule.failure.checks)
      checks.push_back(json::object{{"name", check.name}, {"error", check.error}});
    if (!checks.empty()) object["inflight_checks"] = std::move(checks);
  } else if (rule.action == Action::lie) {
    object["states"] = json::value_from(rule.states);
  } else if (rule.action == Action::slow) {
    object["seconds"] = static_cast<double>(rule.duration.count()) / 1000;
  }
}

}  // namespace

Result<Rule> parse_rule(const json::value& text) {
  if (!text.is_object()) return std::unexpected(Refusal{400, "a rule must be an object"});
  Rule rule;
  Reader reader(text.get_object());
  std::string action;
  reader.text("action", action);
  const auto found = std::ranges::find(kActions, action);
  if (found == kActions.end()) return std::unexpected(Refusal{400, fmt::format("'action' is missing or unknown: '{}'", action)});
  rule.action = static_cast<Action>(found - kActions.begin());
  reader.text("method", rule.method);
  reader.text("route", rule.route);
  reader.text("name_prefix", rule.name_prefix);
  if (reader.has("count")) rule.count = static_cast<std::uint64_t>(reader.number("count", 0, 0, kWholeMax));
  reader.ignore("count");
  rule.skip = static_cast<std::uint64_t>(reader.number("skip", 0, 0, kWholeMax));
  rule.probability = reader.number("probability", 1, 0, 1);
  rule.id = static_cast<std::uint64_t>(reader.number("id", 0, 0, kWholeMax));
  rule.applied = static_cast<std::uint64_t>(reader.number("applied", 0, 0, kWholeMax));
  read_parameters(reader, rule);
  if (auto refusal = reader.finish()) return std::unexpected(std::move(*refusal));
  return rule;
}

json::object to_json(const Rule& rule) {
  json::object object{{"id", rule.id}, {"action", kActions[static_cast<std::size_t>(rule.action)]}};
  if (!rule.method.empty()) object["method"] = rule.method;
  if (!rule.route.empty()) object["route"] = rule.route;
  if (!rule.name_prefix.empty()) object["name_prefix"] = rule.name_prefix;
  if (rule.count) object["count"] = *rule.count;
  if (rule.skip > 0) object["skip"] = rule.skip;
  if (rule.probability < 1) object["probability"] = rule.probability;
  object["applied"] = rule.applied;
  write_parameters(rule, object);
  return object;
}

bool concerns(const Rule& rule, const Subject& subject) {
  if (bends_work(rule.action) && subject.method == "GET") return false;
  return (rule.method.empty() || rule.method == subject.method) && subject.name.starts_with(rule.name_prefix) &&
         route_matches(rule.route, subject.route);
}

bool apply(Rule& rule, const Subject& subject, const std::function<double()>& unit, Treatment& treatment) {
  if (rule.count == 0 || !concerns(rule, subject)) return false;
  if (rule.skip > 0) {
    --rule.skip;
    return true;
  }
  if (rule.probability < 1 && unit() >= rule.probability) return false;
  if (rule.count) --*rule.count;
  ++rule.applied;
  act(rule, treatment);
  return true;
}

}  // namespace acceptd::simulator
