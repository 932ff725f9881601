"""Real processes, a real file, 50 clients, and SIGKILL. Afterwards everything that was promised must be so.

CRASH_KILLS and CRASH_SEED choose how long and which run; a failure prints the seed."""
import os
import threading

import pytest

from arm import TERMINAL, Arm, cluster_list
from client_log import ClientLog
from killer import Killer
from processes import until
from stack import Stack, new_subscription_id
from worker import InFlight, Worker

KILLS = int(os.environ.get("CRASH_KILLS", "100"))
SEED = os.environ.get("CRASH_SEED", "1")
CLIENTS = 50
SUBSCRIPTIONS = 5
SETTLE_SECONDS = 120

OPERATION_TYPE = "microsoft.redhatopenshift/hcpoperationsstatus"
CLUSTER_TYPE = "microsoft.redhatopenshift/hcpopenshiftclusters"
BILLING_TYPE = "microsoft.redhatopenshift/billing"

FAULTS = [
    {"action": "delay", "method": "POST", "delay_ms": 30, "probability": 0.5},
    {"action": "delay", "method": "POST", "delay_ms": 40, "when": "after_work", "probability": 0.5},
    {"action": "delay", "method": "DELETE", "delay_ms": 30, "when": "after_work", "probability": 0.5},
    {"action": "drop_reply_after_work", "method": "POST", "probability": 0.05},
    {"action": "drop_before_work", "method": "POST", "probability": 0.03},
    {"action": "drop_reply_after_work", "method": "PATCH", "probability": 0.05},
    {"action": "drop_reply_after_work", "method": "DELETE", "probability": 0.05},
    {"action": "answer", "method": "GET", "status": 500, "probability": 0.01},
    # The backend does not protect us from ourselves: a second creation under a name that is taken would succeed.
    {"action": "allow_duplicate", "method": "POST", "route": "/clusters"},
]


@pytest.fixture
def stack(tmp_path):
    running = Stack(tmp_path, cluster_service={"request_timeout": "2s", "settle_time": "1s", "breaker_open_for": "100ms"},
                    engine={"inline_budget": "3s", "poll_first": "50ms", "poll_max": "200ms", "non_conforming_retry_after_seconds": 0},
                    log={"level": "warn"})
    running.start()
    running.simulator.set_durations(0.4)
    running.simulator.script(*FAULTS)
    yield running
    running.stop()


@pytest.fixture
def arm(stack):
    with Arm(stack.acceptd.url, stack.simulator) as caller:
        yield caller


class Aftermath:
    """What is there after the storm."""

    def __init__(self, stack, arm, log, subscriptions):
        self.log, self.simulator, self.subscriptions = log, stack.simulator, subscriptions
        self.accepted = {entry["operation"]: entry for entry in log.of("accepted")}
        self.statuses = {}
        for operation, entry in self.accepted.items():
            subscription = entry["path"].split("/")[2]
            path = (f"/subscriptions/{subscription}/providers/Microsoft.RedHatOpenShift/locations/westus3/hcpOperationStatuses/{operation}")
            answer = until(lambda path=path: (a := arm.get(path)).status_code == 404 or a.json()["status"] in TERMINAL and a,
                           f"{operation} ends", SETTLE_SECONDS)
            self.statuses[operation] = answer.json() if answer is not True else None
        stack.simulator.clear_script()  # from here on it is asked by us
        self.shown = {s: arm.get(cluster_list(s), params={"$top": 1000}).json()["value"] for s in subscriptions}
        self.pools = {c["id"]: arm.get(c["id"] + "/nodePools").json()["value"] for s in subscriptions for c in self.shown[s]}
        stats = self.simulator.stats()
        self.duplicates = stats["duplicates"]
        self.backend = {s: self.simulator.clusters(s) for s in subscriptions}
        self.backend_pools = {c["id"]: self.simulator.node_pools(c["id"]) for s in subscriptions for c in self.backend[s]}
        self.pools_alive = stats["alive"]["node_pool"]
        stack.acceptd.stop()
        self.documents = stack.acceptd.documents()

    def of_type(self, wanted):
        return [d["properties"] for _, kind, d in self.documents if kind == wanted]

    def superseded_by_a_client(self, entry):
        """Whether a delete (or, of an action, a revocation) of the same cluster was sent after it."""
        cluster = "/".join(entry["path"].split("/")[:9])
        return any(later["order"] > entry["order"] and later["path"].startswith(cluster) and
                   (later["verb"] == "DELETE" or (entry["verb"] == "POST" and later["path"].endswith("revokeCredentials")))
                   for later in self.log.of("attempt"))


def check_operations(after):
    """Every accepted operation is known, has ended, rightly, and as every earlier look saw it."""
    wrong = []
    for operation, entry in after.accepted.items():
        body = after.statuses[operation]
        what = f"{entry['verb']} {entry['path']} ({operation})"
        if body is None:
            wrong.append(f"{what} is unknown: a promise was lost")
        elif body["status"] == "Failed" or (body["status"] == "Canceled" and not after.superseded_by_a_client(entry)):
            wrong.append(f"{what} ended {body['status']}: {body.get('error')}")
    for seen in after.log.of("ended"):
        body = after.statuses[seen["operation"]]
        if body is not None and body["status"] != seen["status"]:
            wrong.append(f"{seen['operation']} was {seen['status']} and became {body['status']}")
    assert not wrong, "\n".join(wrong)


def check_backend(after):
    """What acceptd shows is what the backend has, object by object."""
    assert after.duplicates == 0, "the same cluster was created twice"
    stored = {d["resourceId"].lower(): d for d in after.of_type(CLUSTER_TYPE)}
    for subscription in after.subscriptions:
        shown = {c["name"].lower(): c for c in after.shown[subscription]}
        live = {c["azure"]["resource_name"].lower(): c for c in after.backend[subscription]}
        assert sorted(live) == sorted(c["azure"]["resource_name"].lower() for c in after.backend[subscription]), "twins"
        assert shown.keys() == live.keys(), f"orphans {live.keys() - shown.keys()}, phantoms {shown.keys() - live.keys()}"
        for name, cluster in shown.items():
            assert stored[cluster["id"].lower()]["internalId"].lower() == live[name]["href"].lower()
            pools = {p["name"].lower() for p in after.pools[cluster["id"]]}
            assert pools == {p["id"].lower() for p in after.backend_pools[live[name]["id"]]}
    assert after.pools_alive == sum(len(pools) for pools in after.backend_pools.values()), "node pools without a cluster"


def check_last_wills(after, clients):
    """Even clients left a finished cluster with a node pool, odd ones nothing."""
    shown = {c["name"]: c for s in after.subscriptions for c in after.shown[s]}
    assert shown.keys() == {f"w{n}-last" for n in range(0, clients, 2)}
    for cluster in shown.values():
        assert cluster["properties"]["provisioningState"] == "Succeeded", cluster["id"]
        assert [(p["name"], p["properties"]["provisioningState"]) for p in after.pools[cluster["id"]]] == [("np1", "Succeeded")]


def check_documents(after):
    assert [o for o in after.of_type(OPERATION_TYPE) if o["status"] not in TERMINAL] == []
    resources = [d for _, kind, d in after.documents if kind.startswith(CLUSTER_TYPE)]
    assert [r for r in resources if "activeOperationId" in r["properties"]] == []


def check_billing(after):
    """One open document per live cluster, closed ones for the others that were ever ready; none twice."""
    live = {c["id"].lower() for s in after.subscriptions for c in after.shown[s]}
    billing = after.of_type(BILLING_TYPE)
    opened = [d["resourceId"].lower() for d in billing if "deletionTime" not in d]
    assert sorted(opened) == sorted(live)
    creations = [o for o in after.of_type(OPERATION_TYPE) if o["request"] == "Create" and o["status"] == "Succeeded"
                 and "/nodepools/" not in o["externalId"].lower()]
    assert len(billing) == len(creations), "one document per cluster that was ever ready"


@pytest.mark.timeout(1800)
def test_HCP_002_HCP_008_promises_survive_kills(stack, arm, tmp_path):
    subscriptions = [new_subscription_id() for _ in range(SUBSCRIPTIONS)]
    for subscription in subscriptions:
        arm.register(subscription)
    log, in_flight, stop = ClientLog(tmp_path / "clients.jsonl"), InFlight(), threading.Event()
    workers = [Worker(n, stack.acceptd.url, subscriptions[n % SUBSCRIPTIONS], log, in_flight, stop, SEED) for n in range(CLIENTS)]
    killer = Killer(stack, in_flight, SEED)
    for worker in workers:
        worker.start()
    try:
        while killer.kills() < KILLS and not any(worker.failure for worker in workers):
            killer.kill_one()
    finally:
        stop.set()
    print(f"\nseed {SEED}: {killer.kills()} kills, {len(log.of('accepted'))} accepted of {len(log.of('attempt'))} attempts, "
          f"{len(log.of('ended'))} seen to their end\n{killer.report()}")
    for worker in workers:
        worker.join(SETTLE_SECONDS)
        assert worker.failure is None, f"seed {SEED}, {worker.name}: {worker.failure!r}"
        assert not worker.is_alive(), f"seed {SEED}: {worker.name} hangs"
    assert killer.kills() >= KILLS
    assert killer.table["between intent and answer"] * 2 >= killer.kills(), "too few kills landed where it matters"
    after = Aftermath(stack, arm, log, subscriptions)
    log.close()
    check_operations(after)
    check_backend(after)
    check_last_wills(after, CLIENTS)
    check_documents(after)
    check_billing(after)
