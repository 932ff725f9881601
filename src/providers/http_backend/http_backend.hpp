#pragma once
/// Drives any HTTP API as its Spec describes it: one object of Spec, one kind of objects in the backend.

#include <memory>
#include <string>

#include "engine/provider.hpp"
#include "http/client.hpp"
#include "providers/http_backend/calls.hpp"
#include "providers/http_backend/read_spec.hpp"
#include "providers/http_backend/spec.hpp"

namespace acceptd::providers::http_backend {

/// An engine::Provider, and what only this one can do. Belongs to the client's thread; outlives the calls under way.
class HttpBackend : public engine::Provider {
 public:
  /// Asks the backend to stop working on the target's operation. accepted: it tries; gone: there is nothing to stop;
  /// rejected: it cannot.
  virtual runtime::Task<engine::Submission> cancel(engine::Target target) = 0;
  virtual const Spec& spec() const = 0;
  virtual CallFigures figures() const = 0;
};

/// What http::make_client() is to be given, so that `dependencies.client` fits the Spec.
http::ClientOptions client_options(const Spec& spec);

/// `spec` is one that read_spec() read without a problem.
std::unique_ptr<HttpBackend> make_provider(Spec spec, Calls::Dependencies dependencies);

}  // namespace acceptd::providers::http_backend
