#pragma once
/// A backend inside the process, for demonstrations and measurements: accepts everything at once and finishes after a set
/// time. It recognises idempotency keys and keeps nothing across a restart but what can be told from the clock.

#include <boost/json.hpp>
#include <chrono>
#include <map>
#include <string>

#include "engine/provider.hpp"
#include "runtime/clock.hpp"

namespace acceptd::providers::simulated {

struct Options {
  std::chrono::nanoseconds work = std::chrono::seconds(1);  ///< how long creates, updates and actions take
  std::chrono::nanoseconds removal = std::chrono::milliseconds(100);
  boost::json::object observed;                       ///< read-only properties of what is done
  std::map<std::string, boost::json::value> results;  ///< of actions, by lower-case name; {} of all others
};

/// The object's name tells when it is done, so that nothing has to be remembered.
class SimulatedProvider final : public engine::Provider {
 public:
  SimulatedProvider(Options options, runtime::Clock& clock) : options_(options), clock_(clock) {}
  engine::ProviderTraits traits() const override;
  engine::Task<engine::Submission> submit(engine::Target target) override;
  engine::Task<engine::Observation> observe(engine::Target target) override;
  engine::Task<engine::SearchResult> search(engine::Target target) override;
  engine::Task<engine::Result<boost::json::value>> result(engine::Target target) override;

 private:
  Options options_;
  runtime::Clock& clock_;
};

}  // namespace acceptd::providers::simulated
