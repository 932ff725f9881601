"""Unmodified clients through PUT, PATCH, DELETE and POST, each to success, to failure and to being superseded.

All their policies are the default ones, only the polling interval is shorter. A DELETE is never superseded, so that row has no third case.
"""
import pytest

from arm import CLIENT, TENANT, V2025, cluster_body, cluster_id, node_pool_body, node_pool_id
from drivers import CLIENTS
from processes import until

WORKS = {"PUT": ("POST", "/clusters"), "PATCH": ("PATCH", "/clusters/*"), "DELETE": ("DELETE", "/clusters/*"),
         "POST": ("POST", "/clusters/*/break_glass_credentials")}


def clients(verb):
    """The JavaScript management client has no method for actions; its engine has."""
    return [name for name in CLIENTS if verb != "POST" or name != "javascript"]


def cases(*verbs):
    return pytest.mark.parametrize("client, verb", [pytest.param(name, verb, id=f"{name} {verb}") for verb in verbs for name in clients(verb)])


@pytest.fixture
def start(stack, arm, subscription):
    """Begins an operation on a cluster (which a PUT creates) with a client."""
    def begin(client, verb):
        resource = cluster_id(subscription)
        if verb != "PUT":
            arm.make_cluster(resource)
        return resource, operate(stack, client, verb, resource + ("/requestAdminCredential" if verb == "POST" else ""),
                                 {"PUT": cluster_body(resource), "PATCH": {"tags": {"changed": "yes"}}}.get(verb))
    return begin


def operate(stack, client, verb, path, body):
    task = {"endpoint": stack.acceptd.url, "subscription": path.split("/")[2], "verb": verb, "path": path, "apiVersion": V2025, "tenant": TENANT,
            "client": CLIENT, **({"body": body} if body is not None else {})}
    return CLIENTS[client](task)


def end(simulator, running):
    """Lets the backend end its work until the client has seen it."""
    running.started()

    def ended():
        simulator.advance()
        return running.done()

    until(ended, "the client ends")
    outcome = running.outcome()
    print(outcome["versions"])
    return outcome


@cases("PUT", "PATCH", "DELETE", "POST")
def test_CL_03_CL_04_success(arm, simulator, start, client, verb):
    """None of them ends too early, and what it reads at the end is final."""
    resource, running = start(client, verb)
    outcome = end(simulator, running)
    assert outcome["outcome"] == "succeeded", outcome
    shown = arm.get(resource)
    if verb == "DELETE":
        assert shown.status_code == 404
    elif verb == "POST":
        assert "kubeconfig" in outcome["result"]
    else:
        assert outcome["result"]["properties"]["provisioningState"] == "Succeeded"
        assert outcome["result"]["id"] == shown.json()["id"] and outcome["result"].get("tags", {}) == shown.json()["tags"]
        assert outcome["result"]["properties"] == shown.json()["properties"]


@cases("PUT", "PATCH", "DELETE", "POST")
def test_CL_02_CL_08_failure(simulator, start, client, verb):
    method, route = WORKS[verb]
    simulator.script({"action": "fail", "method": method, "route": route, "code": "OCM7", "message": "No luck here"})
    resource, running = start(client, verb)
    outcome = end(simulator, running)
    assert outcome["outcome"] == "failed", f"{client} took the failed {verb} of {resource} for success"
    assert ("Failed to provision cluster credential" if verb == "POST" else "No luck here") in outcome["text"]
    assert ("InternalServerError" if verb == "POST" else "OCM7") in (outcome.get("code"), *outcome["text"].replace(".", " ").split())


@cases("PUT", "PATCH", "POST")
def test_CL_08_superseded(arm, start, client, verb):
    """A create and an update are canceled by a delete, a request for a credential by a revocation."""
    resource, running = start(client, verb)
    running.started()
    by = arm.post(resource + "/revokeCredentials") if verb == "POST" else arm.delete(resource)
    assert by.status_code == 202, by.text
    until(running.done, "the client sees that its operation was superseded")
    outcome = running.outcome()
    assert outcome["outcome"] == "failed", f"{client} took the canceled {verb} of {resource} for success"
    assert "superseded" in outcome["text"] or "canceled" in outcome["text"].lower()
    arm.done(by)


@pytest.mark.parametrize("client", list(CLIENTS))
def test_CL_03_a_node_pool_is_created(stack, arm, simulator, subscription, client):
    cluster = cluster_id(subscription)
    arm.make_cluster(cluster)
    outcome = end(simulator, operate(stack, client, "PUT", node_pool_id(cluster), node_pool_body()))
    assert outcome["outcome"] == "succeeded", outcome
    assert outcome["result"]["properties"]["provisioningState"] == "Succeeded"


@pytest.mark.parametrize("verb", ["PATCH", "POST"])
def test_CL_09_both_headers(simulator, start, verb):
    """The status is polled, then the result is read once."""
    polled = end(simulator, start("javascript-engine", verb)[1])["polled"]
    assert all("/hcpOperationStatuses/" in path for path in polled[:-1]) and len(set(polled[:-1])) == 1
    assert "/hcpOperationResults/" in polled[-1]


def test_CL_10_a_delete_is_polled_at_its_status_only(simulator, start):
    polled = end(simulator, start("javascript-engine", "DELETE")[1])["polled"]
    assert len(set(polled)) == 1 and "/hcpOperationStatuses/" in polled[0]
