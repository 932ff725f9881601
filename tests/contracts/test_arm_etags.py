"""If-Match and If-None-Match: the table of the contract, each cell a case."""
import pytest

from arm import assert_error, cluster_body, cluster_id, cluster_list, operation_of
from processes import until
from stack import WORK_SECONDS

STALE = '"0123456789abcdef"'
ABSENT, EMPTY, ANY, EQUAL, OTHER = "absent", "empty", "star", "equal", "other"


def condition(kind, etag):
    return {ABSENT: {}, EMPTY: {"if-match": ""}, ANY: {"if-match": "*"}, EQUAL: {"if-match": etag}, OTHER: {"if-match": STALE},
            "none-match-star": {"if-none-match": "*"}}[kind]


def send(arm, verb, resource, headers):
    if verb == "PUT":
        return arm.put(resource, cluster_body(resource), headers=headers)
    if verb == "PATCH":
        return arm.patch(resource, {"tags": {"changed": "yes"}}, headers=headers)
    return arm.delete(resource, headers=headers)


MISSING = [
    pytest.param("PUT", ABSENT, 201, id="ARM-101 PUT absent"), pytest.param("PUT", EMPTY, 201, id="ARM-101 PUT empty"),
    pytest.param("PUT", ANY, 412, id="ARM-102 PUT *"), pytest.param("PUT", OTHER, 412, id="ARM-103 PUT xyz"),
    pytest.param("PUT", "none-match-star", 201, id="ARM-104 PUT If-None-Match *"),
    pytest.param("PATCH", ABSENT, 404, id="ARM-105 PATCH absent"), pytest.param("PATCH", EMPTY, 404, id="ARM-105 PATCH empty"),
    pytest.param("PATCH", ANY, 404, id="ARM-106 PATCH *"), pytest.param("PATCH", OTHER, 404, id="ARM-107 PATCH xyz"),
    pytest.param("DELETE", ABSENT, 204, id="ARM-108 DELETE absent"), pytest.param("DELETE", EMPTY, 204, id="ARM-108 DELETE empty"),
    pytest.param("DELETE", ANY, 204, id="ARM-109 DELETE *"), pytest.param("DELETE", OTHER, 204, id="ARM-110 DELETE xyz"),
]
# PATCH and DELETE are asynchronous here: 202 stands where the table says 200 (ARM-112).
EXISTING = [
    pytest.param("PUT", ABSENT, 200, id="ARM-101 PUT absent"), pytest.param("PUT", EMPTY, 200, id="ARM-101 PUT empty"),
    pytest.param("PUT", ANY, 200, id="ARM-102 PUT *"), pytest.param("PUT", EQUAL, 200, id="ARM-103 PUT equal"),
    pytest.param("PUT", OTHER, 412, id="ARM-103 PUT other"), pytest.param("PUT", "none-match-star", 412, id="ARM-104 PUT If-None-Match *"),
    pytest.param("PATCH", ABSENT, 202, id="ARM-105 PATCH absent"), pytest.param("PATCH", EMPTY, 202, id="ARM-105 PATCH empty"),
    pytest.param("PATCH", ANY, 202, id="ARM-106 PATCH *"), pytest.param("PATCH", EQUAL, 202, id="ARM-107 PATCH equal"),
    pytest.param("PATCH", OTHER, 412, id="ARM-107 PATCH other"),
    pytest.param("DELETE", ABSENT, 202, id="ARM-108 DELETE absent"), pytest.param("DELETE", EMPTY, 202, id="ARM-108 DELETE empty"),
    pytest.param("DELETE", ANY, 202, id="ARM-109 DELETE *"), pytest.param("DELETE", EQUAL, 202, id="ARM-110 DELETE equal"),
    pytest.param("DELETE", OTHER, 412, id="ARM-110 DELETE other"),
]


@pytest.mark.parametrize("verb, kind, status", MISSING)
def test_condition_on_a_missing_resource(arm, simulator, subscription, verb, kind, status):
    resource = cluster_id(subscription)
    answer = send(arm, verb, resource, condition(kind, STALE))
    assert answer.status_code == status, answer.text
    if status == 412:
        assert_error(answer, 412, "PreconditionFailed")
    if status == 404:
        assert_error(answer, 404, "ResourceNotFound")
    assert arm.gone(resource) == (status != 201)
    assert len(simulator.clusters(subscription)) == (1 if status == 201 else 0)


@pytest.mark.parametrize("verb, kind, status", EXISTING)
def test_condition_on_an_existing_resource(arm, subscription, verb, kind, status):
    resource = cluster_id(subscription)
    before = arm.make_cluster(resource)
    answer = send(arm, verb, resource, condition(kind, before.headers["etag"]))
    assert answer.status_code == status, answer.text
    if status == 412:
        assert_error(answer, 412, "PreconditionFailed")
        assert arm.get(resource).json() == before.json()
    else:
        arm.done(answer)
        assert arm.gone(resource) == (verb == "DELETE")


def test_ARM_100_the_etag_is_in_body_and_header(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    assert created.headers["etag"] == created.json()["etag"]
    arm.done(created)
    read = arm.get(resource)
    assert read.headers["etag"] == read.json()["etag"] != ""
    assert arm.get(cluster_list(subscription)).json()["value"][0]["etag"] == read.json()["etag"]


def test_ARM_111_ARM_112_a_failed_condition_creates_no_operation(stack, arm, simulator, subscription):
    resource = cluster_id(subscription)
    before = arm.make_cluster(resource).json()

    def operations():
        return [d["id"] for partition, kind, d in stack.acceptd.documents()
                if partition == subscription and kind == "microsoft.redhatopenshift/hcpoperationsstatus"]

    known, writes = operations(), simulator.writes()
    for verb in ("PUT", "PATCH", "DELETE"):
        answer = send(arm, verb, resource, {"if-match": STALE})
        assert_error(answer, 412, "PreconditionFailed")
        assert "azure-asyncoperation" not in answer.headers and "location" not in answer.headers
    assert operations() == known
    assert simulator.writes() == writes
    assert arm.get(resource).json() == before


def test_ARM_112_the_condition_is_judged_before_the_operation_begins(arm, subscription):
    """The etag of before an update does not allow a delete after it."""
    resource = cluster_id(subscription)
    old = arm.make_cluster(resource).headers["etag"]
    arm.done(arm.patch(resource, {"tags": {"a": "b"}}, headers={"if-match": old}))
    assert_error(arm.delete(resource, headers={"if-match": old}), 412, "PreconditionFailed")
    assert arm.delete(resource, headers={"if-match": arm.get(resource).headers["etag"]}).status_code == 202


def test_ARM_113_an_equal_etag_answers_304_and_every_write_changes_it(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    seen = [created.headers["etag"]]
    arm.simulator.advance(WORK_SECONDS // 2)
    arm.reached(created, "Provisioning")
    until(lambda: arm.get(resource).headers["etag"] not in seen, "the etag changes with the provisioningState")
    seen.append(arm.get(resource).headers["etag"])
    arm.done(created)
    ready = arm.get(resource)
    assert ready.headers["etag"] not in seen
    seen.append(ready.headers["etag"])
    same = arm.get(resource, headers={"if-none-match": ready.headers["etag"]})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", ready.headers["etag"])
    assert arm.get(resource, headers={"if-none-match": STALE}).status_code == 200
    patched = arm.patch(resource, {"tags": {"a": "b"}})
    assert arm.get(resource).headers["etag"] not in seen
    arm.done(patched)
    assert arm.get(resource, headers={"if-none-match": ready.headers["etag"]}).status_code == 200
