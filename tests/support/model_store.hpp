#pragma once
/// The reference that other stores are compared with: as simple as store.hpp can be read, no performance.

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/clock.hpp"
#include "store/store.hpp"

namespace acceptd::testing {

/// The durable contents: a value. Copy it to remember a moment.
struct ModelState {
  std::map<model::Key, model::DocumentPtr> documents;            ///< expired ones too, until purged
  std::map<std::uint32_t, std::vector<store::FeedRecord>> feed;  ///< by bucket, in commit order
  std::uint64_t counter = 0;                                     ///< last etag and feed sequence number given out
};

/// One thread; every method completes without suspending. Keeps nothing of its own, so a "crash" is to destroy it and
/// to make another over the same state. `state` and `clock` outlive it.
class ModelStore final : public store::Store {
 public:
  ModelStore(ModelState& state, runtime::Clock& clock, model::Duration feed_time_to_live = std::chrono::hours(24))
      : state_(state), clock_(clock), feed_time_to_live_(feed_time_to_live) {}

  runtime::Task<model::Result<model::DocumentPtr>> read(model::Key key) override;
  runtime::Task<model::Result<store::Committed>> commit(model::Batch batch) override;
  runtime::Task<model::Result<store::Page>> query(store::Query query) override;
  runtime::Task<model::Result<std::uint64_t>> count(store::Query query) override;
  runtime::Task<model::Result<store::ActivePage>> active(store::ActiveQuery query) override;
  runtime::Task<model::Result<std::vector<store::FeedRecord>>> feed(store::FeedQuery query) override;
  runtime::Task<model::Result<std::uint32_t>> purge(std::uint32_t limit) override;

  /// The same, for checks between the steps of a simulation.
  model::DocumentPtr peek(const model::Key& key) const;

 private:
  model::Result<store::Committed> apply(model::Batch& batch);
  std::vector<model::DocumentPtr> select(const store::Query& query) const;

  ModelState& state_;
  runtime::Clock& clock_;
  const model::Duration feed_time_to_live_;
};

}  // namespace acceptd::testing
