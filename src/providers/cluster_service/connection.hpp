#pragma once
/// Calls to Cluster Service: bounded, timed, retried where that is harmless, and not made at all while it does not answer.

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "http/client.hpp"
#include "providers/cluster_service/breaker.hpp"
#include "providers/cluster_service/turns.hpp"
#include "runtime/clock.hpp"
#include "runtime/random.hpp"

namespace acceptd::providers::cluster_service {

struct ConnectionOptions {
  std::size_t concurrency = 64;    ///< calls in flight
  std::size_t waiting_max = 4096;  ///< calls that wait for their turn; beyond them a call fails at once
  runtime::Duration request_timeout = std::chrono::seconds(10);  ///< of one exchange; also the longest useful wait for a turn
  unsigned read_attempts_max = 3;
  runtime::Duration backoff_first = std::chrono::milliseconds(100);  ///< before the second attempt of a read; then doubled
  runtime::Duration backoff_max = std::chrono::seconds(2);
  double backoff_jitter = 0.2;
  std::size_t breaker_failures = 8;  ///< failures in a row that stop the calls
  runtime::Duration breaker_open_for = std::chrono::seconds(5);
};

struct Reply {
  enum class Kind {
    answered,  ///< `status` and `body` are the backend's
    not_sent,  ///< it certainly was not carried out
    unknown,   ///< it may have been carried out
  };
  Kind kind = Kind::not_sent;
  unsigned status = 0;
  boost::json::value body;   ///< null if empty or unreadable
  bool readable = false;     ///< the body was JSON
  bool retry_after = false;  ///< the answer has a Retry-After field, of whichever form
  std::string reason;        ///< of not_sent and unknown: one clause for operators

  bool ok() const { return kind == Kind::answered && status >= 200 && status < 300; }
  bool is(unsigned code) const { return kind == Kind::answered && status == code; }
  /// The backend is absent, overloaded or broken, as opposed to refusing this call.
  bool failed() const { return kind != Kind::answered || status >= 500 || status == 429; }
};

struct ConnectionFigures {
  std::uint64_t calls = 0;  ///< requests handed to the client
  std::uint64_t failures = 0;
  std::uint64_t retries = 0;
  std::uint64_t refused = 0;  ///< not made: the breaker was open or the queue full
  std::size_t in_flight = 0, waiting = 0;
  bool open = false;
};

/// Belongs to the client's thread. Outlives the calls under way. Never throws for what the backend does.
class Connection {
 public:
  struct Dependencies {
    http::Client& client;
    runtime::Clock& clock;
    runtime::Random& random;
  };
  Connection(ConnectionOptions options, Dependencies dependencies);

  /// GET, tried again with growing pauses while it fails; an answer with Retry-After ends it: callers have slower schedules.
  runtime::Task<Reply> read(std::string target, std::string correlation_id);
  /// Sent once. An empty `body` (null) is not sent.
  runtime::Task<Reply> write(http::Method method, std::string target, boost::json::value body, std::string correlation_id);

  const ConnectionOptions& options() const { return options_; }
  ConnectionFigures figures() const;
  runtime::Clock& clock() const { return dependencies_.clock; }

 private:
  runtime::Task<Reply> attempt(http::ClientRequest request);
  std::optional<runtime::Duration> pause_before(unsigned attempt, const Reply& last) const;

  ConnectionOptions options_;
  Dependencies dependencies_;
  Turns turns_;
  Breaker breaker_;
  ConnectionFigures figures_;
};

}  // namespace acceptd::providers::cluster_service
