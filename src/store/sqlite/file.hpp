#pragma once
/// The database file: who may open it, what is in it, which version it has.

#include <cstdint>
#include <string>
#include <string_view>

#include "store/sqlite/database.hpp"

namespace acceptd::store::sqlite {

inline constexpr std::int64_t kApplicationId = 0x61636370;  // "accp"
inline constexpr std::int64_t kFileVersion = 2;

/// Keeps a second process (or a second store in this one) out as long as it lives: an exclusive lock on "<path>.lock".
/// Throws std::runtime_error if somebody else holds it. The lock dies with its process.
class FileLock {
 public:
  FileLock(const std::string& path, const std::string& vfs);

 private:
  Database sidecar_;
};

/// Opens for writing, creates the file if there is none. Throws std::runtime_error for a file that is not ours, newer
/// than this program or corrupted, before anything is changed in it. `check_all` reads every page.
Database open_for_writing(const std::string& path, const std::string& vfs, bool check_all);
Database open_for_reading(const std::string& path, const std::string& vfs);

/// What is indexed by hash: the path of the top-level resource that `path` is or is below of, else the path itself.
/// Operations on one resource and on all below it are found together without an index over long texts.
std::string_view family_of(std::string_view path);
/// Whether all paths that start with `prefix` have one family.
bool is_within_family(std::string_view prefix);
/// Stored: never changes.
std::int64_t hash_of(std::string_view text);

/// A partition's number carries its bucket, a feed entry's place carries its bucket too, so that one integer index
/// serves both a partition and a range of buckets.
inline constexpr int kPartitionBits = 32;
inline constexpr int kSequenceBits = 48;
inline constexpr std::uint64_t kMaxSequence = (std::uint64_t{1} << kSequenceBits) - 1;
constexpr std::int64_t first_partition(std::uint32_t bucket) { return std::int64_t{bucket} << kPartitionBits; }
constexpr std::int64_t feed_place(std::uint32_t bucket, std::uint64_t sequence) {
  return (std::int64_t{bucket} << kSequenceBits) + static_cast<std::int64_t>(sequence);
}

}  // namespace acceptd::store::sqlite
