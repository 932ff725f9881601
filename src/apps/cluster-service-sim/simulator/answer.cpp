#include "apps/cluster-service-sim/simulator/answer.hpp"

#include <fmt/format.h>

namespace acceptd::simulator {

http::Response reply_json(unsigned status, const json::value& body) {
  http::Response response;
  response.status = status;
  response.headers.set("Content-Type", "application/json");
  response.body = json::serialize(body);
  mark_simulated(response);
  return response;
}

http::Response reply_empty(unsigned status) {
  http::Response response;
  response.status = status;
  mark_simulated(response);
  return response;
}

http::Response reply_error(const Refusal& refusal, std::string_view operation_id) {
  const std::string number = fmt::format("{}", refusal.status);
  const json::object body{{"kind", "Error"},
                          {"id", number},
                          {"href", "/api/aro_hcp/v1alpha1/errors/" + number},
                          {"code", refusal.code.empty() ? "CLUSTERS-MGMT-" + number : refusal.code},
                          {"reason", refusal.reason},
                          {"operation_id", operation_id}};
  return reply_json(refusal.status, body);
}

void mark_simulated(http::Response& response) { response.headers.set("X-Simulator", "cluster-service-sim"); }

std::string to_timestamp(runtime::Time time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<microseconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

}  // namespace acceptd::simulator
