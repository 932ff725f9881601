"""The hosted-control-plane provider: its rows of answers, errors and conflicts, and its own rules."""
import json
import re

import pytest

from arm import (NAMESPACE, REGION, TENANT, TERMINAL, V2024, V2025, assert_error, cluster_body, cluster_id, cluster_list,
                 node_pool_body, node_pool_id, operation_of, other_caller, path_of, state)
from processes import until
from stack import WORK_SECONDS, new_subscription_id

TYPE = f"{NAMESPACE}/hcpOpenShiftClusters"
OPERATION_TYPE = "microsoft.redhatopenshift/hcpoperationsstatus"


@pytest.fixture
def cluster(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    return resource


def operations(stack, subscription):
    """Operation documents of a subscription by ID."""
    return {d["id"]: d["properties"] for partition, kind, d in stack.acceptd.documents() if partition == subscription and kind == OPERATION_TYPE}


def has_urls(answer, *expected):
    found = {name for name in ("azure-asyncoperation", "location") if name in answer.headers}
    assert found == set(expected), answer.headers


# -- 1.4 Responses -------------------------------------------------------------------------------------------------------

def row_put_missing(arm, subscription):
    resource = cluster_id(subscription)
    answer = arm.put_cluster(resource)
    assert (answer.status_code, state(answer), answer.json()["id"]) == (201, "Accepted", resource)
    has_urls(answer, "azure-asyncoperation")


def row_put_exists(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.put_cluster(resource)
    assert (answer.status_code, state(answer), answer.json()["id"]) == (200, "Accepted", resource)
    has_urls(answer, "azure-asyncoperation")


def row_patch(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.patch(resource, {"tags": {"a": "b"}})
    assert (answer.status_code, answer.content) == (202, b"")
    has_urls(answer, "location", "azure-asyncoperation")


def row_patch_missing(arm, subscription):
    answer = arm.patch(cluster_id(subscription), {"tags": {"a": "b"}})
    assert_error(answer, 404, "ResourceNotFound")
    has_urls(answer)


def row_delete(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.delete(resource)
    assert (answer.status_code, answer.content) == (202, b"")
    has_urls(answer, "location", "azure-asyncoperation")


def row_delete_missing(arm, subscription):
    answer = arm.delete(cluster_id(subscription))
    assert (answer.status_code, answer.content) == (204, b"")
    has_urls(answer)


def row_action(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.post(resource + "/requestAdminCredential")
    assert (answer.status_code, answer.content) == (202, b"")
    has_urls(answer, "location", "azure-asyncoperation")


def row_get(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.get(resource)
    assert (answer.status_code, answer.json()["id"], state(answer)) == (200, resource, "Succeeded")
    has_urls(answer)


def row_get_missing(arm, subscription):
    assert_error(arm.get(cluster_id(subscription)), 404, "ResourceNotFound")


def row_list(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.get(cluster_list(subscription))
    assert answer.status_code == 200 and answer.json()["value"] == [arm.get(resource).json()]


def row_status_visible(arm, subscription):
    created = arm.put_cluster(cluster_id(subscription))
    answer = arm.get(arm.status_url(created))
    assert answer.status_code == 200
    assert set(answer.json()) == {"id", "name", "status", "startTime"}
    assert set(arm.done(created)) - {"properties"} == {"id", "name", "status", "startTime", "endTime"}


def row_status_hidden(arm, subscription):
    created = arm.put_cluster(cluster_id(subscription))
    with other_caller(arm) as stranger:
        answer = stranger.get(arm.status_url(created))
    assert (answer.status_code, answer.content) == (404, b"")


def row_result_hidden(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    deleted = arm.delete(resource)
    with other_caller(arm) as stranger:
        answer = stranger.get(arm.result_url(deleted))
    assert (answer.status_code, answer.content) == (404, b"")


def row_result_running(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    deleted = arm.delete(resource)
    answer = arm.get(arm.result_url(deleted))
    assert (answer.status_code, answer.content) == (202, b"")
    has_urls(answer, "location")


def row_result_failed(arm, subscription):
    """The error itself (contract decision 11), not a generic 500."""
    arm.simulator.script({"action": "fail", "method": "POST", "route": "/clusters", "code": "OCM7", "message": "No capacity here"})
    created = arm.put_cluster(cluster_id(subscription))
    error = arm.finish(created)["error"]
    answer = arm.get(arm.status_url(created).replace("hcpOperationStatuses", "hcpOperationResults"))
    assert answer.status_code >= 400
    assert_error(answer, answer.status_code, error["code"], error["message"])


def row_result_create(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    arm.done(created)
    answer = arm.get(arm.status_url(created).replace("hcpOperationStatuses", "hcpOperationResults"))
    assert (answer.status_code, answer.json()) == (201, arm.get(resource).json())


def row_result_update(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    updated = arm.put_cluster(resource)
    arm.done(updated)
    answer = arm.get(arm.status_url(updated).replace("hcpOperationStatuses", "hcpOperationResults"))
    assert (answer.status_code, answer.json()) == (200, arm.get(resource).json())


def row_result_delete(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    deleted = arm.delete(resource)
    arm.done(deleted)
    answer = arm.get(arm.result_url(deleted))
    assert (answer.status_code, answer.content) == (204, b"")


def row_result_credential(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    requested = arm.post(resource + "/requestAdminCredential")
    arm.done(requested)
    answer = arm.get(arm.result_url(requested))
    assert answer.status_code == 200 and set(answer.json()) == {"kubeconfig", "expirationTimestamp"}
    assert answer.json()["kubeconfig"]


def row_result_revocation(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    revoked = arm.post(resource + "/revokeCredentials")
    arm.done(revoked)
    answer = arm.get(arm.result_url(revoked))
    assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.parametrize("row", [
    pytest.param(row_put_missing, id="HCP-020 PUT missing"), pytest.param(row_put_exists, id="HCP-020 PUT exists"),
    pytest.param(row_patch, id="HCP-020 PATCH"), pytest.param(row_patch_missing, id="HCP-020 PATCH missing"),
    pytest.param(row_delete, id="HCP-020 DELETE"), pytest.param(row_delete_missing, id="HCP-020 DELETE missing"),
    pytest.param(row_action, id="HCP-020 POST action"), pytest.param(row_get, id="HCP-020 GET"),
    pytest.param(row_get_missing, id="HCP-020 GET missing"), pytest.param(row_list, id="HCP-020 list"),
    pytest.param(row_status_visible, id="HCP-020 status visible"), pytest.param(row_status_hidden, id="HCP-020 status hidden"),
    pytest.param(row_result_hidden, id="HCP-020 result hidden"), pytest.param(row_result_running, id="HCP-020 result running"),
    pytest.param(row_result_failed, id="HCP-020 result failed"), pytest.param(row_result_create, id="HCP-020 result create"),
    pytest.param(row_result_update, id="HCP-020 result update"), pytest.param(row_result_delete, id="HCP-020 result delete"),
    pytest.param(row_result_credential, id="HCP-020 result credential"), pytest.param(row_result_revocation, id="HCP-020 result revocation"),
])
def test_response(arm, subscription, row):
    row(arm, subscription)


# -- 1.5 Errors ----------------------------------------------------------------------------------------------------------

def put_text(arm, subscription, text, media_type="application/json"):
    return arm.put(cluster_id(subscription), content=text, headers={"content-type": media_type})


def put_changed(arm, subscription, change):
    body = cluster_body(cluster_id(subscription))
    change(body)
    return arm.put(cluster_id(subscription), body)


def put_answered(arm, subscription, status, reason, code="CLUSTERS-MGMT-1"):
    """A create that the backend answers with an error."""
    arm.simulator.script({"action": "answer", "method": "POST", "route": "/clusters", "status": status, "reason": reason, "code": code, "count": 1})
    return arm.put_cluster(cluster_id(subscription))


BAD = [  # (what is sent, status, code, message or None, target or None)
    pytest.param(lambda a, s: a.get("/no/such/path"), 404, "NotFound", "The requested path could not be found.", None, id="HCP-021 NotFound"),
    pytest.param(lambda a, s: a.request("PURGE", cluster_id(s)), 404, "NotFound", None, None, id="HCP-021 NotFound method"),
    pytest.param(lambda a, s: put_text(a, s, b"x", "text/plain"), 415, "UnsupportedMediaType",
                 "The content media type 'text/plain' is not supported. Only 'application/json' is supported.", None, id="HCP-021 UnsupportedMediaType"),
    pytest.param(lambda a, s: a.get(cluster_id(s), version=None), 400, "InvalidParameter",
                 "The request is missing required parameter 'api-version'.", None, id="HCP-021 InvalidParameter"),
    pytest.param(lambda a, s: a.get(cluster_id(s), version="2001-01-01"), 400, "InvalidResourceType",
                 f"The resource type '{TYPE}' could not be found API version '2001-01-01'.", None, id="HCP-021 InvalidResourceType"),
    pytest.param(lambda a, s: a.get(cluster_id("nonsense")), 400, "InvalidSubscriptionID", None, None, id="HCP-021 InvalidSubscriptionID"),
    pytest.param(lambda a, s: a.put_cluster(cluster_id(s, "-bad-")), 400, "InvalidResourceName", None, None, id="HCP-021 InvalidResourceName"),
    pytest.param(lambda a, s: a.get(cluster_id(s, "c1", "bad.")), 400, "InvalidResourceGroupName", None, None, id="HCP-021 InvalidResourceGroupName"),
    pytest.param(lambda a, s: a.get(cluster_id(s)), 404, "ResourceNotFound",
                 f"The resource '{TYPE}/c1' under resource group 'rg' was not found.", None, id="HCP-021 ResourceNotFound"),
    pytest.param(lambda a, s: a.put_cluster(cluster_id("00000000-0000-0000-0000-0000000000aa")), 404, "SubscriptionNotFound", None, None,
                 id="HCP-021 SubscriptionNotFound"),
    pytest.param(lambda a, s: put_changed(a, s, lambda b: b["properties"].update(network={"hostPrefix": 1})), 400, "InvalidRequestContent", None,
                 "properties.network.hostPrefix", id="HCP-021 one mistake is the error itself"),
    pytest.param(lambda a, s: put_changed(a, s, lambda b: b["properties"].update(network={"hostPrefix": 1}, nodeDrainTimeoutMinutes=-1)), 400,
                 "MultipleErrorsOccurred", None, None, id="HCP-021 MultipleErrorsOccurred"),
    pytest.param(lambda a, s: put_changed(a, s, lambda b: b.update(name="other")), 400, "InvalidRequestContent", None, "name", id="HCP-021 name differs"),
    pytest.param(lambda a, s: put_changed(a, s, lambda b: b["identity"].update(type="Nonsense")), 400, "InvalidRequestContent", None,
                 "identity.state", id="HCP-021 identity type"),
    pytest.param(lambda a, s: put_answered(a, s, 400, "Cluster version is not supported"), 400, "InvalidRequestContent",
                 "Cluster version is not supported", None, id="HCP-021 backend 400"),
    pytest.param(lambda a, s: put_answered(a, s, 409, "Quota is in dispute"), 409, "Conflict", "Quota is in dispute", "resource", id="HCP-021 backend 409"),
    pytest.param(lambda a, s: put_answered(a, s, 403, "no"), 500, "InternalServerError", None, None, id="HCP-021 backend other"),
]


@pytest.mark.parametrize("send, status, code, message, target", BAD)
def test_error(arm, simulator, subscription, send, status, code, message, target):
    answer = send(arm, subscription)
    assert_error(answer, status, code, message, cluster_id(subscription) if target == "resource" else target)
    assert arm.gone(cluster_id(subscription))
    assert simulator.clusters(subscription) == []


@pytest.mark.parametrize("text", [pytest.param(b"{", id="HCP-021 bad JSON cut"), pytest.param(b"[]", id="HCP-021 bad JSON list"),
                                  pytest.param(b"", id="HCP-021 bad JSON empty")])
def test_bad_json(arm, subscription, text):
    error = assert_error(put_text(arm, subscription, text), 400, "InvalidRequestContent")
    assert error["message"].startswith("The request content was invalid and could not be deserialized: \"")
    assert error["message"].endswith('"')


def test_HCP_021_no_capacity_is_503_with_retry_after(arm, simulator, subscription):
    answer = put_answered(arm, subscription, 400, "Unable to find shard for the region")
    error = assert_error(answer, 503, "ServiceUnavailable")
    assert error["message"].startswith("Capacity is currently restricted")
    assert answer.headers["retry-after"] == "59"
    assert arm.gone(cluster_id(subscription)) and simulator.clusters(subscription) == []


@pytest.mark.parametrize("action, method", [("requestAdminCredential", "POST"), ("revokeCredentials", "DELETE")])
def test_HCP_021_any_backend_error_of_a_credential_call_is_500(arm, simulator, cluster, action, method):
    simulator.script({"action": "answer", "method": method, "route": "/clusters/*/break_glass_credentials", "status": 400, "reason": "no", "count": 1})
    answer = arm.post(f"{cluster}/{action}")
    if answer.status_code == 202:  # a revocation cancels what it supersedes, so it is accepted before the backend is asked
        body = arm.finish(answer)
        assert (body["status"], body["error"]["code"]) == ("Failed", "InternalServerError")
    else:
        assert_error(answer, 500, "InternalServerError")


# -- 1.6 Conflicts -------------------------------------------------------------------------------------------------------

def accepted(arm, subscription):
    resource = cluster_id(subscription)
    return resource, arm.put_cluster(resource), "accepted"


def provisioning(arm, subscription):
    resource, created, _ = accepted(arm, subscription)
    arm.simulator.advance(WORK_SECONDS // 2)
    arm.reached(created, "Provisioning")
    return resource, created, "provisioning"


def updating(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": 3}})
    arm.reached(answer, "Updating")
    return resource, answer, "updating"


def deleting(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.delete(resource)
    until(lambda: [c["status"]["state"] for c in arm.simulator.clusters(subscription)] == ["uninstalling"], "the backend removes it")
    return resource, answer, "deleting"


STATES = [accepted, provisioning, updating, deleting]


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
@pytest.mark.parametrize("reach", [pytest.param(f, id=f"HCP-022 update while {f.__name__}") for f in STATES])
def test_conflict_of_an_update(arm, simulator, subscription, reach, verb):
    resource, running, word = reach(arm, subscription)
    before, writes = arm.get(resource).json(), simulator.writes()
    broken = {"properties": {"network": {"hostPrefix": 1}}}  # HCP-003: the conflict is decided before the body
    answer = arm.put(resource, broken) if verb == "PUT" else arm.patch(resource, broken)
    assert_error(answer, 409, "Conflict", f'Cannot update resource while resource is "{word}"', resource)
    assert simulator.writes() == writes and arm.get(resource).json() == before
    arm.done(running)


@pytest.mark.parametrize("action, phrase", [("requestAdminCredential", "request credential"), ("revokeCredentials", "revoke credentials")])
@pytest.mark.parametrize("reach", [pytest.param(f, id=f"HCP-022 action while {f.__name__}") for f in STATES])
def test_conflict_of_an_action(arm, simulator, subscription, reach, action, phrase):
    resource, running, word = reach(arm, subscription)
    writes = simulator.writes()
    answer = arm.post(f"{resource}/{action}")
    assert_error(answer, 409, "Conflict", f'Cannot {phrase} while resource is "{word}"', resource)
    assert simulator.writes() == writes
    arm.done(running)


@pytest.mark.parametrize("action, message", [
    pytest.param("requestAdminCredential", "Cannot request credential while credentials are being revoked", id="HCP-022 request while revoking"),
    pytest.param("revokeCredentials", "Credentials are already being revoked", id="HCP-022 revoke while revoking")])
def test_conflict_with_a_revocation(arm, cluster, action, message):
    revoking = arm.post(cluster + "/revokeCredentials")
    assert revoking.status_code == 202
    answer = arm.post(f"{cluster}/{action}")
    assert_error(answer, 409, "Conflict", message, cluster)
    assert answer.headers["retry-after"] == "10"
    arm.done(revoking)
    again = arm.post(f"{cluster}/{action}")
    assert again.status_code == 202
    arm.done(again)


@pytest.mark.parametrize("reach", [pytest.param(f, id=f"HCP-022 child create while parent is {f.__name__}") for f in (accepted, provisioning, deleting)])
def test_conflict_of_a_child_create(arm, simulator, subscription, reach):
    resource, running, word = reach(arm, subscription)
    writes = simulator.writes()
    error = assert_error(arm.put(node_pool_id(resource), node_pool_body()), 409, "Conflict")
    assert re.fullmatch(rf'Cannot create resource while parent resource is "?{word}"?', error["message"]), error
    assert arm.gone(node_pool_id(resource)) and simulator.writes() == writes
    arm.done(running)


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_HCP_022_child_update_while_the_parent_is_deleting(arm, cluster, verb):
    pool = node_pool_id(cluster)
    arm.make_node_pool(pool)
    deleting = arm.delete(cluster)
    answer = arm.put(pool, node_pool_body()) if verb == "PUT" else arm.patch(pool, {"tags": {}})
    assert_error(answer, 409, "Conflict", "Cannot update resource while parent resource is deleting")
    arm.done(deleting)


# -- the provider's own rules ----------------------------------------------------------------------------------------------

def test_HCP_001_both_eras_are_served(arm, subscription):
    for number, version in enumerate((V2024, V2025)):
        resource = cluster_id(subscription, f"c{number}")
        created = arm.put_cluster(resource, version=version)
        has_urls(created, "azure-asyncoperation")
        arm.done(created)
        for answer in (arm.patch(resource, {"tags": {"a": "b"}}, version=version),):
            assert answer.status_code == 202
            has_urls(answer, "azure-asyncoperation", "location")
            arm.done(answer)
        action = arm.post(resource + "/requestAdminCredential", version=version)
        assert action.status_code == 202
        has_urls(action, "azure-asyncoperation", "location")
        arm.done(action)
        deleted = arm.delete(resource, version=version)
        assert deleted.status_code == 202
        has_urls(deleted, "azure-asyncoperation", "location")
        arm.done(deleted)
        assert arm.delete(resource, version=version).status_code == 204


def test_HCP_003_a_conflict_wins_over_bad_content(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    for content in (b'{"properties": {"version": 7}}', b'{"location": "eastus"}'):
        answer = arm.put(resource, content=content, headers={"content-type": "application/json"})
        assert_error(answer, 409, "Conflict", 'Cannot update resource while resource is "accepted"')
    arm.done(created)
    assert arm.put(resource, content=b'{"properties": {"version": 7}}', headers={"content-type": "application/json"}).status_code == 400


@pytest.mark.parametrize("reach", STATES)
def test_HCP_004_a_delete_is_always_accepted(arm, subscription, reach):
    resource, running, _ = reach(arm, subscription)
    deleted = arm.delete(resource)
    assert deleted.status_code == 202
    arm.done(deleted)
    assert arm.gone(resource)
    assert arm.operation(running)["status"] == ("Succeeded" if reach is deleting else "Canceled")


def test_HCP_004_another_callers_delete_is_an_operation_of_its_own(arm, cluster):
    first = arm.delete(cluster)
    with other_caller(arm) as stranger:
        second = stranger.delete(cluster)
        assert second.status_code == 202
        assert operation_of(second) != operation_of(first)
        assert arm.get(arm.status_url(second)).status_code == 404
        stranger.done(second)
    arm.done(first)
    assert arm.gone(cluster)


def test_HCP_004_a_childs_delete_follows_its_parents(arm, cluster):
    pool = node_pool_id(cluster)
    arm.make_node_pool(pool)
    parent = arm.delete(cluster)
    child = arm.delete(pool)
    assert child.status_code == 202
    assert arm.operation(child)["status"] == "Deleting"
    arm.done(child)
    arm.done(parent)
    assert arm.gone(pool) and arm.gone(cluster)


def test_HCP_005_superseding_is_atomic(stack, arm, subscription, cluster):
    pools = [node_pool_id(cluster, f"np{i}") for i in range(3)]
    creating = [arm.put(pool, node_pool_body()) for pool in pools]
    patching = arm.patch(cluster, {"properties": {"nodeDrainTimeoutMinutes": 3}})
    if patching.status_code == 409:  # a parent may refuse while children are created; the rule is about what runs
        patching = None
    deleted = arm.delete(cluster)
    superseded = creating + ([patching] if patching else [])
    for answer in superseded:
        body = arm.operation(answer)
        assert (body["status"], body["error"]) == ("Canceled", {"code": "Canceled", "message": "This operation was superseded by another"})
    for pool in pools:
        assert state(arm.get(pool)) == "Deleting"
    assert {item["properties"]["provisioningState"] for item in arm.get(cluster + "/nodePools").json()["value"]} == {"Deleting"}

    def implicit():
        return [key for key, o in operations(stack, subscription).items()
                if o["request"] == "Delete" and key != operation_of(deleted) and o["externalId"].lower() in {p.lower() for p in pools}]

    hidden = until(lambda: len(implicit()) == len(pools) and implicit(), "the children's implicit deletes are written")
    for key in hidden:
        assert arm.get(arm.status_url(deleted).replace(operation_of(deleted), key)).status_code == 404
    arm.done(deleted)
    for key in hidden:
        assert arm.get(arm.status_url(deleted).replace(operation_of(deleted), key)).status_code == 404
    assert all(arm.gone(resource) for resource in [cluster, *pools])


def billing(stack, resource):
    return [d for _, kind, d in stack.acceptd.documents() if kind == "microsoft.redhatopenshift/billing"
            and resource.lower() in json.dumps(d).lower()]


def fields(document):
    return document.get("properties", document)


def test_HCP_008_one_billing_document_per_live_cluster(stack, arm, simulator, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    assert billing(stack, resource) == []
    arm.done(created)
    opened = billing(stack, resource)
    assert len(opened) == 1
    assert {"creationTime", "location", "tenantId", "subscriptionId", "resourceId", "managedResourceGroup"} <= set(fields(opened[0]))
    assert "deletionTime" not in fields(opened[0])
    assert (fields(opened[0])["location"], fields(opened[0])["tenantId"], fields(opened[0])["subscriptionId"]) == (REGION, TENANT, subscription)
    arm.done(arm.put_cluster(resource))
    assert billing(stack, resource) == opened, "an update opens none"
    arm.done(arm.delete(resource))
    closed = billing(stack, resource)
    assert len(closed) == 1 and fields(closed[0])["deletionTime"]
    arm.make_cluster(resource)
    again = billing(stack, resource)
    assert len(again) == 2 and len([d for d in again if "deletionTime" not in fields(d)]) == 1


def test_HCP_008_a_failed_creation_is_not_billed(stack, arm, simulator, subscription):
    resource = cluster_id(subscription)
    simulator.script({"action": "fail", "method": "POST", "route": "/clusters"})
    assert arm.finish(arm.put_cluster(resource))["status"] == "Failed"
    assert billing(stack, resource) == []
    simulator.clear_script()
    arm.done(arm.delete(resource))
    assert billing(stack, resource) == []


def test_HCP_009_everybody_else_gets_404_with_an_empty_body(arm, cluster):
    answer = arm.delete(cluster)
    for url in (arm.status_url(answer), arm.result_url(answer)):
        for tenant, client in ((None, None), (TENANT, None)):
            with other_caller(arm, tenant, client) as stranger:
                hidden = stranger.get(url)
            assert (hidden.status_code, hidden.content) == (404, b"")
        assert arm.get(url).status_code in (200, 202)


def test_HCP_012_the_last_node_pool_goes_only_with_its_cluster(arm, simulator, cluster):
    pools = [node_pool_id(cluster, "np1"), node_pool_id(cluster, "np2")]
    for pool in pools:
        arm.make_node_pool(pool)
    arm.done(arm.delete(pools[0]))
    writes = simulator.writes()
    answer = arm.delete(pools[1])
    assert answer.status_code == 400
    error = assert_error(answer, 400, answer.json()["error"]["code"])
    assert "The last node pool can not be deleted from a cluster." in error["message"]
    assert state(arm.get(pools[1])) == "Succeeded" and simulator.writes() == writes
    arm.done(arm.delete(cluster))
    assert arm.gone(pools[1])


def test_HCP_012_two_deletes_at_once_leave_one(arm, cluster):
    """Write skew: each delete alone would leave the other pool."""
    pools = [node_pool_id(cluster, "np1"), node_pool_id(cluster, "np2")]
    for pool in pools:
        arm.make_node_pool(pool)
    answers = [arm.delete(pool) for pool in pools]
    assert sorted(a.status_code for a in answers) == [202, 400]
    arm.done(next(a for a in answers if a.status_code == 202))
    assert len(arm.get(cluster + "/nodePools").json()["value"]) == 1


def test_HCP_014_an_older_put_does_not_clear_newer_fields(arm, subscription):
    resource = cluster_id(subscription)
    newer = cluster_body(resource, V2025, imageDigestMirrors=[{"source": "quay.io/a", "mirrors": ["mirror.example/a"]}])
    arm.done(arm.put(resource, newer, version=V2025))
    older = cluster_body(resource, V2024, nodeDrainTimeoutMinutes=5)
    answer = arm.put(resource, older, version=V2024)
    assert answer.status_code == 200, answer.text
    arm.done(answer)
    shown = arm.get(resource, version=V2025).json()["properties"]
    assert shown["imageDigestMirrors"] == newer["properties"]["imageDigestMirrors"]
    assert shown["platform"]["vnetIntegrationSubnetId"] == newer["properties"]["platform"]["vnetIntegrationSubnetId"]
    assert shown["nodeDrainTimeoutMinutes"] == 5
    assert "imageDigestMirrors" not in arm.get(resource, version=V2024).json()["properties"]


def test_HCP_015_last_transition_time_moves_with_the_status(stack, arm, subscription):
    created = arm.put_cluster(cluster_id(subscription))
    key = operation_of(created)
    seen = {}

    def look():
        o = operations(stack, subscription)[key]
        seen.setdefault(o["status"], set()).add(o["lastTransitionTime"])
        return o["status"]

    look()
    arm.simulator.advance(WORK_SECONDS // 2)
    arm.reached(created, "Provisioning")
    for _ in range(5):
        look()
        arm.operation(created)
    body = arm.done(created)
    assert look() == "Succeeded"
    assert {"Provisioning", "Succeeded"} <= set(seen)
    assert all(len(times) == 1 for times in seen.values()), seen
    assert len({t for times in seen.values() for t in times}) == len(seen)
    assert seen["Succeeded"] == {body["endTime"]}


@pytest.mark.parametrize("make", [cluster_id, lambda s: node_pool_id(cluster_id(s))], ids=["cluster", "node pool"])
def test_HCP_016_location(arm, subscription, make):
    resource = make(subscription)
    if "nodePools" in resource:
        arm.make_cluster(cluster_id(subscription))
    body = node_pool_body() if "nodePools" in resource else cluster_body(resource)
    other = arm.put(resource, {**body, "location": "eastus"})
    assert other.status_code == 400 and arm.gone(resource)
    assert_error(other, 400, other.json()["error"]["code"])
    del body["location"]
    answer = arm.put(resource, body)
    assert (answer.status_code, answer.json()["location"]) == (201, REGION)


def test_HCP_017_a_kubeconfig_is_fetched_when_read_and_never_stored(stack, arm, simulator, cluster):
    requested = arm.post(cluster + "/requestAdminCredential")
    arm.done(requested)
    reads = [arm.get(arm.result_url(requested)) for _ in range(2)]
    kubeconfig = reads[0].json()["kubeconfig"]
    assert len(kubeconfig) > 20 and reads[1].json() == reads[0].json()
    simulator.script({"action": "answer", "method": "GET", "route": "/clusters/*/break_glass_credentials/*", "status": 500})
    assert arm.get(arm.result_url(requested)).status_code >= 500, "it is read from the backend each time"
    simulator.clear_script()
    needle = json.dumps(kubeconfig)[1:-1].encode()
    for file in stack.acceptd.folder.glob("acceptd.sqlite*"):
        assert needle not in file.read_bytes(), file
    assert needle not in stack.acceptd.program.log.read_bytes()
