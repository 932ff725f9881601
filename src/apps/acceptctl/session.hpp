#pragma once
/// One server, one caller: sends requests with that caller's headers and repeats those that may be repeated.

#include <optional>
#include <string>

#include "arguments.hpp"
#include "http/client.hpp"
#include "outcome.hpp"
#include "runtime/clock.hpp"
#include "runtime/random.hpp"

namespace acceptd::acceptctl {

struct Answer {
  unsigned status = 0;
  http::Headers headers;
  std::string text;
  json::value body;  ///< null if there is none or it is not JSON
};

/// For one thread.
class Session {
 public:
  struct Dependencies {
    http::Client& client;
    runtime::Clock& clock;
    runtime::Random& random;
  };
  Session(const Arguments& arguments, Dependencies dependencies);

  /// One exchange, whatever the status. Problem: no answer came.
  runtime::Task<std::expected<Answer, http::ClientError>> once(http::Method method, std::string target, std::string body);
  /// Repeats what may be repeated, up to kAttemptsMax times; a 4xx or 5xx is a Problem.
  runtime::Task<Outcome<Answer>> call(http::Method method, std::string target, std::string body = {});

  /// Path and query of a URL that the server gave; a path is taken as it is. Problem: it leads to another server.
  Outcome<std::string> target_of(const std::string& url) const;

  runtime::Clock& clock() const { return dependencies_.clock; }
  runtime::Random& random() const { return dependencies_.random; }
  runtime::Monotonic deadline() const { return deadline_; }

 private:
  const Arguments& arguments_;
  Dependencies dependencies_;
  runtime::Monotonic deadline_;  ///< --timeout, counted from the start
};

Problem problem_of(const Answer& answer);
Problem unreachable(const std::string& server, const http::ClientError& error);
Problem timed_out(const std::string& what);

}  // namespace acceptd::acceptctl
