"""azure-mgmt-resource, unmodified, against acceptd: the whole life of a cluster, and a failure."""
import importlib.metadata
import time

import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.resource.resources import ResourceManagementClient

from arm import CLIENT, TENANT, V2024, V2025, cluster_body, cluster_id, cluster_list, node_pool_body, node_pool_id


class Credential:
    def get_token(self, *_, **__):
        return AccessToken("unused", int(time.time()) + 3600)


@pytest.fixture
def quick(simulator):
    """The backend ends its work by itself, in milliseconds: the client under test waits, not the test."""
    simulator.set_durations(0.1)


@pytest.fixture
def client(stack, subscription):
    print({name: importlib.metadata.version(name) for name in ("azure-mgmt-resource", "azure-mgmt-core", "azure-core")})
    with ResourceManagementClient(Credential(), subscription, base_url=stack.acceptd.url,
                                  headers={"x-ms-home-tenant-id": TENANT, "x-ms-client-object-id": CLIENT}) as made:
        yield made


CALL = {"enforce_https": False, "headers": {"x-ms-home-tenant-id": TENANT, "x-ms-client-object-id": CLIENT}}
BEGIN = {**CALL, "polling_interval": 0}


@pytest.mark.parametrize("version", [V2024, V2025])
def test_CL_04_CL_10_whole_life(client, arm, simulator, quick, subscription, version):
    resource = cluster_id(subscription)
    pool = node_pool_id(resource)
    created = client.resources.begin_create_or_update_by_id(resource, cluster_body(resource, version), api_version=version, **BEGIN).result()
    assert created.id == resource and created.properties["provisioningState"] == "Succeeded"
    made = client.resources.begin_create_or_update_by_id(pool, node_pool_body(), api_version=version, **BEGIN).result()
    assert made.id == pool and made.properties["provisioningState"] == "Succeeded"
    patched = client.resources.begin_update_by_id(resource, {"tags": {"changed": "yes"}}, api_version=version, **BEGIN).result()
    assert patched.tags == {"changed": "yes"} and patched.properties["provisioningState"] == "Succeeded"
    read = client.resources.get_by_id(resource, api_version=version, **CALL)
    assert read.tags == {"changed": "yes"} and read.location == "westus3"
    listed = arm.get(cluster_list(subscription), version=version)
    assert [item["id"] for item in listed.json()["value"]] == [read.id]
    client.resources.begin_delete_by_id(resource, api_version=version, **BEGIN).result()
    with pytest.raises(ResourceNotFoundError):
        client.resources.get_by_id(resource, api_version=version, **CALL)
    client.resources.begin_delete_by_id(resource, api_version=version, **BEGIN).result()  # nothing there: 204
    assert arm.gone(pool) and simulator.clusters(subscription) == []


def test_CL_08_a_failure_is_a_failure(client, arm, simulator, quick, subscription):
    simulator.script({"action": "fail", "method": "POST", "route": "/clusters", "code": "OCM7", "message": "No capacity here"})
    resource = cluster_id(subscription)
    with pytest.raises(HttpResponseError) as caught:
        client.resources.begin_create_or_update_by_id(resource, cluster_body(resource), api_version=V2025, **BEGIN).result()
    assert "No capacity here" in str(caught.value)
    assert client.resources.get_by_id(resource, api_version=V2025, **CALL).properties["provisioningState"] == "Failed"


def test_a_refusal_has_code_and_message(client, subscription):
    resource = cluster_id(subscription)
    with pytest.raises(HttpResponseError) as caught:
        client.resources.begin_create_or_update_by_id(resource, {"location": "eastus", "properties": {}}, api_version=V2025, **BEGIN)
    assert caught.value.status_code == 400 and caught.value.error.code and caught.value.error.message
