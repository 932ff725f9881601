/// DELETE of a resource. A body is ignored (ARM-087).

#include "contracts/arm/render.hpp"
#include "contracts/arm/service.hpp"

namespace acceptd::contracts::arm {

Task<http::Response> Service::remove_resource(const Call& call) {
  auto preconditions = preconditions_of(call.request);
  if (!preconditions) co_return error_response(preconditions.error());
  engine::RemoveRequest request{.id = *call.route.id,
                                .caller = call.caller,
                                .correlation = call.correlation,
                                .preconditions = std::move(*preconditions),
                                .api_version = call.api_version,
                                .operation_path = status_path(call)};
  const auto accepted = co_await engine_.remove(std::move(request));
  if (!accepted) co_return error_response(accepted.error());
  if (accepted->outcome == engine::Accepted::Outcome::absent) co_return http::Response{.status = 204};
  if (call.route.type->verbs(call.api_version).remove.answered == engine::Answered::when_done) {
    const model::Operation operation = co_await awaited(call, *accepted->operation);
    if (operation.status == model::Status::succeeded) co_return http::Response{.status = 200};  // ARM-083
    if (!operation.active()) co_return co_await ended_answer(call, operation);
  }
  http::Response response{.status = 202};
  add_links(response, call, *accepted->operation, Links::status_and_location);
  co_return response;
}

}  // namespace acceptd::contracts::arm
