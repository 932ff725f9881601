#include "providers/cluster_service/credentials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/time.hpp"
#include "providers/cluster_service/answers.hpp"
#include "providers/cluster_service/field_map.hpp"
#include "providers/cluster_service/listing.hpp"
#include "providers/cluster_service/objects.hpp"
#include "providers/cluster_service/states.hpp"

namespace acceptd::providers::cluster_service {

namespace {

using engine::Found;
using engine::Observation;
using engine::SearchResult;
using engine::Submission;
using engine::Target;
using runtime::Task;

constexpr std::string_view kRevoke = "RevokeCredentials";

bool leaving(std::string_view status) { return status == "awaiting_revocation" || status == "revoked" || status == "expired"; }

/// Newest first. A credential's age shows in when it expires, since all live equally long; among equals the backend's order
/// stays.
std::vector<const json::object*> by_age(const json::array& credentials) {
  using Entry = std::pair<model::Time, const json::object*>;
  std::vector<Entry> entries;
  for (const json::value& credential : credentials)
    if (const json::object* members = credential.if_object()) {
      const auto expiry = model::parse_rfc3339(text_at(*members, "expiration_timestamp"));
      entries.emplace_back(expiry.value_or(model::Time{}), members);
    }
  const auto later = [&](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;  // elements of one array: addresses are its order
  };
  std::ranges::sort(entries, later);
  std::vector<const json::object*> sorted;
  for (const Entry& entry : entries) sorted.push_back(entry.second);
  return sorted;
}

}  // namespace

std::string Credentials::collection_of(const Target& target) const {
  const std::string_view cluster = id_of(target.parent_internal_id);
  if (cluster.empty()) return {};
  return fmt::format("{}/clusters/{}/break_glass_credentials", options_.credentials_path, cluster);
}

Task<Submission> Credentials::submit(Target target) const {
  const std::string collection = collection_of(target);
  if (collection.empty()) co_return refused(internal_error(), "the cluster is not known to the backend");
  const bool revokes = target.action == kRevoke;
  const http::Method method = revokes ? http::Method::remove : http::Method::post;
  json::value body;
  if (!revokes) body = json::object();
  Reply reply = co_await connection_.write(method, collection, std::move(body), target.correlation_id);
  Submission submission = judge(reply, Write::credential, target);
  if (submission.answer != Submission::Answer::accepted) co_return submission;
  submission.internal_id = collection;
  if (revokes) co_return submission;
  submission.internal_id = reply.body.is_object() ? href_of(reply.body.get_object()) : std::string();
  if (submission.internal_id.empty()) {
    submission.answer = Submission::Answer::unknown;  // it was made, but which one is it? The search will tell.
    submission.summary += " without an href";
  }
  co_return submission;
}

Task<Observation> Credentials::observe(Target target) const {
  if (target.action == kRevoke) {
    auto credentials = co_await fetch_items(connection_, collection_of(target), target.correlation_id);
    if (credentials.kind != Fetched<json::array>::Kind::here) co_return observation_of(credentials);
    co_return observe_revocation(credentials.value, connection_.clock().now());
  }
  auto credential = co_await fetch_object(connection_, target.internal_id, target.correlation_id);
  if (credential.kind != Fetched<json::object>::Kind::here) co_return observation_of(credential);
  co_return observe_credential(credential.value);
}

Task<SearchResult> Credentials::search(Target target) const {
  SearchResult result;
  if (target.action == kRevoke) {
    result.available = true;
    co_return result;
  }
  auto credentials = co_await fetch_items(connection_, collection_of(target), target.correlation_id);
  using Kind = Fetched<json::array>::Kind;
  result.summary = credentials.summary;
  result.available = credentials.kind == Kind::here || credentials.kind == Kind::gone;
  if (credentials.kind != Kind::here) co_return result;
  for (const json::object* credential : by_age(credentials.value)) {
    Found found;
    found.internal_id = href_of(*credential);
    if (found.internal_id.empty()) continue;
    found.created = model::parse_rfc3339(text_at(*credential, "creation_timestamp"));
    found.removing = leaving(text_at(*credential, "status"));
    result.found.push_back(std::move(found));
  }
  co_return result;
}

Task<model::Result<json::value>> Credentials::result(Target target) const {
  using Kind = Fetched<json::object>::Kind;
  auto credential = co_await fetch_object(connection_, target.internal_id, target.correlation_id);
  if (credential.kind == Kind::here && !text_at(credential.value, "kubeconfig").empty()) {
    json::object shown{{"kubeconfig", credential.value["kubeconfig"]}};
    if (const auto until = text_at(credential.value, "expiration_timestamp"); !until.empty())
      shown["expirationTimestamp"] = until;
    co_return json::value(std::move(shown));
  }
  if (credential.kind == Kind::here || credential.kind == Kind::gone) {
    model::Error error{.kind = model::ErrorKind::not_found,
                       .code = "NotFound",
                       .message = "The credential no longer exists. Request a new one."};
    co_return std::unexpected(std::move(error));
  }
  model::Error error{.kind = model::ErrorKind::unavailable,
                     .code = "ServiceUnavailable",
                     .message = "The credential cannot be read at the moment. Try again later."};
  co_return std::unexpected(std::move(error));
}

}  // namespace acceptd::providers::cluster_service
