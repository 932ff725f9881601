#include "providers/http_backend/push.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "model/json.hpp"
#include "model/resource_id.hpp"
#include "model/uuid.hpp"
#include "providers/http_backend/answers.hpp"

namespace acceptd::providers::http_backend {

namespace {

using Digest = std::array<unsigned char, 32>;

constexpr std::string_view kPath = "push";
constexpr std::size_t kReportBytesMax = std::size_t{256} * 1024;
constexpr std::size_t kPartitionBytesMax = 64;
constexpr std::chrono::minutes kClockDifferenceMax{5};  // of a signed time stamp: older reports are replays

Digest digest_of(std::string_view text) {
  Digest digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return digest;
}

/// Takes as long for any two texts.
bool equal(std::string_view a, std::string_view b) {
  const Digest first = digest_of(a), second = digest_of(b);
  return CRYPTO_memcmp(first.data(), second.data(), first.size()) == 0;
}

std::string signature_of(std::string_view secret, std::string_view text) {
  Digest digest{};
  unsigned size = digest.size();
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest.data(), &size);
  std::string hex = "sha256=";
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

/// Seconds since 1970, near the time of day.
bool is_fresh(std::string_view text, runtime::Time now) {
  std::int64_t seconds = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failed != std::errc() || end != text.data() + text.size()) return false;
  const auto age = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count() - seconds;
  const auto most = std::chrono::seconds(kClockDifferenceMax).count();
  return age >= -most && age <= most;
}

http::Response plain(unsigned status, std::string reason = {}) {
  http::Response response{.status = status};
  if (reason.empty()) return response;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(reason) + "\n";
  return response;
}

http::Response come_again() {
  http::Response response = plain(503, "not taken; send it again");
  response.headers.add("Retry-After", "1");
  return response;
}

}  // namespace

std::string callback_url(const PushSpec& push, const engine::Target& target) {
  return fmt::format("{}/{}/{}/{}/{}", push.url, kPath, push.name, target.id.partition(), model::to_string(target.operation));
}

Push::Push(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}

void Push::add(const HttpBackend& backend) {
  if (const auto& push = backend.spec().push)
    sources_.emplace(push->name, Source{backend, SecretFile(push->secret_file, dependencies_.clock)});
}

bool Push::is_for(const http::Request& request) { return !request.segments.empty() && request.segments[0] == kPath; }

bool Push::is_proven(Source& source, const http::Request& request) {
  const auto secret = source.secret.get();
  if (!secret) {
    dependencies_.log.error("http_backend.no_push_secret", {{"problem", secret.error()}});
    return false;
  }
  const PushSpec& push = *source.backend.spec().push;
  if (push.proof == PushSpec::Proof::bearer) {
    const auto given = request.headers.get("Authorization");
    return given && equal(*given, "Bearer " + *secret);
  }
  const auto given = request.headers.get(push.signature_header);
  if (!given) return false;
  if (push.timestamp_header.empty()) return equal(*given, signature_of(*secret, request.body));
  const auto stamp = request.headers.get(push.timestamp_header);
  const std::string signed_text = fmt::format("{}.{}", stamp.value_or(""), request.body);
  return stamp && equal(*given, signature_of(*secret, signed_text)) && is_fresh(*stamp, dependencies_.clock.now());
}

runtime::Task<http::Response> Push::handle(http::Request request) {
  const std::string name = request.segments.size() == 4 ? request.segments[1] : std::string();
  if (!sources_.contains(name)) co_return plain(404, "expected /push/{backend}/{subscription}/{operation}");
  if (request.method != http::Method::post) {
    http::Response response = plain(405, "only POST");
    response.headers.add("Allow", "POST");
    co_return response;
  }
  if (request.body.size() > kReportBytesMax) co_return plain(413, fmt::format("at most {} bytes", kReportBytesMax));
  std::vector<const HttpBackend*> proven;
  const auto [first, last] = sources_.equal_range(name);
  for (auto source = first; source != last; ++source)
    if (is_proven(source->second, request)) proven.push_back(&source->second.backend);
  if (proven.empty()) {
    dependencies_.log.warn("http_backend.push_refused", {{"backend", name}, {"from", request.remote_address}});
    co_return plain(401, "the proof of who reports is missing or wrong");
  }
  const auto operation = model::parse_uuid(request.segments[3]);
  if (!operation || request.segments[2].size() > kPartitionBytesMax) co_return plain(404, "no such operation");
  const auto body = model::parse_json(request.body);
  if (!body) co_return plain(400, "the body is not JSON: " + body.error().reason);
  const model::Key key{model::to_lower(request.segments[2]), *operation};
  co_return co_await take(key, *body, std::move(proven));
}

/// The one among them that drives the operation takes the report.
runtime::Task<http::Response> Push::take(model::Key key, json::value body, std::vector<const HttpBackend*> from) {
  for (const HttpBackend* backend : from) {
    const engine::Target target;
    const Values values{.target = target, .callback = {}, .answer = &body};
    engine::Observation observation = observation_in(backend->spec(), backend->spec().push->fields, values, Body::report);
    if (observation.kind == engine::Observation::Kind::unexpected) co_return plain(422, observation.summary);
    observation.summary = "reported";
    const auto taken = co_await dependencies_.report(key, *backend, std::move(observation));
    if (taken) co_return plain(204);
    if (taken.error().kind != model::ErrorKind::not_found) co_return come_again();
  }
  co_return plain(404, "no such operation");
}

}  // namespace acceptd::providers::http_backend
