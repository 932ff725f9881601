#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "model/resource_id.hpp"
#include "model/time.hpp"
#include "model/uuid.hpp"
#include "providers/cluster_service/answers.hpp"
#include "providers/cluster_service/cluster_json.hpp"
#include "providers/cluster_service/cluster_service.hpp"
#include "providers/cluster_service/field_map.hpp"
#include "providers/cluster_service/listing.hpp"
#include "providers/cluster_service/node_pool_json.hpp"
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

/// How far Cluster Service's clock may be behind ours. A predecessor that old is gone: its name is free for a new intent
/// only when its object was seen gone.
constexpr std::chrono::seconds kClockSkewMax{5};

class NodePoolProvider : public engine::Provider {
 public:
  NodePoolProvider(Connection& connection, Options options) : connection_(connection), options_(std::move(options)) {}

  engine::ProviderTraits traits() const override {
    engine::ProviderTraits traits;
    traits.settle_time = options_.settle_time;
    traits.request_timeout = connection_.options().request_timeout;
    traits.concurrency = connection_.options().concurrency;
    return traits;
  }

  Task<Submission> submit(Target target) override {
    switch (target.request) {
      case RequestKind::create: co_return co_await create(std::move(target));
      case RequestKind::update: co_return co_await update(std::move(target));
      case RequestKind::remove:
      case RequestKind::cleanup: co_return co_await remove(std::move(target));
      case RequestKind::action: break;
    }
    co_return refused(internal_error(), "node pools have no actions");
  }

  Task<Observation> observe(Target target) override {
    using Kind = Fetched<json::object>::Kind;
    auto status = co_await fetch_object(connection_, target.internal_id + "/status", target.correlation_id);
    if (status.kind != Kind::here) co_return observation_of(status);
    Observation observation = observe_node_pool(target, status.value);
    const bool removes = target.request == RequestKind::remove || target.request == RequestKind::cleanup;
    // A pool that is not going away may be a successor of the one that went.
    const bool may_be_anothers = removes && observation.status != model::Status::deleting;
    if (observation.status != model::Status::succeeded && !may_be_anothers) co_return observation;
    auto node_pool = co_await fetch_object(connection_, target.internal_id, target.correlation_id);
    if (node_pool.kind != Kind::here) co_return observation_of(node_pool);
    if (!is_ours(target, node_pool.value)) {
      observation = Observation{.kind = Observation::Kind::gone, .summary = "another pool has its name"};
      co_return observation;
    }
    if (removes) co_return observation;
    observation.observed = node_pool_observed(node_pool.value);
    UpgradeRoutes routes = upgrades();
    co_return co_await observe_upgrade(connection_, std::move(routes), std::move(target), std::move(node_pool.value),
                                       std::move(observation));
  }

  Task<SearchResult> search(Target target) override {
    SearchResult result;
    if (target.parent_internal_id.empty()) {
      result.available = true;  // no cluster, no node pool
      co_return result;
    }
    std::string url = fmt::format("{}/node_pools/{}", target.parent_internal_id, model::to_lower(target.id.name()));
    auto node_pool = co_await fetch_object(connection_, std::move(url), target.correlation_id);
    using Kind = Fetched<json::object>::Kind;
    result.summary = node_pool.summary;
    result.available = node_pool.kind == Kind::here || node_pool.kind == Kind::gone;
    if (node_pool.kind == Kind::here) add_found(node_pool.value, target, result);
    co_return result;
  }

  Task<model::Result<json::value>> result(Target) override {
    model::Error error{.kind = model::ErrorKind::not_found, .code = "NotFound", .message = "Node pools have no actions."};
    co_return std::unexpected(std::move(error));
  }

 private:
  UpgradeRoutes upgrades() const { return {.versions = options_.api_path + "/versions", .policies = kNodePoolPolicies}; }

  static std::string_view tag_of(const json::object& node_pool, std::string_view tag) {
    const json::object* tags = members_at(node_pool, "azure_node_pool.tags");
    return tags ? text_at(*tags, tag) : std::string_view();
  }

  /// A pool's address is its name, and names are used again: what lies there is the target's unless it carries another
  /// stamp, or, without a stamp (tags are not kept, or were rewritten), is older than the target.
  static bool is_ours(const Target& target, const json::object& node_pool) {
    if (const std::string_view stamp = tag_of(node_pool, kStampIncarnation); !stamp.empty())
      return model::parse_uuid(stamp) == target.incarnation;
    const auto created = model::parse_rfc3339(text_at(node_pool, "creation_timestamp"));
    return !created || target.created == model::Time{} || *created + kClockSkewMax >= target.created;
  }

  Task<Submission> update(Target target) {
    UpdateSteps steps{.difference = node_pool_patch, .is_ours = is_ours, .upgrades = upgrades()};
    co_return co_await update_object(connection_, std::move(target), std::move(steps));
  }

  Task<Submission> remove(Target target) {
    auto node_pool = co_await fetch_object(connection_, target.internal_id, target.correlation_id);
    using Kind = Fetched<json::object>::Kind;
    if (node_pool.kind == Kind::here && is_ours(target, node_pool.value))
      co_return co_await remove_object(connection_, std::move(target));
    Submission submission;
    const bool there = node_pool.kind == Kind::here, gone = there || node_pool.kind == Kind::gone;
    submission.answer = gone ? Submission::Answer::gone : Submission::Answer::unavailable;
    submission.summary = there ? "another pool has its name" : std::move(node_pool.summary);
    co_return submission;
  }

  /// A pool without a stamp (Cluster Service does not keep tags, or somebody rewrote them) of our name below our cluster is ours
  /// if it is not older than our intent: nobody else makes pools there, so that an older one is a predecessor's
  /// (docs/decisions/0001-node-pool-stamp.md).
  static void read_stamp(const json::object& node_pool, const Target& target, Found& found) {
    if (const std::string_view stamp = tag_of(node_pool, kStampIncarnation); !stamp.empty()) {
      found.incarnation = model::parse_uuid(stamp);
      found.operation = model::parse_uuid(tag_of(node_pool, kStampOperation));
      return;
    }
    const bool same_name = model::equals_ignoring_case(text_at(node_pool, "azure_node_pool.resource_name"), target.id.name());
    const bool known_age = found.created && target.created != model::Time{};
    if (same_name && known_age && *found.created + kClockSkewMax >= target.created) found.incarnation = target.incarnation;
  }

  static void add_found(const json::object& node_pool, const Target& target, SearchResult& result) {
    Found found;
    found.internal_id = href_of(node_pool);
    if (found.internal_id.empty())
      found.internal_id = fmt::format("{}/node_pools/{}", target.parent_internal_id, model::to_lower(target.id.name()));
    found.created = model::parse_rfc3339(text_at(node_pool, "creation_timestamp"));
    found.removing = text_at(node_pool, "status.state.node_pool_state_value") == "uninstalling";
    found.observed = node_pool_observed(node_pool);
    read_stamp(node_pool, target, found);
    result.found.push_back(std::move(found));
  }

  Task<Submission> create(Target target) {
    if (target.parent_internal_id.empty())
      co_return refused(not_found_error(target.id.parent().value_or(target.id)), "the cluster is not known to the backend");
    const std::string collection = target.parent_internal_id + "/node_pools";
    json::value body = node_pool_to_cs(target);
    Reply reply = co_await connection_.write(http::Method::post, collection, std::move(body), target.correlation_id);
    Submission submission = judge(reply, Write::create, target);
    if (submission.answer != Submission::Answer::accepted) co_return submission;
    const json::object* node_pool = reply.body.if_object();
    submission.internal_id = node_pool ? href_of(*node_pool) : std::string();
    // Its address is its name.
    if (submission.internal_id.empty())
      submission.internal_id = fmt::format("{}/{}", collection, model::to_lower(target.id.name()));
    if (node_pool) submission.observed = node_pool_observed(*node_pool);
    co_return submission;
  }

  Connection& connection_;
  Options options_;
};

}  // namespace

std::unique_ptr<engine::Provider> make_node_pool_provider(Connection& connection, Options options) {
  return std::make_unique<NodePoolProvider>(connection, std::move(options));
}

}  // namespace acceptd::providers::cluster_service
