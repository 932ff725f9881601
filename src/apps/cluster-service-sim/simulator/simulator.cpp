#include "apps/cluster-service-sim/simulator/simulator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/cluster-service-sim/simulator/routes.hpp"
#include "apps/cluster-service-sim/simulator/shape.hpp"

namespace acceptd::simulator {
namespace {

constexpr std::size_t kBaseSegments = 3;  // api, service, version

bool is_control(const http::Request& request) { return request.segments.empty() || request.segments[0] == "simulator"; }

bool is_based(const http::Request& request, std::string_view base) {
  if (request.segments.size() <= kBaseSegments) return false;
  return fmt::format("/{}", fmt::join(request.segments.begin(), request.segments.begin() + kBaseSegments, "/")) == base;
}

/// Break-glass credentials never moved to the newer base.
bool is_served(const http::Request& request) {
  if (is_based(request, kBreakGlassBase)) return true;
  return is_based(request, kBase) &&
         (request.segments.size() < kBaseSegments + 3 || request.segments[kBaseSegments + 2] != "break_glass_credentials");
}

std::vector<std::string> below_base(const http::Request& request) {
  if (!is_served(request)) return {};
  return {request.segments.begin() + kBaseSegments, request.segments.end()};
}

std::string member_of(const http::Request& request, std::string_view name) {
  const auto body = parse_body(request.body);
  const json::value* value = body ? body->if_contains(name) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// The name that rules are matched with.
std::string name_concerned(const World& world, const http::Request& request, const std::vector<std::string>& path) {
  if (path.empty() || path[0] != "clusters") return "";
  const bool creates = request.method == http::Method::post;
  if (path.size() == 1) return creates ? member_of(request, "name") : "";
  if (path.size() >= 3 && path[2] == "node_pools") return path.size() > 3 ? path[3] : creates ? member_of(request, "id") : "";
  const Object* cluster = world.find_cluster(path[1]);
  return cluster == nullptr ? "" : std::string(cluster->body.at("name").as_string());
}

std::string operation_id(const http::Request& request) { return std::string(request.headers.get("X-Request-ID").value_or("")); }

}  // namespace

Treatment Simulator::treat(const http::Request& request) {
  if (is_control(request)) return {};
  const std::vector<std::string> path = below_base(request);
  const auto route = std::ranges::find_if(routes(), [&](const Route& r) { return fits(r.pattern, path); });
  const std::string_view method = http::to_string(request.method);
  count(method, route == routes().end() ? "(no such route)" : route->pattern, request);
  if (route == routes().end()) return {};
  const std::string below = fmt::format("/{}", fmt::join(path, "/"));
  const std::string name = name_concerned(world_, request, path);
  return world_.treat({method, below, name});
}

http::Response Simulator::answer(const http::Request& request, const Treatment& treatment) {
  const Answer answer = is_control(request) ? control(request) : route(request, treatment);
  return answer ? *answer : reply_error(answer.error(), operation_id(request));
}

Answer Simulator::route(const http::Request& request, const Treatment& treatment) {
  if (treatment.answer) return std::unexpected(*treatment.answer);
  const Call call{request.method, below_base(request), request, treatment};
  bool known_path = false;
  for (const Route& route : routes()) {
    if (call.path.empty() || !fits(route.pattern, call.path)) continue;
    known_path = true;
    if (route.method == request.method) return route.handle(world_, call);
  }
  if (known_path)
    return std::unexpected(Refusal{405, fmt::format("Method {} is not allowed here", http::to_string(request.method))});
  return std::unexpected(Refusal{404, fmt::format("The path '{}' does not exist", request.path)});
}

void Simulator::count(std::string_view method, std::string_view pattern, const http::Request& request) {
  const std::string route = fmt::format("{} {}", method, pattern);
  ++calls_[route];
  const auto id = request.headers.get("X-Request-ID");
  if (!id) return;
  request_ids_.push_back({route, std::string(id->substr(0, kRequestIdBytesMax))});
  if (request_ids_.size() > kRequestIdsMax) request_ids_.pop_front();
}

void Simulator::forget() {
  calls_.clear();
  request_ids_.clear();
}

}  // namespace acceptd::simulator
