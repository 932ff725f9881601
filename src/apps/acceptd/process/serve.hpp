#pragma once
/// The process: everything made, wired, started and stopped in order.

#include "apps/acceptd/process/config.hpp"

namespace acceptd::process {

/// Serves until SIGTERM or SIGINT, then finishes the requests under way. Throws std::runtime_error with a reason fit for an
/// operator if it cannot start: a port in use, a database that is corrupted, newer or another process's.
void serve(const Config& config);

}  // namespace acceptd::process
