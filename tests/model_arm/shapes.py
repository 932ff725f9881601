"""What clusters and node pools look like, from the rule text: defaults, versions, PUT and PATCH. Pure values, no I/O.

A resource's content is kept in the shape of the newest api-version; older versions see less of it (HCP-014).
"""
import copy

NAMESPACE = "Microsoft.RedHatOpenShift"
OLD, NEW = "2024-06-10-preview", "2025-12-23-preview"
VERSIONS = (OLD, NEW)
REGION = "westus3"
CLUSTER, POOL = "cluster", "pool"
TYPES = {CLUSTER: f"{NAMESPACE}/hcpOpenShiftClusters", POOL: f"{NAMESPACE}/hcpOpenShiftClusters/nodePools"}


def merge(base, over):
    """Members of `over` win; mappings merge."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return copy.deepcopy(over)
    return {**copy.deepcopy(base), **{key: merge(base.get(key), value) for key, value in over.items()}}


def merge_patch(base, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = copy.deepcopy(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge_patch(result.get(key), value)
    return result


def network(subscription, kind, name):
    return f"/subscriptions/{subscription}/resourceGroups/net/providers/Microsoft.Network/{kind}/{name}"


# -- what a caller sends ---------------------------------------------------------------------------------------------------

def cluster_body(subscription, name, version, changes):
    """A body that is fine, in the shape of `version`; `changes` are laid over its properties."""
    key = {"name": "k", "version": "1"}
    kms = {"activeKey": key}
    platform = {"managedResourceGroup": f"mrg-{name}", "subnetId": network(subscription, "virtualNetworks", f"vnet/subnets/{name}"),
                "networkSecurityGroupId": network(subscription, "networkSecurityGroups", name)}
    if version == OLD:
        key["vaultName"] = "v"
    else:
        kms |= {"vaultName": "v", "visibility": "Public"}
        platform["vnetIntegrationSubnetId"] = network(subscription, "virtualNetworks", f"vnet/subnets/{name}-i")
    encryption = {"keyManagementMode": "CustomerManaged", "customerManaged": {"encryptionType": "KMS", "kms": kms}}
    properties = {"version": {"id": "4.20", "channelGroup": "stable"}, "platform": platform, "etcd": {"dataEncryption": encryption}}
    return {"location": REGION, "identity": {"type": "UserAssigned", "userAssignedIdentities": {}}, "properties": merge(properties, changes)}


def pool_body(changes):
    properties = {"version": {"id": "4.20.8"}, "platform": {"vmSize": "Standard_D8s_v3"}}
    return {"location": REGION, "properties": merge(properties, changes)}


# -- what a caller sees ----------------------------------------------------------------------------------------------------

CLUSTER_DEFAULTS = {
    "version": {"channelGroup": "stable"},
    "network": {"networkType": "OVNKubernetes", "podCidr": "10.128.0.0/14", "serviceCidr": "172.30.0.0/16", "machineCidr": "10.0.0.0/16",
                "hostPrefix": 23},
    "api": {"visibility": "Public"},
    "platform": {"outboundType": "LoadBalancer"},
    "autoscaling": {"maxPodGracePeriodSeconds": 600, "maxNodeProvisionTimeSeconds": 900, "podPriorityThreshold": -10},
    "clusterImageRegistry": {"state": "Enabled"},
}
POOL_DEFAULTS = {
    "version": {"channelGroup": "stable"},
    "platform": {"enableEncryptionAtHost": False, "osDisk": {"sizeGiB": 64, "diskStorageAccountType": "Premium_LRS"}},
    "autoRepair": True,
}


def kms_of(properties):
    return properties.get("etcd", {}).get("dataEncryption", {}).get("customerManaged", {}).get("kms")


def raised(kind, properties, version, kept):
    """Properties of a PUT in the newest shape; `kept` (or None) is the content whose newer fields an older PUT leaves alone."""
    result = copy.deepcopy(properties)
    if version == NEW:
        return result
    if kind == CLUSTER:
        kms = kms_of(result)
        kms["vaultName"] = kms["activeKey"].pop("vaultName")
        newer = kept or {}
        kms["visibility"] = (kms_of(newer) or {}).get("visibility", "Public")
        result["platform"]["vnetIntegrationSubnetId"] = newer.get("platform", {}).get("vnetIntegrationSubnetId")
        result["imageDigestMirrors"] = newer.get("imageDigestMirrors")
    return without_nulls(result)


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    return value


def content_of_put(kind, properties, version, kept, parent_subnet=None):
    """The resource's properties after a PUT: the body over the defaults."""
    defaults = CLUSTER_DEFAULTS
    if kind == POOL:
        defaults = merge(POOL_DEFAULTS, {"platform": {"subnetId": parent_subnet, "osDisk": {"diskType": "Managed"}}})
    return merge(defaults, raised(kind, properties, version, kept))


def shown(kind, content, version):
    """The properties as a caller of `version` sees them."""
    result = copy.deepcopy(content)
    if version == NEW:
        return result
    if kind == POOL:
        result["platform"]["osDisk"].pop("diskType", None)
        return result
    kms = kms_of(result)
    kms["activeKey"]["vaultName"] = kms.pop("vaultName")
    kms.pop("visibility", None)
    result["platform"].pop("vnetIntegrationSubnetId", None)
    result.pop("imageDigestMirrors", None)
    return result
