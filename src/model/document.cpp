#include "model/document.hpp"

#include <string_view>

namespace acceptd::model {

// FNV-1a, folded to its byte-wise xor so that every input bit reaches the bucket. Stored files and leases depend on
// the outcome: it never changes.
std::uint32_t bucket_of(std::string_view partition) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : partition) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  hash ^= hash >> 32;
  hash ^= hash >> 16;
  hash ^= hash >> 8;
  static_assert(kBuckets == 256);
  return static_cast<std::uint32_t>(hash % kBuckets);
}

}  // namespace acceptd::model
