#include "store/limits.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

namespace acceptd::store {
namespace {

using model::Error;
using model::ErrorKind;
using model::FeedEntry;
using model::Write;

Error invalid(std::string message) {
  return Error{.kind = ErrorKind::invalid, .code = "InvalidStoreRequest", .message = std::move(message)};
}

bool has_upper_case(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::optional<Error> check_partition(const std::string& partition) {
  if (partition.empty() || partition.size() > kMaxPartitionBytes)
    return invalid(fmt::format("A partition has 1 to {} bytes; this one has {}.", kMaxPartitionBytes, partition.size()));
  return std::nullopt;
}

std::optional<Error> check_path(const std::string& path) {
  if (path.size() > kMaxPathBytes)
    return invalid(fmt::format("A path has at most {} bytes; this one has {}.", kMaxPathBytes, path.size()));
  if (has_upper_case(path)) return invalid(fmt::format("The path '{}' is not lower case.", path));
  return std::nullopt;
}

std::optional<Error> check_page(std::uint32_t limit) {
  if (limit == 0 || limit > kMaxPage)
    return invalid(fmt::format("A page has 1 to {} entries; {} were asked for.", kMaxPage, limit));
  return std::nullopt;
}

bool writes_document(const Write& write) {
  return write.action == Write::Action::create || write.action == Write::Action::replace;
}

std::optional<Error> check_document(const Document& document) {
  if (document.body.size() > model::kMaxDocumentBytes)
    return invalid(
        fmt::format("A document has at most {} bytes; this one has {}.", model::kMaxDocumentBytes, document.body.size()));
  if (document.type.size() > kMaxTypeBytes) return invalid(fmt::format("A resource type has at most {} bytes.", kMaxTypeBytes));
  if (document.index.error_code.size() > kMaxErrorCodeBytes)
    return invalid(fmt::format("An error code has at most {} bytes.", kMaxErrorCodeBytes));
  return check_path(document.index.path);
}

std::optional<Error> check_feed_entry(const Batch& batch, const FeedEntry& entry) {
  if (entry.key.partition != batch.partition)
    return invalid("A feed entry tells of a document in another partition than its batch.");
  if (entry.subject.size() > kMaxSubjectBytes)
    return invalid(fmt::format("The subject of a feed entry has at most {} bytes.", kMaxSubjectBytes));
  if (entry.payload.size() > kMaxPayloadBytes)
    return invalid(fmt::format("The payload of a feed entry has at most {} bytes.", kMaxPayloadBytes));
  return std::nullopt;
}

}  // namespace

std::optional<Error> check_limits(const Batch& batch) {
  if (auto error = check_partition(batch.partition)) return error;
  if (batch.writes.size() > model::kMaxBatchDocuments || batch.feed.size() > kMaxBatchFeedEntries)
    return invalid(fmt::format("A batch has at most {} writes and {} feed entries; this one has {} and {}.",
                               model::kMaxBatchDocuments, kMaxBatchFeedEntries, batch.writes.size(), batch.feed.size()));
  std::size_t bytes = 0;
  std::set<model::Uuid> written;
  for (const Write& write : batch.writes) {
    if (write.document.key.partition != batch.partition)
      return invalid("A write names a document in another partition than its batch.");
    if (write.action != Write::Action::check && !written.insert(write.document.key.id).second)
      return invalid(fmt::format("The document {} is written twice in one batch.", model::to_string(write.document.key.id)));
    if (!writes_document(write)) continue;
    if (auto error = check_document(write.document)) return error;
    bytes += write.document.body.size() + write.document.index.path.size();
  }
  for (const FeedEntry& entry : batch.feed) {
    if (auto error = check_feed_entry(batch, entry)) return error;
    bytes += entry.payload.size();
  }
  if (bytes > model::kMaxBatchBytes)
    return invalid(fmt::format("A batch has at most {} bytes; this one has {}.", model::kMaxBatchBytes, bytes));
  return std::nullopt;
}

std::optional<Error> check_limits(const Query& query) {
  if (auto error = check_partition(query.partition)) return error;
  if (auto error = check_path(query.path)) return error;
  if (auto error = check_path(query.path_prefix)) return error;
  if (!query.path_prefix.empty() && !query.path_prefix.ends_with('/'))
    return invalid(fmt::format("The path prefix '{}' does not end with '/'.", query.path_prefix));
  return check_page(query.limit);
}

std::optional<Error> check_limits(const ActiveQuery& query) {
  if (query.first_bucket > query.last_bucket || query.last_bucket >= model::kBuckets)
    return invalid(
        fmt::format("Buckets {} to {} are no range below {}.", query.first_bucket, query.last_bucket, model::kBuckets));
  return check_page(query.limit);
}

std::optional<Error> check_limits(const FeedQuery& query) {
  if (query.bucket >= model::kBuckets)
    return invalid(fmt::format("There is no bucket {}: they end at {}.", query.bucket, model::kBuckets - 1));
  return check_page(query.limit);
}

Error precondition_failed(std::size_t write) {
  return Error{.kind = ErrorKind::precondition_failed,
               .code = "PreconditionFailed",
               .message = "The document is not in the state that the write depends on.",
               .target = std::to_string(write)};
}

Error unavailable(std::string message) {
  return Error{.kind = ErrorKind::unavailable, .code = "StoreUnavailable", .message = std::move(message)};
}

Error unknown_outcome(std::string message) {
  return Error{.kind = ErrorKind::unknown_outcome, .code = "UnknownOutcome", .message = std::move(message)};
}

Error broken(std::string message) {
  return Error{.kind = ErrorKind::internal, .code = "StoreBroken", .message = std::move(message)};
}

}  // namespace acceptd::store
