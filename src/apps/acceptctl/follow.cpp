#include "follow.hpp"

#include <fmt/format.h>

#include "model/json.hpp"
#include "model/resource_id.hpp"
#include "retry.hpp"

namespace acceptd::acceptctl {
namespace {

std::string state_of_operation(const Answer& answer) {
  return answer.body.is_object() ? std::string(model::string_at(answer.body.get_object(), "status")) : "";
}

std::string state_of_resource(const Answer& answer) {
  const json::object* properties = answer.body.is_object() ? model::object_at(answer.body.get_object(), "properties") : nullptr;
  const std::string state = properties != nullptr ? std::string(model::string_at(*properties, "provisioningState")) : "";
  return state.empty() ? "Succeeded" : state;  // ARM-140
}

std::string state_of_result(const Answer& answer) { return answer.status == 202 ? "Running" : "Succeeded"; }

std::string header(const Answer& answer, std::string_view name) { return std::string(answer.headers.get(name).value_or("")); }

Problem failed(const json::value& operation, std::string_view state) {
  Problem problem{ExitCode::operation_failed, fmt::format("The operation ended {}", state), operation};
  const json::object* error = operation.is_object() ? model::object_at(operation.get_object(), "error") : nullptr;
  if (error != nullptr)
    problem.message +=
        fmt::format(": {}: {}", std::string(model::string_at(*error, "code")), std::string(model::string_at(*error, "message")));
  return problem;
}

}  // namespace

bool is_terminal(std::string_view state) {
  for (const std::string_view end : {"Succeeded", "Failed", "Canceled"})
    if (model::equals_ignoring_case(state, end)) return true;
  return false;
}

runtime::Duration Follower::wait_of(const Answer& answer) const {
  return retry_after(answer.headers, session_.clock().now()).value_or(kPollDefault);
}

runtime::Task<Outcome<Answer>> Follower::poll(std::string target, Judge judge, runtime::Duration first_wait) {
  runtime::Duration wait = first_wait;
  std::optional<Problem> last;  // of polls that told nothing
  for (unsigned failures = 0;;) {
    const runtime::Monotonic next = session_.clock().monotonic() + wait;
    co_await progress_.wait_until(std::min(next, session_.deadline()));
    if (next >= session_.deadline()) {
      Problem problem = last ? std::move(*last) : timed_out(target);
      co_return std::unexpected(std::move(problem));
    }
    auto answer = co_await session_.once(http::Method::get, target, "");
    if (!answer || is_transient(answer->status, answer->headers)) {
      std::optional<runtime::Duration> asked;
      if (answer) asked = retry_after(answer->headers, session_.clock().now());
      last = answer ? problem_of(*answer) : unreachable(arguments_.server, answer.error());
      wait = asked.value_or(back_off(failures++, session_.random().unit()));
      progress_.state("The server does not answer, asking again");
      continue;
    }
    if (answer->status >= 400) co_return std::unexpected(problem_of(*answer));
    failures = 0;
    last.reset();
    const std::string state = judge(*answer);
    if (state.empty())
      co_return std::unexpected(Problem{ExitCode::unreachable, "The server's answer names no status", answer->body});
    progress_.state(state);
    if (is_terminal(state)) co_return std::move(*answer);
    wait = wait_of(*answer);
  }
}

runtime::Task<Outcome<json::value>> Follower::watch(std::string target) {
  auto answer = co_await poll(std::move(target), state_of_operation, runtime::Duration(0));
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  co_return std::move(answer->body);
}

runtime::Task<Outcome<json::value>> Follower::after_operation(http::Method method, std::string target, std::string location,
                                                              json::value operation) {
  const std::string state(model::string_at(operation.as_object(), "status"));
  if (!model::equals_ignoring_case(state, "Succeeded")) {
    Problem problem = failed(operation, state);
    co_return std::unexpected(std::move(problem));
  }
  if (method == http::Method::remove) co_return nullptr;
  if (method == http::Method::post && location.empty()) co_return nullptr;
  if (method == http::Method::post) target = location;
  auto answer = co_await session_.call(http::Method::get, std::move(target));
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  co_return std::move(answer->body);
}

runtime::Task<Outcome<json::value>> Follower::to_the_end(http::Method method, std::string target, Answer accepted) {
  const auto status_url = session_.target_of(header(accepted, "Azure-AsyncOperation"));
  const auto result_url = session_.target_of(header(accepted, "Location"));
  const runtime::Duration first_wait = wait_of(accepted);
  if (accepted.headers.get("Azure-AsyncOperation")) {
    if (!status_url) co_return std::unexpected(status_url.error());
    auto answer = co_await poll(*status_url, state_of_operation, first_wait);
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    co_return co_await after_operation(method, std::move(target), result_url.value_or(""), std::move(answer->body));
  }
  if (accepted.status == 202) {
    if (!result_url) co_return std::unexpected(result_url.error());
    auto answer = co_await poll(*result_url, state_of_result, first_wait);
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    co_return std::move(answer->body);
  }
  if (accepted.status == 204 || is_terminal(state_of_resource(accepted))) co_return std::move(accepted.body);
  auto answer = co_await poll(std::move(target), state_of_resource, first_wait);
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const std::string state = state_of_resource(*answer);
  if (!model::equals_ignoring_case(state, "Succeeded")) {
    Problem problem = failed(answer->body, state);
    co_return std::unexpected(std::move(problem));
  }
  co_return std::move(answer->body);
}

}  // namespace acceptd::acceptctl
