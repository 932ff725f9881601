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

Task<std::optional<std::vector<std::string>>> Service::features_of(const Call& call,
                                                                   const model::Result<boost::json::object>& body) {
  const boost::json::value* tags = body ? body->if_contains("tags") : nullptr;
  if (!tags || tags->is_null()) co_return std::nullopt;
  std::vector<std::string> features;
  const auto subscription = co_await engine_.get_subscription(call.route.subscription);
  if (!subscription) co_return features;  // the engine refuses the write
  const boost::json::object* properties = model::object_at(subscription->body, "properties");
  const boost::json::value* registered = properties ? properties->if_contains("registeredFeatures") : nullptr;
  if (!registered || !registered->is_array()) co_return features;
  for (const boost::json::value& item : registered->get_array()) {
    const boost::json::object* feature = item.if_object();
    if (feature && model::string_at(*feature, "state") == "Registered") features.emplace_back(model::string_at(*feature, "name"));
  }
  co_return features;
}

}  // namespace acceptd::contracts::arm
