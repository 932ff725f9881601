#pragma once
/// Everything that the simulator remembers, in memory and in its journal.

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cluster-service-sim/simulator/activity.hpp"
#include "apps/cluster-service-sim/simulator/journal.hpp"
#include "apps/cluster-service-sim/simulator/script.hpp"
#include "runtime/clock.hpp"

namespace acceptd::simulator {

/// How long work takes.
struct Durations {
  runtime::Duration cluster_create = std::chrono::seconds(10);
  runtime::Duration cluster_update = std::chrono::seconds(5);
  runtime::Duration cluster_delete = std::chrono::seconds(4);
  runtime::Duration node_pool_create = std::chrono::seconds(6);
  runtime::Duration node_pool_update = std::chrono::seconds(3);
  runtime::Duration node_pool_delete = std::chrono::seconds(4);
  runtime::Duration credential = std::chrono::seconds(2);
  runtime::Duration revocation = std::chrono::seconds(2);
};
/// Members by name ("cluster_create_seconds"), in seconds.
json::object to_json(const Durations& durations);
/// Changes the members that `text` names. 400 for unknown ones and for what is not a number from 0 to 1e9.
Result<void> change(Durations& durations, const json::object& text);

struct Object {
  Kind kind = Kind::cluster;
  std::string cluster_id;  ///< the object's own id for a cluster
  std::string id;
  runtime::Time created;
  std::uint64_t sequence = 0;  ///< order of creation
  json::object body;           ///< known members as accepted, and generated ones
  bool was_ready = false;      ///< before its present work began
  Activity activity;
};

std::string key_of(Kind kind, std::string_view cluster_id, std::string_view id);

/// What was asked for under one name since the file was made: the proof that nothing was made twice.
struct Tally {
  std::uint64_t created = 0;
  std::uint64_t duplicates = 0;  ///< created while another live object had the name (only with allow_duplicate)
  std::uint64_t refused = 0;     ///< 409
};

/// For one thread. Objects whose removal is over are not seen any more; their rows are swept by later writes.
class World {
 public:
  /// Loads the file. Throws std::runtime_error if it cannot be read. `seed` decides ids and chance.
  World(Journal& journal, const runtime::Clock& clock, Durations defaults, std::uint64_t seed);

  runtime::Time now() const { return clock_.now() + offset_; }
  /// Persisted; only forward.
  void advance(runtime::Duration by);

  const Object* find(Kind kind, std::string_view cluster_id, std::string_view id) const;
  const Object* find_cluster(std::string_view id) const { return find(Kind::cluster, id, id); }
  /// Live objects in order of creation. `cluster_id` empty: of all clusters.
  std::vector<const Object*> list(Kind kind, std::string_view cluster_id = {}) const;
  std::optional<std::string_view> state(const Object& object) const;  ///< as callers are told
  bool ready_by_now(const Object& object) const;

  /// Stores the objects and tallies in one transaction; durable on return. Throws std::runtime_error: nothing changed.
  void save(std::vector<Object> objects, const std::map<std::string, Tally>& tallies = {});
  const std::map<std::string, Tally>& tallies() const { return tallies_; }
  Tally tally(const std::string& name) const;

  const std::vector<Rule>& rules() const { return rules_; }
  void add_rules(std::vector<Rule> rules);
  void clear_rules();
  /// What the rules do to a call; their counts are durable on return.
  Treatment treat(const Subject& subject);

  const Durations& durations() const { return durations_; }
  void set_durations(const Durations& durations);

  void reset();
  std::uint64_t draw();  ///< 64 random bits; goes on after a restart
  std::string new_id();  ///< 32 lower-case letters and digits
  std::uint64_t next_sequence() { return ++sequence_; }
  std::size_t object_count() const { return objects_.size(); }

  static constexpr std::size_t kObjectsMax = 100'000;  ///< beyond it creations answer 503; all are held in memory
  static constexpr std::size_t kSweepMax = 100;        ///< rows that one write sweeps

 private:
  bool alive(const Object& object) const;
  void restore(const std::string& key, const std::string& value);
  void commit(std::vector<Entry> entries);
  void sweep(std::vector<Entry>& entries);

  Journal& journal_;
  const runtime::Clock& clock_;
  const Durations defaults_;
  const std::uint64_t seed_;
  Durations durations_;
  runtime::Duration offset_{0};
  std::uint64_t sequence_ = 0;
  std::uint64_t rules_added_ = 0;
  std::map<std::string, Object, std::less<>> objects_;  ///< by key_of
  std::map<std::string, Tally> tallies_;
  std::vector<Rule> rules_;
  std::string swept_;  ///< where the last sweep stopped
};

}  // namespace acceptd::simulator
