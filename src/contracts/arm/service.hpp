#pragma once
/// The ARM contract's handlers: a request becomes an engine call, its result an answer. One file per verb.

#include <memory>

#include "contracts/arm/arm.hpp"
#include "contracts/arm/caller.hpp"
#include "contracts/arm/checker/checker.hpp"
#include "contracts/arm/request.hpp"
#include "contracts/arm/route.hpp"
#include "contracts/arm/waiting.hpp"

namespace acceptd::contracts::arm {

using runtime::Task;

/// On the engine's thread. Outlives the handlers that it gave out (they share it).
class Service {
  static constexpr std::size_t kObservedOperations = 10'000;  // whose end is remembered, to notice if it changed

 public:
  Service(Options options, Dependencies dependencies);

  /// Routes, checks what all requests have alike, answers, logs. Every answer carries x-ms-request-id (ARM-001).
  Task<http::Response> handle(http::Request request);
  http::Response refuse(http::Refused refused, std::string_view reason);

 private:
  /// What has to be true of any request before a handler sees it; fills `call`. Order: names, caller, media type, version.
  std::optional<model::Error> admit(Call& call) const;
  Task<http::Response> dispatch(const Call& call);

  Task<http::Response> get_resource(const Call& call);                                        // get.cpp
  Task<http::Response> list_resources(const Call& call);                                      // get.cpp
  Task<http::Response> write_resource(const Call& call);                                      // put.cpp
  Task<http::Response> remove_resource(const Call& call);                                     // remove.cpp
  Task<http::Response> act_on_resource(const Call& call);                                     // action.cpp
  Task<http::Response> list_skus(const Call& call);                                           // get.cpp
  Task<http::Response> check_name(const Call& call);                                          // name_availability.cpp
  Task<http::Response> get_operation(const Call& call);                                       // operation.cpp
  Task<http::Response> list_operations(const Call& call);                                     // operation.cpp
  Task<http::Response> list_provider_operations(const Call& call);                            // provider_operations.cpp
  Task<http::Response> get_result(const Call& call);                                          // operation.cpp
  Task<http::Response> finished_result(const Call& call, const model::Operation& operation);  // operation.cpp
  Task<http::Response> get_subscription(const Call& call);                                    // subscription.cpp
  Task<http::Response> put_subscription(const Call& call);                                    // subscription.cpp

  /// The operation when it ended, or as it is when a request cannot wait any longer, or too many wait.
  Task<model::Operation> awaited(const Call& call, model::Operation operation);  // synchronous.cpp
  /// What the request would have been answered if it had taken no time.
  Task<http::Response> ended_answer(const Call& call, const model::Operation& operation);  // operation.cpp
  /// Methods that the path of the call has, for Allow; empty: there is no such path in this API version.
  std::vector<http::Method> methods_of(const Call& call) const;  // synchronous.cpp
  http::Response refuse_method(const Call& call) const;          // synchronous.cpp

  /// SubscriptionNotFound if nobody ever registered it (ARM-269).
  Task<std::optional<model::Error>> refuse_unknown_subscription(const Call& call);  // subscription.cpp

  /// Features that the subscription has registered, for a body that names tags (types may gate tags by them); else nullopt.
  Task<std::optional<std::vector<std::string>>> features_of(const Call& call, const model::Result<boost::json::object>& body);

  bool is_own_region(std::string_view location) const;
  std::function<std::string(model::Uuid)> status_path(const Call& call) const;
  std::string location_url(const Call& call, const model::Uuid& operation) const;
  enum class Links : std::uint8_t { status, status_and_location };
  /// Azure-AsyncOperation, Location, Retry-After of an answer that began something.
  void add_links(http::Response& response, const Call& call, const model::Operation& operation, Links links) const;
  void add_retry_after(http::Response& response) const;
  /// Looks for what the contract forbids in the answer. A breach is a bug: it is logged and counted, and the answer is sent all
  /// the same, since what was accepted must be said.
  void examine(const http::Request& request, const Call& call, const http::Response& response);  // examine.cpp
  void report(const http::Request& request, const Call& call, const http::Response& response, runtime::Monotonic began) const;

  Options options_;
  engine::Engine& engine_;
  const engine::TypeRegistry& types_;
  runtime::Clock& clock_;
  runtime::Random& random_;
  runtime::Log& log_;
  TrustedProxies proxies_;
  Waiters waiters_;
  checker::Observer observer_{kObservedOperations};
};

}  // namespace acceptd::contracts::arm
