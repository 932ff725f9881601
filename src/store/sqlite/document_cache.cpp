#include "store/sqlite/document_cache.hpp"

#include <cstring>
#include <utility>

namespace acceptd::store::sqlite {
namespace {

// What an entry costs beside its texts: the document, its control block, the nodes of the indexes.
constexpr std::size_t kEntryBytes = sizeof(Document) + 96;

std::size_t cost_of(const Document& document) {
  return kEntryBytes + document.key.partition.size() + document.type.size() + document.body.size() + document.index.path.size();
}

}  // namespace

std::size_t DocumentCache::HashKey::operator()(const Key& key) const {
  // Ids are random or hashes already, and hardly any is in two partitions.
  std::size_t hash = 0;
  std::memcpy(&hash, key.id.data, sizeof hash);
  return hash;
}

DocumentPtr DocumentCache::find(const Key& key) {
  const Lock lock(mutex_);
  auto& by_key = entries_.get<1>();
  const auto found = by_key.find(key);
  if (found == by_key.end()) return nullptr;
  entries_.relocate(entries_.begin(), entries_.project<0>(found));
  return found->document;
}

std::uint64_t DocumentCache::begin_read() {
  const Lock lock(mutex_);
  return published_;
}

void DocumentCache::fill(DocumentPtr document, std::uint64_t began) {
  const Lock lock(mutex_);
  if (last_write(document->key) > began) return;
  insert(std::move(document));
}

void DocumentCache::hide(const std::vector<Change>& changes, std::uint64_t counter) {
  const Lock lock(mutex_);
  for (const Change& change : changes) {
    erase(change.key);
    last_write(change.key) = counter;
  }
}

void DocumentCache::publish(std::vector<Change> changes, std::uint64_t counter) {
  const Lock lock(mutex_);
  published_ = counter;
  // A group may write a key more than once: the last change counts.
  for (Change& change : changes) {
    if (change.document)
      insert(std::move(change.document));
    else
      erase(change.key);
  }
}

std::size_t DocumentCache::bytes() {
  const Lock lock(mutex_);
  return bytes_;
}

void DocumentCache::erase(const Key& key) {
  auto& by_key = entries_.get<1>();
  const auto found = by_key.find(key);
  if (found == by_key.end()) return;
  bytes_ -= cost_of(*found->document);
  by_key.erase(found);
}

void DocumentCache::insert(DocumentPtr document) {
  const std::size_t cost = cost_of(*document);
  erase(document->key);
  if (cost > bytes_max_) return;
  entries_.push_front(Entry{std::move(document)});
  bytes_ += cost;
  while (bytes_ > bytes_max_) {
    bytes_ -= cost_of(*entries_.back().document);
    entries_.pop_back();
  }
}

}  // namespace acceptd::store::sqlite
