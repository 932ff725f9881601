#!/bin/bash
# `make run`: builds acceptd, starts it with the embedded store in front of the Cluster Service simulator, and says what to try.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'HELP'
Usage: tools/run.sh [--help] [--no-build]

Builds acceptd (release), starts cluster-service-sim and acceptd on loopback, prints commands to try, and stays until
Ctrl-C or SIGTERM, which stops both. Run again, it goes on with the same data.

Environment:
  ACCEPTD_PORT        port of the ARM endpoint                (8202)
  ACCEPTD_ADMIN_PORT  port of /metrics, /healthz, /readyz     (8204)
  ACCEPTD_SIM_PORT    port of the Cluster Service simulator   (8203)
  ACCEPTD_DATA        folder of databases, configuration, logs (./run)
  ACCEPTD_BUILD       folder of the build                     (./build/release)
  ACCEPTD_SIM_FLAGS   more flags for cluster-service-sim, such as "--create-seconds 60"
HELP
}

build=1
for argument in "$@"; do
  case $argument in
    --help | -h) usage; exit 0 ;;
    --no-build) build=0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

port=${ACCEPTD_PORT:-8202}
admin_port=${ACCEPTD_ADMIN_PORT:-8204}
sim_port=${ACCEPTD_SIM_PORT:-8203}
data=${ACCEPTD_DATA:-run}
build_folder=${ACCEPTD_BUILD:-build/release}
read -ra sim_flags <<<"${ACCEPTD_SIM_FLAGS:-}"
url="http://127.0.0.1:$port"
start_seconds_max=30
stop_seconds_max=40  # acceptd gives requests under way 25 s

if [ "$build" -eq 1 ]; then
  tools/setup.sh
  [ -f "$build_folder/build.ninja" ] || cmake --preset release -B "$build_folder"
  cmake --build "$build_folder" --target acceptd acceptctl cluster-service-sim
fi
programs=$build_folder/src
mkdir -p "$data"
data=$(realpath "$data")

started=()  # process ids, in the order of their start

stop_all() {
  trap - EXIT
  local last=$((${#started[@]} - 1)) deadline=$((SECONDS + stop_seconds_max)) pid i
  for ((i = last; i >= 0; i--)); do
    pid=${started[$i]}
    kill -TERM "$pid" 2>/dev/null || continue
    while kill -0 "$pid" 2>/dev/null && [ $SECONDS -lt $deadline ]; do sleep 0.1; done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
}
trap stop_all EXIT
trap 'echo; echo "Stopping."; exit 0' INT TERM

fail() {
  echo "run: $1" >&2
  [ -s "$2" ] && tail -n 5 "$2" >&2
  exit 1
}

# start NAME URL COMMAND…: in the background, with its output in a log; waits until URL answers 200.
start() {
  local name=$1 ready_url=$2 log=$data/$1.log deadline=$((SECONDS + start_seconds_max)) pid
  shift 2
  "$@" >"$log" 2>&1 &
  pid=$!
  started+=("$pid")
  until curl -fs -o /dev/null --max-time 2 "$ready_url"; do
    kill -0 "$pid" 2>/dev/null || fail "$name ended at once; the end of $log:" "$log"
    [ $SECONDS -lt $deadline ] || fail "$name does not answer at $ready_url; the end of $log:" "$log"
    sleep 0.1
  done
  # Somebody else may answer there, and ours be about to find the port taken.
  kill -0 "$pid" 2>/dev/null || fail "$name ended at once; the end of $log:" "$log"
}

cat >"$data/acceptd.yaml" <<YAML
region: westus3
listeners:
  arm: {address: 127.0.0.1, port: $port}
  admin: {address: 127.0.0.1, port: $admin_port}
store:
  sqlite: {path: "$data/acceptd.db"}
cluster_service:
  url: http://127.0.0.1:$sim_port
YAML

subscription=1d3378d3-5a3f-4712-85a1-2485495dfc4b
network="/subscriptions/$subscription/resourceGroups/demo/providers/Microsoft.Network"
cat >"$data/cluster.json" <<JSON
{
  "location": "westus3",
  "tags": {"purpose": "demo"},
  "identity": {"type": "UserAssigned", "userAssignedIdentities": {}},
  "properties": {
    "version": {"id": "4.20", "channelGroup": "stable"},
    "platform": {
      "managedResourceGroup": "demo-managed",
      "subnetId": "$network/virtualNetworks/vnet/subnets/nodes",
      "vnetIntegrationSubnetId": "$network/virtualNetworks/vnet/subnets/integration",
      "networkSecurityGroupId": "$network/networkSecurityGroups/nsg"
    },
    "etcd": {
      "dataEncryption": {
        "keyManagementMode": "CustomerManaged",
        "customerManaged": {
          "encryptionType": "KMS",
          "kms": {"vaultName": "vault", "visibility": "Public", "activeKey": {"name": "key", "version": "1"}}
        }
      }
    }
  }
}
JSON

start cluster-service-sim "http://127.0.0.1:$sim_port/" \
  "$programs/cluster-service-sim" --listen "127.0.0.1:$sim_port" --data "$data/cluster-service-sim.db" "${sim_flags[@]}"
start acceptd "$url/healthz" "$programs/acceptd" serve --config "$data/acceptd.yaml"

version="2025-12-23-preview"
cluster="$url/subscriptions/$subscription/resourceGroups/demo/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/demo"
cat <<TEXT

acceptd answers at $url (metrics: http://127.0.0.1:$admin_port/metrics, logs: $data)

1. Register a subscription, and ask for a cluster: the answer is 201 with Azure-AsyncOperation, at once and durable.

   curl -sS -X PUT '$url/subscriptions/$subscription?api-version=2.0' -H 'Content-Type: application/json' -d '{"state":"Registered"}'
   curl -sSi -X PUT '$cluster?api-version=$version' -H 'Content-Type: application/json' -d @$data/cluster.json

2. Watch it: Accepted, Provisioning, and after about ten seconds Succeeded.

   watch -n 1 "curl -sS '$cluster?api-version=$version' | grep -o '\"provisioningState\":\"[A-Za-z]*\"'"

3. Delete it: 202 with Location, which answers 202 until the cluster is gone, then 204.

   curl -sSi -X DELETE '$cluster?api-version=$version'

Ctrl-C stops everything.
TEXT

while true; do
  wait -n || true
  for pid in "${started[@]}"; do
    kill -0 "$pid" 2>/dev/null || fail "a program ended by itself; the end of its log:" "$data/acceptd.log"
  done
done
