#!/bin/bash
# Breaks the engine on purpose, one break after the other, and requires that the simulation notices each.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
ninja -C build/release mutations >&2
exec build/release/tests/mutations/mutations "$@"
