#pragma once
/// The simulator behind an HTTP server: waits and dropped connections, which need a clock and a socket.

#include "apps/cluster-service-sim/simulator/simulator.hpp"
#include "http/server.hpp"

namespace acceptd::simulator {

/// Both must outlive the server.
http::Handler make_handler(Simulator& simulator, runtime::Clock& clock);
http::Refuse make_refuse();

}  // namespace acceptd::simulator
