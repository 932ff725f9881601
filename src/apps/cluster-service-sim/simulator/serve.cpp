#include "apps/cluster-service-sim/simulator/serve.hpp"

namespace acceptd::simulator {
namespace {

http::Response drop() {
  http::Response response;
  response.status = http::Response::kDropConnection;
  return response;
}

runtime::Task<http::Response> serve(Simulator& simulator, runtime::Clock& clock, http::Request request) {
  const Treatment treatment = simulator.treat(request);
  if (treatment.delay_before.count() > 0) co_await clock.sleep_for(treatment.delay_before);
  if (treatment.drop_before_work) co_return drop();
  http::Response response = simulator.answer(request, treatment);
  if (treatment.delay_after.count() > 0) co_await clock.sleep_for(treatment.delay_after);
  if (treatment.drop_reply_after_work) co_return drop();
  co_return response;
}

unsigned status_of(http::Refused refused) {
  switch (refused) {
    case http::Refused::malformed: return 400;
    case http::Refused::header_too_large: return 431;
    case http::Refused::body_too_large: return 413;
    case http::Refused::version: return 505;
    case http::Refused::too_many_connections: return 503;
  }
  return 500;
}

}  // namespace

http::Handler make_handler(Simulator& simulator, runtime::Clock& clock) {
  return [&simulator, &clock](http::Request request) { return serve(simulator, clock, std::move(request)); };
}

http::Refuse make_refuse() {
  return [](http::Refused refused, std::string_view reason) {
    const Refusal refusal{status_of(refused), std::string(reason)};
    http::Response response = reply_error(refusal, "");
    if (refused == http::Refused::too_many_connections) response.headers.set("Retry-After", "1");
    return response;
  };
}

}  // namespace acceptd::simulator
