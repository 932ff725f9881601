#include "providers/cluster_service/connection.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/json.hpp"

namespace acceptd::providers::cluster_service {

namespace {

/// Larger answers are not looked at: the largest object that Cluster Service sends is far below it.
constexpr std::size_t kBodyBytesMax = 4 * 1024 * 1024;
constexpr std::size_t kCorrelationBytesMax = 128;

/// Fit for a header field: a caller chose it.
bool is_plain(std::string_view text) {
  const auto plain = [](char c) { return c > ' ' && c < 0x7f; };
  return !text.empty() && text.size() <= kCorrelationBytesMax && std::ranges::all_of(text, plain);
}

http::ClientRequest make_request(http::Method method, std::string target, std::string_view correlation_id) {
  http::ClientRequest request;
  request.method = method;
  request.target = std::move(target);
  request.headers.add("Accept", "application/json");
  if (is_plain(correlation_id)) request.headers.add("X-Request-ID", correlation_id);
  return request;
}

Reply not_sent(std::string reason) {
  Reply reply;
  reply.kind = Reply::Kind::not_sent;
  reply.reason = std::move(reason);
  return reply;
}

Reply reply_of(std::expected<http::Response, http::ClientError> sent) {
  Reply reply;
  if (!sent) {
    reply.kind = sent.error().failure == http::Failure::not_sent ? Reply::Kind::not_sent : Reply::Kind::unknown;
    reply.reason = std::move(sent.error().reason);
    return reply;
  }
  reply.kind = Reply::Kind::answered;
  reply.status = sent->status;
  reply.retry_after = sent->headers.get("Retry-After").has_value();
  if (sent->body.empty() || sent->body.size() > kBodyBytesMax) return reply;
  if (auto body = model::parse_json(sent->body)) {
    reply.body = std::move(*body);
    reply.readable = true;
  }
  return reply;
}

}  // namespace

Connection::Connection(ConnectionOptions options, Dependencies dependencies)
    : options_(options),
      dependencies_(dependencies),
      turns_(options.concurrency, options.waiting_max),
      breaker_(options.breaker_failures, options.breaker_open_for) {}

runtime::Task<Reply> Connection::read(std::string target, std::string correlation_id) {
  for (unsigned attempts = 1;; ++attempts) {
    http::ClientRequest request = make_request(http::Method::get, target, correlation_id);
    Reply reply = co_await attempt(std::move(request));
    if (!reply.failed() || attempts == options_.read_attempts_max) co_return reply;
    const auto pause = pause_before(attempts + 1, reply);
    if (!pause) co_return reply;
    ++figures_.retries;
    co_await dependencies_.clock.sleep_for(*pause);
  }
}

runtime::Task<Reply> Connection::write(http::Method method, std::string target, boost::json::value body,
                                       std::string correlation_id) {
  http::ClientRequest request = make_request(method, std::move(target), correlation_id);
  if (!body.is_null()) {
    request.headers.add("Content-Type", "application/json");
    request.body = model::to_text(body);
  }
  co_return co_await attempt(std::move(request));
}

runtime::Task<Reply> Connection::attempt(http::ClientRequest request) {
  runtime::Clock& clock = dependencies_.clock;
  const runtime::Monotonic give_up = clock.monotonic() + options_.request_timeout;
  if (breaker_.state(clock.monotonic()) == Breaker::State::open) {
    ++figures_.refused;
    co_return not_sent("not called: the last calls failed");
  }
  const std::optional<Turns::Turn> turn = co_await turns_.take();
  // A turn that comes too late is not used: whoever asked has given the call up, or will soon.
  if (!turn || clock.monotonic() >= give_up) {
    ++figures_.refused;
    co_return not_sent("not called: too many calls wait");
  }
  if (!breaker_.admit(clock.monotonic())) {
    ++figures_.refused;
    co_return not_sent("not called: the last calls failed");
  }
  Breaker::Report report(breaker_);
  request.timeout = options_.request_timeout;
  ++figures_.calls;
  auto sent = co_await dependencies_.client.send(std::move(request));
  Reply reply = reply_of(std::move(sent));
  if (reply.failed()) ++figures_.failures;
  report.ended(reply.failed(), clock.monotonic());
  co_return reply;
}

std::optional<runtime::Duration> Connection::pause_before(unsigned attempt, const Reply& last) const {
  if (breaker_.state(dependencies_.clock.monotonic()) != Breaker::State::closed) return std::nullopt;
  // The backend says when to come back: a pause of that length belongs to the callers' schedules.
  if (last.retry_after) return std::nullopt;
  const unsigned doublings = std::min(attempt - 2, 20u);
  const runtime::Duration base = std::min(options_.backoff_first * (std::int64_t{1} << doublings), options_.backoff_max);
  return dependencies_.random.jitter(base, options_.backoff_jitter);
}

ConnectionFigures Connection::figures() const {
  ConnectionFigures figures = figures_;
  figures.in_flight = turns_.taken();
  figures.waiting = turns_.waiting();
  figures.open = breaker_.state(dependencies_.clock.monotonic()) != Breaker::State::closed;
  return figures;
}

}  // namespace acceptd::providers::cluster_service
