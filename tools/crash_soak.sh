#!/bin/bash
# The crash test for long: `tools/crash_soak.sh [SEEDS] [KILLS]`, one seed after the other; stops at the first that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly root=$PWD seeds=${1:-20} kills=${2:-1000}

cmake --preset release >/dev/null
ninja -C build/release acceptd cluster-service-sim
[ -x build/venv/bin/python ] || { python3 -m venv build/venv && build/venv/bin/pip install -q -r tests/requirements.txt; }
for seed in $(seq "$seeds"); do
  (cd tests && ACCEPTD_BUILD="$root/build/release" CRASH_SEED=$seed CRASH_KILLS=$kills "$root/build/venv/bin/python" -m pytest -q -s \
    -p no:cacheprovider --timeout=86400 crash) || { echo "seed $seed fails: CRASH_SEED=$seed CRASH_KILLS=$kills"; exit 1; }
done
