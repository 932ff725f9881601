"""A caller of the ARM contract, as Azure Resource Manager's front door forwards it."""
import re
import uuid

import httpx

from processes import until
from stack import REGION

NAMESPACE = "Microsoft.RedHatOpenShift"
V2024 = "2024-06-10-preview"
V2025 = "2025-12-23-preview"
TENANT = "11111111-1111-1111-1111-111111111111"
CLIENT = "22222222-2222-2222-2222-222222222222"
TERMINAL = ("Succeeded", "Failed", "Canceled")
SYSTEM_DATA = ('{"createdBy":"kim@example.com","createdByType":"User","createdAt":"2026-01-02T03:04:05Z",'
               '"lastModifiedBy":"kim@example.com","lastModifiedByType":"User","lastModifiedAt":"2026-01-02T03:04:05Z"}')
UUID = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


def group(subscription, name="rg"):
    return f"/subscriptions/{subscription}/resourceGroups/{name}"


def cluster_id(subscription, name="c1", resource_group="rg"):
    return f"{group(subscription, resource_group)}/providers/{NAMESPACE}/hcpOpenShiftClusters/{name}"


def node_pool_id(cluster, name="np1"):
    return f"{cluster}/nodePools/{name}"


def cluster_list(subscription, resource_group=None):
    scope = group(subscription, resource_group) if resource_group else f"/subscriptions/{subscription}"
    return f"{scope}/providers/{NAMESPACE}/hcpOpenShiftClusters"


def cluster_body(resource, version=V2025, **properties):
    """The least that a cluster needs (contract page hcp, section 8); every cluster has a subnet of its own."""
    subscription, name = resource.split("/")[2], resource.rsplit("/", 1)[1]
    network = f"/subscriptions/{subscription}/resourceGroups/net/providers/Microsoft.Network"
    key = {"name": "k", "version": "1"}
    kms = {"activeKey": key}
    platform = {
        "managedResourceGroup": f"mrg-{name}-{resource.split('/')[4]}"[:90],
        "subnetId": f"{network}/virtualNetworks/vnet/subnets/{name}-{resource.split('/')[4]}",
        "networkSecurityGroupId": f"{network}/networkSecurityGroups/{name}-{resource.split('/')[4]}",
    }
    if version == V2024:
        key["vaultName"] = "v"
    else:
        kms.update(vaultName="v", visibility="Public")
        platform["vnetIntegrationSubnetId"] = f"{network}/virtualNetworks/vnet/subnets/{name}-{resource.split('/')[4]}-i"
    body = {
        "location": REGION,
        "identity": {"type": "UserAssigned", "userAssignedIdentities": {}},
        "properties": {
            "version": {"id": "4.20", "channelGroup": "stable"},
            "platform": platform,
            "etcd": {"dataEncryption": {"keyManagementMode": "CustomerManaged",
                                        "customerManaged": {"encryptionType": "KMS", "kms": kms}}},
        },
    }
    body["properties"].update(properties)
    return body


def node_pool_body(**properties):
    body = {"location": REGION,
            "properties": {"version": {"id": "4.20.8"}, "platform": {"vmSize": "Standard_D8s_v3"},
                           "autoScaling": {"min": 1, "max": 5}}}
    body["properties"].update(properties)
    return body


def state(answer):
    return answer.json()["properties"]["provisioningState"]


def path_of(url):
    """Path and query of an absolute URL."""
    return httpx.URL(url).raw_path.decode()


def operation_of(answer):
    """The operation's ID from the headers of an answer."""
    url = answer.headers.get("azure-asyncoperation") or answer.headers["location"]
    return httpx.URL(url).path.rsplit("/", 1)[1]


def assert_error(answer, status, code, message=None, target=None):
    """An ARM error: status, body and header agree; returns the error."""
    assert answer.status_code == status, f"{answer.status_code} {answer.text}"
    error = answer.json()["error"]
    assert error["code"] == code, error
    assert error["message"], error
    assert answer.headers["x-ms-error-code"] == code
    assert answer.headers["content-type"].split(";")[0] == "application/json"
    if message is not None:
        assert error["message"] == message, error
    if target is not None:
        assert error["target"] == target, error
    return error


class Arm:
    def __init__(self, url, simulator=None, tenant=TENANT, client=CLIENT, **headers):
        self.url = url
        self.simulator = simulator
        self.http = httpx.Client(base_url=url, timeout=60, headers={
            "x-ms-home-tenant-id": tenant, "x-ms-client-object-id": client, **headers})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.close()

    def request(self, method, path, version=V2025, **more):
        """`path` may be an absolute URL with its own query (a link that the server gave)."""
        params = more.pop("params", {})
        if version is not None and "api-version=" not in path:
            params = {"api-version": version, **params}
        url = httpx.URL(path)  # "params=" would drop the path's own query
        return self.http.request(method, url.copy_merge_params(params) if params else url, **more)

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def put(self, path, body=None, **more):
        if body is not None:
            more["json"] = body
        headers = {"x-ms-arm-resource-system-data": SYSTEM_DATA, **more.pop("headers", {})}
        return self.request("PUT", path, headers=headers, **more)

    def patch(self, path, body=None, **more):
        if body is not None:
            more["json"] = body
        headers = {"x-ms-arm-resource-system-data": SYSTEM_DATA, **more.pop("headers", {})}
        return self.request("PATCH", path, headers=headers, **more)

    def delete(self, path, **more):
        return self.request("DELETE", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)

    def set_subscription(self, subscription, to="Registered", **properties):
        return self.request("PUT", f"/subscriptions/{subscription}", version="2.0", json={
            "state": to, "registrationDate": "2025-12-19T19:53:15+00:00", "properties": {"tenantId": TENANT, **properties}})

    def register(self, subscription):
        answer = self.set_subscription(subscription)
        assert answer.status_code == 200, answer.text

    def put_cluster(self, resource, version=V2025, **more):
        return self.put(resource, cluster_body(resource, version), version=version, **more)

    # -- waiting: the backend's work ends when we say so -------------------------------------------------------

    def operation(self, answer):
        """The status body of the operation that an answer names."""
        polled = self.get(self.status_url(answer))
        assert polled.status_code == 200, f"{polled.status_code} {polled.text}"
        return polled.json()

    def status_url(self, answer):
        return path_of(answer.headers["azure-asyncoperation"])

    def result_url(self, answer):
        return path_of(answer.headers["location"])

    def finish(self, answer, advance=True):
        """Lets the backend end its work; the terminal status body of the answer's operation."""
        assert answer.status_code in (200, 201, 202), f"{answer.status_code} {answer.text}"

        def ended():
            if advance:
                self.simulator.advance()
            body = self.operation(answer)
            return body if body["status"] in TERMINAL else None

        return until(ended, "the operation ends")

    def reached(self, answer, wanted):
        """Waits until the answer's operation shows a status, without letting the backend end its work."""
        return until(lambda: (b := self.operation(answer))["status"] == wanted and b, f"the operation becomes {wanted}")

    def done(self, answer):
        """finish(), and it succeeded."""
        body = self.finish(answer)
        assert body["status"] == "Succeeded", body
        return body

    def make_cluster(self, resource, **more):
        """A cluster that is ready; its GET answer."""
        answer = self.put_cluster(resource, **more)
        assert answer.status_code == 201, f"{answer.status_code} {answer.text}"
        self.done(answer)
        return self.get(resource)

    def make_node_pool(self, resource, **properties):
        answer = self.put(resource, node_pool_body(**properties))
        assert answer.status_code == 201, f"{answer.status_code} {answer.text}"
        self.done(answer)
        return self.get(resource)

    def gone(self, resource):
        return self.get(resource).status_code == 404


def other_caller(arm, tenant=None, client=None):
    """The same server as seen by somebody else; use as a context manager."""
    return Arm(arm.url, arm.simulator, tenant or str(uuid.uuid4()), client or str(uuid.uuid4()))
