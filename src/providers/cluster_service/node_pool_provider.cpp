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
      case RequestKind::update: co_return co_await update_object(connection_, std::move(target), node_pool_patch);
      case RequestKind::remove:
      case RequestKind::cleanup: co_return co_await remove_object(connection_, std::move(target));
      case RequestKind::action: break;
    }
    co_return refused(internal_error(), "node pools have no actions");
  }

  Task<Observation> observe(Target target) override {
    using Kind = Fetched<json::object>::Kind;
    auto status = co_await fetch_object(connection_, target.internal_id + "/status", target.correlation_id);
    if (status.kind != Kind::here) co_return observation_of(status);
    Observation observation = observe_node_pool(target, status.value);
    if (observation.status != model::Status::succeeded) co_return observation;
    auto node_pool = co_await fetch_object(connection_, target.internal_id, target.correlation_id);
    if (node_pool.kind != Kind::here) co_return observation_of(node_pool);
    observation.observed = node_pool_observed(node_pool.value);
    co_return observation;
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
  /// Where the pool carries no tags, Cluster Service does not keep them. Then a pool of our name below our cluster is ours
  /// if it is not older than our intent: nobody else makes pools there, so that an older one is a predecessor's
  /// (docs/decisions/0001-node-pool-stamp.md).
  static void read_stamp(const json::object& node_pool, const Target& target, Found& found) {
    if (const json::object* tags = members_at(node_pool, "azure_node_pool.tags")) {
      found.incarnation = model::parse_uuid(text_at(*tags, kStampIncarnation));
      found.operation = model::parse_uuid(text_at(*tags, kStampOperation));
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
