#include "types/hcp/billing.hpp"

#include <algorithm>

#include "model/json.hpp"
#include "types/hcp/members.hpp"

namespace acceptd::types::hcp {

namespace {

constexpr std::string_view kBillingType = "microsoft.redhatopenshift/billing";

model::Document document_of(const model::Resource& cluster, const json::object& body, model::Time created) {
  return model::Document{
      .key = {cluster.id.partition(), billing_id(cluster)},
      .type = std::string(kBillingType),
      .body = model::to_text(body),
      .index = {.kind = model::DocumentKind::companion, .path = cluster.id.key(), .created = created},
  };
}

}  // namespace

model::Uuid billing_id(const model::Resource& cluster) {
  return model::uuid_of_name("billing|" + cluster.id.key() + "|" + model::to_string(cluster.incarnation));
}

std::vector<model::Write> billing_writes(engine::Event event, const model::Resource& cluster, const model::Operation& operation,
                                         const std::vector<model::DocumentPtr>& existing, model::Time now) {
  const model::Uuid id = billing_id(cluster);
  const auto found = std::ranges::find_if(existing, [&](const model::DocumentPtr& one) { return one && one->key.id == id; });
  const model::DocumentPtr open = found == existing.end() ? nullptr : *found;
  if (event == engine::Event::create_succeeded) {
    if (open) return {};
    const json::object body{{"creationTime", model::format_rfc3339(cluster.created)},
                            {"location", cluster.location},
                            {"tenantId", operation.initiator.tenant},
                            {"subscriptionId", cluster.id.subscription()},
                            {"resourceId", cluster.id.text()},
                            {"managedResourceGroup", text_at(cluster.desired, "platform.managedResourceGroup")}};
    return {model::Write{.action = model::Write::Action::create, .document = document_of(cluster, body, cluster.created)}};
  }
  if (!open) return {};  // it never lived
  auto body = model::parse_json(open->body);
  if (!body || !body->is_object() || body->get_object().contains("deletionTime")) return {};
  body->get_object()["deletionTime"] = model::format_rfc3339(now);
  return {model::Write{.action = model::Write::Action::replace,
                       .document = document_of(cluster, body->get_object(), open->index.created),
                       .expected = open->etag}};
}

}  // namespace acceptd::types::hcp
