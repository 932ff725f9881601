#pragma once
/// Follows what a server accepted to its end, as ARM's clients must: which URL is asked, how often, what the end is.

#include <string>

#include "progress.hpp"
#include "session.hpp"

namespace acceptd::acceptctl {

class Follower {
 public:
  Follower(Session& session, const Arguments& arguments, Progress& progress)
      : session_(session), arguments_(arguments), progress_(progress) {}

  /// From the answer to a PUT, PATCH, DELETE or POST on `target` to the final body (null after a delete). Problem
  /// operation_failed with the operation's error, timed_out, or that of the last poll.
  runtime::Task<Outcome<json::value>> to_the_end(http::Method method, std::string target, Answer accepted);

  /// Polls an operation's status to a terminal one and returns the status body, whichever it is.
  runtime::Task<Outcome<json::value>> watch(std::string target);

 private:
  /// Reads a state from a poll's answer; "Succeeded", "Failed" and "Canceled" end the polling.
  using Judge = std::string (*)(const Answer& answer);
  runtime::Task<Outcome<Answer>> poll(std::string target, Judge judge, runtime::Duration first_wait);
  runtime::Duration wait_of(const Answer& answer) const;
  runtime::Task<Outcome<json::value>> after_operation(http::Method method, std::string target, std::string location,
                                                      json::value operation);

  Session& session_;
  const Arguments& arguments_;
  Progress& progress_;
};

bool is_terminal(std::string_view state);

}  // namespace acceptd::acceptctl
