#include <fmt/format.h>

#include "simulation/invariants.hpp"

namespace acceptd::simulation {

void Auditor::require(std::string_view invariant, const Finding& finding) {
  if (finding.empty()) return;
  world_.say(fmt::format("VIOLATION of {}: {}", invariant, finding));
  world_.fail(fmt::format("{}: {}", invariant, finding));
}

void Auditor::committed(const model::Batch& batch, const std::vector<model::Etag>& etags) {
  const std::vector<Touched> touched = mirror_.apply(batch, etags);
  const Commit commit{touched, mirror_, backend_, world_.now()};
  require("writes are conditional", writes_are_conditional(commit));
  require("intents are written together", intents_are_written_together(commit));
  require("terminal is final", terminal_is_final(commit));
  require("transitions are allowed", transitions_are_allowed(commit));
  require("one active operation per resource", one_active_operation_per_resource(commit));
  require("deletes mark their subtree", deletes_mark_their_subtree(commit));
  require("superseded stays superseded", superseded_stays_superseded(commit));
  require("resources have their parents", resources_have_their_parents(commit));
  require("removed resources leave nothing", removed_resources_leave_nothing(commit));
  require("deletes end with their resource", deletes_end_with_their_resource(commit));
  require("internal ids are not shared", internal_ids_are_not_shared(commit));
  require("strangers are left alone", strangers_are_left_alone(commit));
  require("billing follows life", billing_follows_life(commit));
  require("entity tags follow what is read", entity_tags_follow_what_is_read(commit));
  require("failed updates give back", failed_updates_give_back(commit));
  require("revoked means gone", revoked_means_gone(commit));
  require("retention is kept", retention_is_kept(commit, retention_));
}

void Auditor::object_created(const Object& object) {
  require("no orphans, no duplicates", object_has_a_resource(object, mirror_, backend_));
  require("stays revoked", stays_revoked(object, mirror_));
}

void Auditor::all_is_quiet() {
  require("everything ends", everything_ended(mirror_));
  require("backend matches exactly", backend_matches_exactly(mirror_, backend_));
  require("reservations match resources", reservations_match_resources(mirror_));
  require("deleted subscriptions are empty", deleted_subscriptions_are_empty(mirror_));
}

void Auditor::recovered(const std::map<model::Key, model::DocumentPtr>& documents) {
  const auto stored = [&](const model::Key& key) -> model::Etag {
    const auto found = documents.find(key);
    return found == documents.end() ? "" : found->second->etag;
  };
  const auto known = [&](const model::Key& key) -> model::Etag {
    const EntryPtr entry = mirror_.find(key);
    return entry ? entry->document->etag : "";
  };
  // Whatever was not under way must be as it was acknowledged.
  for (const model::Batch& batch : std::exchange(unknown_, {})) {
    std::size_t writes = 0, changed = 0;
    for (const model::Write& write : batch.writes) {
      if (write.action == model::Write::Action::check) continue;
      ++writes;
      if (stored(write.document.key) == known(write.document.key)) continue;
      ++changed;
      const auto found = documents.find(write.document.key);
      mirror_.set(write.document.key, found == documents.end() ? nullptr : found->second);
    }
    if (changed != 0 && changed != writes) require("durable before acknowledged", "half a batch survived a failure of the disk");
  }
  for (const auto& [key, document] : documents)
    if (known(key) != document->etag)
      require("durable before acknowledged", "a document changed in a crash: " + model::to_string(key.id));
  for (const auto& [key, entry] : mirror_.entries())
    if (!entry->document->expires_at && !documents.contains(key))
      require("durable before acknowledged", "an acknowledged document was lost in a crash: " + model::to_string(key.id));
}

}  // namespace acceptd::simulation
