"""What the provider asks of Cluster Service beside creates and deletes: upgrades, identities, experiments."""
import httpx
import pytest

from arm import assert_error, cluster_body, cluster_id, node_pool_body, node_pool_id

FEATURE = "Microsoft.RedHatOpenShift/ExperimentalReleaseFeatures"


@pytest.fixture
def cluster(arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    return resource


def body_of_version(resource, version):
    body = cluster_body(resource)
    body["properties"]["version"]["id"] = version
    return body


def backend_cluster(simulator, subscription):
    found, = simulator.clusters(subscription)
    return found


# -- upgrades ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_HCP_024_a_new_version_of_a_control_plane_is_an_upgrade_policy(arm, simulator, subscription, cluster, verb):
    assert backend_cluster(simulator, subscription)["version"]["id"] == "openshift-v4.20"
    change = {"properties": {"version": {"id": "4.21"}}}
    before = simulator.writes()
    if verb == "PUT":
        answer = arm.put(cluster, body_of_version(cluster, "4.21"))
        assert answer.status_code == 200, answer.text
    else:
        answer = arm.patch(cluster, change)
        assert (answer.status_code, answer.content) == (202, b"")
    arm.reached(answer, "Updating")
    asked = {route: n - before.get(route, 0) for route, n in simulator.writes().items() if n != before.get(route, 0)}
    assert asked["POST /clusters/*/control_plane/upgrade_policies"] == 1, asked
    assert backend_cluster(simulator, subscription)["version"]["id"] == "openshift-v4.20", "it is still on its way"
    arm.done(answer)
    assert arm.get(cluster).json()["properties"]["version"]["id"] == "4.21"
    assert backend_cluster(simulator, subscription)["version"]["id"] == "openshift-v4.21.0", "the newest that is offered"


def test_HCP_024_a_new_version_of_a_node_pool_is_an_upgrade_policy(arm, simulator, subscription, cluster):
    arm.done(arm.patch(cluster, {"properties": {"version": {"id": "4.21"}}}))
    pool = node_pool_id(cluster)
    arm.make_node_pool(pool)
    answer = arm.put(pool, node_pool_body(version={"id": "4.20.12"}))
    assert answer.status_code == 200, answer.text
    arm.done(answer)
    assert arm.get(pool).json()["properties"]["version"]["id"] == "4.20.12"
    found, = simulator.node_pools(backend_cluster(simulator, subscription)["id"])
    assert found["version"]["id"] == "openshift-v4.20.12"


def test_HCP_023_a_failed_upgrade_fails_the_update(arm, simulator, subscription, cluster):
    simulator.script({"action": "fail", "method": "POST", "route": "/clusters/*/control_plane/upgrade_policies", "code": "OCM9", "message": "etcd has no quorum"})
    body = arm.finish(arm.patch(cluster, {"properties": {"version": {"id": "4.21"}}}))
    assert (body["status"], body["error"]["code"], body["error"]["message"]) == ("Failed", "OCM9", "etcd has no quorum")
    assert backend_cluster(simulator, subscription)["version"]["id"] == "openshift-v4.20"


def test_HCP_025_a_version_that_is_not_offered_is_refused_by_name(arm, simulator, subscription):
    resource = cluster_id(subscription)
    arm.done(arm.put(resource, body_of_version(resource, "4.21")))
    answer = arm.patch(resource, {"properties": {"version": {"id": "4.22"}}})
    assert_error(answer, 400, "InvalidRequestContent", "Invalid value: '4.22': not available in channel group 'stable'", "properties.version.id")
    shown = arm.get(resource).json()["properties"]
    assert (shown["version"]["id"], shown["provisioningState"]) == ("4.21", "Succeeded")


# -- the identities' data plane -------------------------------------------------------------------------------------------------

def identity_url(simulator, subscription):
    managed = backend_cluster(simulator, subscription)["azure"].get("operators_authentication", {}).get("managed_identities", {})
    return managed.get("managed_identities_data_plane_identity_url")


def test_HCP_024_the_identity_url_of_the_request_reaches_the_backend(arm, simulator, subscription):
    resource, url = cluster_id(subscription), "https://front.door.example/identities?tid=7"
    created = arm.put_cluster(resource, headers={"X-Ms-Identity-Url": url})
    assert created.status_code == 201 and url not in created.text
    arm.done(created)
    assert identity_url(simulator, subscription) == url
    updated = arm.patch(resource, {"tags": {"a": "b"}})
    arm.done(updated)
    assert identity_url(simulator, subscription) == url
    assert url not in arm.get(resource).text


def test_HCP_024_an_identity_url_that_is_none_is_refused(arm, simulator, subscription):
    answer = arm.put_cluster(cluster_id(subscription), headers={"X-Ms-Identity-Url": "javascript:alert(1)"})
    error = assert_error(answer, 400, "InvalidRequestContent")
    assert "X-Ms-Identity-Url" in error["message"]
    assert arm.gone(cluster_id(subscription)) and simulator.clusters(subscription) == []


# -- experiments ------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("features, effect", [
    pytest.param([{"name": FEATURE, "state": "Registered"}], "true", id="HCP-025 registered"),
    pytest.param([{"name": FEATURE, "state": "Pending"}], None, id="HCP-025 pending"),
    pytest.param([], None, id="HCP-025 not registered")])
def test_experimental_tags_have_an_effect_only_with_the_feature(arm, simulator, subscription, features, effect):
    assert arm.set_subscription(subscription, registeredFeatures=features).status_code == 200
    resource = cluster_id(subscription)
    tags = {"aro-hcp.experimental.cluster.single-replica": "true"}
    arm.done(arm.put(resource, {**cluster_body(resource), "tags": tags}))
    assert arm.get(resource).json()["tags"] == tags
    assert backend_cluster(simulator, subscription)["properties"].get("hosted_cluster_single_replica") == effect
    arm.done(arm.patch(resource, {"properties": {"nodeDrainTimeoutMinutes": 3}}))
    assert backend_cluster(simulator, subscription)["properties"].get("hosted_cluster_single_replica") == effect, "an update that names no tags"
    arm.done(arm.patch(resource, {"tags": {}}))
    assert "hosted_cluster_single_replica" not in backend_cluster(simulator, subscription)["properties"]


# -- a name that is used again -----------------------------------------------------------------------------------------------------

def test_HCP_002_a_recreated_node_pool_is_not_its_predecessor(arm, simulator, subscription, cluster):
    """The same name twice: each has its own creation, its own delete, and none is left."""
    arm.make_node_pool(node_pool_id(cluster, "keep"))
    pool = node_pool_id(cluster, "again")
    for _ in range(2):
        arm.make_node_pool(pool)
        deleted = arm.delete(pool)
        assert deleted.status_code == 202
        arm.done(deleted)
        assert arm.gone(pool)
    arm.make_node_pool(pool)
    found = simulator.node_pools(backend_cluster(simulator, subscription)["id"])
    assert sorted(p["id"] for p in found) == ["again", "keep"]
    assert simulator.stats()["duplicates"] == 0


# -- numbers ------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, shown", [("3e1", "30"), ("30.0", "30"), ("0.3E2", "30")])
def test_HCP_025_whole_numbers_are_integers_however_they_are_written(arm, simulator, subscription, text, shown):
    resource = cluster_id(subscription)
    body = httpx.Request("PUT", "http://x", json=cluster_body(resource, nodeDrainTimeoutMinutes=-987654321)).content.decode()
    body = body.replace("-987654321", text)
    created = arm.put(resource, content=body.encode(), headers={"content-type": "application/json"})
    assert created.status_code == 201, created.text
    for answer in (created, arm.get(resource)):
        assert f'"nodeDrainTimeoutMinutes":{shown}' in answer.text
    arm.done(created)
    assert backend_cluster(simulator, subscription)["node_drain_grace_period"]["value"] == int(shown)


@pytest.mark.parametrize("text", ["30.5", "1e400", "3e-1"])
def test_HCP_025_other_numbers_are_no_integers(arm, simulator, subscription, text):
    resource = cluster_id(subscription)
    body = httpx.Request("PUT", "http://x", json=cluster_body(resource, nodeDrainTimeoutMinutes=-987654321)).content.decode()
    answer = arm.put(resource, content=body.replace("-987654321", text).encode(), headers={"content-type": "application/json"})
    assert_error(answer, 400, "InvalidRequestContent")
    assert arm.gone(resource) and simulator.clusters(subscription) == []


# -- one body's mistakes are told together --------------------------------------------------------------------------------------------

def test_HCP_021_mistakes_of_shape_do_not_hide_those_between_fields(arm, simulator, subscription):
    resource = cluster_id(subscription)
    body = cluster_body(resource, nodeDrainTimeoutMinutes="soon",
                        network={"podCidr": "10.0.0.0/14", "serviceCidr": "10.0.0.0/16", "machineCidr": "10.9.0.0/99"})
    body["location"] = "eastus"
    body["tags"] = {"n": 1}
    error = assert_error(arm.put(resource, body), 400, "MultipleErrorsOccurred", "Content validation failed on multiple fields")
    assert sorted(d["target"] for d in error["details"]) == [
        "location", "properties.network", "properties.network.machineCidr", "properties.nodeDrainTimeoutMinutes", "tags[n]"]
    assert arm.gone(resource) and simulator.clusters(subscription) == []
