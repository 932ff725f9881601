"""What real clients' polling engines require of the server (contract page README, CL rules)."""
import json

import pytest

from arm import TERMINAL, cluster_body, cluster_id, cluster_list, node_pool_body, node_pool_id, operation_of, path_of, state
from processes import until
from stack import WORK_SECONDS


@pytest.fixture
def cluster(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    return resource


def test_CL_01_CL_11_a_status_body_is_json_with_a_status_and_200(arm, cluster):
    answer = arm.delete(cluster)
    seen = []

    def ended():
        polled = arm.get(arm.status_url(answer))
        assert polled.status_code == 200 and polled.content
        assert polled.headers["content-type"].split(";")[0] == "application/json"
        seen.append(json.loads(polled.content)["status"])
        arm.simulator.advance(WORK_SECONDS // 3)
        return seen[-1] in TERMINAL

    until(ended, "the operation ends")
    assert all(isinstance(status, str) and status for status in seen)


def test_CL_02_the_result_route_is_202_until_done_and_an_error_on_failure(arm, simulator, cluster):
    simulator.script({"action": "fail", "method": "PATCH", "route": "/clusters/*", "code": "OCM9", "message": "Cannot drain"})
    answer = arm.patch(cluster, {"properties": {"nodeDrainTimeoutMinutes": 3}})
    while arm.operation(answer)["status"] not in TERMINAL:
        polled = arm.get(arm.result_url(answer))
        assert polled.status_code == 202 or arm.operation(answer)["status"] in TERMINAL
        simulator.advance(WORK_SECONDS // 3)
    assert arm.get(arm.result_url(answer)).status_code >= 400


def test_CL_03_first_bodies_are_never_final(arm, subscription):
    resource = cluster_id(subscription)
    pool = node_pool_id(resource)
    for send in (lambda: arm.put_cluster(resource), lambda: arm.put_cluster(resource), lambda: arm.patch(resource, {"tags": {}}),
                 lambda: arm.post(resource + "/requestAdminCredential"), lambda: arm.put(pool, node_pool_body())):
        answer = send()
        assert answer.status_code in (200, 201, 202)
        assert not answer.content or state(answer) not in TERMINAL
        arm.done(answer)


def test_CL_04_after_success_resource_and_result_are_final_at_once(arm, subscription):
    resource = cluster_id(subscription)
    for number in range(5):
        answer = arm.put_cluster(resource) if number == 0 else arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": number}})
        arm.done(answer)
        shown = arm.get(resource)
        assert state(shown) == "Succeeded"
        if "location" in answer.headers:
            result = arm.get(arm.result_url(answer))
            assert (result.status_code, state(result)) == (200, "Succeeded")
    deleted = arm.delete(resource)
    arm.done(deleted)
    assert arm.get(arm.result_url(deleted)).status_code == 204 and arm.gone(resource)


def test_CL_05_synchronous_answers_name_no_operation(arm, subscription, cluster):
    for answer in (arm.get(cluster), arm.get(cluster_list(subscription)), arm.delete(cluster_id(subscription, "none")),
                   arm.set_subscription(subscription)):
        assert answer.status_code in (200, 204)
        assert "azure-asyncoperation" not in answer.headers and "location" not in answer.headers


def test_CL_06_urls_are_absolute_and_stay_the_same(arm, cluster):
    answer = arm.delete(cluster)
    for header in ("location", "azure-asyncoperation"):
        assert answer.headers[header].startswith("http://")
    for _ in range(3):
        polled = arm.get(arm.result_url(answer))
        assert (polled.status_code, polled.headers["location"]) == (202, answer.headers["location"])
        status = arm.get(arm.status_url(answer))
        assert status.headers.get("azure-asyncoperation", answer.headers["azure-asyncoperation"]) == answer.headers["azure-asyncoperation"]


def test_CL_07_running_states_contain_no_terminal_word(arm, subscription):
    resource = cluster_id(subscription)
    seen = set()

    def watch(answer):
        def ended():
            body = arm.operation(answer)
            shown = arm.get(resource)
            seen.add(body["status"])
            if shown.status_code == 200:
                seen.add(state(shown))
            arm.simulator.advance(WORK_SECONDS // 5)
            return body["status"] in TERMINAL
        until(ended, "the operation ends")

    watch(arm.put_cluster(resource))
    watch(arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": 3}}))
    watch(arm.delete(resource))
    running = seen - set(TERMINAL)
    assert {"Accepted", "Provisioning", "Deleting"} <= running
    for word in running:
        assert not any(end in word.lower() for end in ("succeeded", "fail", "cancel")), word


def test_CL_08_failed_and_canceled_have_code_and_message(arm, simulator, cluster):
    simulator.script({"action": "fail", "method": "PATCH", "route": "/clusters/*", "code": "OCM9", "message": "Cannot drain", "count": 1})
    failed = arm.finish(arm.patch(cluster, {"properties": {"nodeDrainTimeoutMinutes": 3}}))
    running = arm.patch(cluster, {"properties": {"nodeDrainTimeoutMinutes": 4}})
    arm.done(arm.delete(cluster))
    for body, status in ((failed, "Failed"), (arm.operation(running), "Canceled")):
        assert body["status"] == status and body["error"]["code"] and body["error"]["message"]


def test_CL_09_after_success_location_answers_at_once(arm, cluster):
    patched = arm.patch(cluster, {"tags": {"a": "b"}})
    requested_first = arm.done(patched)
    assert requested_first["status"] == "Succeeded"
    result = arm.get(arm.result_url(patched))
    assert (result.status_code, result.json()["tags"]) == (200, {"a": "b"})
    for action, status in (("requestAdminCredential", 200), ("revokeCredentials", 204)):
        answer = arm.post(f"{cluster}/{action}")
        arm.done(answer)
        assert arm.get(arm.result_url(answer)).status_code == status


def test_CL_10_a_delete_can_be_followed_by_either_url(arm, subscription, cluster):
    other = cluster_id(subscription, "c2")
    arm.make_cluster(other)
    by_status, by_result = arm.delete(cluster), arm.delete(other)
    arm.done(by_status)

    def gone():
        arm.simulator.advance()
        polled = arm.get(arm.result_url(by_result))
        assert polled.status_code in (202, 204)
        return polled.status_code == 204

    until(gone, "the result route says 204")
    assert arm.gone(cluster) and arm.gone(other)
