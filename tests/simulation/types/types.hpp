#pragma once
/// The resource types of the simulation: clusters with pools below them (a backend without idempotency keys, submitted
/// inline), and jobs (a backend with keys, submitted in the background).

#include "engine/resource_type.hpp"

namespace acceptd::simulation {

inline constexpr std::string_view kCluster = "Sim.X/clusters";
inline constexpr std::string_view kPool = "Sim.X/clusters/pools";
inline constexpr std::string_view kJob = "Sim.X/jobs";

/// Body of a companion: {"resource", "incarnation", "open"}.
inline constexpr std::string_view kBillingType = "sim.x/billing";
model::Uuid billing_id(const model::Uuid& incarnation);

/// Providers outlive what is made.
std::unique_ptr<engine::TypeRegistry> make_types(engine::Provider& clusters, engine::Provider& jobs);

}  // namespace acceptd::simulation
