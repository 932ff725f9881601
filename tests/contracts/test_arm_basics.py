"""Headers, api-version and the error body: what every answer of the ARM contract has."""
import email.utils
import json
import re
import uuid

import pytest

from arm import (CLIENT, NAMESPACE, REGION, TENANT, UUID, V2024, V2025, assert_error, cluster_body, cluster_id, cluster_list, group,
                 node_pool_body, node_pool_id, operation_of, path_of)
from processes import until
from stack import new_subscription_id


def one_of_each(arm, subscription):
    """Answers of many kinds: (what, answer)."""
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    return [
        ("201", created),
        ("200 resource", arm.get(resource)),
        ("200 list", arm.get(cluster_list(subscription))),
        ("200 status", arm.get(arm.status_url(created))),
        ("200 subscription", arm.request("GET", f"/subscriptions/{subscription}", version="2.0")),
        ("204", arm.delete(cluster_id(subscription, "none"))),
        ("404 resource", arm.get(cluster_id(subscription, "none"))),
        ("404 path", arm.get("/no/such/path")),
        ("400 api-version", arm.get(resource, version=None)),
        ("409", arm.put_cluster(resource)),
        ("415", arm.put(resource, content=b"<a/>", headers={"content-type": "text/xml"})),
        ("202", arm.delete(resource)),
    ]


def test_ARM_001_every_answer_has_a_request_id_of_its_own(arm, subscription):
    seen = [answer.headers["x-ms-request-id"] for _, answer in one_of_each(arm, subscription)]
    assert all(UUID.match(value) for value in seen), seen
    assert len(set(seen)) == len(seen)


def test_ARM_002_every_answer_has_a_date(arm, subscription):
    for what, answer in one_of_each(arm, subscription):
        text = answer.headers["date"]
        assert re.fullmatch(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", text), what
        assert email.utils.parsedate_to_datetime(text).tzinfo is not None


def test_ARM_003_bodies_are_json(arm, subscription):
    for what, answer in one_of_each(arm, subscription):
        if answer.content:
            assert answer.headers["content-type"].split(";")[0] == "application/json", what
            json.loads(answer.content)
        else:
            assert answer.status_code in (202, 204), what


def test_ARM_004_correlation_ids_are_in_the_log_and_in_the_operation(stack, arm, subscription):
    ids = {"x-ms-client-request-id": str(uuid.uuid4()), "x-ms-correlation-request-id": str(uuid.uuid4())}
    created = arm.put_cluster(cluster_id(subscription), headers=ids)
    operation = operation_of(created)

    def logged():
        lines = [json.loads(line) for line in stack.acceptd.program.log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if set(ids.values()) <= {str(v) for v in line.values()}]

    records = until(logged, "a log record with both ids", 10)
    assert any(created.headers["x-ms-request-id"] in {str(v) for v in record.values()} for record in records), records
    documents = [d for _, kind, d in stack.acceptd.documents() if d["id"] == operation]
    assert len(documents) == 1
    assert documents[0]["properties"]["clientRequestId"] == ids["x-ms-client-request-id"]
    assert documents[0]["properties"]["correlationRequestId"] == ids["x-ms-correlation-request-id"]


@pytest.mark.parametrize("flag, echoed", [("true", True), ("True", True), ("false", False), (None, False)])
def test_ARM_005_the_client_request_id_is_echoed_if_asked_for(arm, subscription, flag, echoed):
    wanted = str(uuid.uuid4())
    headers = {"x-ms-client-request-id": wanted} | ({"x-ms-return-client-request-id": flag} if flag else {})
    for answer in (arm.get(cluster_list(subscription), headers=headers), arm.get(cluster_id(subscription, "none"), headers=headers)):
        assert answer.headers.get("x-ms-client-request-id") == (wanted if echoed else None)


def test_ARM_006_equal_request_ids_are_separate_requests(arm, subscription):
    same = {"x-ms-client-request-id": str(uuid.uuid4()), "x-ms-correlation-request-id": str(uuid.uuid4())}
    first = arm.put_cluster(cluster_id(subscription, "c1"), headers=same)
    second = arm.put_cluster(cluster_id(subscription, "c2"), headers=same)
    assert (first.status_code, second.status_code) == (201, 201)
    assert operation_of(first) != operation_of(second)
    assert first.headers["x-ms-request-id"] != second.headers["x-ms-request-id"]


def test_ARM_007_the_routing_id_is_not_our_request_id(arm, subscription):
    routing = str(uuid.uuid4())
    answer = arm.get(cluster_list(subscription), headers={"x-ms-routing-request-id": routing})
    assert answer.headers["x-ms-request-id"] != routing


def test_ARM_008_a_request_without_correlation_id_is_accepted(arm, subscription):
    answer = arm.put_cluster(cluster_id(subscription))
    assert "x-ms-correlation-request-id" not in answer.request.headers
    assert answer.status_code == 201


def test_ARM_009_accept_language_is_taken_and_english_is_the_fallback(arm, subscription):
    wanted = arm.get(cluster_id(subscription, "none"), headers={"accept-language": "fr-FR, de;q=0.5"})
    plain = arm.get(cluster_id(subscription, "none"))
    assert_error(wanted, 404, "ResourceNotFound", plain.json()["error"]["message"])


def links(arm, subscription, headers):
    """Every kind of absolute URI that the server emits."""
    created = arm.put_cluster(cluster_id(subscription, "c1"), headers=headers)
    arm.put_cluster(cluster_id(subscription, "c2"), headers=headers)
    listed = arm.get(cluster_list(subscription), headers=headers, params={"$top": 1})
    deleted = arm.delete(cluster_id(subscription, "c1"), headers=headers)
    polled = arm.get(arm.result_url(deleted), headers=headers)
    return [created.headers["azure-asyncoperation"], deleted.headers["azure-asyncoperation"], deleted.headers["location"],
            polled.headers["location"], listed.json()["nextLink"]]


@pytest.mark.parametrize("referer", ["https://management.azure.com/x?api-version=1", "http://front.example:8080/subscriptions"])
def test_ARM_011_links_have_the_referers_host(arm, subscription, referer):
    origin = referer.split("/")[0] + "//" + referer.split("/")[2]
    for link in links(arm, subscription, {"referer": referer}):
        assert link.startswith(origin + "/subscriptions/"), link


@pytest.mark.parametrize("headers, origin", [
    pytest.param({}, None, id="host"),
    pytest.param({"referer": "not a url"}, None, id="referer-is-no-url"),
    pytest.param({"referer": "/relative"}, None, id="referer-is-relative"),
    pytest.param({"referer": "ftp://other.example/"}, None, id="referer-is-not-http"),
    pytest.param({"x-forwarded-proto": "https", "x-forwarded-host": "rp.example"}, "https://rp.example", id="forwarded"),
    pytest.param({"host": "rp.example:444"}, "http://rp.example:444", id="other-host"),
])
def test_ARM_012_without_referer_links_have_the_forwarded_host_or_host(arm, subscription, headers, origin):
    for link in links(arm, subscription, headers):
        assert link.startswith((origin or arm.url) + "/subscriptions/"), link


def test_ARM_013_letter_case_of_a_path_does_not_matter(arm, subscription):
    resource = cluster_id(subscription, "MyCluster", "MyGroup")
    assert arm.make_cluster(resource).status_code == 200
    for variant in (resource.upper(), resource.lower(), resource.swapcase()):
        found = arm.get(variant)
        assert found.status_code == 200, variant
        assert found.json()["id"] == arm.get(resource).json()["id"]
    assert arm.put(resource.lower(), cluster_body(resource)).status_code == 200
    listed = arm.get(cluster_list(subscription.upper(), "mygroup").replace("hcpOpenShiftClusters", "HCPOPENSHIFTCLUSTERS"))
    assert len(listed.json()["value"]) == 1


def test_ARM_014_the_put_that_created_the_resource_decides_the_casing(arm, subscription):
    """As this project decided (contract decisions, 8): not the newest casing."""
    resource = cluster_id(subscription, "MyCluster", "MyGroup")
    arm.make_cluster(resource)
    updated = arm.put(resource.lower(), cluster_body(resource))
    assert updated.status_code == 200
    for body in (updated.json(), arm.get(resource.upper()).json(), arm.get(cluster_list(subscription)).json()["value"][0]):
        assert (body["id"], body["name"]) == (resource, "MyCluster")


@pytest.mark.parametrize("field, value", [("id", "/subscriptions/other"), ("name", "other"), ("type", "Other/type")])
def test_ARM_015_the_url_decides_which_resource_is_meant(arm, subscription, field, value):
    resource = cluster_id(subscription)
    answer = arm.put(resource, {**cluster_body(resource), field: value})
    if answer.status_code == 201:
        body = arm.get(resource).json()
        assert (body["id"], body["name"]) == (resource, "c1")
    else:
        assert_error(answer, 400, "InvalidRequestContent")
        assert arm.gone(resource)
    assert arm.gone(cluster_id(subscription, "other"))


def test_ARM_016_a_slow_backend_does_not_hold_the_request(arm, simulator, subscription):
    simulator.script({"action": "delay", "method": "POST", "route": "/clusters", "delay_ms": 8_000, "count": 1})
    answer = arm.put_cluster(cluster_id(subscription))
    assert answer.status_code == 201
    assert answer.elapsed.total_seconds() < 60
    assert answer.json()["properties"]["provisioningState"] == "Accepted"
    arm.done(answer)


def test_ARM_018_chunked_bodies_are_taken(arm, subscription):
    resource = cluster_id(subscription)
    text = json.dumps(cluster_body(resource)).encode()
    answer = arm.put(resource, content=(text[i:i + 100] for i in range(0, len(text), 100)), headers={"content-type": "application/json"})
    assert answer.request.headers["transfer-encoding"] == "chunked"
    assert answer.status_code == 201
    assert answer.json()["properties"]["version"]["id"] == "4.20"


def test_ARM_020_unknown_query_parameters_are_tolerated(arm, subscription):
    answer = arm.get(cluster_list(subscription), params={"$filter": "name eq 'x'", "$expand": "a", "other": "1"})
    assert (answer.status_code, answer.json()["value"]) == (200, [])


@pytest.mark.parametrize("media_type", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_ARM_021_json_is_taken(arm, subscription, media_type):
    resource = cluster_id(subscription)
    answer = arm.put(resource, content=json.dumps(cluster_body(resource)), headers={"content-type": media_type})
    assert answer.status_code == 201


# -- api-version -----------------------------------------------------------------------------------------------------

def routes(subscription):
    resource = cluster_id(subscription)
    return [("GET", resource), ("PUT", resource), ("PATCH", resource), ("DELETE", resource), ("GET", cluster_list(subscription)),
            ("GET", node_pool_id(resource)), ("POST", resource + "/requestAdminCredential")]


def test_ARM_030_a_missing_api_version_is_refused(arm, subscription):
    for method, path in routes(subscription):
        answer = arm.request(method, path, version=None, json={} if method in ("PUT", "PATCH") else None)
        assert_error(answer, 400, "InvalidParameter", "The request is missing required parameter 'api-version'.")


@pytest.mark.parametrize("version", ["2024-06-10", "2024-6-10", "20240610", "latest", "2024-06-10-beta2", "2024-06-10-preview-x", "-"])
def test_ARM_031_an_api_version_of_another_shape_is_refused(arm, subscription, version):
    for method, path in routes(subscription):
        answer = arm.request(method, path, version=version, json={} if method in ("PUT", "PATCH") else None)
        assert answer.status_code == 400
        assert_error(answer, 400, answer.json()["error"]["code"])


@pytest.mark.parametrize("version", ["2023-01-01", "2030-01-01-preview", "2024-06-10-alpha"])
def test_ARM_032_an_unknown_api_version_is_refused(arm, subscription, version):
    for method, path in routes(subscription):
        answer = arm.request(method, path, version=version, json={} if method in ("PUT", "PATCH") else None)
        assert_error(answer, 400, "InvalidResourceType",
                     f"The resource type '{NAMESPACE}/hcpOpenShiftClusters' could not be found API version '{version}'.")


def test_ARM_033_links_carry_an_api_version_that_works(arm, subscription):
    headers = {}
    for link in links(arm, subscription, headers):
        assert "api-version=" in link
        assert arm.request("GET", path_of(link), version=None).status_code in (200, 202), link


def test_ARM_034_the_subscription_api_has_a_version_of_its_own(arm):
    subscription = new_subscription_id()
    for version in ("2.0", None, "2024-06-10-preview"):
        answer = arm.request("PUT", f"/subscriptions/{subscription}", version=version, json={"state": "Registered"})
        assert answer.status_code == 200, version


# -- errors ----------------------------------------------------------------------------------------------------------

CODES = {"Canceled", "Conflict", "InternalServerError", "InvalidParameter", "InvalidRequestContent", "InvalidResource",
         "InvalidResourceGroupName", "InvalidResourceName", "InvalidResourceType", "InvalidSubscriptionID", "InvalidSubscriptionState",
         "LockContention", "MultipleErrorsOccurred", "NotFound", "PreconditionFailed", "ResourceGroupNotFound", "ResourceNotFound",
         "ServiceUnavailable", "SubscriptionNotFound", "UnsupportedMediaType"}


MISTAKES = {"network": {"hostPrefix": 99}, "nodeDrainTimeoutMinutes": -1, "autoscaling": {"maxNodesTotal": 501}}


def refused(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    many = cluster_body(resource)
    many["properties"].update(MISTAKES)
    unregistered = cluster_id(new_subscription_id())
    return [
        arm.get("/nothing/here"),
        arm.get(cluster_id(subscription, "none")),
        arm.get(resource, version=None),
        arm.get(resource, version="2030-01-01"),
        arm.get(cluster_id("not-a-uuid")),
        arm.get(cluster_id(subscription, "c1", "bad group!")),
        arm.put(cluster_id(subscription, "-bad"), cluster_body(cluster_id(subscription, "-bad"))),
        arm.put(resource, content=b"{", headers={"content-type": "application/json"}),
        arm.put(resource, content=b"a", headers={"content-type": "text/plain"}),
        arm.put(resource, many),
        arm.put(resource, cluster_body(resource), headers={"if-none-match": "*"}),
        arm.put(unregistered, cluster_body(unregistered)),
        arm.patch(cluster_id(subscription, "none"), {"tags": {}}),
        arm.put(node_pool_id(cluster_id(subscription, "none")), node_pool_body()),
        arm.post(cluster_id(subscription, "none") + "/revokeCredentials"),
    ]


def check_shape(error):
    assert isinstance(error["code"], str) and error["code"]
    assert isinstance(error["message"], str) and error["message"]
    assert isinstance(error.get("target", ""), str)
    for detail in error.get("details", []):
        check_shape(detail)
    for info in error.get("additionalInfo", []):
        assert isinstance(info["type"], str) and isinstance(info["info"], dict)


def test_ARM_040_ARM_042_errors_have_the_common_shape(arm, subscription):
    for answer in refused(arm, subscription):
        assert 400 <= answer.status_code < 500, answer.text
        assert set(answer.json()) == {"error"}
        check_shape(answer.json()["error"])


def test_ARM_041_ARM_045_error_codes_are_pascal_case_and_known(arm, subscription):
    for answer in refused(arm, subscription):
        code = answer.json()["error"]["code"]
        assert re.fullmatch(r"([A-Z][a-z]*)+(ID)?", code) and code in CODES, code


def test_ARM_043_several_mistakes_are_told_at_once(arm, subscription):
    resource = cluster_id(subscription)
    error = assert_error(arm.put(resource, cluster_body(resource, **MISTAKES)), 400, "MultipleErrorsOccurred")
    targets = {detail["target"] for detail in error["details"]}
    assert targets == {"properties.network.hostPrefix", "properties.nodeDrainTimeoutMinutes", "properties.autoscaling.maxNodesTotal"}, error
    assert arm.gone(resource)


def test_ARM_044_the_header_repeats_the_code(arm, subscription):
    for answer in refused(arm, subscription):
        assert answer.headers["x-ms-error-code"] == answer.json()["error"]["code"]
    assert "x-ms-error-code" not in arm.get(cluster_list(subscription)).headers
