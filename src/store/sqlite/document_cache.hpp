#pragma once
/// Durable documents that were written or read lately, bounded by bytes.

#include <array>
#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/mem_fun.hpp>
#include <boost/multi_index/sequenced_index.hpp>
#include <boost/multi_index_container.hpp>
#include <cstdint>
#include <vector>

#include "runtime/thread_annotations.hpp"
#include "store/store.hpp"

namespace acceptd::store::sqlite {

using runtime::Lock;
using runtime::Mutex;

/// What a commit group leaves behind: the document, or nullptr where it removed one.
struct Change {
  Key key;
  DocumentPtr document;
};

/// Thread-safe. One committer calls hide(), commits, then publish(); any number of readers call find(), and on a miss
/// begin_read(), read the file, fill(). A reader can neither bring back what a commit has replaced nor see an older
/// version after somebody saw a newer one: from hide() to publish() the documents of the group are read from the file.
class DocumentCache {
 public:
  explicit DocumentCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  DocumentPtr find(const Key& key);

  /// Call before the file is read; hand the result to fill().
  std::uint64_t begin_read();
  void fill(DocumentPtr document, std::uint64_t began);

  /// `counter` is the commit counter after the group.
  void hide(const std::vector<Change>& changes, std::uint64_t counter);
  void publish(std::vector<Change> changes, std::uint64_t counter);

  std::size_t bytes();

 private:
  struct Entry {
    DocumentPtr document;
    const Key& key() const { return document->key; }
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const;
  };
  using Entries = boost::multi_index_container<
      Entry, boost::multi_index::indexed_by<
                 boost::multi_index::sequenced<>,
                 boost::multi_index::hashed_unique<boost::multi_index::const_mem_fun<Entry, const Key&, &Entry::key>, HashKey>>>;
  static constexpr std::size_t kSlots = 4096;  // two keys in one slot cost a fill, never a wrong answer

  void erase(const Key& key) ACCEPTD_REQUIRES(mutex_);
  void insert(DocumentPtr document) ACCEPTD_REQUIRES(mutex_);
  std::uint64_t& last_write(const Key& key) ACCEPTD_REQUIRES(mutex_) { return last_writes_[HashKey{}(key) % kSlots]; }

  const std::size_t bytes_max_;
  Mutex mutex_;
  Entries entries_ ACCEPTD_GUARDED_BY(mutex_);  ///< most recently used first
  std::size_t bytes_ ACCEPTD_GUARDED_BY(mutex_) = 0;
  std::uint64_t published_ ACCEPTD_GUARDED_BY(mutex_) = 0;                      ///< counter of the last published group
  std::array<std::uint64_t, kSlots> last_writes_ ACCEPTD_GUARDED_BY(mutex_){};  ///< per slot: newest group that wrote
};

}  // namespace acceptd::store::sqlite
