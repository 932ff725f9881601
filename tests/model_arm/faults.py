"""What can be wrong with the body or form of a PUT or PATCH, and what the contract answers to it."""
from dataclasses import dataclass

from documents import Outcome
from shapes import CLUSTER, TYPES


@dataclass(frozen=True)
class Fault:
    name: str
    outcome: object  # Put -> Outcome
    change: object = None  # what it does to the body
    before_handler: bool = False  # decided before the resource is looked at (HCP 1.2)
    existing_only: bool = False  # no fault in a creation
    puts_only: bool = False
    content: bytes | None = None
    media_type: str = "application/json"
    version: tuple = ()  # (what is sent instead of the api-version,)

    def applies(self, resource, _):
        return resource is not None or not self.existing_only


def refused(target=None, code="InvalidRequestContent"):
    return lambda put: Outcome(400, code, target=target)


def drain(value):
    return lambda body, kind: body["properties"].update(nodeDrainTimeoutMinutes=value)


def two_mistakes(body, kind):
    drain(-1)(body, kind)
    if kind == CLUSTER:
        body["properties"]["autoscaling"] = {"maxNodesTotal": 501}
    else:
        body["properties"].pop("autoScaling", None)
        body["properties"]["replicas"] = 201


def immutable(body, kind):
    member, value = ("managedResourceGroup", "another") if kind == CLUSTER else ("vmSize", "Standard_D16s_v3")
    body["properties"].setdefault("platform", {})[member] = value


def member(**values):
    return lambda body, kind: body.update(values)


def property_(**values):
    return lambda body, kind: body["properties"].update(values)


FAULTS = (
    Fault("media type", lambda put: Outcome(415, "UnsupportedMediaType",
                                            "The content media type 'text/plain' is not supported. Only 'application/json' is supported."),
          before_handler=True, media_type="text/plain"),
    Fault("no api-version", lambda put: Outcome(400, "InvalidParameter", "The request is missing required parameter 'api-version'."),
          before_handler=True, version=(None,)),
    Fault("unknown api-version", lambda put: Outcome(400, "InvalidResourceType",
                                                     f"The resource type '{TYPES[CLUSTER]}' could not be found API version '2001-01-01'."),
          before_handler=True, version=("2001-01-01",)),
    Fault("no JSON", refused(), content=b'{"properties": '),
    Fault("one mistake", refused("properties.nodeDrainTimeoutMinutes"), drain(10081)),
    Fault("two mistakes", refused(code="MultipleErrorsOccurred"), two_mistakes),
    Fault("another name", refused("name"), member(name="other")),
    Fault("another region", refused(code=None), member(location="eastus")),
    Fault("bad tags", refused(code=None), member(tags={"a<b": "v"})),
    Fault("a state", refused(code=None), property_(provisioningState="Bogus")),
    Fault("create-only member", refused(code=None), immutable, existing_only=True),
)
BY_NAME = {fault.name: fault for fault in FAULTS}
