#pragma once
/// What a batch or a query may be: the same for every store, checked before anything else.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "store/store.hpp"

namespace acceptd::store {

inline constexpr std::size_t kMaxPartitionBytes = 256;
inline constexpr std::size_t kMaxTypeBytes = 256;
inline constexpr std::size_t kMaxPathBytes = 2048;  // longer than any resource ID that a URL can carry here
inline constexpr std::size_t kMaxErrorCodeBytes = 256;
inline constexpr std::size_t kMaxSubjectBytes = 64;
inline constexpr std::size_t kMaxPayloadBytes = 4096;
inline constexpr std::size_t kMaxBatchFeedEntries = model::kMaxBatchDocuments;
inline constexpr std::uint32_t kMaxPage = 1000;

/// nullopt if every limit is kept; otherwise `invalid`. A key is written at most once in a batch, since all
/// preconditions speak of the state before it; it may be checked besides. Paths are lower case.
std::optional<model::Error> check_limits(const Batch& batch);
std::optional<model::Error> check_limits(const Query& query);
std::optional<model::Error> check_limits(const ActiveQuery& query);
std::optional<model::Error> check_limits(const FeedQuery& query);

/// The errors of store.hpp, spelled once.
model::Error precondition_failed(std::size_t write);
model::Error unavailable(std::string message);
model::Error unknown_outcome(std::string message);
model::Error broken(std::string message);

/// Time to live is exact: from `expires_at` on the document is gone.
inline bool is_expired(const std::optional<Time>& expires_at, Time now) { return expires_at && *expires_at <= now; }

}  // namespace acceptd::store
