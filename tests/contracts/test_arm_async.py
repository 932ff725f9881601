"""Asynchronous PUT, PATCH, DELETE and POST: status, headers and states from the first answer to the end."""
import re

import pytest

from arm import (NAMESPACE, REGION, TERMINAL, UUID, V2024, V2025, assert_error, cluster_body, cluster_id, cluster_list, node_pool_body,
                 node_pool_id, operation_of, path_of, state)
from processes import until
from stack import WORK_SECONDS

OPERATION_PATH = rf"/subscriptions/[0-9a-f-]{{36}}/providers/{NAMESPACE}/locations/{REGION}/(hcpOperationStatuses|hcpOperationResults)/[0-9a-f-]{{36}}"


def started(arm, subscription, verb, version=V2025):
    """A PATCH, DELETE or POST under way on a ready cluster, and the cluster's ID."""
    resource = cluster_id(subscription)
    arm.make_cluster(resource, version=version)
    answer = {"PATCH": lambda: arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": 7}}, version=version),
              "DELETE": lambda: arm.delete(resource, version=version),
              "POST": lambda: arm.post(resource + "/requestAdminCredential", version=version)}[verb]()
    assert answer.status_code == 202, f"{answer.status_code} {answer.text}"
    return resource, answer


def test_ARM_121_ARM_122_ARM_123_operation_links_are_absolute_and_at_subscription_scope(arm, subscription):
    _, answer = started(arm, subscription, "PATCH")
    for header, kind in (("location", "hcpOperationResults"), ("azure-asyncoperation", "hcpOperationStatuses")):
        link = answer.headers[header]
        assert link.startswith(arm.url + "/"), link
        path, query = path_of(link).split("?")
        assert re.fullmatch(OPERATION_PATH, path), path
        assert path.split("/")[-2] == kind
        assert query == f"api-version={V2025}"


def test_ARM_124_the_result_of_a_delete_outlives_the_resource(arm, subscription):
    resource, answer = started(arm, subscription, "DELETE")
    arm.done(answer)
    assert arm.gone(resource)
    assert arm.get(arm.result_url(answer)).status_code == 204


@pytest.mark.parametrize("version", [V2024, V2025])
def test_ARM_125_links_have_the_requests_api_version(arm, subscription, version):
    created = arm.put_cluster(cluster_id(subscription), version=version)
    assert created.headers["azure-asyncoperation"].endswith(f"?api-version={version}")
    arm.done(created)
    _, answer = started_on(arm, cluster_id(subscription), version)
    for header in ("location", "azure-asyncoperation"):
        assert answer.headers[header].endswith(f"?api-version={version}")


def started_on(arm, resource, version):
    answer = arm.delete(resource, version=version)
    assert answer.status_code == 202
    return resource, answer


def test_ARM_130_an_asynchronous_put_answers_201_then_200_with_a_state_that_is_not_final(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    assert (created.status_code, state(created)) == (201, "Accepted")
    arm.done(created)
    updated = arm.put(resource, cluster_body(resource, nodeDrainTimeoutMinutes=5))
    assert (updated.status_code, state(updated)) == (200, "Accepted")


def test_ARM_131_target_values_show_during_the_operation(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    updated = arm.put(resource, cluster_body(resource, nodeDrainTimeoutMinutes=5))
    assert updated.json()["properties"]["nodeDrainTimeoutMinutes"] == 5
    assert arm.get(resource).json()["properties"]["nodeDrainTimeoutMinutes"] == 5
    arm.done(updated)
    patched = arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": 6}})
    assert arm.get(resource).json()["properties"]["nodeDrainTimeoutMinutes"] == 6
    arm.done(patched)


def test_ARM_132_put_has_azure_async_operation_and_no_location(arm, subscription):
    resource = cluster_id(subscription)
    for status in (201, 200):
        answer = arm.put_cluster(resource)
        assert answer.status_code == status
        assert "azure-asyncoperation" in answer.headers and "location" not in answer.headers
        arm.done(answer)


def test_ARM_133_a_resource_is_visible_while_it_is_provisioned(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    seen = arm.get(resource)
    assert (seen.status_code, state(seen) in TERMINAL) == (200, False)
    assert [item["name"] for item in arm.get(cluster_list(subscription)).json()["value"]] == ["c1"]
    arm.simulator.advance(WORK_SECONDS // 2)
    arm.reached(created, "Provisioning")
    until(lambda: state(arm.get(resource)) == "Provisioning", "the resource shows Provisioning")
    assert [item["properties"]["provisioningState"] for item in arm.get(cluster_list(subscription)).json()["value"]] == ["Provisioning"]


def test_ARM_134_ARM_135_the_final_state_stays_until_the_next_operation(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    arm.done(created)
    for _ in range(3):
        assert state(arm.get(resource)) == "Succeeded"
    patched = arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": 1}})
    assert state(arm.get(resource)) not in TERMINAL
    arm.done(patched)
    assert state(arm.get(resource)) == "Succeeded"


def test_ARM_134_a_failed_creation_shows_failed(arm, simulator, subscription):
    resource = cluster_id(subscription)
    simulator.script({"action": "fail", "method": "POST", "route": "/clusters", "code": "OCM7", "message": "No capacity"})
    assert arm.finish(arm.put_cluster(resource))["status"] == "Failed"
    assert state(arm.get(resource)) == "Failed"


def test_ARM_136_a_failed_update_is_reverted(arm, simulator, subscription):
    resource = cluster_id(subscription)
    before = arm.make_cluster(resource).json()["properties"]
    simulator.script({"action": "fail", "method": "PATCH", "route": "/clusters/*", "code": "OCM9", "message": "Cannot drain"})
    updated = arm.put(resource, cluster_body(resource, nodeDrainTimeoutMinutes=77))
    assert updated.json()["properties"]["nodeDrainTimeoutMinutes"] == 77
    assert arm.finish(updated)["status"] == "Failed"
    after = arm.get(resource).json()["properties"]
    assert after == {**before, "provisioningState": "Failed"}


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_ARM_138_an_equal_provisioning_state_is_ignored(arm, subscription, verb):
    resource = cluster_id(subscription)
    body = arm.make_cluster(resource).json()
    body["properties"]["nodeDrainTimeoutMinutes"] = 9
    assert body["properties"]["provisioningState"] == "Succeeded"
    answer = arm.put(resource, body) if verb == "PUT" else arm.patch(resource, {"properties": body["properties"]})
    assert answer.status_code == (200 if verb == "PUT" else 202), answer.text
    arm.done(answer)
    assert arm.get(resource).json()["properties"]["nodeDrainTimeoutMinutes"] == 9


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_ARM_139_another_provisioning_state_is_refused(arm, simulator, subscription, verb):
    resource = cluster_id(subscription)
    before = arm.make_cluster(resource).json()
    writes = simulator.writes()
    changed = cluster_body(resource, nodeDrainTimeoutMinutes=9, provisioningState="Failed")
    answer = arm.put(resource, changed) if verb == "PUT" else arm.patch(resource, {"properties": {"provisioningState": "Failed"}})
    assert answer.status_code == 400
    assert_error(answer, 400, answer.json()["error"]["code"])
    assert arm.get(resource).json() == before
    assert simulator.writes() == writes


@pytest.mark.parametrize("value", ["Succeeded", "Accepted", "", "anything"])
def test_ARM_139_any_provisioning_state_in_a_create_is_refused(arm, simulator, subscription, value):
    resource = cluster_id(subscription)
    answer = arm.put(resource, cluster_body(resource, provisioningState=value))
    assert answer.status_code == 400
    assert_error(answer, 400, answer.json()["error"]["code"])
    assert arm.gone(resource) and simulator.clusters(subscription) == []


def test_ARM_140_provisioning_state_is_never_left_out(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    seen = [created.json(), arm.get(resource).json(), *arm.get(cluster_list(subscription)).json()["value"]]
    arm.done(created)
    seen += [arm.get(resource).json()]
    deleted = arm.delete(resource)
    seen += [arm.get(resource).json()]
    assert all(body["properties"]["provisioningState"] for body in seen)
    arm.done(deleted)


def agree(arm, resource, answer):
    """Watches an operation to its end; the resource never shows a final state before the operation does."""
    def ended():
        arm.simulator.advance(WORK_SECONDS // 5)
        shown = arm.get(resource)
        body = arm.operation(answer)
        if shown.status_code == 200 and state(shown) in TERMINAL:
            assert body["status"] in TERMINAL, (state(shown), body)
        return body if body["status"] in TERMINAL else None

    return until(ended, "the operation ends")


def test_ARM_141_operation_and_resource_agree(arm, subscription):
    resource = cluster_id(subscription)
    for answer in (arm.put_cluster(resource), None, None):
        answer = answer or arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": 4}})
        body = agree(arm, resource, answer)
        assert body["status"] == "Succeeded"
        assert state(arm.get(resource)) == "Succeeded"


def test_ARM_142_no_first_answer_shows_a_final_state(arm, subscription):
    resource = cluster_id(subscription)
    pool = node_pool_id(resource)
    for send in (lambda: arm.put_cluster(resource), lambda: arm.put_cluster(resource), lambda: arm.put(pool, node_pool_body()),
                 lambda: arm.put(pool, node_pool_body())):
        answer = send()
        assert answer.status_code in (200, 201)
        assert state(answer) not in TERMINAL
        arm.done(answer)


# -- PATCH, DELETE, POST ---------------------------------------------------------------------------------------------

def test_ARM_150_patch_answers_202_with_location(arm, subscription):
    resource, answer = started(arm, subscription, "PATCH")
    assert answer.status_code == 202 and "location" in answer.headers
    assert state(arm.get(resource)) not in TERMINAL
    arm.simulator.advance(WORK_SECONDS // 2)
    assert arm.done(answer)["status"] == "Succeeded"


def test_ARM_151_a_finished_patch_answers_200_and_the_resource(arm, subscription):
    resource, answer = started(arm, subscription, "PATCH")
    arm.done(answer)
    result = arm.get(arm.result_url(answer))
    assert result.status_code == 200
    assert result.json() == arm.get(resource).json()
    assert result.json()["properties"]["nodeDrainTimeoutMinutes"] == 7


def test_ARM_152_delete_answers_202_and_the_resource_shows_deleting(arm, subscription):
    resource, answer = started(arm, subscription, "DELETE")
    assert answer.status_code == 202 and "location" in answer.headers
    shown = arm.get(resource)
    assert (shown.status_code, state(shown)) == (200, "Deleting")
    assert arm.operation(answer)["status"] == "Deleting"


def test_ARM_153_a_finished_delete_answers_204_and_the_resource_is_gone(arm, simulator, subscription):
    resource, answer = started(arm, subscription, "DELETE")
    arm.done(answer)
    result = arm.get(arm.result_url(answer))
    assert (result.status_code, result.content) == (204, b"")
    assert arm.gone(resource)
    assert arm.get(cluster_list(subscription)).json()["value"] == []
    assert simulator.clusters(subscription) == []


def test_ARM_154_a_finished_action_answers_what_a_synchronous_one_would(arm, subscription):
    resource, answer = started(arm, subscription, "POST")
    assert answer.status_code == 202 and "location" in answer.headers
    arm.done(answer)
    result = arm.get(arm.result_url(answer))
    assert result.status_code == 200 and set(result.json()) == {"kubeconfig", "expirationTimestamp"}
    revoked = arm.post(resource + "/revokeCredentials")
    arm.done(revoked)
    assert arm.get(arm.result_url(revoked)).status_code == 204


@pytest.mark.parametrize("verb", ["PATCH", "DELETE", "POST"])
def test_ARM_155_ARM_158_answers_with_202_are_empty_and_name_both_urls(arm, subscription, verb):
    _, answer = started(arm, subscription, verb)
    assert (answer.status_code, answer.content) == (202, b"")
    assert operation_of(answer) == path_of(answer.headers["location"]).split("?")[0].rsplit("/", 1)[1]
    polled = arm.get(arm.result_url(answer))
    assert (polled.status_code, polled.content) == (202, b"")


def test_ARM_156_a_second_delete_gives_the_same_operation_and_writes_are_refused(arm, subscription):
    resource, first = started(arm, subscription, "DELETE")
    second = arm.delete(resource)
    assert second.status_code == 202
    assert operation_of(second) == operation_of(first)
    assert_error(arm.put_cluster(resource), 409, "Conflict")
    assert_error(arm.patch(resource, {"tags": {}}), 409, "Conflict")
    arm.done(second)
    assert arm.gone(resource)


def test_ARM_157_a_second_write_is_refused_and_a_delete_supersedes(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    assert_error(arm.put_cluster(resource), 409, "Conflict")
    assert_error(arm.patch(resource, {"tags": {"a": "b"}}), 409, "Conflict")
    deleted = arm.delete(resource)
    assert deleted.status_code == 202
    superseded = arm.operation(created)
    assert superseded["status"] == "Canceled"
    assert superseded["error"]["code"] == "Canceled" and "superseded" in superseded["error"]["message"]
    arm.done(deleted)
    assert arm.operation(created) == superseded, "terminal is final"


# -- ARM-193: a resource group is deleted in any order ------------------------------------------------------------------

def delete_all(arm, resources):
    """The front door's loop: DELETE everything that is left, round by round, until nothing is or nothing moves. Rounds."""
    left, rounds = list(resources), 0
    while left:
        rounds += 1
        moved = False
        for resource in list(left):
            answer = arm.delete(resource)
            assert answer.status_code in (202, 204) or 400 <= answer.status_code < 500, f"{resource}: {answer.status_code} {answer.text}"
            if answer.status_code == 202:
                arm.done(answer)
            if answer.status_code in (202, 204):
                moved = True
                left.remove(resource)
        assert moved, f"no progress with {left}"
    return rounds


@pytest.mark.parametrize("order", ["012", "021", "102", "120", "201", "210"])
def test_ARM_190_ARM_193_a_group_is_deleted_in_any_order(arm, simulator, subscription, order):
    cluster = cluster_id(subscription)
    pools = [node_pool_id(cluster, "np1"), node_pool_id(cluster, "np2")]
    arm.make_cluster(cluster)
    for pool in pools:
        arm.make_node_pool(pool)
    everything = [cluster, *pools]
    assert delete_all(arm, [everything[int(i)] for i in order]) <= len(everything)
    assert all(arm.gone(resource) for resource in everything)
    assert simulator.clusters(subscription) == []


def test_ARM_191_ARM_192_a_refused_delete_has_no_side_effect_and_works_later(arm, simulator, subscription):
    cluster = cluster_id(subscription)
    pool = node_pool_id(cluster)
    arm.make_cluster(cluster)
    before = arm.make_node_pool(pool).json()
    writes = simulator.writes()
    refused = arm.delete(pool)
    assert 400 <= refused.status_code < 500, "the last node pool goes only with its cluster"
    assert arm.get(pool).json() == before
    assert simulator.writes() == writes
    arm.done(arm.delete(cluster))
    assert arm.delete(pool).status_code == 204
