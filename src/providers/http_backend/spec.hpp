#pragma once
/// What a user says of an HTTP API, so that acceptd can drive it. Values; read by read_spec() and never changed after.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.hpp"
#include "model/status.hpp"
#include "providers/http_backend/template.hpp"
#include "runtime/clock.hpp"

namespace acceptd::providers::http_backend {

/// What an HTTP status answered to a create, update, delete or action means.
enum class Verdict : std::uint8_t {
  accepted,     ///< the backend works on it
  done,         ///< carried out
  rejected,     ///< refused for good
  exists,       ///< there is an object of that name
  gone,         ///< there is no such object
  unknown,      ///< may or may not be carried out
  unavailable,  ///< certainly not carried out, later perhaps
};
inline constexpr std::size_t kVerdicts = 7;
using Verdicts = std::map<unsigned, Verdict>;

/// What a state of the backend's means for an operation.
struct StateMeaning {
  std::optional<model::Status> status;  ///< nullopt: the object is gone
};
using States = std::map<std::string, StateMeaning, std::less<>>;

/// What callers are told of a backend's error code.
struct ErrorText {
  std::string code, message;  ///< "{message}" in the message is the backend's own, bounded and cleaned
};

/// Where things are in the backend's answers.
struct Fields {
  std::optional<Pointer> internal_id;
  std::optional<Pointer> state, percent, step, message, result;
  std::optional<Pointer> error_code, error_message;
  std::optional<Json> observed;  ///< read-only properties, made from the answer
};

using HeaderTexts = std::vector<std::pair<std::string, Text>>;

/// How to see how far the backend is.
struct StatusCall {
  Text url;
  HeaderTexts headers;
  Fields fields;
};

/// One request to the backend.
struct Verb {
  http::Method method = http::Method::post;
  Text url;
  HeaderTexts headers;
  std::optional<Json> body;
  Verdicts verdicts;
  Fields fields;
  std::optional<Text> internal_id;   ///< what the id is, if no answer tells it
  std::optional<StatusCall> status;  ///< nullopt: the general one
};

/// How objects are found when the answer to their create was lost.
struct Probe {
  Text url;
  HeaderTexts headers;
  Pointer list;                  ///< an array of objects, or one object
  Pointer internal_id;           ///< this and all below: in one object of the list
  std::optional<Pointer> stamp;  ///< holds what {incarnation} was when the object was made
  std::optional<Pointer> name;   ///< without a stamp: an object of the resource's name is the resource's
  std::optional<Pointer> created, state;
  std::optional<Json> observed;
};

/// A secret in a file, read again when the file changes.
struct Credentials {
  std::string file;
  std::string header = "Authorization";
  std::string prefix = "Bearer ";
};

/// How the backend itself reports progress.
struct PushSpec {
  enum class Proof : std::uint8_t { bearer, hmac };
  std::string name;  ///< the backend's, in the path of the endpoint
  std::string url;   ///< under which the backend reaches the endpoint; "" = {callback} is not used
  Proof proof = Proof::bearer;
  std::string secret_file;
  std::string signature_header = "X-Signature";  ///< of hmac: "sha256=" and the hexadecimal HMAC-SHA256
  std::string timestamp_header;  ///< of hmac: seconds since 1970; signed is "<timestamp>.<body>". "": the body alone
  Fields fields;
};

struct CallLimits {
  std::size_t concurrency = 64;
  std::size_t answer_bytes_max = 1 << 20;
  runtime::Duration request_timeout = std::chrono::seconds(10);
  runtime::Duration settle_time = std::chrono::seconds(30);
  unsigned read_attempts = 3;
  runtime::Duration backoff_first = std::chrono::milliseconds(100);
  runtime::Duration backoff_max = std::chrono::seconds(2);
  std::size_t breaker_failures = 8;
  runtime::Duration breaker_open_for = std::chrono::seconds(5);
};

struct Spec {
  std::string origin;       ///< "https://widgets.example:8443"
  std::string path_prefix;  ///< before every URL, "" or "/v2"
  std::string ca_file;
  HeaderTexts headers;  ///< of every call
  std::optional<Credentials> credentials;
  std::string idempotency_header;  ///< "" = the backend knows no idempotency keys
  CallLimits calls;
  States states;
  std::map<std::string, ErrorText, std::less<>> errors;  ///< by the backend's code
  std::optional<ErrorText> other_error;
  bool unique_ids = false;  ///< no object ever gets the id of a former one
  bool removes_children = false;

  Verb create, remove;
  std::optional<Verb> update, cancel;
  std::map<std::string, Verb, std::less<>> actions;  ///< by engine::Target::action, lower case
  std::optional<StatusCall> status;
  std::optional<Probe> probe;
  std::optional<PushSpec> push;

  /// A create sent twice makes one object.
  bool create_is_idempotent() const { return !idempotency_header.empty() || create.method == http::Method::put; }
};

}  // namespace acceptd::providers::http_backend
