#include "session.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "http/uri.hpp"
#include "model/json.hpp"
#include "model/resource_id.hpp"
#include "retry.hpp"

namespace acceptd::acceptctl {
namespace {

/// Longer than the server holds a request before it answers 202.
constexpr std::chrono::seconds kExchangeTimeout{60};

bool same_origin(const http::Url& a, const http::Url& b) {
  return a.scheme == b.scheme && model::equals_ignoring_case(a.host, b.host) && a.port == b.port;
}

std::string member(const json::object& object, std::string_view name) { return std::string(model::string_at(object, name)); }

ExitCode exit_code_of(unsigned status) {
  if (status == 404) return ExitCode::not_found;
  return status >= 500 ? ExitCode::unreachable : ExitCode::refused;
}

}  // namespace

Problem problem_of(const Answer& answer) {
  Problem problem{exit_code_of(answer.status), fmt::format("HTTP {}", answer.status), answer.body};
  const json::object* error = answer.body.is_object() ? model::object_at(answer.body.get_object(), "error") : nullptr;
  if (error == nullptr) return problem;
  problem.message = fmt::format("{}: {} (HTTP {})", member(*error, "code"), member(*error, "message"), answer.status);
  const json::value* details = error->if_contains("details");
  if (details == nullptr || !details->is_array()) return problem;
  for (const json::value& detail : details->get_array())
    if (detail.is_object())
      problem.message += fmt::format("\n  {}: {}", member(detail.get_object(), "target"), member(detail.get_object(), "message"));
  return problem;
}

Problem unreachable(const std::string& server, const http::ClientError& error) {
  return {ExitCode::unreachable, fmt::format("{} does not answer: {}", server, error.reason), nullptr};
}

Problem timed_out(const std::string& what) {
  return {ExitCode::timed_out, fmt::format("Gave up waiting for {}; it goes on at the server", what), nullptr};
}

Session::Session(const Arguments& arguments, Dependencies dependencies)
    : arguments_(arguments), dependencies_(dependencies), deadline_(dependencies.clock.monotonic() + arguments.timeout) {}

runtime::Task<std::expected<Answer, http::ClientError>> Session::once(http::Method method, std::string target, std::string body) {
  http::ClientRequest request;
  request.method = method;
  request.target = std::move(target);
  request.timeout = kExchangeTimeout;
  request.headers.add("Accept", "application/json");
  if (!body.empty()) request.headers.add("Content-Type", "application/json");
  if (!arguments_.tenant.empty()) request.headers.add("x-ms-home-tenant-id", arguments_.tenant);
  if (!arguments_.client.empty()) request.headers.add("x-ms-client-object-id", arguments_.client);
  const bool writes = method == http::Method::put || method == http::Method::patch || method == http::Method::remove;
  if (!arguments_.if_match.empty() && writes) request.headers.add("If-Match", arguments_.if_match);
  request.body = std::move(body);
  auto response = co_await dependencies_.client.send(std::move(request));
  if (!response) co_return std::unexpected(response.error());
  Answer answer{response->status, response->headers, std::move(response->body), nullptr};
  if (auto parsed = model::parse_json(answer.text)) answer.body = std::move(*parsed);
  co_return answer;
}

runtime::Task<Outcome<Answer>> Session::call(http::Method method, std::string target, std::string body) {
  for (unsigned attempt = 0;; ++attempt) {
    auto answer = co_await once(method, target, body);
    if (answer && answer->status < 400) co_return std::move(*answer);
    const bool again =
        answer ? may_repeat(method, http::Response{answer->status, answer->headers, {}}) : may_repeat(method, answer.error());
    Problem problem = answer ? problem_of(*answer) : unreachable(arguments_.server, answer.error());
    if (!again || attempt + 1 >= kAttemptsMax) co_return std::unexpected(std::move(problem));
    std::optional<runtime::Duration> asked;
    if (answer) asked = retry_after(answer->headers, clock().now());
    const runtime::Monotonic next = clock().monotonic() + asked.value_or(back_off(attempt, random().unit()));
    if (next > deadline_) co_return std::unexpected(std::move(problem));
    co_await clock().sleep_until(next);
  }
}

Outcome<std::string> Session::target_of(const std::string& url) const {
  if (url.starts_with('/')) return url;
  const auto named = http::parse_url(url);
  const auto server = http::parse_url(arguments_.server);
  if (!named || !server) return usage_problem(fmt::format("'{}' is not an http(s) URL", url));
  if (!same_origin(*named, *server))
    return usage_problem(fmt::format("'{}' is not on {}: name that server with --server", url, arguments_.server));
  return named->path + (named->query.empty() ? "" : "?" + named->query);
}

}  // namespace acceptd::acceptctl
