#pragma once
/// What stores keep and what a decision asks them to write. Shapes only; store/store.hpp says what they promise.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/time.hpp"
#include "model/uuid.hpp"

namespace acceptd::model {

/// Partition: lower-cased subscription ID, tenant, scope or controller (DESIGN §3). At most 256 bytes.
struct Key {
  std::string partition;
  Uuid id{};
  bool operator==(const Key&) const = default;
  bool operator<(const Key& other) const { return partition != other.partition ? partition < other.partition : id < other.id; }
};

/// The version of a stored document: given by the store at each write, never reused. "" means "not stored".
using Etag = std::string;

enum class DocumentKind : std::uint8_t {
  subscription = 1,
  resource = 2,
  operation = 3,
  companion = 4,    ///< declared by a type, e.g. billing
  reservation = 5,  ///< guards what spans documents: unique names, counters
};

/// What queries can see of a document; set by the writer, small.
struct Index {
  DocumentKind kind = DocumentKind::resource;
  std::string path;        ///< lower-cased resource ID: its own, or the one an operation acts on; "" if none
  bool active = false;     ///< an operation that has not ended
  Time created{};          ///< operations: start; others: creation
  std::string error_code;  ///< operations that failed
  bool operator==(const Index&) const = default;
};

/// The envelope. `body` is the JSON text of `properties`, at most kMaxDocumentBytes.
struct Document {
  Key key;
  std::string type;  ///< lower-cased resourceType
  std::string body;
  Index index;
  std::optional<Time> expires_at;  ///< from then on it is never served, purged or not
  Etag etag;                       ///< set by the store
  Time written_at{};               ///< set by the store
};
using DocumentPtr = std::shared_ptr<const Document>;

inline constexpr std::size_t kMaxDocumentBytes = 2 * 1024 * 1024;  // Cosmos DB's item limit
inline constexpr std::size_t kMaxBatchDocuments = 100;             // Cosmos DB's batch limits
inline constexpr std::size_t kMaxBatchBytes = 2 * 1024 * 1024;

/// One step of a batch.
struct Write {
  enum class Action : std::uint8_t {
    create,   ///< only if the key is absent (an expired document counts as absent)
    replace,  ///< only if the stored etag equals `expected`
    remove,   ///< only if the stored etag equals `expected`
    check,    ///< writes nothing: the stored etag must equal `expected` ("" = must be absent)
  };
  Action action = Action::create;
  Document document;  ///< remove and check use only its key
  Etag expected;
};

/// An entry of the change feed, written with the batch that it tells of. Deletes are entries too.
struct FeedEntry {
  Key key;
  std::string subject;  ///< what changed, e.g. "operation.status"; at most 64 bytes
  std::string payload;  ///< small JSON text; at most 4 KiB
};

/// All or nothing, one partition, at most kMaxBatchDocuments writes and kMaxBatchBytes.
struct Batch {
  std::string partition;
  std::vector<Write> writes;
  std::vector<FeedEntry> feed;
};

/// The bucket of a partition: leases, feeds and due work are per bucket (DESIGN §3).
inline constexpr std::uint32_t kBuckets = 256;
std::uint32_t bucket_of(std::string_view partition);

}  // namespace acceptd::model
