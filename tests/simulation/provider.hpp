#pragma once
/// A process's door to the backend: requests that are lost, late, doubled; answers that lie or never come.

#include "simulation/backend.hpp"
#include "simulation/store.hpp"

namespace acceptd::simulation {

class SimProvider final : public engine::Provider {
 public:
  /// `keys`: a service with idempotency keys.
  SimProvider(World& world, const Plan& plan, const Faults& faults, Process& process, Backend& backend, bool keys)
      : world_(world), plan_(plan), faults_(faults), process_(process), backend_(backend), keys_(keys) {}

  engine::ProviderTraits traits() const override;
  runtime::Task<engine::Submission> submit(engine::Target target) override;
  runtime::Task<engine::Observation> observe(engine::Target target) override;
  runtime::Task<engine::SearchResult> search(engine::Target target) override;
  runtime::Task<model::Result<boost::json::value>> result(engine::Target target) override;

 private:
  bool fails(double share) { return faults_.on && share > 0 && world_.random.chance(share); }
  bool out() const;
  /// Executes at some time within the promise of traits().
  void execute_late(engine::Target target, Duration least);
  runtime::Task<engine::Submission> send(engine::Target target, bool last);
  engine::Observation lie(engine::Observation truth);

  World& world_;
  const Plan& plan_;
  const Faults& faults_;
  Process& process_;
  Backend& backend_;
  const bool keys_;
};

}  // namespace acceptd::simulation
