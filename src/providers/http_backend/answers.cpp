#include "providers/http_backend/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/json.hpp"

namespace acceptd::providers::http_backend {

namespace {

using engine::Observation;
using model::Error;
using model::ErrorKind;

constexpr std::size_t kSummaryBytesMax = 200;
constexpr std::size_t kCodeBytesMax = 60;
constexpr std::size_t kTextBytesMax = 1024;  // of what the backend words and callers see

bool printable(char c) { return c > ' ' && c < 0x7f; }

std::optional<std::string> text_at(const std::optional<Pointer>& pointer, const json::value& body) {
  return pointer ? pointer->text_in(body) : std::nullopt;
}

/// The backend's own words: cut at a character's end, no control characters.
std::string cleaned(std::string text, std::size_t bytes_max = kTextBytesMax) {
  if (text.size() > bytes_max) {
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text.resize(end);
  }
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, ' ');
  return text;
}

std::string with_message(std::string text, const std::string& message) {
  constexpr std::string_view kPlace = "{message}";
  if (const std::size_t at = text.find(kPlace); at != std::string::npos) text.replace(at, kPlace.size(), message);
  return text;
}

ErrorKind kind_of(unsigned status) {
  if (status == 404 || status == 410) return ErrorKind::not_found;
  if (status == 409 || status == 412) return ErrorKind::conflict;
  return status >= 400 && status < 500 ? ErrorKind::invalid : ErrorKind::internal;
}

ErrorText unmapped(const Spec& spec, unsigned status) {
  if (spec.other_error) return *spec.other_error;
  switch (kind_of(status)) {
    case ErrorKind::conflict: return {"Conflict", "The backend refuses this request in the state that the resource is in."};
    case ErrorKind::internal: return {"BackendFailed", "The backend could not do what this operation asks for."};
    default: return {"RequestRejected", "The backend refuses this request."};
  }
}

Observation unexpected(std::string summary) {
  Observation observation;
  observation.kind = Observation::Kind::unexpected;
  observation.summary = std::move(summary);
  return observation;
}

std::optional<double> percent_in(const Fields& fields, const json::value& body) {
  const json::value* found = fields.percent ? fields.percent->find(body) : nullptr;
  if (!found || !found->is_number()) return std::nullopt;
  const double percent = found->to_number<double>();
  if (!std::isfinite(percent)) return std::nullopt;
  return std::clamp(percent, 0.0, 100.0);
}

}  // namespace

std::string summary_of(const Reply& reply, const Fields& fields) {
  std::string summary;
  if (reply.kind != Reply::Kind::answered) {
    summary = fmt::format("{}: {}", reply.kind == Reply::Kind::not_sent ? "not sent" : "no answer", reply.reason);
  } else {
    summary = fmt::format("{}", reply.status);
    const auto code = text_at(fields.error_code, reply.body);
    if (code && code->size() <= kCodeBytesMax && std::ranges::all_of(*code, printable)) summary += " " + *code;
  }
  if (summary.size() > kSummaryBytesMax) summary.resize(kSummaryBytesMax);
  return summary;
}

Error error_of(const Spec& spec, const Fields& fields, const json::value& body, unsigned status) {
  const std::string code = text_at(fields.error_code, body).value_or("");
  const auto known = spec.errors.find(code);
  const ErrorText text = known != spec.errors.end() ? known->second : unmapped(spec, status);
  const std::string message = cleaned(text_at(fields.error_message, body).value_or(""));
  return Error{.kind = kind_of(status), .code = text.code, .message = with_message(text.message, message)};
}

Verdict verdict_of(const Verb& verb, const Reply& reply) {
  if (reply.kind == Reply::Kind::not_sent) return Verdict::unavailable;
  if (reply.kind == Reply::Kind::unknown) return Verdict::unknown;
  // Turned away at the door, which a Retry-After says even of a 503.
  const auto said = verb.verdicts.find(reply.status);
  const Verdict verdict = said == verb.verdicts.end() ? Verdict::unknown : said->second;
  return reply.status == 503 && reply.retry_after && verdict == Verdict::unknown ? Verdict::unavailable : verdict;
}

json::object observed_in(const std::optional<Json>& shape, const Values& values, std::string& summary) {
  constexpr std::string_view kDropped = "what was observed is too large and dropped";
  auto made = shape ? shape->make(values) : std::nullopt;
  if (!made || !made->is_object()) return {};
  if (json::serialize(*made).size() <= kObservedBytesMax) return std::move(made->get_object());
  if (summary.find(kDropped) == std::string::npos) summary.append(summary.empty() ? "" : ", ").append(kDropped);
  return {};
}

Observation observation_in(const Spec& spec, const Fields& fields, const Values& values, Body kind) {
  const json::value& body = *values.answer;
  Observation observation;
  observation.kind = Observation::Kind::state;
  observation.percent = percent_in(fields, body);
  observation.step = cleaned(text_at(fields.step, body).value_or(""));
  observation.message = cleaned(text_at(fields.message, body).value_or(""));
  if (!fields.state) return observation;
  const auto state = fields.state->text_in(body);
  const bool progress = observation.percent || !observation.step.empty() || !observation.message.empty();
  if (!state && progress && kind == Body::report) return observation;
  if (!state) return unexpected(fmt::format("no state at {}", fields.state->text));
  const auto meaning = spec.states.find(*state);
  if (meaning == spec.states.end()) return unexpected(fmt::format("unknown state \"{}\"", cleaned(*state, kCodeBytesMax)));
  if (!meaning->second.status) {
    observation.kind = Observation::Kind::gone;
    return observation;
  }
  observation.status = meaning->second.status;
  if (observation.status == model::Status::failed) observation.error = error_of(spec, fields, body, 0);
  if (observation.status == model::Status::canceled)
    observation.error = Error{.code = "Canceled", .message = "The backend canceled the work."};
  observation.observed = observed_in(fields.observed, values, observation.summary);
  return observation;
}

Observation observation_of(const Spec& spec, const Fields& fields, const Reply& reply, Values values) {
  Observation observation;
  observation.summary = summary_of(reply, fields);
  const bool unauthorized = reply.status == 401 || reply.status == 403 || reply.status == 407;
  if (reply.failed() || unauthorized || reply.status == 408) return observation;
  if (reply.status == 404 || reply.status == 410) {
    observation.kind = Observation::Kind::gone;
    return observation;
  }
  if (!reply.ok()) return unexpected(std::move(observation.summary));
  if (!fields.state) {  // that there is an answer says that the object is there
    observation.kind = Observation::Kind::state;
    const bool removing = values.target.request == model::RequestKind::remove;
    if (!removing) observation.status = model::Status::succeeded;
    values.answer = &reply.body;
    observation.observed = observed_in(fields.observed, values, observation.summary);
    return observation;
  }
  if (!reply.readable) return unexpected(observation.summary + " with a body that is not JSON");
  values.answer = &reply.body;
  Observation seen = observation_in(spec, fields, values);
  seen.summary = seen.summary.empty() ? observation.summary : observation.summary + ", " + seen.summary;
  return seen;
}

}  // namespace acceptd::providers::http_backend
