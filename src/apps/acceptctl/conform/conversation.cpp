#include "apps/acceptctl/conform/conversation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/json.hpp"
#include "model/uuid.hpp"

namespace acceptd::acceptctl::conform {

namespace {

/// A front door that the provider has never seen: what it emits must lead there (ARM-011).
constexpr std::string_view kFrontDoor = "https://front-door.conformance.example";
constexpr std::chrono::seconds kExchangeTimeout{60};
constexpr std::chrono::seconds kWaitUntold{60};
constexpr std::chrono::seconds kWaitMax{600};  // whatever the provider says (ARM-120)
constexpr std::chrono::milliseconds kShortWait{50};

}  // namespace

std::string Reply::member(std::string_view name) const {
  return object() ? std::string(model::string_at(*object(), name)) : std::string();
}

std::string Reply::state() const {
  const json::object* properties = object() ? model::object_at(*object(), "properties") : nullptr;
  return properties ? std::string(model::string_at(*properties, "provisioningState")) : std::string();
}

std::string describe(const Question& question) { return fmt::format("{} {}", http::to_string(question.method), question.path); }

runtime::Task<Reply> Conversation::ask(Question question) {
  http::ClientRequest request{.method = question.method, .target = question.path, .timeout = kExchangeTimeout};
  if (!question.query.empty()) request.target += "?" + question.query;
  request.headers = question.headers;
  request.headers.add("Accept", "application/json");
  request.headers.add("referer", std::string(kFrontDoor) + request.target);
  request.headers.add("x-ms-client-request-id", model::to_string(dependencies_.random.uuid_v4()));
  if (++asked_ % 2 == 0) request.headers.add("x-ms-return-client-request-id", "true");
  if (!question.body.empty() && !request.headers.get("Content-Type")) request.headers.add("Content-Type", "application/json");
  if (!identity_.tenant.empty()) request.headers.add("x-ms-home-tenant-id", identity_.tenant);
  if (!identity_.client.empty()) request.headers.add("x-ms-client-object-id", identity_.client);
  request.body = question.body;
  const http::Headers asked = request.headers;
  auto answer = co_await dependencies_.client.send(std::move(request));
  if (!answer) throw Silence(fmt::format("{}: {}", describe(question), answer.error().reason));
  Reply reply{.status = answer->status, .headers = std::move(answer->headers), .text = std::move(answer->body)};
  if (auto parsed = model::parse_json(reply.text)) reply.body = std::move(*parsed);
  examine(question, asked, reply);
  co_return reply;
}

void Conversation::examine(const Question& question, const http::Headers& asked, const Reply& reply) {
  const checker::Exchange exchange{.subject = question.subject,
                                   .method = question.method,
                                   .path = question.path,
                                   .asked = asked,
                                   .status = reply.status,
                                   .headers = reply.headers,
                                   .body = reply.text,
                                   .short_waits = short_waits_};
  std::vector<std::string_view> looked_at;
  std::vector<checker::Finding> findings = observer_.check(exchange, &looked_at);
  for (const std::string_view rule : looked_at) report_.kept(rule);
  if (const std::string id = reply.header("x-ms-request-id"); !id.empty() && !request_ids_.insert(id).second)
    findings.push_back({"ARM-001", fmt::format("x-ms-request-id {} was given to an earlier request", id)});
  for (checker::Finding& finding : findings)
    report_.broken(finding.rule, fmt::format("{} ({}): {}", describe(question), reply.status, finding.message));
}

runtime::Task<Reply> Conversation::expect(std::string_view rule, unsigned status, unsigned other, Question question) {
  const std::string what = describe(question);
  Reply reply = co_await ask(std::move(question));
  const std::string expected = status == other ? fmt::format("{}", status) : fmt::format("{} or {}", status, other);
  report_.judge(rule, reply.status == status || reply.status == other,
                fmt::format("{} is answered {}, expected {}", what, reply.status, expected));
  co_return reply;
}

std::chrono::nanoseconds Conversation::wait_of(const Reply& reply) const {
  const std::string text = reply.header("Retry-After");
  int seconds = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failed != std::errc() || seconds < 0) return short_waits_ ? kShortWait : std::chrono::nanoseconds(kWaitUntold);
  if (short_waits_ && seconds == 0) return kShortWait;
  return std::min(std::chrono::seconds(seconds), kWaitMax);
}

}  // namespace acceptd::acceptctl::conform
