// The simulator's own routes: script, statistics, time.

#include <fmt/format.h>

#include "apps/cluster-service-sim/simulator/routes.hpp"
#include "apps/cluster-service-sim/simulator/shape.hpp"
#include "apps/cluster-service-sim/simulator/simulator.hpp"

namespace acceptd::simulator {
namespace {

constexpr double kAdvanceSecondsMax = 1e9;

json::object introduction() {
  return {{"simulator", true},
          {"name", "cluster-service-sim"},
          {"description", "A simulation of OpenShift Cluster Service: nothing is provisioned."},
          {"api", json::array{kBase, kBreakGlassBase}},
          {"control", json::array{"GET /simulator/stats", "GET, POST, DELETE /simulator/script", "POST /simulator/advance",
                                  "POST /simulator/reset"}}};
}

json::object render(const World& world, const Object& object) {
  switch (object.kind) {
    case Kind::cluster: return render_cluster(world, object);
    case Kind::node_pool: return render_node_pool(world, object);
    case Kind::credential: return render_credential(world, object);
  }
  return {};
}

}  // namespace

Answer Simulator::control(const http::Request& request) {
  using enum http::Method;
  const auto is = [&](http::Method method, std::string_view path) {
    return request.method == method && request.segments.size() == 2 && request.segments[1] == path;
  };
  if (request.segments.empty() && request.method == get) return reply_json(200, introduction());
  if (is(get, "stats")) return reply_json(200, stats());
  if (is(get, "script")) return reply_json(200, script());
  if (is(post, "script")) return post_script(request);
  if (is(post, "advance")) return post_advance(request);
  if (is(remove, "script")) {
    world_.clear_rules();
    return reply_empty(204);
  }
  if (is(post, "reset")) {
    world_.reset();
    forget();
    return reply_empty(204);
  }
  return std::unexpected(Refusal{404, fmt::format("The simulator has no {} {}", http::to_string(request.method), request.path)});
}

Answer Simulator::post_script(const http::Request& request) {
  const auto body = parse_body(request.body);
  if (!body) return std::unexpected(body.error());
  Durations durations = world_.durations();
  std::vector<Rule> rules;
  for (const auto& member : *body) {
    if (member.key() == "durations" && member.value().is_object()) {
      if (auto changed = change(durations, member.value().get_object()); !changed) return std::unexpected(changed.error());
    } else if (member.key() == "rules" && member.value().is_array()) {
      for (const json::value& text : member.value().get_array()) {
        auto rule = parse_rule(text);
        if (!rule) return std::unexpected(rule.error());
        rule->applied = 0;
        rules.push_back(std::move(*rule));
      }
    } else {
      return std::unexpected(
          Refusal{400, fmt::format("'{}' is not {{rules: [...], durations: {{...}}}}", std::string_view(member.key()))});
    }
  }
  if (world_.rules().size() + rules.size() > kRulesMax)
    return std::unexpected(Refusal{400, fmt::format("more than {} rules", kRulesMax)});
  if (body->contains("durations")) world_.set_durations(durations);
  world_.add_rules(std::move(rules));
  return reply_json(200, script());
}

Answer Simulator::post_advance(const http::Request& request) {
  const auto body = parse_body(request.body);
  if (!body) return std::unexpected(body.error());
  const json::value* seconds = body->if_contains("seconds");
  const double number = seconds != nullptr && seconds->is_number() ? seconds->to_number<double>() : -1;
  if (!(number >= 0 && number <= kAdvanceSecondsMax))
    return std::unexpected(Refusal{400, fmt::format("'seconds' must be a number from 0 to {}", kAdvanceSecondsMax)});
  world_.advance(std::chrono::duration_cast<runtime::Duration>(std::chrono::duration<double>(number)));
  return reply_json(200, json::object{{"now", to_timestamp(world_.now())}});
}

json::object Simulator::script() const {
  json::array rules;
  for (const Rule& rule : world_.rules()) rules.push_back(to_json(rule));
  return {{"rules", std::move(rules)}, {"durations", to_json(world_.durations())}};
}

json::object Simulator::stats() const {
  json::object calls;
  for (const auto& [route, number] : calls_) calls[route] = number;
  json::object names;
  std::uint64_t duplicates = 0;
  for (const auto& [name, tally] : world_.tallies()) {
    names[name] = json::object{{"created", tally.created}, {"duplicates", tally.duplicates}, {"refused", tally.refused}};
    duplicates += tally.duplicates;
  }
  json::array request_ids;
  for (const Seen& seen : request_ids_) request_ids.push_back(json::object{{"route", seen.route}, {"id", seen.id}});
  json::object alive;
  json::array objects;
  for (const Kind kind : {Kind::cluster, Kind::node_pool, Kind::credential}) {
    const auto listed = world_.list(kind);
    alive[to_string(kind)] = listed.size();
    for (const Object* object : listed)
      if (objects.size() < kObjectsListed) objects.push_back(render(world_, *object));
  }
  return {{"now", to_timestamp(world_.now())}, {"calls", std::move(calls)}, {"request_ids", std::move(request_ids)},
          {"duplicates", duplicates},          {"names", std::move(names)}, {"alive", std::move(alive)},
          {"objects", std::move(objects)}};
}

}  // namespace acceptd::simulator
