/// POST of an action.

#include "contracts/arm/render.hpp"
#include "contracts/arm/service.hpp"

namespace acceptd::contracts::arm {

Task<http::Response> Service::act_on_resource(const Call& call) {
  const engine::ActionInfo& action = *call.route.type->info().action(call.route.action);
  auto parameters = body_of(call.request, true);
  if (parameters) parameters = call.route.type->build_parameters(action, call.api_version, std::move(*parameters));
  if (!parameters) co_return error_response(parameters.error());
  engine::ActionRequest request{.id = *call.route.id,
                                .action = call.route.action,
                                .caller = call.caller,
                                .correlation = call.correlation,
                                .api_version = call.api_version,
                                .parameters = std::move(*parameters),
                                .operation_path = status_path(call)};
  const auto accepted = co_await engine_.act(std::move(request));
  if (!accepted) co_return error_response(accepted.error());
  if (action.answered == engine::Answered::when_done) {
    const model::Operation operation = co_await awaited(call, *accepted->operation);
    if (!operation.active()) co_return co_await ended_answer(call, operation);
  }
  http::Response response{.status = 202};
  add_links(response, call, *accepted->operation, Links::status_and_location);
  co_return response;
}

}  // namespace acceptd::contracts::arm
