#include "simulation/backend.hpp"

#include <fmt/format.h>

#include <tuple>

namespace acceptd::simulation {

using engine::Observation;
using engine::Submission;
using engine::Target;
using model::RequestKind;
using model::Status;
using Phase = Object::Phase;

namespace {

Submission rejected(std::string message) {
  return {.answer = Submission::Answer::rejected,
          .error = model::Error{.kind = model::ErrorKind::invalid, .code = "Rejected", .message = std::move(message)},
          .summary = "400"};
}

Submission gone() { return {.answer = Submission::Answer::gone, .summary = "404"}; }

}  // namespace

void Backend::begin(Object& object, Phase phase, Duration least, Duration most) {
  object.phase = phase;
  object.phase_ends = world_.elapsed() + world_.random.between(least, most);
  object.never_ends = !mended_ && world_.random.chance(plan_.never_finishes);
}

Object& Backend::add(Object object, Duration least, Duration most) {
  object.id = fmt::format("/{}/{}", object.kind.substr(object.kind.rfind('/') + 1), ++made_);
  // What has a parent is addressed by its name: a successor has the same address.
  if (object.stamped && !object.parent.empty()) object.id = object.parent + object.name.substr(object.name.rfind('/'));
  object.created = world_.now();
  begin(object, Phase::creating, least, most);
  object.will_fail = !mended_ && world_.random.chance(plan_.provision_fails);
  world_.say(fmt::format("backend: {} made for {}", object.id, model::to_string(object.made_for).substr(0, 8)));
  Object& added = objects_.emplace(object.id, object).first->second;
  if (on_created) on_created(added);
  return added;
}

Submission Backend::create(const Target& target, bool keys) {
  if (keys) {
    if (const auto known = keys_.find(target.operation); known != keys_.end())
      return {.answer = Submission::Answer::accepted, .internal_id = known->second, .summary = "200"};
  } else {
    for (const auto& [id, object] : objects_)
      if (object.name == target.id.key()) return {.answer = Submission::Answer::exists, .summary = "409"};
  }
  if (target.id.parent()) {
    const auto parent = objects_.find(target.parent_internal_id);
    if (parent == objects_.end() || parent->second.phase == Phase::removing) return rejected("The parent is not there.");
  }
  Object& made = add({.kind = target.id.type_key(),
                      .name = target.id.key(),
                      .parent = target.parent_internal_id,
                      .stamped = true,
                      .incarnation = target.incarnation,
                      .operation = target.operation,
                      .made_for = target.operation},
                     5s, 4min);
  if (keys) keys_.emplace(target.operation, made.id);
  return {.answer = Submission::Answer::accepted, .internal_id = made.id, .observed = {{"size", 1}}, .summary = "201"};
}

void Backend::add_stranger(const std::string& kind, const std::string& name, Duration stays) {
  for (const auto& [id, object] : objects_)
    if (object.name == name) return;
  Object& stranger = add({.kind = kind, .name = name}, 1s, 1s);
  world_.after(stays, [this, id = stranger.id] { erase(id); });
}

/// Requests about an object come with what it was made for; the backend itself could not tell.
void Backend::must_be_meant(const Object& object, const Target& target) {
  if (object.stamped && object.incarnation != target.incarnation)
    world_.fail(fmt::format("a late request hits {}, a successor of the object that it was meant for", object.id));
}

Submission Backend::update(const Target& target) {
  const auto found = objects_.find(target.internal_id);
  if (found == objects_.end()) return gone();
  must_be_meant(found->second, target);
  const auto parent = objects_.find(found->second.parent);
  if (found->second.phase == Phase::removing || (parent != objects_.end() && parent->second.phase == Phase::removing))
    return rejected("The object is being removed.");
  begin(found->second, Phase::updating, 2s, 1min);
  world_.say("backend: " + target.internal_id + " updates");
  return {.answer = Submission::Answer::accepted, .internal_id = target.internal_id, .summary = "200"};
}

Submission Backend::remove(const Target& target) {
  const auto found = objects_.find(target.internal_id);
  if (found == objects_.end()) return gone();
  Object& object = found->second;
  must_be_meant(object, target);
  if (object.phase == Phase::removing && world_.random.chance(plan_.refuses_twice)) return rejected("It is being removed.");
  for (const auto& [id, other] : objects_)
    if (!plan_.removes_children && other.parent == object.id && other.stamped)
      world_.fail(fmt::format("the backend is asked to remove {} before {}, which is below it", object.id, id));
  if (object.phase != Phase::removing) begin(object, Phase::removing, 2s, 2min);
  world_.say("backend: " + target.internal_id + " goes");
  return {.answer = Submission::Answer::accepted, .internal_id = target.internal_id, .summary = "202"};
}

Submission Backend::act(const Target& target) {
  const auto parent = objects_.find(target.parent_internal_id);
  if (parent == objects_.end()) return gone();
  if (parent->second.phase == Phase::removing) return rejected("The object is being removed.");
  const std::string kind = target.action == "RequestCredential" ? "credential" : "revocation";
  Object& made = add({.kind = kind, .parent = target.parent_internal_id, .made_for = target.operation}, 1s, 30s);
  return {.answer = Submission::Answer::accepted, .internal_id = made.id, .summary = "201"};
}

Submission Backend::execute(const Target& target, bool keys) {
  settle();
  switch (target.request) {
    case RequestKind::create: return create(target, keys);
    case RequestKind::update: return update(target);
    case RequestKind::action: return act(target);
    default: return remove(target);
  }
}

Observation Backend::observe(const Target& target) {
  settle();
  const auto found = objects_.find(target.internal_id);
  if (found == objects_.end()) return {.kind = Observation::Kind::gone, .summary = "404"};
  Observation answer{.kind = Observation::Kind::state, .observed = {{"size", 1}}, .summary = "200"};
  switch (found->second.phase) {
    case Phase::creating: answer.status = Status::provisioning; break;
    case Phase::updating: answer.status = Status::updating; break;
    case Phase::removing: answer.status = Status::deleting; break;
    case Phase::ready: answer.status = Status::succeeded; break;
    case Phase::failed:
      answer.status = Status::failed;
      answer.error = model::Error{.code = "ProvisioningFailed", .message = "The backend could not do it."};
      break;
  }
  if (target.request == RequestKind::remove && answer.status != Status::deleting) answer.status.reset();
  return answer;
}

engine::SearchResult Backend::search(const Target& target) {
  settle();
  engine::SearchResult result{.available = true, .summary = "200"};
  for (const auto& [id, object] : objects_) {
    const bool candidate = target.request == RequestKind::action
                               ? object.kind == "credential" && object.parent == target.parent_internal_id
                               : object.name == target.id.key();
    if (!candidate) continue;
    engine::Found found{
        .internal_id = id, .created = object.created, .removing = object.phase == Phase::removing, .observed = {{"size", 1}}};
    if (object.stamped) found.incarnation = object.incarnation;
    if (object.stamped) found.operation = object.operation;
    result.found.push_back(std::move(found));
  }
  std::ranges::sort(result.found, [](const engine::Found& a, const engine::Found& b) {
    return std::tie(*a.created, a.internal_id) > std::tie(*b.created, b.internal_id);
  });
  return result;
}

void Backend::erase(const std::string& id) {
  world_.say("backend: " + id + " is gone");
  std::erase_if(objects_, [&](const auto& entry) { return entry.second.parent == id || entry.first == id; });
}

void Backend::settle() {
  std::vector<std::string> removed;
  for (auto& [id, object] : objects_) {
    if (object.phase == Phase::ready || object.phase == Phase::failed) continue;
    if (object.phase_ends > world_.elapsed() || (object.never_ends && !mended_)) continue;
    if (object.phase == Phase::removing) {
      removed.push_back(id);
    } else {
      if (object.kind == "revocation") {
        for (const auto& [other_id, other] : objects_)
          if (other.kind == "credential" && other.parent == object.parent) removed.push_back(other_id);
      }
      object.phase = object.will_fail && object.phase == Phase::creating ? Phase::failed : Phase::ready;
    }
  }
  for (const std::string& id : removed)
    if (objects_.contains(id)) erase(id);
}

const std::map<std::string, Object>& Backend::objects() {
  settle();
  return objects_;
}

bool Backend::alive(const model::Uuid& incarnation) {
  settle();
  return std::ranges::any_of(objects_,
                             [&](const auto& entry) { return entry.second.stamped && entry.second.incarnation == incarnation; });
}

void Backend::mend() { mended_ = true; }

}  // namespace acceptd::simulation
