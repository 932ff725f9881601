#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "http/uri.hpp"
#include "model/resource_id.hpp"
#include "model/time.hpp"
#include "model/uuid.hpp"
#include "providers/cluster_service/answers.hpp"
#include "providers/cluster_service/cluster_json.hpp"
#include "providers/cluster_service/cluster_service.hpp"
#include "providers/cluster_service/credentials.hpp"
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
using model::RequestKind;
using runtime::Task;

/// A quote inside a value is doubled.
std::string quoted(std::string_view value) {
  std::string text = "'";
  for (const char c : model::to_lower(value)) text.append(c == '\'' ? 2 : 1, c);
  return text + "'";
}

std::string search_by_name(const model::ResourceId& id) {
  return fmt::format("azure.subscription_id = {} and azure.resource_group_name = {} and azure.resource_name = {}",
                     quoted(id.subscription()), quoted(id.resource_group()), quoted(id.name()));
}

class ClusterProvider : public engine::Provider {
 public:
  ClusterProvider(Connection& connection, Options options)
      : connection_(connection), options_(std::move(options)), credentials_(connection_, options_) {}

  engine::ProviderTraits traits() const override {
    engine::ProviderTraits traits;
    traits.settle_time = options_.settle_time;
    traits.request_timeout = connection_.options().request_timeout;
    traits.removes_children = true;
    traits.concurrency = connection_.options().concurrency;
    return traits;
  }

  Task<Submission> submit(Target target) override {
    switch (target.request) {
      case RequestKind::create: co_return co_await create(std::move(target));
      case RequestKind::update: co_return co_await update(std::move(target));
      case RequestKind::remove:
      case RequestKind::cleanup: co_return co_await remove_object(connection_, std::move(target));
      case RequestKind::action: break;
    }
    co_return co_await credentials_.submit(std::move(target));
  }

  Task<Observation> observe(Target target) override {
    if (target.request == RequestKind::action) co_return co_await credentials_.observe(std::move(target));
    using Kind = Fetched<json::object>::Kind;
    auto status = co_await fetch_object(connection_, target.internal_id + "/status", target.correlation_id);
    if (status.kind != Kind::here) co_return observation_of(status);
    std::vector<std::string> failed;
    if (needs_inflight_checks(status.value)) {
      auto checks = co_await fetch_items(connection_, target.internal_id + "/inflight_checks", target.correlation_id);
      using Checks = Fetched<json::array>::Kind;
      if (checks.kind == Checks::unavailable || checks.kind == Checks::unexpected) co_return observation_of(checks);
      failed = failed_checks(checks.value);
    }
    Observation observation = observe_cluster(target, status.value, failed);
    if (observation.status != model::Status::succeeded) co_return observation;
    // A finished operation is not looked at again: what callers shall see is read before it ends.
    auto cluster = co_await fetch_object(connection_, target.internal_id, target.correlation_id);
    if (cluster.kind != Kind::here) co_return observation_of(cluster);
    observation.observed = cluster_observed(cluster.value);
    UpgradeRoutes routes = upgrades();
    co_return co_await observe_upgrade(connection_, std::move(routes), std::move(target), std::move(cluster.value),
                                       std::move(observation));
  }

  Task<SearchResult> search(Target target) override {
    if (target.request == RequestKind::action) co_return co_await credentials_.search(std::move(target));
    const std::vector<http::QueryParameter> query{{"search", search_by_name(target.id)}};
    std::string url = fmt::format("{}/clusters{}", options_.api_path, http::query_string(query));
    auto clusters = co_await fetch_items(connection_, std::move(url), target.correlation_id);
    SearchResult result;
    result.summary = clusters.summary;
    result.available = clusters.kind == Fetched<json::array>::Kind::here;
    for (const json::value& cluster : clusters.value)
      if (const json::object* members = cluster.if_object()) add_found(*members, target, result);
    co_return result;
  }

  Task<model::Result<json::value>> result(Target target) override { co_return co_await credentials_.result(std::move(target)); }

 private:
  /// A search that matches loosely must not make a stranger's cluster look like ours.
  static bool has_name_of(const json::object& cluster, const Target& target) {
    return model::equals_ignoring_case(text_at(cluster, "azure.subscription_id"), target.id.subscription()) &&
           model::equals_ignoring_case(text_at(cluster, "azure.resource_group_name"), target.id.resource_group()) &&
           model::equals_ignoring_case(text_at(cluster, "azure.resource_name"), target.id.name());
  }

  static void add_found(const json::object& cluster, const Target& target, SearchResult& result) {
    Found found;
    found.internal_id = href_of(cluster);
    if (found.internal_id.empty() || !has_name_of(cluster, target)) return;
    if (const json::object* properties = members_at(cluster, "properties")) {
      found.incarnation = model::parse_uuid(text_at(*properties, kStampIncarnation));
      found.operation = model::parse_uuid(text_at(*properties, kStampOperation));
    }
    found.created = model::parse_rfc3339(text_at(cluster, "creation_timestamp"));
    found.removing = text_at(cluster, "status.state") == "uninstalling" || text_at(cluster, "state") == "uninstalling";
    found.observed = cluster_observed(cluster);
    result.found.push_back(std::move(found));
  }

  UpgradeRoutes upgrades() const { return {.versions = options_.api_path + "/versions", .policies = kControlPlanePolicies}; }

  Task<Submission> update(Target target) {
    UpdateSteps steps{.upgrades = upgrades()};
    steps.difference = [this](const Target& wanted, const json::object& current) {
      return cluster_patch(wanted, options_, current);
    };
    co_return co_await update_object(connection_, std::move(target), std::move(steps));
  }

  Task<Submission> create(Target target) {
    if (target.tenant.empty()) co_return refused(internal_error(), "the caller's tenant is not known");
    json::value body = cluster_to_cs(target, options_);
    Reply reply =
        co_await connection_.write(http::Method::post, options_.api_path + "/clusters", std::move(body), target.correlation_id);
    Submission submission = judge(reply, Write::create, target);
    if (submission.answer != Submission::Answer::accepted) co_return submission;
    const json::object* cluster = reply.body.if_object();
    submission.internal_id = cluster ? href_of(*cluster) : std::string();
    if (submission.internal_id.empty()) {
      submission.answer = Submission::Answer::unknown;  // it was made, but where is it? The search will tell.
      submission.summary += " without an href";
      co_return submission;
    }
    submission.observed = cluster_observed(*cluster);
    co_return submission;
  }

  Connection& connection_;
  Options options_;
  Credentials credentials_;
};

}  // namespace

std::unique_ptr<engine::Provider> make_cluster_provider(Connection& connection, Options options) {
  return std::make_unique<ClusterProvider>(connection, std::move(options));
}

}  // namespace acceptd::providers::cluster_service
