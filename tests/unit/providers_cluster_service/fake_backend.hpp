#pragma once
/// A client that answers from a script, and what a provider needs around it.

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "http/client.hpp"
#include "model/uuid.hpp"
#include "providers/cluster_service/cluster_service.hpp"
#include "support/sim_clock.hpp"

namespace acceptd::providers::cluster_service {

class SeededRandom : public runtime::Random {
 public:
  std::uint64_t next() override { return engine_(); }

 private:
  std::mt19937_64 engine_{1};
};

class FakeClient : public http::Client {
 public:
  using Sent = std::expected<http::Response, http::ClientError>;

  explicit FakeClient(runtime::Clock& clock) : clock_(clock) {}

  /// The next request that has no answer yet gets this one, after `delay`.
  FakeClient& answer(unsigned status, std::string body = "", runtime::Duration delay = {}) {
    http::Response response;
    response.status = status;
    response.body = std::move(body);
    return script(std::move(response), delay);
  }
  FakeClient& answer_retry_after(unsigned status, std::string retry_after) {
    http::Response response;
    response.status = status;
    response.headers.add("Retry-After", retry_after);
    return script(std::move(response), {});
  }
  FakeClient& fail(http::Failure failure, runtime::Duration delay = {}) {
    return script(std::unexpected(http::ClientError{failure, "scripted"}), delay);
  }

  runtime::Task<Sent> send(http::ClientRequest request) override {
    requests.push_back(std::move(request));
    if (script_.empty()) {
      ADD_FAILURE() << "no answer left for " << requests.back().target;
      co_return std::unexpected(http::ClientError{http::Failure::not_sent, "nothing scripted"});
    }
    Step step = std::move(script_.front());
    script_.pop_front();
    in_flight_max = std::max(in_flight_max, ++in_flight_);
    if (step.delay > runtime::Duration{}) co_await clock_.sleep_for(step.delay);
    --in_flight_;
    co_return std::move(step.sent);
  }

  std::size_t answers_left() const { return script_.size(); }

  std::vector<http::ClientRequest> requests;
  std::size_t in_flight_max = 0;

 private:
  struct Step {
    Sent sent;
    runtime::Duration delay;
  };
  FakeClient& script(Sent sent, runtime::Duration delay) {
    script_.push_back(Step{std::move(sent), delay});
    return *this;
  }
  runtime::Clock& clock_;
  std::deque<Step> script_;
  std::size_t in_flight_ = 0;
};

inline boost::json::value parsed(std::string_view text) { return boost::json::parse(text); }

/// The value at a JSON pointer; null if there is none.
inline boost::json::value at(const boost::json::value& value, std::string_view pointer) {
  boost::system::error_code error;
  const boost::json::value* found = value.find_pointer(pointer, error);
  return found ? *found : boost::json::value();
}

struct BackendTest : ::testing::Test {
  static constexpr std::string_view kIncarnation = "11111111-2222-4333-8444-555555555555";
  static constexpr std::string_view kOperation = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
  static constexpr std::string_view kCluster = "/api/aro_hcp/v1alpha1/clusters/abc123";
  static constexpr std::string_view kCredentials = "/api/clusters_mgmt/v1/clusters/abc123/break_glass_credentials";
  static constexpr std::string_view kClusterId =
      "/subscriptions/0A1B/resourceGroups/My-RG/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/MyCluster";

  BackendTest() {
    options.region = "westus3";
    options.identity_url = "https://identity.example";
    limits.read_attempts_max = 1;
  }

  /// Made at first use, so that a test can set `limits` and `options` before.
  Connection& connection() {
    if (!connection_) connection_.emplace(limits, Connection::Dependencies{client, clock, random});
    return *connection_;
  }
  engine::Provider& clusters() {
    if (!clusters_) clusters_ = make_cluster_provider(connection(), options);
    return *clusters_;
  }
  engine::Provider& node_pools() {
    if (!node_pools_) node_pools_ = make_node_pool_provider(connection(), options);
    return *node_pools_;
  }

  template <class T>
  void start(runtime::Task<T> task, std::optional<T>& result) {
    auto keep = [&result](std::exception_ptr error, T value) {
      if (error) std::rethrow_exception(error);
      result = std::move(value);
    };
    boost::asio::co_spawn(io, std::move(task), std::move(keep));
  }
  /// Runs the task to its end; virtual time passes as it needs.
  template <class T>
  T run(runtime::Task<T> task) {
    std::optional<T> result;
    start(std::move(task), result);
    clock.run_until_idle();
    while (!result && clock.advance_to_next()) {
    }
    if (!result) throw std::logic_error("the task does not end");
    return std::move(*result);
  }

  static engine::Target target(model::RequestKind request, std::string_view id = kClusterId) {
    engine::Target target;
    target.id = *model::ResourceId::parse(id);
    target.request = request;
    target.incarnation = *model::parse_uuid(kIncarnation);
    target.operation = *model::parse_uuid(kOperation);
    target.tenant = "tenant-1";
    target.location = "westus3";
    target.correlation_id = "correlation-1";
    target.created = testing::SimClock::kStart;
    return target;
  }

  boost::asio::io_context io;
  testing::SimClock clock{io};
  FakeClient client{clock};
  SeededRandom random;
  ConnectionOptions limits;
  Options options;

 private:
  std::optional<Connection> connection_;
  std::unique_ptr<engine::Provider> clusters_, node_pools_;
};

}  // namespace acceptd::providers::cluster_service
