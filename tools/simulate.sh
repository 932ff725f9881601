#!/bin/bash
# Seeds of the deterministic simulation: `tools/simulate.sh [FROM] [SEEDS]`, STORE=model (or sqlite), TRACE=1 to see every
# event. A seed that breaks an invariant prints the command that replays it.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
ninja -C build/release simulate >&2
exec build/release/tests/simulation/simulate --from "${1:-1}" --seeds "${2:-1000}" --store "${STORE:-model}" ${TRACE:+--trace}
