"""Names, the envelope, tags, location, systemData; synchronous status codes; lists and paging."""
import json

import pytest

from arm import (CLIENT, NAMESPACE, REGION, SYSTEM_DATA, V2024, V2025, assert_error, cluster_body, cluster_id, cluster_list,
                 node_pool_body, node_pool_id, path_of)
from stack import new_subscription_id

TYPE = f"{NAMESPACE}/hcpOpenShiftClusters"


def percent(text):
    return "".join(f"%{byte:02X}" for byte in text.encode())


@pytest.mark.parametrize("name", ["g" * 91, "a!b", "a b", "a/b", "ends.", "grüße"])
def test_ARM_050_resource_group_names(arm, subscription, name):
    resource = f"/subscriptions/{subscription}/resourceGroups/{percent(name)}/providers/{TYPE}/c1"
    answer = arm.put(resource, cluster_body(cluster_id(subscription)))
    assert answer.status_code == 400, answer.text
    assert_error(answer, 400, answer.json()["error"]["code"])
    assert arm.get(cluster_list(subscription)).json()["value"] == []


@pytest.mark.parametrize("name", ["g" * 90, "A-b_c(d).e", "1"])
def test_ARM_050_resource_group_names_that_are_fine(arm, subscription, name):
    assert arm.put_cluster(cluster_id(subscription, "c1", name)).status_code == 201


@pytest.mark.parametrize("provider, kind", [("Microsoft.Red-Hat", "hcpOpenShiftClusters"), (NAMESPACE, "hcp-clusters"),
                                            (NAMESPACE, "unknownType"), ("Microsoft%20RedHat", "hcpOpenShiftClusters")])
def test_ARM_051_namespace_and_type(arm, subscription, provider, kind):
    for method in ("GET", "PUT"):
        answer = arm.request(method, f"/subscriptions/{subscription}/resourceGroups/rg/providers/{provider}/{kind}/c1",
                             json={} if method == "PUT" else None)
        assert answer.status_code in (400, 404)
        assert_error(answer, answer.status_code, answer.json()["error"]["code"])


@pytest.mark.parametrize("name", ["<", ">", "%", "&", ":", "\\", "?", "/", "\x01", "\x7f", "n" * 261])
def test_ARM_052_resource_names(arm, subscription, name):
    for method in ("GET", "PUT", "DELETE"):
        answer = arm.request(method, cluster_id(subscription, percent("a" + name + "b")), json={} if method == "PUT" else None)
        assert_error(answer, 400, "InvalidResourceName")
    assert arm.get(cluster_list(subscription)).json()["value"] == []


def test_ARM_053_ARM_066_id_name_and_type(arm, subscription):
    cluster, pool = cluster_id(subscription, "C-One"), node_pool_id(cluster_id(subscription, "C-One"), "Np-1")
    created = arm.put_cluster(cluster)
    arm.done(created)
    pool_created = arm.put(pool, node_pool_body())
    arm.done(pool_created)
    for body in (created.json(), arm.get(cluster).json(), arm.get(cluster_list(subscription)).json()["value"][0]):
        assert (body["id"], body["name"], body["type"]) == (cluster, "C-One", TYPE)
    for body in (pool_created.json(), arm.get(pool).json(), arm.get(cluster + "/nodePools").json()["value"][0]):
        assert (body["id"], body["name"], body["type"]) == (pool, "Np-1", TYPE + "/nodePools")
    patched = arm.patch(pool, {"tags": {"a": "b"}})
    arm.done(patched)
    body = arm.get(arm.result_url(patched)).json()
    assert (body["id"], body["name"], body["type"]) == (pool, "Np-1", TYPE + "/nodePools")
    deleted = arm.delete(pool)
    assert deleted.status_code in (202, 400)  # the last node pool goes only with its cluster


@pytest.mark.parametrize("location", ["westus3", "West US 3", "WESTUS3", " west us3 "])
def test_ARM_055_locations_are_compared_without_case_and_spaces(arm, subscription, location):
    resource = cluster_id(subscription)
    answer = arm.put(resource, {**cluster_body(resource), "location": location})
    assert answer.status_code == 201, answer.text
    arm.done(answer)
    assert arm.put(resource, {**cluster_body(resource), "location": "westus3"}).status_code == 200


@pytest.mark.parametrize("change", [{"location": "eastus"}, {"type": "Other/type"}, {"name": "other"}])
def test_ARM_056_location_type_and_name_do_not_change(arm, subscription, change):
    resource = cluster_id(subscription)
    before = arm.make_cluster(resource).json()
    for answer in (arm.put(resource, {**cluster_body(resource), **change}), arm.patch(resource, change)):
        assert answer.status_code == 400, answer.text
        assert_error(answer, 400, answer.json()["error"]["code"])
    assert arm.get(resource).json() == before


@pytest.mark.parametrize("tags", [
    pytest.param({f"k{i}": "v" for i in range(51)}, id="51-tags"),
    pytest.param({"k" * 513: "v"}, id="long-key"),
    pytest.param({"k": "v" * 257}, id="long-value"),
    *[pytest.param({f"a{c}b": "v"}, id=f"key-with-{ord(c):02x}") for c in "<>%&\\?/\x01"],
    pytest.param({"k": 1}, id="number"),
    pytest.param({"k": None}, id="null-in-put"),
    pytest.param(["k"], id="list"),
])
def test_ARM_057_bad_tags(arm, subscription, tags):
    resource = cluster_id(subscription)
    answer = arm.put(resource, {**cluster_body(resource), "tags": tags})
    assert answer.status_code == 400, answer.text
    assert_error(answer, 400, answer.json()["error"]["code"])
    assert arm.gone(resource)


def test_ARM_057_tags_are_stored_and_returned(arm, subscription):
    resource = cluster_id(subscription)
    tags = {f"k{i}": "v" * 256 for i in range(49)} | {"K" * 512: ""}
    created = arm.put(resource, {**cluster_body(resource), "tags": tags})
    assert (created.status_code, created.json()["tags"]) == (201, tags)
    assert arm.get(resource).json()["tags"] == tags


def test_ARM_058_patch_replaces_the_tags_as_a_whole(arm, subscription):
    resource = cluster_id(subscription)
    arm.done(arm.put(resource, {**cluster_body(resource), "tags": {"a": "1", "b": "2"}}))
    arm.done(arm.patch(resource, {"tags": {"c": "3"}}))
    assert arm.get(resource).json()["tags"] == {"c": "3"}


def test_ARM_059_patch_merges_properties(arm, subscription):
    resource = cluster_id(subscription)
    before = arm.make_cluster(resource).json()["properties"]
    arm.done(arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": 30, "autoscaling": {"maxNodesTotal": 50}}}))
    after = arm.get(resource).json()["properties"]
    assert (after["nodeDrainTimeoutMinutes"], after["autoscaling"]["maxNodesTotal"]) == (30, 50)
    assert after["autoscaling"]["maxPodGracePeriodSeconds"] == before["autoscaling"]["maxPodGracePeriodSeconds"]
    assert after["platform"] == before["platform"]
    arm.done(arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": None}}))
    removed = arm.get(resource).json()["properties"]
    assert removed.get("nodeDrainTimeoutMinutes") == before.get("nodeDrainTimeoutMinutes")
    assert removed["autoscaling"]["maxNodesTotal"] == 50


ENVELOPE = {"id", "name", "type", "location", "tags", "identity", "systemData", "etag", "properties"}


def test_ARM_061_settings_are_under_properties(arm, subscription):
    cluster = arm.make_cluster(cluster_id(subscription)).json()
    pool = arm.make_node_pool(node_pool_id(cluster["id"])).json()
    for body in (cluster, pool):
        assert set(body) <= ENVELOPE
        assert not set(body["properties"]) & (ENVELOPE - {"properties"})


def subset(small, large):
    if isinstance(small, dict):
        return isinstance(large, dict) and all(key in large and subset(value, large[key]) for key, value in small.items())
    return small == large


@pytest.mark.parametrize("version", [V2024, V2025])
def test_ARM_063_the_answer_to_a_put_has_what_was_put_and_more(arm, subscription, version):
    resource = cluster_id(subscription)
    body = {**cluster_body(resource, version), "tags": {"a": "b"}}
    created = arm.put(resource, body, version=version)
    assert subset(body, created.json()), created.json()
    arm.done(created)
    read = arm.get(resource, version=version).json()
    assert subset(body, read)
    assert set(read) == set(created.json())
    assert {"id", "name", "type"} <= set(read) and "provisioningState" in read["properties"]


def test_ARM_06A_a_tracked_child_in_its_parents_body_is_not_created(arm, subscription):
    resource = cluster_id(subscription)
    body = cluster_body(resource)
    body["properties"]["nodePools"] = [{"name": "np1", **node_pool_body()}]
    answer = arm.put(resource, body)
    if answer.status_code == 201:
        arm.done(answer)
        assert arm.get(resource + "/nodePools").json()["value"] == []
    else:
        assert_error(answer, 400, "InvalidRequestContent")
        assert arm.gone(resource)
    assert arm.gone(node_pool_id(resource))


def test_ARM_067_a_child_of_a_missing_parent_is_not_found(arm, subscription):
    missing = cluster_id(subscription, "none")
    assert_error(arm.put(node_pool_id(missing), node_pool_body()), 404, "ResourceNotFound")
    assert_error(arm.get(node_pool_id(missing)), 404, "ResourceNotFound")
    assert_error(arm.get(missing + "/nodePools"), 404, "ResourceNotFound")


def test_ARM_068_system_data_is_stored_and_shown(arm, subscription):
    resource = cluster_id(subscription)
    created = arm.put_cluster(resource)
    sent = json.loads(SYSTEM_DATA)
    for body in (created.json(), arm.get(resource).json()):
        assert body["systemData"] == sent
    arm.done(created)
    later = '{"lastModifiedBy":"lee@example.com","lastModifiedByType":"Application","lastModifiedAt":"2026-02-03T00:00:00Z"}'
    patched = arm.patch(resource, {"tags": {"x": "y"}}, headers={"x-ms-arm-resource-system-data": later})
    arm.done(patched)
    assert arm.get(arm.result_url(patched)).json()["systemData"] == {**sent, **json.loads(later)}


def test_ARM_068A_a_child_type_has_its_own_versions(arm, subscription):
    cluster = arm.make_cluster(cluster_id(subscription), version=V2024).json()["id"]
    assert arm.put(node_pool_id(cluster), node_pool_body(), version=V2024).status_code == 201
    for version in (V2024, V2025):
        assert arm.get(node_pool_id(cluster), version=version).status_code == 200
    assert_error(arm.get(node_pool_id(cluster), version="2019-01-01-preview"), 400, "InvalidResourceType")


def test_ARM_069_system_data_changes_only_with_the_resource(arm, subscription):
    resource = cluster_id(subscription)
    before = arm.make_cluster(resource).json()["systemData"]
    other = {"x-ms-arm-resource-system-data": '{"lastModifiedBy":"eve","lastModifiedByType":"User","lastModifiedAt":"2026-03-01T00:00:00Z"}'}
    refused = arm.put(resource, {"location": REGION, "properties": {"network": {"hostPrefix": 99}}}, headers=other)
    assert refused.status_code == 400
    assert arm.get(resource).json()["systemData"] == before
    arm.done(arm.put(node_pool_id(resource), node_pool_body(), headers=other))
    assert arm.get(resource).json()["systemData"] == before, "a child's write is not the parent's"
    arm.done(arm.patch(resource, {"tags": {"a": "b"}}, headers=other))
    after = arm.get(resource).json()["systemData"]
    assert (after["lastModifiedBy"], after["createdBy"]) == ("eve", before["createdBy"])


def test_ARM_069_a_failed_operation_keeps_the_system_data_of_its_start(arm, simulator, subscription):
    resource = cluster_id(subscription)
    simulator.script({"action": "fail", "method": "POST", "route": "/clusters", "code": "OCM1", "message": "no"})
    answer = arm.put_cluster(resource)
    assert arm.finish(answer)["status"] == "Failed"
    assert arm.get(resource).json()["systemData"] == json.loads(SYSTEM_DATA)


def test_ARM_070_system_data_is_not_in_the_log(stack, arm, subscription):
    marker = "marker-3f1c9f1e@example.com"
    answer = arm.put_cluster(cluster_id(subscription), headers={"x-ms-arm-resource-system-data": SYSTEM_DATA.replace("kim@example.com", marker)})
    arm.done(answer)
    assert answer.json()["systemData"]["createdBy"] == marker
    assert marker not in stack.acceptd.program.log.read_text()
    metrics = arm.http.get(stack.acceptd.admin_url + "/metrics")
    assert metrics.status_code == 200 and marker not in metrics.text


# -- synchronous status codes ----------------------------------------------------------------------------------------

def test_ARM_080_put_new_is_201_and_existing_is_200(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    again = arm.put_cluster(resource)
    assert again.status_code == 200
    arm.done(again)
    assert arm.put_cluster(resource).status_code == 200


def test_ARM_081_put_below_an_unknown_subscription_is_404(arm):
    unknown = cluster_id(new_subscription_id())
    assert_error(arm.put_cluster(unknown), 404, "SubscriptionNotFound")
    assert_error(arm.put(node_pool_id(unknown), node_pool_body()), 404, "SubscriptionNotFound")


def test_ARM_082_patch_of_what_is_missing_is_404_and_of_what_exists_ends_200(arm, subscription):
    resource = cluster_id(subscription)
    assert_error(arm.patch(resource, {"tags": {}}), 404, "ResourceNotFound",
                 f"The resource '{TYPE}/c1' under resource group 'rg' was not found.")
    arm.make_cluster(resource)
    patched = arm.patch(resource, {"tags": {"a": "b"}})
    assert patched.status_code == 202
    arm.done(patched)
    result = arm.get(arm.result_url(patched))
    assert (result.status_code, result.json()) == (200, arm.get(resource).json())


def test_ARM_083_delete_of_what_is_missing_is_204_without_body(arm, subscription):
    for resource in (cluster_id(subscription), node_pool_id(cluster_id(subscription))):
        answer = arm.delete(resource)
        assert (answer.status_code, answer.content) == (204, b"")
        assert "azure-asyncoperation" not in answer.headers and "location" not in answer.headers


def test_ARM_084_get(arm, subscription):
    resource = cluster_id(subscription)
    assert_error(arm.get(resource), 404, "ResourceNotFound")
    arm.put_cluster(resource)
    assert arm.get(resource).status_code == 200


def test_ARM_085_actions_end_with_200_and_body_or_204(arm, subscription):
    resource = cluster_id(subscription)
    assert_error(arm.post(resource + "/requestAdminCredential"), 404, "ResourceNotFound")
    arm.make_cluster(resource)
    requested = arm.post(resource + "/requestAdminCredential")
    arm.done(requested)
    result = arm.get(arm.result_url(requested))
    assert result.status_code == 200 and "kubeconfig" in result.json()
    revoked = arm.post(resource + "/revokeCredentials")
    arm.done(revoked)
    result = arm.get(arm.result_url(revoked))
    assert (result.status_code, result.content) == (204, b"")


def test_ARM_086_the_query_is_no_parameter_of_an_action(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.post(resource + "/requestAdminCredential", params={"certificateSigningRequest": "x"})
    assert answer.status_code == 202
    arm.done(answer)


def test_ARM_087_a_body_of_delete_is_ignored(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = arm.delete(resource, json={"anything": True})
    assert answer.status_code == 202
    arm.done(answer)
    assert arm.gone(resource)


# -- lists -----------------------------------------------------------------------------------------------------------

def names(answer):
    assert answer.status_code == 200, answer.text
    return [item["name"] for item in answer.json()["value"]]


def test_ARM_090_lists_under_group_subscription_and_parent(arm, subscription):
    first, second = cluster_id(subscription, "c1", "g1"), cluster_id(subscription, "c2", "g2")
    for resource in (first, second):
        arm.make_cluster(resource)
    for name in ("np1", "np2"):
        arm.done(arm.put(node_pool_id(first, name), node_pool_body()))
    assert sorted(names(arm.get(cluster_list(subscription)))) == ["c1", "c2"]
    assert names(arm.get(cluster_list(subscription, "g1"))) == ["c1"]
    assert sorted(names(arm.get(first + "/nodePools"))) == ["np1", "np2"]
    assert names(arm.get(second + "/nodePools")) == []
    assert arm.get(cluster_list(subscription)).json()["value"][0] in (arm.get(first).json(), arm.get(second).json())


def test_ARM_091_empty_lists(arm, subscription):
    assert arm.get(cluster_list(subscription)).json() == {"value": []}
    assert arm.get(cluster_list(subscription, "nobody")).json() == {"value": []}
    cluster = arm.make_cluster(cluster_id(subscription)).json()["id"]
    assert arm.get(cluster + "/nodePools").json() == {"value": []}


def test_ARM_092_a_list_in_an_unregistered_subscription_is_404_or_empty(arm, subscription):
    unknown = arm.get(cluster_list(new_subscription_id()))
    assert unknown.status_code == 404 or unknown.json()["value"] == []
    arm.set_subscription(subscription, "Unregistered")
    unregistered = arm.get(cluster_list(subscription))
    assert unregistered.status_code == 404 or unregistered.json()["value"] == []


@pytest.fixture
def seven(arm, subscription):
    """Seven clusters, created together."""
    wanted = [f"c{i}" for i in range(7)]
    for answer in [arm.put_cluster(cluster_id(subscription, name)) for name in wanted]:
        arm.done(answer)
    return wanted


def test_ARM_093_ARM_096_pages_are_linked_until_the_end(arm, subscription, seven):
    referer = f"https://front.example{cluster_list(subscription)}?api-version={V2025}&$top=3&$filter=x"
    page = arm.get(cluster_list(subscription), params={"$top": 3, "$filter": "x"}, headers={"referer": referer})
    found, links = names(page), []
    while link := page.json().get("nextLink"):
        assert link.startswith(f"https://front.example{cluster_list(subscription)}?")
        assert "skipToken=" in link and f"api-version={V2025}" in link and "top=3" in link and "filter=x" in link
        links.append(link)
        page = arm.get(path_of(link), headers={"referer": link})
        found += names(page)
    assert sorted(found) == seven
    assert len(set(links)) == len(links) == 2


def test_ARM_094_the_last_page_has_no_next_link(arm, subscription, seven):
    assert arm.get(cluster_list(subscription)).json().get("nextLink") is None
    assert arm.get(cluster_list(subscription), params={"$top": 7}).json().get("nextLink") != ""
    assert arm.get(cluster_list(subscription), params={"$top": 1000}).json().get("nextLink") is None


def test_ARM_095_top_bounds_a_page(arm, subscription, seven):
    for top in (1, 3, 6):
        page = arm.get(cluster_list(subscription), params={"$top": top})
        assert len(page.json()["value"]) <= top
        assert page.json()["nextLink"]
    for bad in ("0", "-1", "1001", "x", "1.5"):
        assert_error(arm.get(cluster_list(subscription), params={"$top": bad}), 400, "InvalidParameter")


def test_ARM_017_a_page_stays_below_the_front_doors_limit(arm, subscription):
    """However many are asked for: the front door drops answers over 8 MB."""
    tags = {f"{i:02}" + "k" * 510: "v" * 256 for i in range(50)}
    wanted = {f"c{i}" for i in range(240)}  # 9 MB in all
    for name in sorted(wanted):
        resource = cluster_id(subscription, name)
        assert arm.put(resource, {**cluster_body(resource), "tags": tags}).status_code == 201
    found, link = set(), None
    while True:
        page = arm.get(path_of(link)) if link else arm.get(cluster_list(subscription), params={"$top": 1000})
        assert len(page.content) < 8_000_000
        found |= set(names(page))
        link = page.json().get("nextLink")
        if not link:
            break
    assert found == wanted


@pytest.mark.parametrize("token", ["x", "%00", "AAAA", "-1", "'; drop table documents; --"])
def test_ARM_093_a_forged_skip_token_is_refused(arm, subscription, seven, token):
    answer = arm.get(cluster_list(subscription), params={"$skipToken": token})
    assert answer.status_code == 400, answer.text
    assert_error(answer, 400, answer.json()["error"]["code"])


def test_ARM_097_lists_have_only_this_region(arm, subscription, seven):
    elsewhere = cluster_id(subscription, "far")
    assert arm.put(elsewhere, {**cluster_body(elsewhere), "location": "eastus"}).status_code == 400
    listed = arm.get(cluster_list(subscription)).json()["value"]
    assert {item["location"] for item in listed} == {REGION}
    assert sorted(item["name"] for item in listed) == seven
