#pragma once
/// The endpoint at which backends report how their work goes, so that nothing waits for the next look at them.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/provider.hpp"
#include "http/message.hpp"
#include "model/document.hpp"
#include "providers/http_backend/http_backend.hpp"
#include "providers/http_backend/secret_file.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace acceptd::providers::http_backend {

/// Where the backend reports on the target's operation: "{push.url}/push/{push.name}/{subscription}/{operation}".
std::string callback_url(const PushSpec& push, const engine::Target& target);

/// Belongs to one thread, the engine's. POST /push/{name}/{subscription}/{operation} with a body in which the backend's
/// fields are found as in its status. Answers: 204 taken; 400 not JSON; 401 no proof of who reports; 404 no such backend or
/// operation; 405; 413; 422 a state that nobody mapped; 503 with Retry-After: to be sent again.
class Push {
 public:
  /// Applies what a backend reported as if it had been asked. `from` is the provider that the report came by: an operation that
  /// another one drives is not_found to it.
  using Report = std::function<runtime::Task<model::Result<void>>(model::Key operation, const engine::Provider& from,
                                                                  engine::Observation observation)>;
  struct Dependencies {
    Report report;
    runtime::Clock& clock;
    runtime::Log& log;
  };
  explicit Push(Dependencies dependencies);

  /// One without `push` is left out. Several may share a name: the types of one API. The backend outlives this.
  void add(const HttpBackend& backend);
  /// Whether a path is handle()'s.
  static bool is_for(const http::Request& request);
  runtime::Task<http::Response> handle(http::Request request);

 private:
  struct Source {
    const HttpBackend& backend;
    SecretFile secret;
  };
  bool is_proven(Source& source, const http::Request& request);
  runtime::Task<http::Response> take(model::Key key, json::value body, std::vector<const HttpBackend*> from);

  Dependencies dependencies_;
  std::multimap<std::string, Source, std::less<>> sources_;  ///< by name
};

}  // namespace acceptd::providers::http_backend
