/// What types differ in: methods that they do not have, and answers that wait for the end of the work.

#include <fmt/ranges.h>

#include <algorithm>

#include "contracts/arm/render.hpp"
#include "contracts/arm/service.hpp"
#include "contracts/arm/text.hpp"

namespace acceptd::contracts::arm {

namespace {

constexpr std::chrono::nanoseconds kFirstLook = std::chrono::milliseconds(5);
constexpr std::chrono::nanoseconds kLastLook = std::chrono::milliseconds(250);

}  // namespace

Task<model::Operation> Service::awaited(const Call& call, model::Operation operation) {
  const auto place = waiters_.take();
  if (!place) co_return operation;
  const runtime::Monotonic until = wait_until(call.began, options_.wait_max);
  std::chrono::nanoseconds pause = kFirstLook;
  while (operation.active() && clock_.monotonic() < until) {
    co_await clock_.sleep_until(std::min(clock_.monotonic() + pause, until));
    pause = std::min(pause * 2, kLastLook);
    auto read = co_await engine_.operation(call.route.subscription, operation.id, call.caller);
    if (!read) break;
    operation = std::move(*read);
  }
  co_return operation;
}

std::vector<http::Method> Service::methods_of(const Call& call) const {
  using http::Method;
  const engine::Verbs verbs = call.route.type->verbs(call.api_version);
  std::vector<Method> methods;
  const auto reads = [&](const engine::Verb& verb) {
    if (verb.offered) methods.insert(methods.end(), {Method::get, Method::head});
  };
  switch (call.route.kind) {
    case RouteKind::resource:
      reads(verbs.get);
      if (verbs.put.offered) methods.push_back(Method::put);
      if (verbs.patch.offered) methods.push_back(Method::patch);
      if (verbs.remove.offered) methods.push_back(Method::remove);
      break;
    case RouteKind::list:
      reads(call.route.id || !call.route.resource_group.empty() ? verbs.list : verbs.list_subscription);
      break;
    case RouteKind::action: {
      const engine::ActionInfo* action = call.route.type->info().action(call.route.action);
      const bool known =
          action->api_versions.empty() || std::ranges::find(action->api_versions, call.api_version) != action->api_versions.end();
      if (known) methods.push_back(Method::post);
      break;
    }
    default: break;
  }
  return methods;
}

http::Response Service::refuse_method(const Call& call) const {
  std::vector<std::string_view> names;
  for (const http::Method method : methods_of(call)) names.push_back(http::to_string(method));
  const model::Error refusal{.kind = model::ErrorKind::invalid,
                             .code = "MethodNotAllowed",
                             .message = fmt::format("The method {} is not allowed here.", http::to_string(call.request.method))};
  http::Response response = error_response(refusal);
  response.headers.add("Allow", fmt::format("{}", fmt::join(names, ", ")));
  return response;
}

}  // namespace acceptd::contracts::arm
