#include "model/resource.hpp"

#include "model/fields.hpp"
#include "model/json.hpp"

namespace acceptd::model {

namespace {

constexpr std::string_view kSubscriptionType = "microsoft.resources/subscriptions";

Error foreign(const Document& document, std::string_view what) {
  return Error{.kind = ErrorKind::internal,
               .code = "InternalServerError",
               .message = "A stored document is not a " + std::string(what) + ": " + to_string(document.key.id)};
}

json::object former_to_json(const Former& former) {
  json::object body;
  FieldWriter out(body);
  out.object("desired", former.desired);
  out.object("tags", former.tags);
  out.object("identity", former.identity);
  out.object("systemData", former.system_data);
  out.text("apiVersion", former.api_version);
  return body;
}

Former former_from(json::object body) {
  FieldReader in(body);
  return {.desired = in.object("desired"),
          .tags = in.object("tags"),
          .identity = in.object("identity"),
          .system_data = in.object("systemData"),
          .api_version = in.text("apiVersion")};
}

}  // namespace

bool reads_alike(const Resource& a, const Resource& b) {
  return a.hidden == b.hidden && a.provisioning_state == b.provisioning_state && a.location == b.location &&
         a.api_version == b.api_version && a.tags == b.tags && a.identity == b.identity && a.system_data == b.system_data &&
         a.desired == b.desired && a.observed == b.observed;
}

Document to_document(const Resource& resource) {
  Arena arena;
  json::object body(arena.storage());
  FieldWriter out(body);
  out.text("resourceId", resource.id.text());
  out.text("internalId", resource.internal_id);
  out.id("activeOperationId", resource.active_operation);
  out.text("provisioningState", to_string(resource.provisioning_state));
  out.object("identity", resource.identity);
  out.object("systemData", resource.system_data);
  out.object("tags", resource.tags);
  out.text("location", resource.location);
  out.object("desired", resource.desired);
  if (resource.previous) body["previous"] = former_to_json(*resource.previous);
  out.object("observed", resource.observed);
  out.text("apiVersion", resource.api_version);
  out.text("etag", resource.etag);
  out.text("owner", resource.owner);
  out.id("incarnation", resource.incarnation);
  out.flag("hidden", resource.hidden);
  out.flag("counted", resource.counted);
  out.flag("subtreeDeleting", resource.subtree_deleting);
  out.time("deletingSince", resource.deleting_since);
  out.time("created", resource.created);
  out.time("uncertainUntil", resource.uncertain_until);
  out.id("exclusiveAction", resource.exclusive_action);
  out.id("cleanupOperation", resource.cleanup_operation);

  Document document;
  document.key = Key{resource.id.partition(), resource.id.document_id()};
  document.type = resource.type_key();
  document.body = json::serialize(body);
  document.index = Index{.kind = DocumentKind::resource, .path = resource.id.key(), .created = resource.created};
  return document;
}

Result<Resource> resource_from(const Document& document) {
  Arena arena;
  auto parsed = parse_stored(document.body, arena.storage());
  if (!parsed || !parsed->is_object()) return std::unexpected(foreign(document, "resource"));
  FieldReader in(parsed->get_object());
  const auto id = ResourceId::parse(in.text("resourceId"));
  const auto status = parse_status(in.text("provisioningState"));
  if (!id || !status) return std::unexpected(foreign(document, "resource"));
  Resource resource;
  resource.id = *id;
  resource.internal_id = in.text("internalId");
  resource.active_operation = in.id("activeOperationId");
  resource.provisioning_state = *status;
  resource.identity = in.object("identity");
  resource.system_data = in.object("systemData");
  resource.tags = in.object("tags");
  resource.location = in.text("location");
  resource.desired = in.object("desired");
  if (in.find("previous")) resource.previous = former_from(in.object("previous"));
  resource.observed = in.object("observed");
  resource.api_version = in.text("apiVersion");
  resource.etag = in.text("etag");
  resource.owner = in.text("owner");
  resource.incarnation = in.id("incarnation").value_or(Uuid{});
  resource.hidden = in.flag("hidden");
  resource.counted = in.flag("counted");
  resource.subtree_deleting = in.flag("subtreeDeleting");
  resource.deleting_since = in.time("deletingSince");
  resource.created = in.time("created").value_or(Time{});
  resource.uncertain_until = in.time("uncertainUntil");
  resource.exclusive_action = in.id("exclusiveAction");
  resource.cleanup_operation = in.id("cleanupOperation");
  if (!in.ok()) return std::unexpected(foreign(document, "resource"));
  return resource;
}

Key subscription_key(std::string_view subscription_id) {
  const std::string partition = to_lower(subscription_id);
  // The id of a subscription's document is the subscription ID itself; IDs that are no UUID get a name-based one.
  const auto id = parse_uuid(partition);
  return Key{partition, id ? *id : uuid_of_name("/subscriptions/" + partition)};
}

Document to_document(const Subscription& subscription) {
  Document document;
  document.key = subscription_key(subscription.id);
  document.type = kSubscriptionType;
  document.body = json::serialize(subscription.body);
  document.index = Index{.kind = DocumentKind::subscription, .path = "/subscriptions/" + to_lower(subscription.id)};
  return document;
}

Result<Subscription> subscription_from(const Document& document) {
  auto parsed = parse_stored(document.body);
  if (!parsed || !parsed->is_object() || document.type != kSubscriptionType)
    return std::unexpected(foreign(document, "subscription"));
  Subscription subscription;
  subscription.id = document.key.partition;
  subscription.body = std::move(parsed->get_object());
  subscription.state = string_at(subscription.body, "state");
  return subscription;
}

}  // namespace acceptd::model
