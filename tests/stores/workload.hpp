#pragma once
/// Batches, queries and reads made of bytes, over so few documents that they meet often.

#include <cstdint>
#include <string>
#include <vector>

#include "store/store.hpp"
#include "support/model_store.hpp"

namespace acceptd::testing {

/// Decisions taken from bytes; all zero when they are used up. Fewer and smaller bytes make simpler decisions, which is
/// what a shrinking test wants.
class Choices {
 public:
  explicit Choices(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  std::uint32_t below(std::uint32_t bound) { return at_ < bytes_.size() ? bytes_[at_++] % bound : 0; }
  bool flag() { return below(2) == 1; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

const std::vector<std::string>& workload_partitions();

/// Mostly batches that can succeed against `state`; some with stale etags.
model::Batch make_batch(Choices& choices, const ModelState& state, model::Time now);
store::Query make_query(Choices& choices, model::Time now);
model::Key make_key(Choices& choices);

}  // namespace acceptd::testing
