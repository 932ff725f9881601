"""Input that is wrong: nothing is stored, nothing is called, the process lives."""
import json
import socket
import uuid

import pytest

from arm import (CLIENT, NAMESPACE, REGION, SYSTEM_DATA, TENANT, V2024, V2025, assert_error, cluster_body, cluster_id, cluster_list,
                 node_pool_body, node_pool_id, operation_of, other_caller)
from processes import until
from stack import new_subscription_id

MAX_BODY = 4 * 1024 * 1024


@pytest.fixture
def untouched(stack, arm, simulator, subscription):
    """Checks after the test that it left nothing behind."""
    writes = simulator.writes()
    documents = {d["id"] for partition, _, d in stack.acceptd.documents() if partition == subscription}
    yield
    assert simulator.writes() == writes, "the backend was called"
    assert arm.get(cluster_id(subscription)).status_code == 404
    assert arm.get(cluster_list(subscription)).json() == {"value": []}
    assert {d["id"] for partition, _, d in stack.acceptd.documents() if partition == subscription} == documents, "something was stored"
    assert stack.acceptd.program.alive()


def send(arm, subscription, content, **headers):
    return arm.put(cluster_id(subscription), content=content, headers={"content-type": "application/json", **headers})


def good(subscription):
    return json.dumps(cluster_body(cluster_id(subscription)))


def nested(depth):
    return '{"location":"westus3","properties":' + '{"a":' * depth + "1" + "}" * depth + "}"


CONTENT = [
    pytest.param(lambda s: "", id="empty"), pytest.param(lambda s: "{", id="cut"), pytest.param(lambda s: good(s)[:-1], id="cut at the end"),
    pytest.param(lambda s: good(s) + "x", id="rest"), pytest.param(lambda s: good(s) + good(s), id="two documents"),
    pytest.param(lambda s: "null", id="null"), pytest.param(lambda s: "[]", id="list"), pytest.param(lambda s: '"text"', id="string"),
    pytest.param(lambda s: "7", id="number"), pytest.param(lambda s: "{'a': 1}", id="single quotes"), pytest.param(lambda s: '{"a": 1,}', id="comma"),
    pytest.param(lambda s: '{"a": NaN}', id="NaN"), pytest.param(lambda s: '{"a": Infinity}', id="Infinity"),
    pytest.param(lambda s: '{"location":"westus3","properties":{"nodeDrainTimeoutMinutes":1e400}}', id="1e400"),
    pytest.param(lambda s: '{"location":"westus3","properties":{"nodeDrainTimeoutMinutes":' + "9" * 400 + "}}", id="400 digits"),
    pytest.param(lambda s: '{"location":"westus3","location":"westus3"}', id="duplicate key"),
    pytest.param(lambda s: good(s).replace('"version":', '"version": {}, "version":', 1), id="duplicate nested key"),
    pytest.param(lambda s: '{"location":"\\ud800"}', id="lone surrogate"), pytest.param(lambda s: '{"a":"\x01"}', id="control character"),
    pytest.param(lambda s: b'{"location":"\xff\xfe"}', id="invalid UTF-8"), pytest.param(lambda s: b'{"location":"\xc0\xaf"}', id="overlong UTF-8"),
    pytest.param(lambda s: good(s).encode("utf-16"), id="UTF-16"), pytest.param(lambda s: "\ufeff" + good(s), id="byte order mark"),
    pytest.param(lambda s: nested(33), id="33 deep"), pytest.param(lambda s: nested(100_000), id="100000 deep"),
    pytest.param(lambda s: "[" * 1_000_000, id="a million brackets"),
]


@pytest.mark.parametrize("content", CONTENT)
def test_content_that_is_not_a_json_object(arm, subscription, untouched, content):
    assert_error(send(arm, subscription, content(subscription)), 400, "InvalidRequestContent")


@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "application/json-patch+json", "application/x-www-form-urlencoded", "json", ""])
def test_ARM_021_other_media_types_are_refused(arm, subscription, untouched, media_type):
    answer = send(arm, subscription, good(subscription), **{"content-type": media_type})
    assert_error(answer, 415, "UnsupportedMediaType", f"The content media type '{media_type}' is not supported. Only 'application/json' is supported.")


def test_a_body_over_four_mebibytes_is_413(arm, subscription, untouched):
    body = cluster_body(cluster_id(subscription))
    body["tags"] = {"a": "x" * MAX_BODY}
    assert arm.put(cluster_id(subscription), body).status_code == 413
    chunks = (b" " * 65536 for _ in range(MAX_BODY // 65536 + 1))
    assert send(arm, subscription, chunks).status_code == 413


def test_a_body_that_never_ends_is_given_up(stack, arm, subscription, untouched):
    """The connection of a client that stops in the middle is its own: others are served meanwhile."""
    with socket.create_connection(("127.0.0.1", stack.acceptd.port), timeout=30) as slow:
        slow.sendall(f"PUT {cluster_id(subscription)}?api-version={V2025} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                     f"Content-Length: 1000\r\n\r\n{{".encode())
        assert arm.get(cluster_list(subscription)).status_code == 200


FIELDS = [
    pytest.param(lambda b: b["properties"].update(unknownField=1), id="unknown property"),
    pytest.param(lambda b: b["properties"]["platform"].update(unknown="x"), id="unknown nested property"),
    pytest.param(lambda b: b.update(unknown={}), id="unknown member of the envelope"),
    pytest.param(lambda b: b.update(location=7), id="location is a number"),
    pytest.param(lambda b: b.update(properties=[]), id="properties is a list"),
    pytest.param(lambda b: b["properties"].update(version="4.20"), id="version is a string"),
    pytest.param(lambda b: b["properties"].update(nodeDrainTimeoutMinutes="5"), id="number as text"),
    pytest.param(lambda b: b["properties"].update(nodeDrainTimeoutMinutes=1.5), id="fraction"),
    pytest.param(lambda b: b["properties"].update(nodeDrainTimeoutMinutes=-1), id="below the bound"),
    pytest.param(lambda b: b["properties"].update(nodeDrainTimeoutMinutes=10081), id="above the bound"),
    pytest.param(lambda b: b["properties"].update(nodeDrainTimeoutMinutes=10**30), id="huge number"),
    pytest.param(lambda b: b["properties"]["platform"].pop("subnetId"), id="missing subnet"),
    pytest.param(lambda b: b["properties"].pop("platform"), id="missing platform"),
    pytest.param(lambda b: b["properties"]["platform"].update(subnetId="no id"), id="subnet is no ID"),
    pytest.param(lambda b: b["properties"]["platform"].update(subnetId=b["properties"]["platform"]["subnetId"].replace(
        b["properties"]["platform"]["subnetId"].split("/")[2], str(uuid.uuid4()))), id="subnet of a foreign subscription"),
    pytest.param(lambda b: b["properties"]["platform"].update(networkSecurityGroupId=b["properties"]["platform"]["networkSecurityGroupId"].replace(
        b["properties"]["platform"]["networkSecurityGroupId"].split("/")[2], str(uuid.uuid4()))), id="security group of a foreign subscription"),
    pytest.param(lambda b: b["properties"].update(network={"podCidr": "10.0.0.0/8", "serviceCidr": "10.1.0.0/16"}), id="overlapping networks"),
    pytest.param(lambda b: b["properties"].update(network={"podCidr": "10.0.0.0"}), id="no CIDR"),
    pytest.param(lambda b: b["identity"].update(type="Robot"), id="unknown identity type"),
    pytest.param(lambda b: b["properties"].update(provisioningState="Succeeded"), id="provisioningState"),
]


@pytest.mark.parametrize("change", FIELDS)
def test_fields_that_are_wrong(arm, subscription, untouched, change):
    body = cluster_body(cluster_id(subscription))
    change(body)
    answer = arm.put(cluster_id(subscription), body)
    assert answer.status_code == 400, answer.text
    assert_error(answer, 400, answer.json()["error"]["code"])


@pytest.mark.parametrize("path, value", [(("dns", "baseDomain"), "evil.example"), (("api", "url"), "https://evil.example"),
                                         (("console", "url"), "https://evil.example"), (("platform", "issuerUrl"), "https://evil.example")])
def test_a_read_only_field_cannot_be_changed(arm, simulator, subscription, path, value):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    before = arm.get(resource).json()
    body = cluster_body(resource)
    body["properties"].setdefault(path[0], {})[path[1]] = value
    answer = arm.put(resource, body)
    if answer.status_code == 200:
        arm.done(answer)
    else:
        assert_error(answer, 400, answer.json()["error"]["code"])
    after = arm.get(resource).json()
    assert after["properties"].get(path[0]) == before["properties"].get(path[0]), "a read-only field changed"
    assert value not in json.dumps(after)


IMMUTABLE = [("network", {"podCidr": "10.200.0.0/14"}), ("dns", {"baseDomainPrefix": "other"}), ("api", {"visibility": "Private"}),
             ("clusterImageRegistry", {"state": "Disabled"}), ("platform", {"outboundType": "Other"})]


@pytest.mark.parametrize("field, value", IMMUTABLE)
def test_a_field_fixed_at_creation_cannot_be_changed(arm, simulator, subscription, field, value):
    resource = cluster_id(subscription)
    before = arm.make_cluster(resource).json()
    writes = simulator.writes()
    answer = arm.patch(resource, {"properties": {field: value}})
    assert answer.status_code == 400, answer.text
    assert_error(answer, 400, answer.json()["error"]["code"])
    assert arm.get(resource).json() == before and simulator.writes() == writes


@pytest.mark.parametrize("name", ["1abc", "-abc", "abc-", "a_b", "a.b", "a" * 55, "a b", "ä"])
def test_cluster_names(arm, subscription, untouched, name):
    resource = cluster_id(subscription, "".join(f"%{b:02X}" for b in name.encode()))
    answer = arm.put(resource, cluster_body(cluster_id(subscription)))
    assert answer.status_code == 400, answer.text
    assert_error(answer, 400, answer.json()["error"]["code"])


@pytest.mark.parametrize("name", ["1abc", "abc-", "a" * 16])
def test_node_pool_names(arm, simulator, subscription, name):
    cluster = cluster_id(subscription)
    arm.make_cluster(cluster)
    writes = simulator.writes()
    answer = arm.put(node_pool_id(cluster, name), node_pool_body())
    assert answer.status_code == 400, answer.text
    assert arm.get(cluster + "/nodePools").json()["value"] == [] and simulator.writes() == writes


@pytest.mark.parametrize("header", ["{", "[]", '"text"', "nonsense", '{"createdAt": 7}', '{"createdAt": "yesterday"}', '{"createdByType": "Ghost"}'])
def test_a_broken_system_data_header_is_refused_by_name(arm, subscription, untouched, header):
    error = assert_error(send(arm, subscription, good(subscription), **{"x-ms-arm-resource-system-data": header}), 400, "InvalidRequestContent")
    assert "x-ms-arm-resource-system-data" in error["message"].lower()


def test_an_absent_system_data_header_is_fine(arm, subscription):
    resource = cluster_id(subscription)
    answer = arm.request("PUT", resource, json=cluster_body(resource))
    assert answer.status_code == 201
    data = answer.json()["systemData"]
    assert data["createdBy"] and data["createdBy"] == data["lastModifiedBy"]


def test_an_unregistered_subscription_stores_nothing(stack, arm, simulator):
    unknown = new_subscription_id()
    writes = simulator.writes()
    assert_error(arm.put_cluster(cluster_id(unknown)), 404, "SubscriptionNotFound")
    assert [d for partition, _, d in stack.acceptd.documents() if partition == unknown] == []
    assert simulator.writes() == writes


def test_a_missing_or_unknown_api_version_stores_nothing(arm, subscription, untouched):
    for version in (None, "2001-01-01", "x" * 5000, "2025-12-23-preview\u00e9"):
        assert arm.put(cluster_id(subscription), cluster_body(cluster_id(subscription)), version=version).status_code == 400


def test_two_claims_on_one_subnet_meet(arm, simulator, subscription):
    first, second = cluster_id(subscription, "c1"), cluster_id(subscription, "c2")
    arm.make_cluster(first)
    writes = simulator.writes()
    body = cluster_body(second)
    body["properties"]["platform"]["subnetId"] = cluster_body(first)["properties"]["platform"]["subnetId"].upper().replace("/SUBSCRIPTIONS/", "/subscriptions/")
    answer = arm.put(second, body)
    assert answer.status_code == 400, answer.text
    assert_error(answer, 400, answer.json()["error"]["code"])
    assert arm.gone(second) and simulator.writes() == writes
    arm.done(arm.delete(first))
    assert arm.put(second, body).status_code == 201, "the claim ends with its holder"


def test_identity_headers_that_are_not_text_are_refused(arm, subscription, untouched):
    answer = send(arm, subscription, good(subscription), **{"x-ms-home-tenant-id": "t" * 5000})
    assert answer.status_code == 400
