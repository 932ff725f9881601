#pragma once
/// Requests to one backend: authenticated, timed, reads tried again, and none made while the backend does not answer.

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/client.hpp"
#include "providers/cluster_service/breaker.hpp"
#include "providers/http_backend/secret_file.hpp"
#include "providers/http_backend/spec.hpp"
#include "runtime/log.hpp"
#include "runtime/random.hpp"

namespace acceptd::providers::http_backend {

struct Reply {
  enum class Kind : std::uint8_t {
    answered,  ///< `status` and `body` are the backend's
    not_sent,  ///< it certainly was not carried out
    unknown,   ///< it may have been carried out
  };
  Kind kind = Kind::not_sent;
  unsigned status = 0;
  json::value body;  ///< null if empty or unreadable
  std::size_t body_bytes = 0;
  bool readable = false;                         ///< the body was JSON
  std::optional<runtime::Duration> retry_after;  ///< bounded; of either form of the header field
  std::string reason;                            ///< of not_sent and unknown: one clause for operators

  bool ok() const { return kind == Kind::answered && status >= 200 && status < 300; }
  /// The backend is absent, overloaded or broken, as opposed to refusing this call.
  bool failed() const { return kind != Kind::answered || status >= 500 || status == 429; }
};

struct CallFigures {
  std::uint64_t calls = 0;  ///< requests handed to the client
  std::uint64_t failures = 0;
  std::uint64_t retries = 0;
  std::uint64_t refused = 0;       ///< not made: the breaker was open, or there were no credentials
  std::uint64_t unauthorized = 0;  ///< answered 401 or 403
  bool open = false;               ///< the breaker stops calls
};

/// Belongs to the client's thread. Outlives the calls under way. Never throws for what the backend does.
class Calls {
 public:
  struct Dependencies {
    std::unique_ptr<http::Client> client;
    runtime::Clock& clock;
    runtime::Random& random;
    runtime::Log& log;
  };
  Calls(const Spec& spec, Dependencies dependencies);

  /// A GET, tried again with growing pauses while it fails; an answer with Retry-After ends it: callers have slower schedules.
  runtime::Task<Reply> read(http::ClientRequest request);
  /// Sent once. `target` is without the prefix of the backend's URL; credentials are added.
  runtime::Task<Reply> send(http::ClientRequest request);

  CallFigures figures() const;
  runtime::Clock& clock() const { return dependencies_.clock; }

 private:
  std::optional<runtime::Duration> pause_before(unsigned attempt, const Reply& last) const;
  /// False: there are none to be had; the reply says why.
  bool add_credentials(http::ClientRequest& request, Reply& reply);
  void watch_authorization(const Reply& reply);

  const std::string origin_, prefix_;
  const CallLimits limits_;
  Dependencies dependencies_;
  std::optional<Credentials> credentials_;
  std::optional<SecretFile> secret_;
  cluster_service::Breaker breaker_;
  CallFigures figures_;
  bool credentials_missing_ = false, unauthorized_ = false;  ///< was logged
};

/// Of an answer's Retry-After field: seconds or a date. At most kRetryAfterMax; nullopt if there is none that can be read.
std::optional<runtime::Duration> retry_after_of(const http::Headers& headers, runtime::Time now);
inline constexpr std::chrono::minutes kRetryAfterMax{10};

}  // namespace acceptd::providers::http_backend
