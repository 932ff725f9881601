/// What the durable state says callers must see.

#include "simulation/invariants.hpp"

namespace acceptd::simulation {

using model::Operation;
using model::RequestKind;
using model::Resource;
using model::Status;

bool below_deleting(const Mirror& mirror, std::optional<model::ResourceId> id, std::string& version) {
  for (; id; id = id->parent()) {
    const Resource* resource = mirror.resource(*id);
    if (!resource) continue;
    version += "/" + (resource->active_operation ? model::to_string(*resource->active_operation) : "");
    if (resource->subtree_deleting) return true;
  }
  return false;
}

Seen resource_as_seen(const Mirror& mirror, const model::ResourceId& id) {
  const Resource* resource = mirror.resource(id);
  Seen seen;
  if (!resource) return seen;
  seen.exists = !resource->hidden;
  seen.version = mirror.find(model::Key{id.partition(), id.document_id()})->document->etag;
  seen.status = below_deleting(mirror, id.parent(), seen.version) ? Status::deleting : resource->provisioning_state;
  return seen;
}

Seen operation_as_seen(const Mirror& mirror, const model::Key& key, const engine::Caller& caller) {
  const Operation* op = mirror.operation(key);
  Seen seen;
  if (!op) return seen;
  seen.version = mirror.find(key)->document->etag;
  seen.exists = op->exposed == model::Identity{caller.tenant, caller.client};
  seen.status = op->status;
  if (op->active() && op->request != RequestKind::remove && below_deleting(mirror, op->target, seen.version))
    seen.status = Status::canceled;
  return seen;
}

}  // namespace acceptd::simulation
