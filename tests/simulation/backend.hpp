#pragma once
/// The slow backend itself: objects with states by virtual time. It outlives every process. What goes wrong on the way to
/// it is provider.hpp's business.

#include <functional>
#include <map>
#include <set>
#include <string>

#include "engine/provider.hpp"
#include "simulation/plan.hpp"

namespace acceptd::simulation {

struct Object {
  enum class Phase { creating, updating, ready, failed, removing };
  std::string id;
  std::string kind;    ///< type key of the resource, "credential" or "revocation"
  std::string name;    ///< the resource's key; unique among named objects without idempotency keys
  std::string parent;  ///< id of the enclosing object
  bool stamped = false;
  model::Uuid incarnation{}, operation{};
  model::Uuid made_for{};  ///< the operation that asked for it: the truth, which the backend does not tell
  model::Time created{};
  Phase phase = Phase::creating;
  Duration phase_ends{};
  bool will_fail = false, never_ends = false;
};

class Backend {
 public:
  Backend(World& world, const Plan& plan) : world_(world), plan_(plan) {}

  /// Carries a request out. `keys`: the service recognises a create that it has carried out before.
  engine::Submission execute(const engine::Target& target, bool keys);
  engine::Observation observe(const engine::Target& target);
  engine::SearchResult search(const engine::Target& target);

  /// An object that somebody else made, under a name that a resource may want.
  void add_stranger(const std::string& kind, const std::string& name, Duration stays);
  /// Has told the operation for good that it refuses: earlier requests of it that are still on their way are void.
  void refuse(const model::Uuid& operation) { refused_.insert(operation); }
  bool refused(const model::Uuid& operation) const { return refused_.contains(operation); }

  /// Everything that is there now.
  const std::map<std::string, Object>& objects();
  bool alive(const model::Uuid& incarnation);
  /// Ends what would never end: the backend's operators have mended it.
  void mend();
  /// Called with each new object.
  std::function<void(const Object&)> on_created;

 private:
  engine::Submission create(const engine::Target& target, bool keys);
  engine::Submission update(const engine::Target& target);
  engine::Submission remove(const engine::Target& target);
  engine::Submission act(const engine::Target& target);
  void must_be_meant(const Object& object, const engine::Target& target);
  Object& add(Object object, Duration least, Duration most);
  void begin(Object& object, Object::Phase phase, Duration least, Duration most);
  void settle();
  void erase(const std::string& id);

  World& world_;
  const Plan& plan_;
  std::map<std::string, Object> objects_;
  std::map<model::Uuid, std::string> keys_;  ///< idempotency key -> object, kept for ever
  std::set<model::Uuid> refused_;
  std::uint64_t made_ = 0;
  bool mended_ = false;
};

}  // namespace acceptd::simulation
