/// Subscription lifecycle (ARM-260 to ARM-269).

#include <algorithm>
#include <array>

#include "contracts/arm/render.hpp"
#include "contracts/arm/service.hpp"
#include "model/json.hpp"

namespace acceptd::contracts::arm {

namespace {
constexpr std::array<std::string_view, 5> kStates{"Registered", "Unregistered", "Warned", "Suspended", "Deleted"};
}  // namespace

Task<http::Response> Service::get_subscription(const Call& call) {
  const auto subscription = co_await engine_.get_subscription(call.route.subscription);
  if (!subscription) co_return error_response(subscription.error());
  co_return json_response(200, subscription->body);
}

Task<http::Response> Service::put_subscription(const Call& call) {
  auto body = body_of(call.request, false);
  if (!body) co_return error_response(body.error());
  const std::string state(model::string_at(*body, "state"));
  if (std::ranges::find(kStates, state) == kStates.end()) {
    const model::Error refusal{
        .kind = model::ErrorKind::invalid,
        .code = "InvalidRequestContent",
        .message = R"(Unsupported value: supported values: "Registered", "Unregistered", "Warned", "Suspended", "Deleted")",
        .target = "state"};
    co_return error_response(refusal);
  }
  model::Subscription subscription{.id = call.route.subscription, .state = state, .body = std::move(*body)};
  const auto stored = co_await engine_.put_subscription(std::move(subscription));
  if (!stored) co_return error_response(stored.error());
  co_return json_response(200, stored->body);
}

Task<std::optional<model::Error>> Service::refuse_unknown_subscription(const Call& call) {
  auto subscription = co_await engine_.get_subscription(call.route.subscription);
  if (subscription) co_return std::nullopt;
  co_return std::move(subscription.error());
}

}  // namespace acceptd::contracts::arm
