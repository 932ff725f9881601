#pragma once
/// What the store holds durably, as told by the commits that it carried out: parsed once, kept beside it, independent of it.

#include <map>
#include <optional>
#include <vector>

#include "model/operation.hpp"
#include "model/resource.hpp"
#include "simulation/world.hpp"
#include "store/store.hpp"

namespace acceptd::simulation {

struct Entry {
  model::DocumentPtr document;
  std::optional<model::Operation> operation;
  std::optional<model::Resource> resource;
};
using EntryPtr = std::shared_ptr<const Entry>;

/// One write of a batch with what it found and left; nullptr = nothing there.
struct Touched {
  model::Write::Action action;
  model::Key key;
  model::Etag expected;
  EntryPtr before, after;
};

class Mirror {
 public:
  explicit Mirror(const World& world) : world_(world) {}

  /// nullptr if absent or expired.
  EntryPtr find(const model::Key& key) const;
  const model::Operation* operation(const model::Key& key) const;
  const model::Resource* resource(const model::ResourceId& id) const;

  /// Takes over a batch that the store carried out.
  std::vector<Touched> apply(const model::Batch& batch, const std::vector<model::Etag>& etags);
  /// Takes over a document as a store shows it after a failure of its disk; nullptr = not there.
  void set(const model::Key& key, model::DocumentPtr document);

  const std::map<model::Key, EntryPtr>& entries() const { return entries_; }
  /// Active operations, kept up to date.
  std::size_t active() const { return active_.size(); }
  const std::map<model::Key, model::ResourceId>& active_operations() const { return active_; }

 private:
  void put(const model::Key& key, EntryPtr entry);

  const World& world_;
  std::map<model::Key, EntryPtr> entries_;
  std::map<model::Key, model::ResourceId> active_;
};

}  // namespace acceptd::simulation
