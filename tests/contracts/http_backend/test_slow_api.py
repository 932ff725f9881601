"""The life of resources whose backend is an HTTP API that is only described (docs/http-backend.md)."""
from arm import group, state
from stack import REGION

VERSION = "2025-01-01"


def resource_of(subscription):
    return f"{group(subscription)}/providers/Contoso.Slow/appliances/one"


def put(arm, subscription, **properties):
    return arm.put(resource_of(subscription), {"location": REGION, "properties": properties}, version=VERSION)


def make(arm, subscription, **properties):
    answer = put(arm, subscription, **properties)
    assert answer.status_code in (200, 201), answer.text
    return arm.finish(answer, advance=False)


def read(arm, subscription):
    return arm.get(resource_of(subscription), version=VERSION)


def remove(arm, subscription):
    return arm.finish(arm.delete(resource_of(subscription), version=VERSION), advance=False)


def test_made_changed_restarted_and_removed(arm, slow, subscription):
    assert make(arm, subscription, size=3)["status"] == "Succeeded"
    body = read(arm, subscription).json()
    assert body["properties"]["provisioningState"] == "Succeeded"
    assert body["properties"]["endpoint"] == f"https://{subscription}.rg.one.appliances.example"
    assert [a["spec"]["size"] for a in slow.appliances(subscription)] == [3]

    assert make(arm, subscription, size=4)["status"] == "Succeeded"
    assert [a["spec"]["size"] for a in slow.appliances(subscription)] == [4]

    restarted = arm.post(resource_of(subscription) + "/restart", version=VERSION)
    assert arm.finish(restarted, advance=False)["status"] == "Succeeded"

    assert remove(arm, subscription)["status"] == "Succeeded"
    assert read(arm, subscription).status_code == 404
    assert slow.appliances(subscription) == []


def test_a_failure_is_told_without_the_backends_internals(arm, subscription):
    ended = make(arm, subscription, fail="DISK")
    assert ended["status"] == "Failed"
    assert ended["error"] == {"code": "ApplianceFailed", "message": "The appliance could not be made as asked for."}
    assert state(read(arm, subscription)) == "Failed"


def test_a_refusal_is_told_as_the_map_says(arm, slow, subscription):
    answer = put(arm, subscription, size=101)
    told = answer.json()["error"] if answer.status_code >= 400 else arm.finish(answer, advance=False)["error"]
    assert told["code"] == "QuotaExceeded"
    assert told["message"] == "The appliance is too large: size: at most 100"
    assert slow.appliances(subscription) == []


def test_a_create_whose_answer_was_lost_makes_one_object(arm, slow, subscription):
    slow.fault(method="POST", path="/v1/appliances", then=True, drop=True)
    assert make(arm, subscription, size=1)["status"] == "Succeeded"
    assert len(slow.appliances(subscription)) == 1
    remove(arm, subscription)
    assert slow.appliances(subscription) == []


def test_a_create_that_was_never_carried_out_is_sent_again(arm, slow, subscription):
    slow.fault(method="POST", path="/v1/appliances", drop=True)
    assert make(arm, subscription, size=1)["status"] == "Succeeded"
    assert len(slow.appliances(subscription)) == 1


def test_status_answers_that_make_no_sense_do_not_end_the_operation(arm, slow, subscription):
    for fault in ({"status": 200, "body": "<html>"}, {"status": 200, "body": "{}"}, {"status": 302, "headers": {"Location": "/"}},
                  {"status": 500}, {"status": 404}, {"status": 200, "body": "{\"status\": \"odd\"}"}):
        slow.fault(method="GET", path="/v1/appliances/", **fault)
    assert make(arm, subscription, size=1)["status"] == "Succeeded"


def test_while_the_backend_does_not_know_us_the_operation_waits(arm, slow, subscription):
    slow.fault(method="POST", path="/v1/appliances", times=2, status=401)
    slow.fault(method="GET", path="/v1/appliances/", times=2, status=403)
    assert make(arm, subscription, size=1)["status"] == "Succeeded"
    assert len(slow.appliances(subscription)) == 1
