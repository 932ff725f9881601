"""What ARM asks of a provider beside its resources: names, permissions, SKUs."""
import pytest

from arm import NAMESPACE, REGION, assert_error, cluster_id, node_pool_id, other_caller
from stack import new_subscription_id

CLUSTER = f"{NAMESPACE}/hcpOpenShiftClusters"


def check_name(arm, subscription, name, kind=CLUSTER, location=None, **more):
    scope = f"/subscriptions/{subscription}/providers/{NAMESPACE}"
    if location:
        scope += f"/locations/{location}"
    return arm.post(scope + "/checkNameAvailability", json={"name": name, "type": kind}, **more)


@pytest.mark.parametrize("location", [None, REGION, REGION.upper()])
def test_ARM_240_ARM_241_a_good_name_is_available(arm, subscription, location):
    answer = check_name(arm, subscription, "good-name", location=location)
    assert (answer.status_code, answer.json()) == (200, {"nameAvailable": True})
    assert answer.headers["content-type"].split(";")[0] == "application/json"


def test_ARM_240_another_regions_names_are_not_judged(arm, subscription):
    assert_error(check_name(arm, subscription, "good-name", location="eastus"), 404, "NotFound")


@pytest.mark.parametrize("name, kind", [("-bad-", CLUSTER), ("1abc", CLUSTER), ("a" * 55, CLUSTER), ("a/b", CLUSTER), ("", CLUSTER),
                                        ("ends-", CLUSTER), ("a" * 16, CLUSTER + "/nodePools"), ("ä", CLUSTER)])
def test_ARM_241_ARM_242_a_bad_name_is_200_and_says_why(arm, subscription, name, kind):
    answer = check_name(arm, subscription, name, kind)
    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == {"nameAvailable", "reason", "message"}
    assert (body["nameAvailable"], body["reason"]) == (False, "Invalid") and kind in body["message"]


def test_ARM_242_a_name_that_is_said_to_be_available_can_be_used(arm, subscription):
    for name in ("a" * 54, "a", "A-9"):
        assert check_name(arm, subscription, name).json()["nameAvailable"] is True
        assert arm.put_cluster(cluster_id(subscription, name)).status_code == 201


@pytest.mark.parametrize("body, target", [({"name": "n"}, "type"), ({"type": CLUSTER}, "name"), ({"name": 7, "type": CLUSTER}, "name"),
                                          ({"name": "n", "type": NAMESPACE + "/ships"}, "type"), ({"name": "n", "type": "Other.Space/x"}, "type")])
def test_ARM_240_a_question_that_is_none_is_refused(arm, subscription, body, target):
    answer = arm.post(f"/subscriptions/{subscription}/providers/{NAMESPACE}/checkNameAvailability", json=body)
    assert_error(answer, 400, "InvalidRequestContent", target=target)


def test_ARM_240_it_is_asked_by_post_in_a_known_subscription(arm, subscription):
    path = f"/subscriptions/{subscription}/providers/{NAMESPACE}/checkNameAvailability"
    assert_error(arm.get(path), 404, "NotFound")
    assert_error(arm.post(path, json={}, version=None), 400, "InvalidParameter")
    assert_error(check_name(arm, new_subscription_id(), "n"), 404, "SubscriptionNotFound")


def test_ARM_243_ARM_244_the_provider_lists_its_permissions(arm):
    answer = arm.get(f"/providers/{NAMESPACE}/operations")
    assert answer.status_code == 200 and set(answer.json()) <= {"value", "nextLink"}
    value = answer.json()["value"]
    for item in value:
        assert item["name"].startswith(NAMESPACE + "/") and item["isDataAction"] is False
        assert item["name"].rsplit("/", 1)[1] in ("read", "write", "delete", "action")
        assert set(item["display"]) == {"provider", "resource", "operation", "description"} and all(item["display"].values())
    names = [item["name"] for item in value]
    assert len(set(names)) == len(names)
    for kind in (CLUSTER, CLUSTER + "/nodePools"):
        assert {f"{kind}/{verb}" for verb in ("read", "write", "delete")} <= set(names)
    assert {f"{CLUSTER}/requestAdminCredential/action", f"{CLUSTER}/revokeCredentials/action"} <= set(names)
    with other_caller(arm) as stranger:
        assert stranger.get(f"/providers/{NAMESPACE.upper()}/operations", version=None).json() == answer.json(), "the same for everybody"


def test_ARM_245_registering_is_among_the_permissions(arm):
    names = [item["name"] for item in arm.get(f"/providers/{NAMESPACE}/operations").json()["value"]]
    assert f"{NAMESPACE}/register/action" in names


def test_ARM_221_a_resource_without_skus_has_an_empty_list(arm, subscription):
    resource = cluster_id(subscription)
    assert_error(arm.get(resource + "/skus"), 404, "ResourceNotFound")
    arm.make_cluster(resource)
    answer = arm.get(resource + "/skus")
    assert (answer.status_code, answer.json()) == (200, {"value": []})
    assert_error(arm.get(node_pool_id(resource) + "/skus"), 404, "ResourceNotFound")
