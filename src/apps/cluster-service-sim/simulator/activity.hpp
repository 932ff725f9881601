#pragma once
/// Life cycles. What an object shows is computed from when its last work began: no timers, so a restarted process goes
/// on where the killed one was.

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/clock.hpp"

namespace acceptd::simulator {

enum class Kind : std::uint8_t { cluster, node_pool, credential };
enum class Work : std::uint8_t { create, update, remove, revoke };
enum class Outcome : std::uint8_t { succeed, fail, never };

std::string_view to_string(Kind kind);
std::string_view to_string(Work work);

struct FailedCheck {
  std::string name;
  std::string error;
};

/// How a failure is reported. Node pools and credentials have no code.
struct Failure {
  std::string code;
  std::string message;
  std::vector<FailedCheck> checks;  ///< inflight checks of a cluster that failed
};

/// The work that was begun last on an object.
struct Activity {
  Work work = Work::create;
  runtime::Time start;
  runtime::Duration duration{0};
  Outcome outcome = Outcome::succeed;
  Failure failure;                ///< with Outcome::fail
  std::vector<std::string> lies;  ///< shown one after the other while the work lasts, instead of the truth
};

bool finished(const Activity& activity, runtime::Time now);
/// The state that is true at `now`; nullopt: the object no longer exists.
std::optional<std::string_view> true_state(Kind kind, const Activity& activity, runtime::Time now);
/// The state that callers are told. nullopt as above: a lie does not keep an object alive.
std::optional<std::string_view> shown_state(Kind kind, const Activity& activity, runtime::Time now);
/// True once the work has failed.
bool failed(const Activity& activity, runtime::Time now);

boost::json::object to_json(const Activity& activity);
/// Throws std::exception for text that to_json did not make.
Activity activity_from_json(const boost::json::object& stored);

}  // namespace acceptd::simulator
