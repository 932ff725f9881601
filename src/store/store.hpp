#pragma once
/// Documents in partitions. Every implementation passes the one conformance suite (tests/stores).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/document.hpp"
#include "model/error.hpp"
#include "runtime/task.hpp"

namespace acceptd::store {

using model::Batch;
using model::Document;
using model::DocumentKind;
using model::DocumentPtr;
using model::Etag;
using model::Key;
using model::Result;
using model::Time;
using runtime::Task;

/// Why a batch was not written. `index` is the first write that failed its precondition.
struct Committed {
  std::vector<Etag> etags;  ///< one per write, in order; "" for remove and check
};

/// Selects documents of one partition. Unset members do not restrict. Expired documents are never selected.
/// Order: resources and others by path, operations by (created, id); ties by id. Stable under concurrent writes:
/// a document that exists during the whole walk is returned exactly once.
struct Query {
  std::string partition;
  DocumentKind kind = DocumentKind::resource;
  std::string type;         ///< "" = any
  std::string path_prefix;  ///< lower case, ends with '/': strictly below that path
  std::string path;         ///< lower case: exactly this path
  std::optional<bool> active;
  std::optional<Time> created_from, created_until;  ///< inclusive, exclusive
  std::string error_code;                           ///< "" = any
  std::uint32_t limit = 100;                        ///< 1 … 1 000
  std::string continuation;                         ///< of the page before; "" = from the start
};
struct Page {
  std::vector<DocumentPtr> documents;
  std::string continuation;  ///< "" = that was the last page
};

/// Walks the active operations of a range of buckets, in any stable order; the way to find work after a start.
struct ActiveQuery {
  std::uint32_t first_bucket = 0, last_bucket = model::kBuckets - 1;  ///< inclusive
  std::uint32_t limit = 1000;
  std::string continuation;
};
struct ActivePage {
  std::vector<Key> keys;
  std::string continuation;
};

struct FeedQuery {
  std::uint32_t bucket = 0;
  std::uint64_t after = 0;  ///< sequence number of the last entry seen; 0 = from the oldest kept
  std::uint32_t limit = 256;
};
struct FeedRecord {
  std::uint64_t sequence = 0;  ///< grows within a bucket in commit order
  model::FeedEntry entry;
  Time written_at{};
};

/// Methods may be called from any thread and run concurrently; each resumes on its caller's executor.
/// Errors: `unavailable` nothing was done; `internal` the store is broken (corrupted, bug) and says why.
class Store {
 public:
  virtual ~Store() = default;

  /// The newest durable version; nullptr if absent or expired.
  virtual Task<Result<DocumentPtr>> read(Key key) = 0;

  /// All writes or none, durable on return. Preconditions are checked in order against the newest state, batches one
  /// after the other. Errors: `precondition_failed` nothing written (`target` = decimal index of the write that
  /// failed); `invalid` the batch breaks a limit; `unknown_outcome` read back before retrying; `unavailable` nothing
  /// written (full disk, stopping).
  virtual Task<Result<Committed>> commit(Batch batch) = 0;

  virtual Task<Result<Page>> query(Query query) = 0;
  /// Exact number of documents that `query` selects over all its pages (limit and continuation are ignored).
  virtual Task<Result<std::uint64_t>> count(Query query) = 0;
  virtual Task<Result<ActivePage>> active(ActiveQuery query) = 0;
  virtual Task<Result<std::vector<FeedRecord>>> feed(FeedQuery query) = 0;

  /// Removes up to `limit` expired documents and feed entries past their time to live; returns how many went.
  virtual Task<Result<std::uint32_t>> purge(std::uint32_t limit) = 0;
};

}  // namespace acceptd::store
