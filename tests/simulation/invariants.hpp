#pragma once
/// The invariants of DESIGN §1 as functions: each looks at what happened and says what is wrong, or nothing. They know the
/// documents and the backend, and nothing of the engine.

#include "engine/engine.hpp"
#include "simulation/backend.hpp"
#include "simulation/mirror.hpp"

namespace acceptd::simulation {

/// "" = it holds.
using Finding = std::string;

/// A batch that was carried out, with the state after it.
struct Commit {
  const std::vector<Touched>& touched;
  const Mirror& mirror;
  Backend& backend;
  Time now{};
};

// ---- after every commit; the number is that of DESIGN §1
Finding writes_are_conditional(const Commit& commit);                 ///< 7
Finding intents_are_written_together(const Commit& commit);           ///< 1
Finding terminal_is_final(const Commit& commit);                      ///< 2
Finding transitions_are_allowed(const Commit& commit);                ///< 2
Finding one_active_operation_per_resource(const Commit& commit);      ///< 3
Finding deletes_mark_their_subtree(const Commit& commit);             ///< 4
Finding superseded_stays_superseded(const Commit& commit);            ///< 4
Finding resources_have_their_parents(const Commit& commit);           ///< 4
Finding removed_resources_leave_nothing(const Commit& commit);        ///< 6
Finding deletes_end_with_their_resource(const Commit& commit);        ///< 6
Finding internal_ids_are_not_shared(const Commit& commit);            ///< 6
Finding strangers_are_left_alone(const Commit& commit);               ///< 6
Finding billing_follows_life(const Commit& commit);                   ///< 6
Finding entity_tags_follow_what_is_read(const Commit& commit);        ///< DESIGN §4: hidden intents, too
Finding failed_updates_give_back(const Commit& commit);               ///< ARM-136
Finding revoked_means_gone(const Commit& commit);                     ///< 6
Finding retention_is_kept(const Commit& commit, Duration retention);  ///< 10

// ---- when the backend makes an object
Finding stays_revoked(const Object& object, const Mirror& mirror);                            ///< 6
Finding object_has_a_resource(const Object& object, const Mirror& mirror, Backend& backend);  ///< 6

// ---- at the end, when all is quiet
Finding everything_ended(const Mirror& mirror);                           ///< 5
Finding backend_matches_exactly(const Mirror& mirror, Backend& backend);  ///< 6
Finding reservations_match_resources(const Mirror& mirror);               ///< 3
Finding deleted_subscriptions_are_empty(const Mirror& mirror);            ///< ARM-268

/// What the durable state says callers must see: derived as the invariants demand it, not as the engine does it.
struct Seen {
  bool exists = false;
  model::Status status = model::Status::accepted;
  std::string version;  ///< equal at two moments: nothing changed in between
  bool operator==(const Seen&) const = default;
};
/// Whether a delete of `id` or of what encloses it was accepted. `version` grows by what the answer depends on.
bool below_deleting(const Mirror& mirror, std::optional<model::ResourceId> id, std::string& version);
Seen resource_as_seen(const Mirror& mirror, const model::ResourceId& id);
Seen operation_as_seen(const Mirror& mirror, const model::Key& key, const engine::Caller& caller);

/// Runs them all, keeps the mirror.
class Auditor {
 public:
  Auditor(World& world, Backend& backend, Duration retention)
      : world_(world), backend_(backend), mirror_(world), retention_(retention) {}

  void committed(const model::Batch& batch, const std::vector<model::Etag>& etags);
  /// The store itself does not know whether it wrote the batch.
  void unknown(const model::Batch& batch) { unknown_.push_back(batch); }
  /// What a store holds after its disk failed: all that was acknowledged, and of each unknown batch all or nothing.
  void recovered(const std::map<model::Key, model::DocumentPtr>& documents);
  void object_created(const Object& object);
  void all_is_quiet();
  const Mirror& mirror() const { return mirror_; }

 private:
  void require(std::string_view invariant, const Finding& finding);

  World& world_;
  Backend& backend_;
  Mirror mirror_;
  Duration retention_;
  std::vector<model::Batch> unknown_;
};

}  // namespace acceptd::simulation
