"""The values of the reference model: answers that are allowed, operations, resources, and what a caller means by a PUT or PATCH."""
import copy
import dataclasses
from dataclasses import dataclass, field

import shapes
from shapes import REGION, TYPES

TERMINAL = ("Succeeded", "Failed", "Canceled")
SUPERSEDED = {"code": "Canceled", "message": "This operation was superseded by another"}


@dataclass
class Outcome:
    """What may be answered. None: not decided by the rules. `commit` says what then holds and returns the operation begun."""
    status: int
    code: str | None = None
    message: str | None = None
    target: str | None = None
    retry_after: str | None = None
    commit: object = None


@dataclass
class Operation:
    request: str  # Create, Update, Delete, RequestCredential, RevokeCredentials
    resource: "Resource"
    caller: str
    version: str
    status: str
    error: dict | None = None
    name: str | None = None  # set when an answer names it
    start_time: str | None = None
    result: object = None  # the resource as it was at the end; of a failure the status of its result route, once seen
    frozen: dict | None = None  # the terminal status body, once seen
    maybe_canceled: bool = False  # see World.begin_delete

    @property
    def active(self):
        return self.status not in TERMINAL

    def decided(self, seen):
        """The status; what the rules leave open is as it was first seen."""
        if self.maybe_canceled:
            self.maybe_canceled = False
            if seen == "Canceled":
                self.status, self.error = "Canceled", dict(SUPERSEDED)
                self.resource.deletes.remove(self)
        return self.status


@dataclass
class Resource:
    kind: str
    identifier: str  # in the casing of the PUT that created it
    content: dict
    tags: dict
    identity: dict | None
    system_data: dict
    state: str = "Accepted"
    parent: "Resource | None" = None
    operation: Operation | None = None
    deletes: list = field(default_factory=list)  # operations that end with it, while Deleting
    previous: tuple | None = None  # (content, tags, identity) before the running update
    alternatives: list = field(default_factory=list)  # what it may show instead: (content, tags, identity), until seen
    ever_ready: bool = False
    writes: int = 0
    etag_lags: bool = False  # see known.py
    looked_at: tuple | None = None  # (writes, state) when last compared after a step
    etags: dict = field(default_factory=dict)  # (writes, state) -> etag
    generated: dict = field(default_factory=dict)  # values that only the server knows, once seen

    @property
    def key(self):
        return self.identifier.lower()

    @property
    def name(self):
        return self.identifier.rsplit("/", 1)[1]

    @property
    def etag(self):
        return self.etags.get((self.writes, self.state))

    def wrote(self, state):
        self.writes += 1
        self.state = state

    def etag_may_change(self):
        """A write that does not show: the rules leave open whether the etag moves. (While something is deleted it may do so at any time.)"""
        self.etags.pop((self.writes, self.state), None)
        self.looked_at = None

    def decided(self, body, version):
        """The body to expect (but for etag and generated values); what the rules leave open is as it was first seen."""
        for alternative in self.alternatives:
            other = dataclasses.replace(self)
            other.content, other.tags, other.identity = alternative
            if rendered(other, version) == body:
                self.content, self.tags, self.identity = alternative
        self.alternatives = []
        return rendered(self, version)


@dataclass
class Put:
    """A PUT or PATCH as a caller means it. `fault`: what is wrong with it, see faults.py."""
    verb: str
    identifier: str
    kind: str
    caller: str
    version: str
    properties: dict
    tags: dict | None
    system_data: dict
    if_match: str | None = None
    if_none_match: str | None = None
    fault: object = None
    rejected: str | None = None  # the backend's reason for refusing it


def rendered(resource, version):
    """The body of a resource but for what only the server knows: etag and generated properties."""
    body = {"id": resource.identifier, "name": resource.name, "type": TYPES[resource.kind], "location": REGION, "tags": resource.tags,
            "systemData": resource.system_data,
            "properties": {"provisioningState": resource.state, **shapes.shown(resource.kind, resource.content, version)}}
    if resource.identity is not None:
        body["identity"] = resource.identity
    return copy.deepcopy(body)
