#pragma once
/// What a provider remembers of operations between two calls. Nothing that matters is lost with it: it spares calls.

#include <boost/functional/hash.hpp>
#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

#include "model/uuid.hpp"

namespace acceptd::providers::http_backend {

/// One value per operation. For one thread. Bounded: what was used longest ago is forgotten.
template <class Value>
class Memory {
 public:
  explicit Memory(std::size_t entries_max) : entries_max_(entries_max) {}

  /// nullptr if nothing is remembered. Valid until the next call.
  const Value* find(const model::Uuid& operation) {
    const auto found = index_.find(operation);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }
  void keep(const model::Uuid& operation, Value value) {
    if (const auto known = index_.find(operation); known != index_.end()) erase(known);
    entries_.emplace_front(operation, std::move(value));
    index_.emplace(operation, entries_.begin());
    if (entries_.size() > entries_max_) erase(index_.find(entries_.back().first));
  }
  std::size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<model::Uuid, Value>>;  ///< used last first
  using Index = std::unordered_map<model::Uuid, typename Entries::iterator, boost::hash<model::Uuid>>;
  void erase(typename Index::iterator entry) {
    entries_.erase(entry->second);
    index_.erase(entry);
  }

  std::size_t entries_max_;
  Entries entries_;
  Index index_;
};

}  // namespace acceptd::providers::http_backend
