#include "providers/cluster_service/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "model/resource_id.hpp"
#include "providers/cluster_service/field_map.hpp"
#include "providers/cluster_service/states.hpp"

namespace acceptd::providers::cluster_service {

namespace {

using engine::Submission;
using model::Error;
using model::ErrorKind;

constexpr std::size_t kSummaryBytesMax = 200;
constexpr std::size_t kCodeBytesMax = 60;
constexpr std::size_t kReasonBytesMax = 1024;
constexpr std::size_t kHrefBytesMax = 512;
constexpr std::chrono::seconds kCapacityRetryAfter{59};

const json::object& body_of(const Reply& reply) {
  static const json::object kNothing;
  const json::object* body = reply.body.if_object();
  return body ? *body : kNothing;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What Cluster Service says is wrong, for the caller. It words reasons for its users; unreadable bodies say nothing.
std::string reason_of(const Reply& reply, std::string_view otherwise) {
  const std::string_view reason = text_at(body_of(reply), "reason");
  return std::string(reason.empty() || reason.size() > kReasonBytesMax ? otherwise : reason);
}

Submission rejected(Error error, std::string summary) {
  Submission submission;
  submission.answer = Submission::Answer::rejected;
  submission.error = std::move(error);
  submission.summary = std::move(summary);
  return submission;
}

Submission answered(Submission::Answer answer, std::string summary) {
  Submission submission;
  submission.answer = answer;
  submission.summary = std::move(summary);
  return submission;
}

Error conflict_error(const Reply& reply, const engine::Target& target) {
  return Error{.kind = ErrorKind::conflict,
               .code = "Conflict",
               .message = reason_of(reply, "The backend refuses this request in the state that the resource is in."),
               .target = target.id.text()};
}

Submission judge_conflict(const Reply& reply, Write write, const engine::Target& target) {
  Submission submission = rejected(conflict_error(reply, target), summary_of(reply));
  const std::string reason = model::to_lower(text_at(body_of(reply), "reason"));
  // A domain prefix in use is somebody else's cluster: looking for ours by its name would find nothing.
  const bool other_name = contains(reason, "domain");
  if (write == Write::create && contains(reason, "already exists") && !other_name) submission.answer = Submission::Answer::exists;
  return submission;
}

Submission judge_not_found(const Reply& reply, Write write, const engine::Target& target) {
  if (write != Write::create) return answered(Submission::Answer::gone, summary_of(reply));
  // What is missing is what the new object shall lie under.
  const auto parent = target.id.parent();
  return rejected(not_found_error(parent ? *parent : target.id), summary_of(reply));
}

Submission judge_refusal(const Reply& reply, Write write, const engine::Target& target) {
  // The caller can do nothing about an error of a credential request: there is nothing in it that the caller chose.
  if (write == Write::credential) return rejected(internal_error(), summary_of(reply));
  switch (reply.status) {
    case 400: {
      Error error{.kind = ErrorKind::invalid,
                  .code = "InvalidRequestContent",
                  .message = reason_of(reply, "The backend refuses the content of this request without a reason.")};
      return rejected(std::move(error), summary_of(reply));
    }
    case 404: return judge_not_found(reply, write, target);
    case 409: return judge_conflict(reply, write, target);
    default: return rejected(internal_error(), summary_of(reply));
  }
}

bool printable(char c) { return c > ' ' && c < 0x7f; }

bool safe_in_path(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
}

}  // namespace

Error not_found_error(const model::ResourceId& id) {
  std::string type = id.provider();
  for (const auto& segment : id.segments()) type += "/" + segment.type;
  std::string name;
  for (const auto& segment : id.segments()) name += (name.empty() ? "" : "/") + segment.name;
  return Error{
      .kind = ErrorKind::not_found,
      .code = "ResourceNotFound",
      .message = fmt::format("The resource '{}/{}' under resource group '{}' was not found.", type, name, id.resource_group())};
}

std::string summary_of(const Reply& reply) {
  std::string summary;
  if (reply.kind != Reply::Kind::answered) {
    summary = fmt::format("{}: {}", reply.kind == Reply::Kind::not_sent ? "not sent" : "no answer", reply.reason);
  } else {
    summary = fmt::format("{}", reply.status);
    const std::string_view code = text_at(body_of(reply), "code");
    if (!code.empty() && code.size() <= kCodeBytesMax && std::ranges::all_of(code, printable))
      summary += fmt::format(" {}", code);
  }
  if (summary.size() > kSummaryBytesMax) summary.resize(kSummaryBytesMax);
  return summary;
}

std::string href_of(const json::object& object) {
  std::string href = model::to_lower(text_at(object, "href"));
  const bool fits = href.starts_with("/api/") && href.size() <= kHrefBytesMax && !href.ends_with('/') &&
                    std::ranges::all_of(href, safe_in_path) && !contains(href, "//") && !contains(href, "/.");
  return fits ? href : std::string();
}

std::string_view id_of(std::string_view href) { return href.substr(href.rfind('/') + 1); }

Submission judge(const Reply& reply, Write write, const engine::Target& target) {
  if (reply.kind == Reply::Kind::not_sent) return answered(Submission::Answer::unavailable, summary_of(reply));
  if (reply.kind == Reply::Kind::unknown) return answered(Submission::Answer::unknown, summary_of(reply));
  if (reply.ok()) return answered(Submission::Answer::accepted, summary_of(reply));
  if (write == Write::create && contains(text_at(body_of(reply), "reason"), "Unable to find shard")) {
    Error error{.kind = ErrorKind::unavailable,
                .code = "ServiceUnavailable",
                .message = "Capacity is currently restricted in this region. Try again later, or in another region."};
    error.retry_after = kCapacityRetryAfter;
    return rejected(std::move(error), summary_of(reply));
  }
  // Turned away at the door, which a Retry-After says even of a 503. Any other 5xx may come after the work was done.
  if (reply.status == 429 || (reply.status == 503 && reply.retry_after))
    return answered(Submission::Answer::unavailable, summary_of(reply));
  if (reply.status >= 400 && reply.status < 500 && reply.status != 408) return judge_refusal(reply, write, target);
  return answered(Submission::Answer::unknown, summary_of(reply));
}

}  // namespace acceptd::providers::cluster_service
