#pragma once
/// The one error type that crosses layers. A kind exists only if some code reacts to it differently.

#include <boost/json.hpp>
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace acceptd::model {

enum class ErrorKind {
  invalid,              ///< the caller's request can never work as it is
  unsupported_version,  ///< well-formed api-version that the type does not have
  not_found,            ///< no such resource, or not the caller's to see
  conflict,             ///< the state of the resource forbids it now
  precondition_failed,  ///< If-Match / If-None-Match
  contended,            ///< a lock or a turn was not got in time: nothing happened, retry later
  throttled,            ///< the caller asks too much: nothing happened, retry later
  unavailable,          ///< a dependency is not there: nothing happened, retry later
  unknown_outcome,      ///< a write may or may not have happened: read before retrying
  internal,             ///< a bug or a broken dependency
};

/// What a caller is told. `code` is PascalCase and stable; `message` is English, actionable and free of secrets.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string code;
  std::string message;
  std::string target;  ///< JSON path of a field or a resource ID; "" if there is none
  std::vector<Error> details;
  std::optional<std::chrono::seconds> retry_after;
};

template <class T>
using Result = std::expected<T, Error>;

/// {code, message, target?, details?[]}: the shape in documents and in the ARM error body alike.
boost::json::object error_to_json(const Error& error);
Error error_from_json(const boost::json::object& object);

}  // namespace acceptd::model
