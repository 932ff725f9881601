#include "providers/http_backend/calls.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <utility>

#include "model/json.hpp"

namespace acceptd::providers::http_backend {

namespace {

constexpr double kBackoffJitter = 0.2;

Reply not_sent(std::string reason) {
  Reply reply;
  reply.reason = std::move(reason);
  return reply;
}

Reply reply_of(std::expected<http::Response, http::ClientError> sent, runtime::Time now) {
  Reply reply;
  if (!sent) {
    reply.kind = sent.error().failure == http::Failure::not_sent ? Reply::Kind::not_sent : Reply::Kind::unknown;
    reply.reason = std::move(sent.error().reason);
    return reply;
  }
  reply.kind = Reply::Kind::answered;
  reply.status = sent->status;
  reply.retry_after = retry_after_of(sent->headers, now);
  reply.body_bytes = sent->body.size();
  if (sent->body.empty()) return reply;
  if (auto body = model::parse_json(sent->body)) {
    reply.body = std::move(*body);
    reply.readable = true;
  }
  return reply;
}

}  // namespace

std::optional<runtime::Duration> retry_after_of(const http::Headers& headers, runtime::Time now) {
  const auto field = headers.get("Retry-After");
  if (!field) return std::nullopt;
  constexpr runtime::Duration kMost = kRetryAfterMax;
  std::uint64_t seconds = 0;
  const auto [end, failed] = std::from_chars(field->data(), field->data() + field->size(), seconds);
  if (failed == std::errc() && end == field->data() + field->size())
    return seconds > 86'400 ? kMost : std::min<runtime::Duration>(std::chrono::seconds(seconds), kMost);
  std::tm parts{};
  const std::string text(*field);
  const char* after = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);  // "Sun, 06 Nov 1994 08:49:37 GMT"
  if (after == nullptr || *after != '\0') return std::nullopt;
  const runtime::Time when{std::chrono::seconds(timegm(&parts))};
  return std::clamp<runtime::Duration>(when - now, runtime::Duration(0), kMost);
}

Calls::Calls(const Spec& spec, Dependencies dependencies)
    : origin_(spec.origin),
      prefix_(spec.path_prefix),
      limits_(spec.calls),
      dependencies_(std::move(dependencies)),
      credentials_(spec.credentials),
      breaker_(spec.calls.breaker_failures, spec.calls.breaker_open_for) {
  if (credentials_) secret_.emplace(credentials_->file, dependencies_.clock);
}

bool Calls::add_credentials(http::ClientRequest& request, Reply& reply) {
  if (!secret_) return true;
  const auto secret = secret_->get();
  if (!secret) {
    if (!std::exchange(credentials_missing_, true))
      dependencies_.log.error("http_backend.no_credentials", {{"backend", origin_}, {"problem", secret.error()}});
    reply = not_sent("no credentials: " + secret.error());
    return false;
  }
  credentials_missing_ = false;
  request.headers.set(credentials_->header, credentials_->prefix + *secret);
  return true;
}

void Calls::watch_authorization(const Reply& reply) {
  const bool refused = reply.kind == Reply::Kind::answered && (reply.status == 401 || reply.status == 403);
  if (refused) ++figures_.unauthorized;
  if (refused && !unauthorized_)
    dependencies_.log.error("http_backend.credentials_refused", {{"backend", origin_}, {"status", reply.status}});
  if (reply.ok() && unauthorized_) dependencies_.log.info("http_backend.credentials_accepted", {{"backend", origin_}});
  unauthorized_ = (unauthorized_ || refused) && !reply.ok();
}

runtime::Task<Reply> Calls::send(http::ClientRequest request) {
  runtime::Clock& clock = dependencies_.clock;
  Reply reply;
  if (!add_credentials(request, reply) || !breaker_.admit(clock.monotonic())) {
    ++figures_.refused;
    co_return reply.reason.empty() ? not_sent("not called: the last calls failed") : reply;
  }
  cluster_service::Breaker::Report report(breaker_);
  request.target.insert(0, prefix_);
  request.timeout = limits_.request_timeout;
  ++figures_.calls;
  auto sent = co_await dependencies_.client->send(std::move(request));
  reply = reply_of(std::move(sent), clock.now());
  if (reply.failed()) ++figures_.failures;
  report.ended(reply.failed(), clock.monotonic());
  watch_authorization(reply);
  co_return reply;
}

runtime::Task<Reply> Calls::read(http::ClientRequest request) {
  request.method = http::Method::get;
  for (unsigned attempts = 1;; ++attempts) {
    Reply reply = co_await send(request);
    if (!reply.failed() || attempts == limits_.read_attempts) co_return reply;
    const auto pause = pause_before(attempts + 1, reply);
    if (!pause) co_return reply;
    ++figures_.retries;
    co_await dependencies_.clock.sleep_for(*pause);
  }
}

std::optional<runtime::Duration> Calls::pause_before(unsigned attempt, const Reply& last) const {
  if (breaker_.state(dependencies_.clock.monotonic()) != cluster_service::Breaker::State::closed) return std::nullopt;
  if (credentials_missing_ || last.retry_after) return std::nullopt;
  const unsigned doublings = std::min(attempt - 2, 20u);
  const runtime::Duration base = std::min(limits_.backoff_first * (std::int64_t{1} << doublings), limits_.backoff_max);
  return dependencies_.random.jitter(base, kBackoffJitter);
}

CallFigures Calls::figures() const {
  CallFigures figures = figures_;
  figures.open = breaker_.state(dependencies_.clock.monotonic()) != cluster_service::Breaker::State::closed;
  return figures;
}

}  // namespace acceptd::providers::http_backend
