#!/bin/sh
# Emits the OpenAPI documents from the TypeSpec sources: emit.sh [OUTPUT], by default over the checked-in ones.
# OUTPUT receives hcp/openapi/<version>/openapi.json and whatever these refer to.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
output=${1:-$here}
mkdir -p "$output"
output=$(cd "$output" && pwd)
cd "$here"
[ -x node_modules/node/bin/node ] || npm ci --no-audit --no-fund
node_modules/node/bin/node node_modules/@typespec/compiler/cmd/tsp.js compile hcp/main.tsp \
  --config tspconfig.yaml --output-dir "$output/hcp/openapi"
