#include "types/hcp/cluster_type.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include "schema/message.hpp"
#include "types/hcp/checks.hpp"
#include "types/hcp/names.hpp"
#include "types/hcp/shape.hpp"

namespace acceptd::types::hcp {

namespace {

constexpr std::string_view kBillingType = "microsoft.redhatopenshift/billing";
constexpr std::size_t kManagedGroupNamePart = 45;

model::Uuid billing_id(const model::Resource& resource) {
  return model::uuid_of_name("billing|" + model::to_string(resource.incarnation));
}

engine::Claim claim(std::string_view what, std::string_view value, std::string path, std::string_view text) {
  return {.name = fmt::format("{}:{}", what, model::to_lower(value)),
          .refusal = invalid_at(std::move(path), schema::message::invalid(value, text))};
}

}  // namespace

ClusterType::ClusterType(engine::TypeInfo info, engine::Provider& provider)
    : DescribedType(std::move(info), provider, "HcpOpenShiftCluster") {}

std::optional<model::Error> ClusterType::check_name(const model::ResourceId& id) const {
  static const re2::RE2 kName("[a-zA-Z]([-a-zA-Z0-9]{0,52}[a-zA-Z0-9])?");
  if (re2::RE2::FullMatch(id.name(), kName)) return std::nullopt;
  return invalid_name(id);
}

void ClusterType::generate(json::object& properties, const engine::BuildInput& input) const {
  const std::string generated = model::to_string(input.generated);
  if (text_at(properties, {"platform", "managedResourceGroup"}).empty())
    put(properties, {"platform", "managedResourceGroup"},
        json::value(fmt::format("arohcp-{}-{}", input.id.name().substr(0, kManagedGroupNamePart), generated)));
  if (text_at(properties, {"dns", "baseDomainPrefix"}).empty()) {
    // A letter, then the random digits of a UUID: an RFC 1035 label of at most 15 characters.
    std::string digits = generated;
    std::erase(digits, '-');
    put(properties, {"dns", "baseDomainPrefix"}, json::value(fmt::format("c{}", digits.substr(0, 12))));
  }
}

std::vector<engine::Claim> ClusterType::claims(const model::ResourceId&, const engine::Desired& desired) const {
  std::vector<engine::Claim> claims;
  const json::object& properties = desired.properties;
  if (const auto value = text_at(properties, {"platform", "managedResourceGroup"}); !value.empty())
    claims.push_back(claim("managed-resource-group", value, "properties.platform.managedResourceGroup",
                           "the managed resource group is in use by another cluster of the subscription"));
  if (const auto value = text_at(properties, {"platform", "subnetId"}); !value.empty())
    claims.push_back(claim("subnet", value, "properties.platform.subnetId", "the subnet is in use by another cluster of the subscription"));
  if (const auto value = text_at(properties, {"platform", "networkSecurityGroupId"}); !value.empty())
    claims.push_back(claim("network-security-group", value, "properties.platform.networkSecurityGroupId",
                           "the network security group is in use by another cluster of the subscription"));
  return claims;
}

std::vector<model::Uuid> ClusterType::companion_ids(const model::Resource& resource) const { return {billing_id(resource)}; }

std::vector<model::Write> ClusterType::companions(engine::Event event, const model::Resource& resource, const model::Operation& operation,
                                                  const std::vector<model::DocumentPtr>& existing, engine::Time now) const {
  model::Document billing;
  billing.key = {resource.id.partition(), billing_id(resource)};
  billing.type = kBillingType;
  billing.index = {.kind = model::DocumentKind::companion, .path = resource.id.key(), .created = now};
  if (event == engine::Event::create_succeeded) {
    if (!existing.empty()) return {};
    const json::object body{{"creationTime", model::format_rfc3339(now)},
                            {"location", resource.location},
                            {"tenantId", operation.initiator.tenant},
                            {"subscriptionId", resource.id.partition()},
                            {"resourceId", resource.id.text()},
                            {"managedResourceGroup", text_at(resource.desired, {"platform", "managedResourceGroup"})}};
    billing.body = json::serialize(body);
    return {model::Write{.action = model::Write::Action::create, .document = std::move(billing)}};
  }
  if (existing.empty()) return {};  // never ready, never billed
  json::object body = json::parse(existing.front()->body).as_object();
  if (body.contains("deletionTime")) return {};
  body["deletionTime"] = model::format_rfc3339(now);
  billing.body = json::serialize(body);
  billing.index.created = existing.front()->index.created;
  return {model::Write{.action = model::Write::Action::replace, .document = std::move(billing), .expected = existing.front()->etag}};
}

void ClusterType::check(const CheckInput& input, std::vector<model::Error>& errors) const { check_cluster(input, errors); }

}  // namespace acceptd::types::hcp
