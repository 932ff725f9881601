#include "simulation/types/types.hpp"

#include "model/json.hpp"
#include "model/lifecycle.hpp"

namespace acceptd::simulation {

using engine::Event;
using model::Resource;

namespace {

using namespace std::chrono_literals;
constexpr engine::Deadlines kDeadlines{.create = 8min, .update = 6min, .remove = 15min};

/// Stores what it is told.
class SimType : public engine::ResourceType {
 public:
  using ResourceType::ResourceType;
  model::Result<engine::Desired> build(const engine::BuildInput& input) const override {
    return engine::Desired{.properties = input.body, .location = "here", .api_version = std::string(input.api_version)};
  }
  boost::json::object render(const Resource& resource, std::string_view) const override { return resource.desired; }
};

/// Is billed while it lives, and holds its subnet alone.
class ClusterType final : public SimType {
 public:
  using SimType::SimType;

  std::vector<engine::Claim> claims(const model::ResourceId& id, const engine::Desired& desired) const override {
    const std::string subnet(model::string_at(desired.properties, "subnet"));
    if (subnet.empty()) return {};
    return {{.name = "subnet:" + subnet, .refusal = model::conflict("The subnet is in use.", id)}};
  }
  std::vector<model::Uuid> companion_ids(const Resource& resource) const override { return {billing_id(resource.incarnation)}; }
  std::vector<model::Write> companions(Event event, const Resource& resource, const model::Operation&,
                                       const std::vector<model::DocumentPtr>& existing, model::Time now) const override {
    model::Document bill;
    bill.key = {resource.id.partition(), billing_id(resource.incarnation)};
    bill.type = kBillingType;
    bill.index = {.kind = model::DocumentKind::companion, .path = resource.id.key(), .created = now};
    boost::json::object body{{"resource", resource.id.text()},
                             {"incarnation", model::to_string(resource.incarnation)},
                             {"open", event == Event::create_succeeded}};
    bill.body = boost::json::serialize(body);
    if (event == Event::create_succeeded && existing.empty()) return {{.action = model::Write::Action::create, .document = bill}};
    if (event == Event::removed && !existing.empty())
      return {{.action = model::Write::Action::replace, .document = bill, .expected = existing.front()->etag}};
    return {};
  }
};

/// The last one of a cluster stays.
class PoolType final : public SimType {
 public:
  using SimType::SimType;
  bool needs_sibling_count() const override { return true; }
  std::optional<model::Error> admit(const engine::AdmitInput& input) const override {
    if (input.request != model::RequestKind::remove || input.siblings > 1) return std::nullopt;
    return model::conflict("The last pool cannot be deleted.", input.existing->id);
  }
};

}  // namespace

model::Uuid billing_id(const model::Uuid& incarnation) { return model::uuid_of_name("billing|" + model::to_string(incarnation)); }

std::unique_ptr<engine::TypeRegistry> make_types(engine::Provider& clusters, engine::Provider& jobs) {
  engine::TypeInfo cluster{
      .name = std::string(kCluster), .api_versions = {"1"}, .submit = engine::Submit::inline_, .deadlines = kDeadlines};
  cluster.actions.push_back({.name = "requestCredential",
                             .request = "RequestCredential",
                             .deadline = 5min,
                             .phrase = "request credential",
                             .blocked_message = "Credentials are being revoked.",
                             .one_at_a_time = true,
                             .secret_result = true});
  cluster.actions.push_back({.name = "revokeCredentials",
                             .request = "RevokeCredentials",
                             .deadline = 5min,
                             .phrase = "revoke credentials",
                             .exclusive = true,
                             .blocked_message = "Credentials are being revoked.",
                             .cancels = {"RequestCredential"}});
  engine::TypeInfo pool{.name = std::string(kPool),
                        .parent_key = model::to_lower(kCluster),
                        .api_versions = {"1"},
                        .submit = engine::Submit::inline_,
                        .deadlines = kDeadlines};
  engine::TypeInfo job{
      .name = std::string(kJob), .api_versions = {"1"}, .submit = engine::Submit::background, .deadlines = kDeadlines};
  auto types = std::make_unique<engine::TypeRegistry>();
  types->add(std::make_unique<ClusterType>(cluster, clusters));
  types->add(std::make_unique<PoolType>(pool, clusters));
  types->add(std::make_unique<SimType>(job, jobs));
  return types;
}

}  // namespace acceptd::simulation
