#pragma once
/// The ARM resource provider contract (Azure Resource Manager, its SDKs, CLI, Terraform, Bicep) over an engine.

#include "contracts/arm/options.hpp"
#include "engine/engine.hpp"
#include "http/server.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/random.hpp"

namespace acceptd::contracts::arm {

/// All outlive the doors.
struct Dependencies {
  engine::Engine& engine;
  const engine::TypeRegistry& types;
  runtime::Clock& clock;
  runtime::Random& random;
  runtime::Log& log;
};

/// For one http::Server on the engine's thread.
struct Doors {
  http::Handler handle;
  http::Refuse refuse;
};

/// Throws std::invalid_argument if an option cannot be used (a trusted proxy that is no network).
Doors make_doors(Options options, Dependencies dependencies);

}  // namespace acceptd::contracts::arm
