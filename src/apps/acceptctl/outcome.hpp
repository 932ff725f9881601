#pragma once
/// How a command ends: the exit codes that --help documents, and what the user is told.

#include <boost/json.hpp>
#include <expected>
#include <string>

namespace acceptd::acceptctl {

namespace json = boost::json;

enum class ExitCode : int {
  ok = 0,
  operation_failed = 1,  ///< the operation ended Failed or Canceled
  usage = 2,
  not_found = 3,
  refused = 4,      ///< any other 4xx
  unreachable = 5,  ///< no server, no readable answer, or 5xx
  timed_out = 6,    ///< --timeout passed; the operation goes on
  not_conforming = 7,
};

struct Problem {
  ExitCode code = ExitCode::unreachable;
  std::string message;
  json::value body;  ///< what the server said, for --json; null if it said nothing
};

template <class T>
using Outcome = std::expected<T, Problem>;

inline std::unexpected<Problem> usage_problem(std::string message) {
  return std::unexpected(Problem{ExitCode::usage, std::move(message), nullptr});
}

}  // namespace acceptd::acceptctl
