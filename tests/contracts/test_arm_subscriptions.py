"""The life of a subscription and what its states allow."""
import pytest

from arm import (TENANT, assert_error, cluster_body, cluster_id, cluster_list, node_pool_body, node_pool_id, state)
from processes import until
from stack import new_subscription_id

STATES = ("Registered", "Unregistered", "Warned", "Suspended", "Deleted")


def put(arm, subscription, body):
    return arm.request("PUT", f"/subscriptions/{subscription}", version="2.0", json=body)


def show(arm, subscription):
    return arm.request("GET", f"/subscriptions/{subscription}", version="2.0")


def test_ARM_260_a_subscription_put_is_echoed(arm):
    subscription = new_subscription_id()
    body = {"state": "Registered", "registrationDate": "2025-12-19T19:53:15+00:00", "properties": {"tenantId": TENANT}}
    answer = put(arm, subscription, body)
    assert (answer.status_code, answer.json()) == (200, body)
    assert show(arm, subscription).json() == body


def test_a_subscription_that_nobody_put_is_not_found(arm):
    assert_error(show(arm, new_subscription_id()), 404, "SubscriptionNotFound")


@pytest.mark.parametrize("before", STATES)
def test_ARM_261_every_transition_is_valid_and_the_last_wins(arm, before):
    for after in STATES:
        subscription = new_subscription_id()
        assert put(arm, subscription, {"state": before}).status_code == 200
        assert put(arm, subscription, {"state": after}).status_code == 200
        assert show(arm, subscription).json()["state"] == after


@pytest.mark.parametrize("body", [{"state": "Other"}, {"state": "registered "}, {"state": 1}, {}, []])
def test_ARM_261_other_states_are_refused(arm, body):
    subscription = new_subscription_id()
    answer = put(arm, subscription, body)
    assert answer.status_code == 400, answer.text
    assert_error(answer, 400, answer.json()["error"]["code"])
    assert show(arm, subscription).status_code == 404


def test_ARM_262_a_repeated_put_and_unregistering_the_unknown_are_fine(arm):
    subscription = new_subscription_id()
    body = {"state": "Registered", "registrationDate": "2025-12-19T19:53:15+00:00", "properties": {"tenantId": TENANT}}
    assert [put(arm, subscription, body).status_code for _ in range(3)] == [200, 200, 200]
    assert put(arm, new_subscription_id(), {"state": "Unregistered"}).status_code == 200


def test_ARM_263_unknown_properties_are_kept(arm):
    subscription = new_subscription_id()
    body = {"state": "Registered", "registrationDate": "2025-12-19T19:53:15+00:00", "future": [1, {"a": None}],
            "properties": {"tenantId": TENANT, "quotaId": "x", "nested": {"deep": True}, "registeredFeatures": [{"name": "f", "state": "Registered"}]}}
    assert put(arm, subscription, body).json() == body
    assert show(arm, subscription).json() == body


def verbs(arm, cluster):
    return {
        "GET": arm.get(cluster), "LIST": arm.get("/".join(cluster.split("/")[:3]) + "/" + "/".join(cluster.split("/")[5:8])),
        "PUT": arm.put_cluster(cluster), "PATCH": arm.patch(cluster, {"tags": {"a": "b"}}),
        "POST": arm.post(cluster + "/requestAdminCredential"), "CHILD": arm.put(node_pool_id(cluster), node_pool_body()),
    }


def test_ARM_265_registered_all_verbs_work(arm, subscription):
    cluster = cluster_id(subscription)
    arm.make_cluster(cluster)
    assert arm.get(cluster).status_code == 200
    for send, status in ((lambda: arm.put_cluster(cluster), 200), (lambda: arm.patch(cluster, {"tags": {"a": "b"}}), 202),
                         (lambda: arm.post(cluster + "/requestAdminCredential"), 202),
                         (lambda: arm.put(node_pool_id(cluster), node_pool_body()), 201), (lambda: arm.delete(cluster), 202)):
        answer = send()
        assert answer.status_code == status, answer.text
        arm.done(answer)


@pytest.mark.parametrize("to", ["Warned", "Suspended"])
def test_ARM_266_warned_and_suspended_allow_get_and_delete(arm, simulator, subscription, to):
    cluster = cluster_id(subscription)
    arm.make_cluster(cluster)
    arm.set_subscription(subscription, to)
    writes = simulator.writes()
    answers = verbs(arm, cluster)
    assert answers["GET"].status_code == answers["LIST"].status_code == 200
    for verb in ("PUT", "PATCH", "POST", "CHILD"):
        assert_error(answers[verb], 409, "InvalidSubscriptionState", f"Request is not allowed in subscription in state '{to}'.")
    assert simulator.writes() == writes, "nothing is deallocated"
    deleted = arm.delete(cluster)
    assert deleted.status_code == 202
    arm.done(deleted)
    assert arm.gone(cluster)


def test_ARM_267_unregistered_allows_only_reads(arm, simulator, subscription):
    cluster = cluster_id(subscription)
    arm.make_cluster(cluster)
    arm.set_subscription(subscription, "Unregistered")
    writes = simulator.writes()
    answers = verbs(arm, cluster)
    assert answers["GET"].status_code == answers["LIST"].status_code == 200
    for verb in ("PUT", "PATCH", "POST", "CHILD"):
        assert_error(answers[verb], 400, "InvalidSubscriptionState", f"Request is not allowed in unregistered subscription '{subscription}'.")
    assert_error(arm.delete(cluster), 400, "InvalidSubscriptionState")
    assert simulator.writes() == writes
    arm.register(subscription)
    assert arm.put_cluster(cluster).status_code == 200


def test_ARM_268_a_deleted_subscription_loses_its_resources(arm, simulator, subscription):
    ready, pool = cluster_id(subscription, "c1"), node_pool_id(cluster_id(subscription, "c1"))
    arm.make_cluster(ready)
    arm.make_node_pool(pool)
    creating = arm.put_cluster(cluster_id(subscription, "c2"))
    assert arm.set_subscription(subscription, "Deleted").status_code == 200
    until(lambda: arm.operation(creating)["status"] == "Canceled", "the running creation is canceled")

    def empty():
        simulator.advance()
        return simulator.clusters(subscription) == [] and arm.get(cluster_list(subscription)).json().get("value", []) == []

    until(empty, "every resource of the subscription is removed")
    for resource in (ready, pool, cluster_id(subscription, "c2")):
        assert arm.gone(resource)
    assert arm.operation(creating)["status"] == "Canceled"


def test_ARM_269_an_unknown_subscription_is_not_found(arm):
    subscription = new_subscription_id()
    cluster = cluster_id(subscription)
    for answer in (arm.get(cluster), arm.put_cluster(cluster), arm.patch(cluster, {"tags": {}}), arm.delete(cluster),
                   arm.post(cluster + "/requestAdminCredential"), arm.put(node_pool_id(cluster), node_pool_body())):
        assert answer.status_code == 404, answer.text
        assert answer.json()["error"]["code"] in ("SubscriptionNotFound", "ResourceNotFound")
    assert_error(arm.put_cluster(cluster), 404, "SubscriptionNotFound")
