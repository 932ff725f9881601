#pragma once
/// The simulated Cluster Service: from a request to its answer, without sockets.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "apps/cluster-service-sim/simulator/answer.hpp"
#include "apps/cluster-service-sim/simulator/world.hpp"
#include "http/message.hpp"

namespace acceptd::simulator {

/// One call to a route, its path split below the base ("clusters", "<id>", "status").
struct Call {
  http::Method method = http::Method::get;
  std::vector<std::string> path;
  const http::Request& request;
  const Treatment& treatment;
};
using Answer = Result<http::Response>;

/// For one thread. A change is durable before answer() returns. Throws std::runtime_error when the file cannot be
/// written.
class Simulator {
 public:
  explicit Simulator(World& world) : world_(world) {}

  /// What the script does to this call; counts the call. Then answer() does the work.
  Treatment treat(const http::Request& request);
  http::Response answer(const http::Request& request, const Treatment& treatment);

  static constexpr std::size_t kRequestIdsMax = 1000;     ///< remembered for /simulator/stats
  static constexpr std::size_t kRequestIdBytesMax = 256;  ///< of each
  static constexpr std::size_t kObjectsListed = 1000;     ///< in /simulator/stats

 private:
  Answer route(const http::Request& request, const Treatment& treatment);
  Answer control(const http::Request& request);
  Answer post_script(const http::Request& request);
  Answer post_advance(const http::Request& request);
  json::object script() const;
  json::object stats() const;
  void forget();
  void count(std::string_view method, std::string_view pattern, const http::Request& request);

  World& world_;
  std::map<std::string, std::uint64_t> calls_;  ///< "GET /clusters/*/status" → calls since the process began or was reset
  struct Seen {
    std::string route, id;
  };
  std::deque<Seen> request_ids_;
};

}  // namespace acceptd::simulator
