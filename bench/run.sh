#!/bin/bash
# `make bench`: builds what is measured (release) and prints one table.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/release/build.ninja ] || cmake --preset release
cmake --build build/release --target acceptd cluster-service-sim load store_loop
exec python3 bench/run.py "$@"
