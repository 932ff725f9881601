#pragma once
/// A simulator on a file of its own and in virtual time, with verbs that read like curl.

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cluster-service-sim/simulator/simulator.hpp"
#include "http/uri.hpp"
#include "support/sim_clock.hpp"

namespace acceptd::simulator::testing {

using namespace std::chrono_literals;

inline const std::string kClusters = "/api/aro_hcp/v1alpha1/clusters";
inline const std::string kBreakGlass = "/api/clusters_mgmt/v1/clusters";

inline json::object cluster_body(std::string_view name) {
  return {{"name", name},
          {"region", json::object{{"id", "westus3"}}},
          {"azure", json::object{{"subscription_id", "11111111-2222-3333-4444-555555555555"},
                                 {"tenant_id", "66666666-2222-3333-4444-555555555555"},
                                 {"resource_group_name", "rg"},
                                 {"resource_name", name},
                                 {"managed_resource_group_name", std::string("mrg-") + std::string(name)}}}};
}

inline json::object node_pool_body(std::string_view name) {
  return {
      {"id", name}, {"replicas", 2}, {"azure_node_pool", json::object{{"resource_name", name}, {"vm_size", "Standard_D8s_v3"}}}};
}

struct Reply {
  unsigned status = 0;
  json::value body;
  http::Response response;
  std::string text(std::string_view pointer) const {
    boost::system::error_code missing;
    const json::value* value = body.find_pointer(pointer, missing);
    return value != nullptr && value->is_string() ? std::string(value->get_string())
           : value != nullptr                     ? json::serialize(*value)
                                                  : "(none)";
  }
};

class SimulatorTest : public ::testing::Test {
 protected:
  SimulatorTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("cluster-service-sim-" + std::to_string(::getpid()) + "-" + test->test_suite_name() + "-" + test->name());
    std::filesystem::create_directories(folder_);
    start();
  }
  ~SimulatorTest() override {
    stop();
    std::filesystem::remove_all(folder_);
  }

  std::filesystem::path file() const { return folder_ / "simulator.db"; }
  void start() {
    journal_ = std::make_unique<Journal>(file());
    world_ = std::make_unique<World>(*journal_, clock_, Durations(), kSeed);
    simulator_ = std::make_unique<Simulator>(*world_);
  }
  void stop() {
    simulator_.reset();
    world_.reset();
    journal_.reset();
  }
  void restart() {
    stop();
    start();
  }

  static http::Request request(http::Method method, std::string target, const json::value& body = nullptr) {
    auto parsed = http::parse_target(target);
    EXPECT_TRUE(parsed.has_value()) << target;
    http::Request request;
    request.method = method;
    request.target = std::move(target);
    request.path = std::move(parsed->path);
    request.segments = std::move(parsed->segments);
    request.query = std::move(parsed->query);
    if (!body.is_null()) request.body = json::serialize(body);
    return request;
  }
  Reply send(const http::Request& request) {
    const Treatment treatment = simulator_->treat(request);
    Reply reply;
    reply.response = simulator_->answer(request, treatment);
    reply.status = reply.response.status;
    if (!reply.response.body.empty()) reply.body = json::parse(reply.response.body);
    return reply;
  }
  Reply get(const std::string& path) { return send(request(http::Method::get, path)); }
  Reply remove(const std::string& path) { return send(request(http::Method::remove, path)); }
  Reply post(const std::string& path, const json::value& body) { return send(request(http::Method::post, path, body)); }
  Reply patch(const std::string& path, const json::value& body) { return send(request(http::Method::patch, path, body)); }
  Reply search(const std::string& text, const std::string& page = "1", const std::string& size = "100") {
    return get(kClusters + "?page=" + page + "&size=" + size + "&search=" + http::percent_encode(text));
  }

  std::string create(std::string_view name) {
    const Reply reply = post(kClusters, cluster_body(name));
    EXPECT_EQ(reply.status, 201U) << reply.response.body;
    return reply.text("/id");
  }
  std::string create_ready(std::string_view name) {
    const std::string id = create(name);
    clock_.advance(10s);
    return id;
  }
  std::string state(const std::string& id) { return get(kClusters + "/" + id + "/status").text("/state"); }
  std::string pool_state(const std::string& id, const std::string& pool) {
    return get(kClusters + "/" + id + "/node_pools/" + pool + "/status").text("/state/node_pool_state_value");
  }
  void script(json::object rule) {
    const Reply reply = post("/simulator/script", json::object{{"rules", json::array{std::move(rule)}}});
    ASSERT_EQ(reply.status, 200U) << reply.response.body;
  }

  static constexpr std::uint64_t kSeed = 7;
  boost::asio::io_context io_;
  acceptd::testing::SimClock clock_{io_};
  std::filesystem::path folder_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Simulator> simulator_;
};

}  // namespace acceptd::simulator::testing
