"""The JavaScript management client and its polling engine against acceptd: the whole life of a cluster, and a failure."""
import json
import pathlib
import subprocess

import pytest

from arm import CLIENT, TENANT, V2024, V2025, cluster_body, cluster_id, node_pool_body, node_pool_id

HERE = pathlib.Path(__file__).parent


def javascript(stack, subscription, version, fails=False):
    resource = cluster_id(subscription)
    task = {"endpoint": stack.acceptd.url, "subscription": subscription, "clusterId": resource, "clusterBody": cluster_body(resource, version),
            "poolId": node_pool_id(resource), "poolBody": node_pool_body(), "apiVersion": version, "tenant": TENANT, "client": CLIENT, "fails": fails}
    assert (HERE / "node_modules" / "@azure").is_dir(), "npm ci has not run in tests/clients (tools/test.sh does)"
    ended = subprocess.run(["node", HERE / "lifecycle.mjs"], input=json.dumps(task), capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    saw = json.loads(ended.stdout)
    print(saw["versions"])
    return saw


@pytest.fixture
def quick(simulator):
    """The backend ends its work by itself, in milliseconds: the client under test waits, not the test."""
    simulator.set_durations(0.1)


@pytest.mark.parametrize("version", [V2024, V2025])
def test_CL_03_CL_09_whole_life(stack, arm, simulator, quick, subscription, version):
    saw = javascript(stack, subscription, version)
    resource = cluster_id(subscription)
    assert saw["created"]["id"] == resource and saw["created"]["properties"]["provisioningState"] == "Succeeded"
    assert saw["pool"]["id"] == node_pool_id(resource) and saw["pool"]["properties"]["provisioningState"] == "Succeeded"
    assert saw["patched"]["tags"] == {"changed": "yes"} and saw["patched"]["properties"]["provisioningState"] == "Succeeded"
    assert saw["read"]["tags"] == {"changed": "yes"} and saw["read"]["location"] == "westus3"
    assert saw["action"]["status"] == "succeeded"
    assert saw["gone"]["code"] == "ResourceNotFound"
    assert arm.gone(resource) and simulator.clusters(subscription) == []


def test_CL_02_CL_08_a_failure_is_a_failure(stack, arm, simulator, quick, subscription):
    simulator.script({"action": "fail", "method": "POST", "route": "/clusters", "code": "OCM7", "message": "No capacity here"})
    saw = javascript(stack, subscription, V2025, fails=True)
    assert saw["failure"] is not None, "the client took a failed creation for success"
    assert "No capacity here" in json.dumps(saw["failure"])
    assert saw["after"]["properties"]["provisioningState"] == "Failed"
