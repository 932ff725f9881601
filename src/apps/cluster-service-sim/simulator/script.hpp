#pragma once
/// Faults on order: rules that say which calls go wrong, how, and how often. Documented in docs/cluster-service-sim.md.

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cluster-service-sim/simulator/activity.hpp"
#include "apps/cluster-service-sim/simulator/answer.hpp"

namespace acceptd::simulator {

/// What is done to one call, all matching rules taken together.
struct Treatment {
  std::chrono::milliseconds delay_before{0};
  std::chrono::milliseconds delay_after{0};
  std::optional<Refusal> answer;  ///< instead of doing the work
  bool drop_before_work = false;
  bool drop_reply_after_work = false;
  bool allow_duplicate = false;  ///< do not refuse a name that is taken
  // For the work that this call begins:
  Outcome outcome = Outcome::succeed;
  Failure failure;
  std::vector<std::string> lies;
  std::optional<runtime::Duration> duration;
};

/// A call as rules see it.
struct Subject {
  std::string_view method;  ///< "POST"
  std::string_view route;   ///< path below the base: "/clusters/2abc/status"
  std::string_view name;    ///< of the cluster or node pool concerned; "" if there is none
};

enum class Action : std::uint8_t {
  delay,
  answer,
  reject,
  drop_before_work,
  drop_reply_after_work,
  allow_duplicate,
  fail,
  never_finish,
  lie,
  slow,
};

struct Rule {
  std::uint64_t id = 0;
  std::string method;                  ///< "" = any
  std::string route;                   ///< "" = any; "*" stands for one segment
  std::string name_prefix;             ///< "" = any
  std::optional<std::uint64_t> count;  ///< how often it still applies; nullopt: without end
  std::uint64_t skip = 0;              ///< matching calls that it still lets pass
  double probability = 1;
  Action action = Action::delay;
  std::uint64_t applied = 0;
  // Parameters of the actions.
  std::chrono::milliseconds delay{0};
  bool delay_after = false;
  Refusal refusal;
  Failure failure;
  std::vector<std::string> states;
  std::chrono::milliseconds duration{0};
};

/// 400 for an unknown member, a wrong type or a value out of range: a misspelt fault would be a test that checks
/// nothing.
Result<Rule> parse_rule(const json::value& text);
/// What parse_rule reads, plus id and applied.
json::object to_json(const Rule& rule);

bool concerns(const Rule& rule, const Subject& subject);
/// Lets the rule act if it concerns the subject. `unit` draws from [0, 1). True: the rule has changed and is to be
/// stored.
bool apply(Rule& rule, const Subject& subject, const std::function<double()>& unit, Treatment& treatment);

inline constexpr std::size_t kRulesMax = 1000;
inline constexpr std::chrono::milliseconds kDelayMax = std::chrono::minutes(10);
inline constexpr std::size_t kListedMax = 100;  ///< states of a lie, inflight checks of a failure

}  // namespace acceptd::simulator
