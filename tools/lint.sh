#!/bin/bash
# House rules, formatting, and clang-tidy on what changed since a commit (all of src/ with --all). Needs a configured debug build.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-changed}
status=0
python=python3
[ -x .venv/bin/python ] && python=.venv/bin/python  # made by make test
"$python" -m pytest -q tests/tidy || status=1

mapfile -t sources < <(git ls-files 'src/*.cpp' 'src/*.hpp' 'tests/*.cpp' 'tests/*.hpp' 'bench/*.cpp' 'bench/*.hpp')
clang-format-19 --dry-run --Werror "${sources[@]}" || status=1

[ -f build/debug/compile_commands.json ] || cmake --preset debug >/dev/null
if [ "$mode" = --all ]; then
  mapfile -t checked < <(git ls-files 'src/*.cpp')
else
  mapfile -t checked < <(git diff --name-only --diff-filter=d "$(git rev-parse -q --verify origin/HEAD || git rev-parse HEAD~1)" -- 'src/*.cpp')
fi
if [ ${#checked[@]} -gt 0 ]; then
  cmake --build build/debug --target acceptd_pch >/dev/null
  printf '%s\n' "${checked[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy-19 -p build/debug --quiet || status=1
fi
exit $status
