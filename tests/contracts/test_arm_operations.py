"""The result route (Location) and the status route (Azure-AsyncOperation)."""
import datetime
import re
import uuid

import httpx
import pytest

from arm import (CLIENT, NAMESPACE, REGION, TENANT, TERMINAL, V2025, assert_error, cluster_body, cluster_id, node_pool_body,
                 node_pool_id, operation_of, other_caller, path_of, state)
from stack import WORK_SECONDS

RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")


@pytest.fixture
def cluster(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    return resource


def failing_patch(arm, simulator, cluster):
    simulator.script({"action": "fail", "method": "PATCH", "route": "/clusters/*", "code": "OCM9", "message": "Cannot drain nodes"})
    answer = arm.patch(cluster, {"properties": {"nodeDrainTimeoutMinutes": 3}})
    body = arm.finish(answer)
    assert body["status"] == "Failed"
    return answer, body


def superseded_patch(arm, cluster):
    answer = arm.patch(cluster, {"properties": {"nodeDrainTimeoutMinutes": 3}})
    assert answer.status_code == 202
    arm.done(arm.delete(cluster))
    return answer


# -- result route ------------------------------------------------------------------------------------------------------

def test_ARM_160_the_result_route_answers_202_while_the_work_goes_on(arm, cluster):
    answer = arm.delete(cluster)
    for _ in range(2):
        polled = arm.get(arm.result_url(answer))
        assert (polled.status_code, polled.content) == (202, b"")
        assert polled.headers["location"] == answer.headers["location"]


def test_ARM_161_ARM_162_the_result_is_what_a_synchronous_call_would_have_answered(arm, cluster):
    patched = arm.patch(cluster, {"tags": {"a": "b"}})
    arm.done(patched)
    result = arm.get(arm.result_url(patched))
    assert (result.status_code, result.json()["tags"]) == (200, {"a": "b"})
    deleted = arm.delete(cluster)
    assert arm.get(arm.result_url(deleted)).status_code == 202
    arm.done(deleted)
    gone = arm.get(arm.result_url(deleted))
    assert (gone.status_code, gone.content) == (204, b"")
    assert "retry-after" not in gone.headers


def test_ARM_163_the_result_of_a_failure_is_the_error(arm, simulator, cluster):
    answer, body = failing_patch(arm, simulator, cluster)
    result = arm.get(arm.result_url(answer))
    assert result.status_code >= 400
    error = assert_error(result, result.status_code, body["error"]["code"], body["error"]["message"])
    assert "Cannot drain nodes" in error["message"]


def test_ARM_163_the_result_of_a_superseded_operation_is_its_error(arm, cluster):
    answer = superseded_patch(arm, cluster)
    result = arm.get(arm.result_url(answer))
    assert result.status_code == 409
    assert_error(result, 409, "Canceled", "This operation was superseded by another")


def test_ARM_164_a_finished_result_shows_a_final_state(arm, cluster):
    first = arm.patch(cluster, {"tags": {"a": "1"}})
    arm.done(first)
    second = arm.patch(cluster, {"properties": {"nodeDrainTimeoutMinutes": 3}})
    assert state(arm.get(cluster)) not in TERMINAL
    result = arm.get(arm.result_url(first))
    assert (result.status_code, state(result)) == (200, "Succeeded")
    arm.done(second)


@pytest.mark.parametrize("kind", ["hcpOperationResults", "hcpOperationStatuses"])
def test_ARM_165_ARM_183_only_the_initiator_sees_an_operation(arm, subscription, cluster, kind):
    answer = arm.delete(cluster)
    url = path_of(answer.headers["location" if kind == "hcpOperationResults" else "azure-asyncoperation"])
    assert arm.get(url).status_code in (200, 202)
    unknown = arm.get(url.replace(operation_of(answer), str(uuid.uuid4())))
    assert unknown.status_code == 404
    for tenant, client in ((None, None), (TENANT, None), (None, CLIENT)):
        with other_caller(arm, tenant, client) as stranger:
            hidden = stranger.get(url)
        assert (hidden.status_code, hidden.content) == (404, unknown.content)
        assert set(hidden.headers) == set(unknown.headers)
    with other_caller(arm, TENANT.upper(), CLIENT.upper()) as same:
        assert same.get(url).status_code in (200, 202), "letter case of an identity does not matter"
    elsewhere = str(uuid.uuid4())
    arm.register(elsewhere)
    assert arm.get(url.replace(subscription, elsewhere)).status_code == 404
    assert arm.get(url.replace(operation_of(answer), "not-a-uuid")).status_code == 404


def test_ARM_166_the_result_stays_the_same(arm, cluster):
    patched = arm.patch(cluster, {"tags": {"a": "1"}})
    arm.done(patched)
    first = arm.get(arm.result_url(patched))
    arm.done(arm.patch(cluster, {"tags": {"a": "2"}}))
    arm.done(arm.delete(cluster))
    again = arm.get(arm.result_url(patched))
    assert (again.status_code, again.content) == (first.status_code, first.content) and first.status_code == 200


# -- status route ------------------------------------------------------------------------------------------------------

def test_ARM_170_the_status_route_answers_200_whatever_the_outcome(arm, simulator, subscription, cluster):
    failed, _ = failing_patch(arm, simulator, cluster)
    simulator.clear_script()
    canceled = superseded_patch(arm, cluster)
    succeeded = arm.put_cluster(cluster_id(subscription, "c2"))
    arm.done(succeeded)
    running = arm.delete(cluster_id(subscription, "c2"))
    for answer, status in ((failed, "Failed"), (canceled, "Canceled"), (succeeded, "Succeeded"), (running, "Deleting")):
        polled = arm.get(arm.status_url(answer))
        assert (polled.status_code, polled.json()["status"]) == (200, status)


def test_ARM_171_an_error_of_the_status_route_is_no_outcome(arm, cluster):
    """Asking wrongly fails; the operation does not."""
    answer = arm.delete(cluster)
    url = arm.status_url(answer).split("?")[0]
    assert arm.get(url, version=None).status_code == 400
    assert arm.get(url, version="2030-01-01").status_code == 400
    assert arm.operation(answer)["status"] == "Deleting"
    arm.done(answer)


def test_ARM_172_ARM_173_ARM_174_the_status_body_names_itself(arm, subscription):
    created = arm.put_cluster(cluster_id(subscription))
    path = arm.status_url(created).split("?")[0]

    def check(body):
        assert isinstance(body["status"], str) and body["status"]
        assert (body["id"], body["name"]) == (path, path.rsplit("/", 1)[1])

    body = arm.operation(created)
    check(body)
    assert body["status"] not in TERMINAL
    body = arm.done(created)
    check(body)
    assert body["status"] in TERMINAL


def test_ARM_175_times_are_iso_8601_and_the_end_comes_with_the_end(arm, subscription):
    created = arm.put_cluster(cluster_id(subscription))
    running = arm.operation(created)
    assert RFC3339.fullmatch(running["startTime"]) and "endTime" not in running
    ended = arm.done(created)
    assert RFC3339.fullmatch(ended["endTime"]) and ended["startTime"] == running["startTime"]
    assert ended["startTime"][:19] <= ended["endTime"][:19]


def test_ARM_177_properties_only_with_success(arm, simulator, cluster):
    running = arm.patch(cluster, {"properties": {"nodeDrainTimeoutMinutes": 2}})
    assert "properties" not in arm.operation(running)
    arm.done(running)
    _, body = failing_patch(arm, simulator, cluster)
    assert "properties" not in body
    simulator.clear_script()
    canceled = superseded_patch(arm, cluster)
    assert "properties" not in arm.operation(canceled)


def test_ARM_178_ARM_179_failed_and_canceled_operations_have_an_error(arm, simulator, cluster):
    _, failed = failing_patch(arm, simulator, cluster)
    simulator.clear_script()
    canceled = arm.operation(superseded_patch(arm, cluster))
    for body in (failed, canceled):
        assert set(body["error"]) <= {"code", "message", "target", "details", "additionalInfo"}
        assert body["error"]["code"] and body["error"]["message"]
    assert canceled["error"] == {"code": "Canceled", "message": "This operation was superseded by another"}


def test_ARM_180_polls_of_running_work_have_retry_after(arm, cluster):
    answer = arm.delete(cluster)
    for url in (arm.status_url(answer), arm.result_url(answer)):
        polled = arm.get(url)
        assert re.fullmatch(r"\d+", polled.headers["retry-after"])
    arm.done(answer)
    assert "retry-after" not in arm.get(arm.status_url(answer)).headers


def test_ARM_181_no_resource_location(arm, cluster):
    answer = arm.patch(cluster, {"tags": {"a": "b"}})
    assert "resourceLocation" not in arm.operation(answer)
    assert "resourceLocation" not in arm.done(answer)


def test_ARM_182_terminal_is_final(arm, simulator, cluster):
    failed, body = failing_patch(arm, simulator, cluster)
    simulator.clear_script()
    canceled = superseded_patch(arm, cluster)
    canceled_body = arm.operation(canceled)
    simulator.advance()
    assert arm.operation(failed) == body
    assert arm.operation(canceled) == canceled_body


def test_other_spellings_of_the_routes_are_understood(arm, cluster):
    answer = arm.delete(cluster)
    status, result = arm.status_url(answer), arm.result_url(answer)
    for spelling in ("operationStatuses", "OPERATIONSTATUSES", "operationsStatus", "HcpOperationStatuses"):
        assert arm.get(status.replace("hcpOperationStatuses", spelling)).json() == arm.operation(answer)
    for spelling in ("operationResults", "operationresults"):
        assert arm.get(result.replace("hcpOperationResults", spelling)).status_code == 202


def test_the_callers_operations_of_a_subscription_are_listed(arm, subscription, cluster):
    path = f"/subscriptions/{subscription}/providers/{NAMESPACE}/locations/{REGION}/hcpOperationStatuses"
    deleted = arm.delete(cluster)
    listed = arm.get(path)
    assert listed.status_code == 200
    assert {item["name"] for item in listed.json()["value"]} >= {operation_of(deleted)}
    assert len(listed.json()["value"]) == 2  # the create and the delete
    with other_caller(arm) as stranger:
        assert stranger.get(path).json()["value"] == []
