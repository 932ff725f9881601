#include "simulation/invariants.hpp"

#include <fmt/format.h>

#include "model/json.hpp"
#include "simulation/types/types.hpp"

namespace acceptd::simulation {

using model::Operation;
using model::RequestKind;
using model::Resource;
using model::Status;
using Action = model::Write::Action;

namespace {

std::string text(const Operation& op) {
  return fmt::format("{} {} of {} ({})", model::request_name(op), model::to_string(op.id).substr(0, 8), op.target.key(),
                     model::to_string(op.status));
}

const Operation* operation_of(const EntryPtr& entry) { return entry && entry->operation ? &*entry->operation : nullptr; }
const Resource* resource_of(const EntryPtr& entry) { return entry && entry->resource ? &*entry->resource : nullptr; }

bool is_sweep(const Operation& op) { return op.target.type_key() == "microsoft.resources/subscriptions"; }

/// Resources that a commit is about: written themselves, or by way of an operation.
std::vector<model::ResourceId> resources_of(const Commit& commit) {
  std::map<std::string, model::ResourceId> ids;
  for (const Touched& one : commit.touched) {
    for (const EntryPtr& entry : {one.before, one.after}) {
      if (const Resource* resource = resource_of(entry)) ids.emplace(resource->id.key(), resource->id);
      if (const Operation* op = operation_of(entry)) ids.emplace(op->target.key(), op->target);
    }
  }
  std::vector<model::ResourceId> list;
  for (auto& [key, id] : ids) list.push_back(std::move(id));
  return list;
}

std::vector<const Operation*> active_of(const Mirror& mirror, const model::ResourceId& id) {
  std::vector<const Operation*> found;
  for (const auto& [key, target] : mirror.active_operations())
    if (target == id)
      if (const Operation* op = mirror.operation(key)) found.push_back(op);
  return found;
}

}  // namespace

Finding writes_are_conditional(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const model::Etag found = one.before ? one.before->document->etag : "";
    const model::Etag expected = one.action == Action::create ? "" : one.expected;
    if (found != expected)
      return fmt::format("document {} was written with the etag '{}', but had '{}'", model::to_string(one.key.id), expected,
                         found);
    if (one.action != Action::check && one.action != Action::create && expected.empty()) return "an unconditional write";
  }
  return {};
}

Finding intents_are_written_together(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Operation* op = operation_of(one.after);
    if (!op || one.before || !op->changes_state() || is_sweep(*op)) continue;
    const bool with_resource = std::ranges::any_of(commit.touched, [&](const Touched& other) {
      const Resource* resource = resource_of(other.after);
      return other.action != Action::check && resource && resource->id == op->target && resource->active_operation == op->id;
    });
    if (!with_resource) return text(*op) + " was created without its resource in the same batch";
  }
  return {};
}

Finding terminal_is_final(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Operation *before = operation_of(one.before), *after = operation_of(one.after);
    if (!before || before->active() || one.action == Action::check) continue;
    if (!after) return text(*before) + " was removed";
    if (one.after->document->body != one.before->document->body || after->expires_at != before->expires_at)
      return text(*before) + " became " + text(*after);
  }
  return {};
}

Finding transitions_are_allowed(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Operation *before = operation_of(one.before), *after = operation_of(one.after);
    if (!before) continue;
    if (!after && (before->status != Status::intended || before->exposed))
      return text(*before) + " was removed though it was shown";
    if (!after) continue;
    if (before->status != after->status && !model::may_follow(before->status, after->status))
      return text(*before) + " became " + text(*after);
    if (before->status == after->status && before->last_transition != after->last_transition)
      return text(*after) + ": lastTransitionTime moves without the status";
    if (before->exposed && before->exposed != after->exposed) return text(*after) + " changed hands";
    if (!after->active() && after->status != Status::succeeded && !after->error) return text(*after) + " does not say why";
  }
  return {};
}

Finding one_active_operation_per_resource(const Commit& commit) {
  for (const model::ResourceId& id : resources_of(commit)) {
    const Resource* resource = commit.mirror.resource(id);
    const Operation* active = nullptr;
    for (const Operation* op : active_of(commit.mirror, id)) {
      if (!op->changes_state() || is_sweep(*op)) continue;
      if (active) return text(*active) + " and " + text(*op) + " are both active";
      active = op;
    }
    if (active && (!resource || resource->active_operation != active->id))
      return text(*active) + " is active, but its resource does not name it";
    if (!resource) continue;
    if (!active && resource->active_operation) return id.key() + " names an operation that is not active";
    if (active && active->status != Status::intended && resource->provisioning_state != active->status)
      return fmt::format("{} reads {} while {}", id.key(), model::to_string(resource->provisioning_state), text(*active));
    if (!active && !model::is_terminal(resource->provisioning_state))
      return fmt::format("{} reads {} though nothing is active", id.key(), model::to_string(resource->provisioning_state));
    if (resource->hidden && (!active || active->status != Status::intended))
      return id.key() + " is hidden though its intent is shown";
  }
  return {};
}

Finding deletes_mark_their_subtree(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Operation* op = operation_of(one.after);
    if (!op || !op->active() || op->request != RequestKind::remove || op->follows || is_sweep(*op)) continue;
    const Resource* resource = commit.mirror.resource(op->target);
    if (resource && !resource->subtree_deleting) return text(*op) + " did not mark its subtree";
  }
  for (const model::ResourceId& id : resources_of(commit)) {
    const Resource* resource = commit.mirror.resource(id);
    if (resource && resource->subtree_deleting && !resource->active_operation) return id.key() + " is still marked as deleting";
  }
  return {};
}

Finding superseded_stays_superseded(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Operation *before = operation_of(one.before), *after = operation_of(one.after);
    if (!after || after->active() || after->status == Status::canceled || (before && !before->active())) continue;
    if (after->request == RequestKind::remove || after->request == RequestKind::cleanup) continue;
    std::string version;
    if (below_deleting(commit.mirror, after->target, version))
      return text(*after) + " ended so, though callers were shown Canceled";
  }
  return {};
}

Finding resources_have_their_parents(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    if (const Resource* made = resource_of(one.after); made && !one.before) {
      const auto parent_id = made->id.parent();
      const Resource* parent = parent_id ? commit.mirror.resource(*parent_id) : nullptr;
      if (parent_id && !parent) return made->id.key() + " was created without its parent";
      if (parent && parent->subtree_deleting) return made->id.key() + " was created while its parent is being deleted";
    }
    const Resource* gone = resource_of(one.before);
    if (!gone || one.after) continue;
    for (const auto& [key, entry] : commit.mirror.entries())
      if (const Resource* other = resource_of(entry); other && other->id.key().starts_with(gone->id.key() + "/"))
        return gone->id.key() + " was removed before " + other->id.key();
  }
  return {};
}

Finding removed_resources_leave_nothing(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Resource *before = resource_of(one.before), *after = resource_of(one.after);
    if (!before || (after && after->incarnation == before->incarnation)) continue;
    if (commit.backend.alive(before->incarnation)) return before->id.key() + " went while its object lives on at the backend";
  }
  return {};
}

Finding deletes_end_with_their_resource(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Operation *before = operation_of(one.before), *after = operation_of(one.after);
    if (!before || !after || !before->active() || after->status != Status::succeeded || is_sweep(*after)) continue;
    if (after->request != RequestKind::remove) continue;
    const Resource* resource = commit.mirror.resource(after->target);
    if (resource && resource->incarnation == after->incarnation) return text(*after) + ", but the resource is still there";
  }
  return {};
}

Finding internal_ids_are_not_shared(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Operation *before = operation_of(one.before), *after = operation_of(one.after);
    if (!after || after->request != RequestKind::action || after->internal_id.empty()) continue;
    if (before && before->internal_id == after->internal_id) continue;
    for (const auto& [key, entry] : commit.mirror.entries())
      if (const Operation* other = operation_of(entry);
          other && other->id != after->id && other->internal_id == after->internal_id)
        return text(*after) + " and " + text(*other) + " stand for one object, " + after->internal_id;
  }
  return {};
}

Finding strangers_are_left_alone(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Resource *before = resource_of(one.before), *after = resource_of(one.after);
    if (!after || after->internal_id.empty() || (before && before->internal_id == after->internal_id)) continue;
    const auto object = commit.backend.objects().find(after->internal_id);
    if (object != commit.backend.objects().end() && object->second.incarnation != after->incarnation)
      return fmt::format("{} took {}, which is not its object", after->id.key(), after->internal_id);
  }
  return {};
}

Finding billing_follows_life(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Operation *before = operation_of(one.before), *after = operation_of(one.after);
    const bool created = before && after && before->active() && after->status == Status::succeeded &&
                         after->request == RequestKind::create && after->target.type_key() == model::to_lower(kCluster);
    const Resource *was = resource_of(one.before), *is = resource_of(one.after);
    const bool ended = was && was->id.type_key() == model::to_lower(kCluster) && (!is || is->incarnation != was->incarnation);
    if (!created && !ended) continue;
    const model::Uuid incarnation = created ? after->incarnation : was->incarnation;
    const EntryPtr bill = commit.mirror.find(model::Key{one.key.partition, billing_id(incarnation)});
    const bool open = bill && model::parse_json(bill->document->body)->at("open").as_bool();
    if (created && !open) return text(*after) + ", but is not billed";
    if (ended && open) return was->id.key() + " is billed after its end";
  }
  return {};
}

Finding entity_tags_follow_what_is_read(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Resource *before = resource_of(one.before), *after = resource_of(one.after);
    if (!before || !after) continue;
    const bool alike = model::reads_alike(*before, *after);
    if (alike != (before->etag == after->etag))
      return fmt::format("{} reads {}, but its entity tag {}", after->id.key(), alike ? "as before" : "otherwise",
                         alike ? "changed" : "did not change");
    const Operation* active =
        after->active_operation ? commit.mirror.operation(model::Key{one.key.partition, *after->active_operation}) : nullptr;
    if (active && active->status == Status::intended && !alike) return text(*active) + " is hidden, but can be read";
  }
  return {};
}

Finding failed_updates_give_back(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Resource *before = resource_of(one.before), *after = resource_of(one.after);
    if (!before || !after || !before->previous || after->active_operation) continue;
    const Operation* update = commit.mirror.operation(model::Key{one.key.partition, *before->active_operation});
    if (!update || update->status == Status::succeeded) continue;
    const model::Former now{after->desired, after->tags, after->identity, after->system_data, after->api_version};
    if (now != *before->previous) return text(*update) + " left something of what it wanted";
  }
  return {};
}

Finding revoked_means_gone(const Commit& commit) {
  for (const Touched& one : commit.touched) {
    const Operation *before = operation_of(one.before), *after = operation_of(one.after);
    if (!before || !after || !before->active() || after->status != Status::succeeded) continue;
    const Resource* cluster = after->action == "RevokeCredentials" ? commit.mirror.resource(after->target) : nullptr;
    if (!cluster) continue;
    // No credential can be asked for while it runs, so that all that are there were asked for before.
    for (const auto& [id, object] : commit.backend.objects())
      if (object.kind == "credential" && object.parent == cluster->internal_id) return text(*after) + ", but " + id + " is valid";
  }
  return {};
}

Finding stays_revoked(const Object& object, const Mirror& mirror) {
  if (object.kind != "credential") return {};
  const Operation* asked = nullptr;
  for (const auto& [key, entry] : mirror.entries())
    if (const Operation* op = operation_of(entry); op && op->id == object.made_for) asked = op;
  if (!asked || asked->status != Status::canceled) return {};
  for (const auto& [key, entry] : mirror.entries())
    if (const Operation* op = operation_of(entry); op && op->action == "RevokeCredentials" && op->target == asked->target &&
                                                   op->status == Status::succeeded &&
                                                   op->last_transition >= asked->last_transition)
      return fmt::format("{} appears after {}", object.id, text(*op));
  return {};
}

Finding retention_is_kept(const Commit& commit, Duration retention) {
  for (const Touched& one : commit.touched) {
    const Operation* op = operation_of(one.after);
    if (!op || one.action == Action::check) continue;
    const auto& expires = one.after->document->expires_at;
    if (op->active() && expires) return text(*op) + " would expire";
    if (!op->active() && expires != op->last_transition + retention) return text(*op) + " expires at the wrong time";
  }
  return {};
}

Finding object_has_a_resource(const Object& object, const Mirror& mirror, Backend& backend) {
  if (!object.stamped) return {};
  const auto id = model::ResourceId::parse(object.name);
  const Resource* resource = id ? mirror.resource(*id) : nullptr;
  if (!resource || resource->incarnation != object.incarnation)
    return fmt::format("the backend made {} for {}, which is not there (any more)", object.id, object.name);
  for (const auto& [other_id, other] : backend.objects())
    if (other_id != object.id && other.stamped && other.incarnation == object.incarnation &&
        other.phase != Object::Phase::removing)
      return fmt::format("the backend made {} beside {} for {}", object.id, other_id, object.name);
  return {};
}

Finding everything_ended(const Mirror& mirror) {
  for (const auto& [key, entry] : mirror.entries())
    if (const Operation* op = operation_of(entry); op && op->active())
      return text(*op) + " never ends; stage " + std::to_string(static_cast<int>(op->stage));
  return {};
}

Finding backend_matches_exactly(const Mirror& mirror, Backend& backend) {
  std::map<model::Uuid, const Resource*> resources;
  for (const auto& [key, entry] : mirror.entries())
    if (const Resource* resource = resource_of(entry)) resources.emplace(resource->incarnation, resource);
  for (const auto& [id, object] : backend.objects()) {
    if (!object.stamped) continue;
    const auto owner = resources.find(object.incarnation);
    if (owner == resources.end()) return fmt::format("{} at the backend belongs to nobody ({})", id, object.name);
    if (owner->second->internal_id != id)
      return fmt::format("{} at the backend is {}'s, which knows '{}'", id, object.name, owner->second->internal_id);
  }
  for (const auto& [incarnation, resource] : resources)
    if (resource->provisioning_state == Status::succeeded && !backend.objects().contains(resource->internal_id))
      return resource->id.key() + " reads Succeeded, but the backend does not have it";
  return {};
}

Finding reservations_match_resources(const Mirror& mirror) {
  std::map<std::string, std::uint64_t> pools;
  for (const auto& [key, entry] : mirror.entries())
    if (const Resource* resource = resource_of(entry); resource && resource->id.type_key() == model::to_lower(kPool))
      ++pools[resource->id.parent()->key() + "/"];
  for (const auto& [key, entry] : mirror.entries()) {
    if (entry->document->index.kind != model::DocumentKind::reservation) continue;
    const auto body = model::parse_json(entry->document->body).value().as_object();
    const std::string& path = entry->document->index.path;
    if (const auto* count = body.if_contains("count")) {
      if (count->to_number<std::uint64_t>() != pools[path])
        return fmt::format("{} is said to have {} pools, but has {}", path, boost::json::serialize(*count), pools[path]);
    } else {
      const auto holder = model::ResourceId::parse(model::string_at(body, "holder"));
      const Resource* resource = holder ? mirror.resource(*holder) : nullptr;
      if (!resource || "subnet:" + std::string(model::string_at(resource->desired, "subnet")) != model::string_at(body, "claim"))
        return path + " is said to hold " + std::string(model::string_at(body, "claim"));
    }
  }
  return {};
}

Finding deleted_subscriptions_are_empty(const Mirror& mirror) {
  for (const auto& [key, entry] : mirror.entries()) {
    const Resource* resource = resource_of(entry);
    // A delete may end as failed, e.g. when the backend refuses it; what nobody tried to delete must not be there.
    if (!resource || resource->provisioning_state != Status::succeeded) continue;
    const EntryPtr document = mirror.find(model::subscription_key(key.partition));
    const auto subscription = document ? model::subscription_from(*document->document) : model::Subscription{};
    if (subscription && subscription->state == "Deleted") return resource->id.key() + " outlived its subscription";
  }
  return {};
}

}  // namespace acceptd::simulation
