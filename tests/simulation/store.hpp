#pragma once
/// A process's door to its store: slow, sometimes closed, sometimes silent about what it did.

#include "simulation/invariants.hpp"
#include "simulation/process.hpp"

namespace acceptd::simulation {

/// Faults of a run; switched off for its end.
struct Faults {
  bool on = true;
};

class SimStore final : public store::Store {
 public:
  SimStore(World& world, const Plan& plan, const Faults& faults, Process& process, store::Store& base, Auditor& auditor)
      : world_(world), plan_(plan), faults_(faults), process_(process), base_(base), auditor_(auditor) {}

  runtime::Task<model::Result<model::DocumentPtr>> read(model::Key key) override;
  runtime::Task<model::Result<store::Committed>> commit(model::Batch batch) override;
  runtime::Task<model::Result<store::Page>> query(store::Query query) override;
  runtime::Task<model::Result<std::uint64_t>> count(store::Query query) override;
  runtime::Task<model::Result<store::ActivePage>> active(store::ActiveQuery query) override;
  runtime::Task<model::Result<std::vector<store::FeedRecord>>> feed(store::FeedQuery query) override;
  runtime::Task<model::Result<std::uint32_t>> purge(std::uint32_t limit) override;

 private:
  bool fails(double share) { return faults_.on && share > 0 && world_.random.chance(share); }
  Duration delay();
  runtime::Task<void> disturb(const model::Batch& batch);
  runtime::Task<model::Result<store::Committed>> carry_out(model::Batch batch);
  /// Every reading call: delay, refusal, effect, delay.
  template <class T, class Call>
  runtime::Task<model::Result<T>> pass_through(Call call);

  World& world_;
  const Plan& plan_;
  const Faults& faults_;
  Process& process_;
  store::Store& base_;
  Auditor& auditor_;
};

}  // namespace acceptd::simulation
