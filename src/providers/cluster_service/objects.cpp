#include "providers/cluster_service/objects.hpp"

#include <utility>

#include "providers/cluster_service/answers.hpp"
#include "providers/cluster_service/listing.hpp"

namespace acceptd::providers::cluster_service {

using engine::Submission;
using engine::Target;
using runtime::Task;

Task<Submission> update_object(Connection& connection, Target target, UpdateSteps steps) {
  using Kind = Fetched<boost::json::object>::Kind;
  auto current = co_await fetch_object(connection, target.internal_id, target.correlation_id);
  Submission submission;
  submission.summary = current.summary;
  if (current.kind != Kind::here) {
    // Nothing was changed yet, so that coming back is always right.
    submission.answer = current.kind == Kind::gone ? Submission::Answer::gone : Submission::Answer::unavailable;
    co_return submission;
  }
  if (steps.is_ours && !steps.is_ours(target, current.value)) {
    submission.answer = Submission::Answer::gone;
    submission.summary = "another object has its address";
    co_return submission;
  }
  boost::json::object patch = steps.difference(target, current.value);
  submission.answer = Submission::Answer::accepted;
  if (!patch.empty()) {
    boost::json::value body = std::move(patch);
    const Reply reply =
        co_await connection.write(http::Method::patch, target.internal_id, std::move(body), target.correlation_id);
    submission = judge(reply, Write::update, target);
  }
  if (submission.answer == Submission::Answer::accepted && wanted_version(target.desired, current.value))
    submission = co_await ask_for_upgrade(connection, std::move(steps.upgrades), target, std::move(current.value));
  if (submission.answer == Submission::Answer::accepted) submission.internal_id = target.internal_id;
  co_return submission;
}

Task<Submission> remove_object(Connection& connection, Target target) {
  const Reply reply = co_await connection.write(http::Method::remove, target.internal_id, nullptr, target.correlation_id);
  Submission submission = judge(reply, Write::remove, target);
  if (submission.answer == Submission::Answer::accepted) submission.internal_id = target.internal_id;
  co_return submission;
}

Submission refused(model::Error error, std::string summary) {
  Submission submission;
  submission.answer = Submission::Answer::rejected;
  submission.error = std::move(error);
  submission.summary = std::move(summary);
  return submission;
}

}  // namespace acceptd::providers::cluster_service
