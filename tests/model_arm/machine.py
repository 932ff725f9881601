"""Random sequences of steps, chosen by hypothesis, for a Replay."""
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from contract import STATES
from faults import FAULTS
from progress import PART, WHOLE
from shapes import NEW, OLD, POOL

callers = st.sampled_from(("kim", "kim", "lee"))
versions = st.sampled_from((NEW, NEW, OLD))
places = st.sampled_from(((0, "c1"), (0, "c1"), (0, "C1"), (0, "c2"), (1, "c1")))
pools = st.sampled_from(("np1", "np2", "NP1"))
matches = st.sampled_from((None, None, None, "current", "stale", "any", "empty"))
fates = st.sampled_from((None, None, None, None, "fail", "reject"))
faults = st.sampled_from((None,) * 12 + tuple(fault.name for fault in FAULTS))
tags = st.sampled_from((None, None, {}, {"a": "1"}, {"b": "2", "c": ""}))
drains = st.sampled_from(({}, {"nodeDrainTimeoutMinutes": 5}, {"nodeDrainTimeoutMinutes": 7}))
MIRRORS = {"imageDigestMirrors": [{"source": "quay.io/a", "mirrors": ["mirror.example/a"]}]}
sizes = st.sampled_from(({"autoScaling": {"min": 1, "max": 5}}, {"replicas": 2}))
cluster_patches = st.sampled_from(({}, {"nodeDrainTimeoutMinutes": 9}, {"nodeDrainTimeoutMinutes": None}, {"autoscaling": {"maxNodesTotal": 50}},
                                   {"autoscaling": {"podPriorityThreshold": -7}}))
pool_patches = st.sampled_from(({}, {"nodeDrainTimeoutMinutes": 9}, {"nodeDrainTimeoutMinutes": None}, {"labels": [{"key": "k", "value": "v"}]},
                                {"replicas": 3, "autoScaling": None}, {"autoScaling": {"min": 2, "max": 4}, "replicas": None}))


class Steps(RuleBasedStateMachine):
    """`replay` is made by the subclass that a test builds."""

    def __init__(self, make_replay):
        super().__init__()
        self.replay = make_replay()
        self.broken = False

    @property
    def world(self):
        return self.replay.world

    def step(self, action, *arguments, **named):
        """After a disagreement the model no longer knows how things are, so nothing more is compared."""
        try:
            action(*arguments, **named)
        except BaseException as error:
            self.broken = True
            self.replay.failed(error)
            raise

    def unwritable(self, identifier):
        """What the rules leave open: writing to what never became ready."""
        resource = self.world.find(identifier)
        return resource is not None and resource.state == "Failed" and not resource.ever_ready

    @initialize(ready=st.integers(0, 3), version=versions)
    def begin(self, ready, version):
        """Two subscriptions; a ready cluster and up to two ready node pools in most sequences."""
        for number in (0, 1):
            self.step(self.replay.set_subscription, number, "Registered")
        first = self.replay.cluster((0, "c1"))
        if ready:
            self.step(self.replay.write, "PUT", first, "kim", version, {})
            self.step(self.replay.advance, WHOLE)
        for name in ("np1", "np2")[:ready - 1] if ready else ():
            self.step(self.replay.write, "PUT", f"{first}/nodePools/{name}", "kim", version, {"replicas": 2})
            self.step(self.replay.advance, WHOLE)

    # -- writes ------------------------------------------------------------------------------------------------------------

    @rule(place=places, caller=callers, version=versions, changes=drains, mirrors=st.booleans(), tags=tags, fault=faults, match=matches,
          none_match=st.sampled_from((None, None, None, "*")), fate=fates)
    def put_cluster(self, place, caller, version, changes, mirrors, tags, fault, match, none_match, fate):
        identifier = self.replay.cluster(place)
        if not self.unwritable(identifier):
            changes = {**changes, **(MIRRORS if mirrors and version == NEW else {})}
            self.step(self.replay.write, "PUT", identifier, caller, version, changes, tags, fault, match, none_match, fate)

    @rule(place=places, caller=callers, version=versions, changes=cluster_patches, tags=tags, fault=faults, match=matches, fate=fates)
    def patch_cluster(self, place, caller, version, changes, tags, fault, match, fate):
        identifier = self.replay.cluster(place)
        if not self.unwritable(identifier):
            self.step(self.replay.write, "PATCH", identifier, caller, version, changes, tags, fault, match, None, fate)

    @rule(place=places, name=pools, caller=callers, version=versions, size=sizes, changes=drains, tags=tags, fault=faults, match=matches,
          none_match=st.sampled_from((None, None, None, "*")), fate=fates)
    def put_pool(self, place, name, caller, version, size, changes, tags, fault, match, none_match, fate):
        identifier = self.replay.pool(place, name)
        if not self.unwritable(identifier) and not self.unwritable(self.replay.cluster(place)):
            self.step(self.replay.write, "PUT", identifier, caller, version, {**size, **changes}, tags, fault, match, none_match, fate)

    @rule(place=places, name=pools, caller=callers, version=versions, changes=pool_patches, tags=tags, fault=faults, match=matches, fate=fates)
    def patch_pool(self, place, name, caller, version, changes, tags, fault, match, fate):
        identifier = self.replay.pool(place, name)
        if not self.unwritable(identifier):
            self.step(self.replay.write, "PATCH", identifier, caller, version, changes, tags, fault, match, None, fate)

    @rule(place=places, caller=callers, version=versions, match=matches, repeat=st.booleans())
    def delete_cluster(self, place, caller, version, match, repeat):
        for _ in range(2 if repeat else 1):
            self.step(self.replay.delete, self.replay.cluster(place), caller, version, match)

    @rule(place=places, name=pools, caller=callers, version=versions, match=matches)
    def delete_pool(self, place, name, caller, version, match):
        self.step(self.replay.delete, self.replay.pool(place, name), caller, version, match)

    @rule(place=places, caller=callers, version=versions, action=st.sampled_from(("RequestCredential", "RevokeCredentials")))
    def act(self, place, caller, version, action):
        """Not two requests at once: the rules do not say which credential is whose."""
        identifier = self.replay.cluster(place)
        resource = self.world.find(identifier)
        requesting = resource and any(o.request == "RequestCredential" for o in self.world.active(resource))
        if not self.unwritable(identifier) and not (requesting and action == "RequestCredential"):
            self.step(self.replay.act, identifier, action, caller, version)

    @rule(number=st.sampled_from((0, 0, 1)), state=st.sampled_from(("Registered",) * 6 + STATES))
    def set_subscription(self, number, state):
        self.step(self.replay.set_subscription, number, state)

    # -- progress and reads --------------------------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from((PART, WHOLE, WHOLE)))
    def advance(self, seconds):
        self.step(self.replay.advance, seconds)

    @rule(place=places, caller=callers, version=versions, condition=st.sampled_from((None, "current", "stale")), upper=st.booleans())
    def get_cluster(self, place, caller, version, condition, upper):
        self.step(self.replay.get, self.replay.cluster(place), caller, version, condition, upper)

    @rule(place=places, name=pools, caller=callers, version=versions, condition=st.sampled_from((None, "current", "stale")), upper=st.booleans())
    def get_pool(self, place, name, caller, version, condition, upper):
        self.step(self.replay.get, self.replay.pool(place, name), caller, version, condition, upper)

    @rule(number=st.sampled_from((0, 1)), group=st.sampled_from((None, "rg", "RG", "none")), caller=callers, version=versions,
          top=st.sampled_from((None, 1, 2)))
    def list_clusters(self, number, group, caller, version, top):
        self.step(self.replay.list_clusters, number, group, caller, version, top)

    @rule(place=places, caller=callers, version=versions)
    def list_pools(self, place, caller, version):
        self.step(self.replay.list_pools, place, caller, version)

    @precondition(lambda self: self.world.operations)
    @rule(which=st.integers(0, 10**6), caller=st.sampled_from((None, None, "kim", "lee")), result=st.booleans())
    def read_operation(self, which, caller, result):
        operation = self.world.operations[which % len(self.world.operations)]
        self.step(self.replay.result if result else self.replay.status, operation, caller)

    def teardown(self):
        """Everything comes to its end, and shows it."""
        try:
            if not self.broken:
                self.step(self.finish)
        finally:
            self.replay.close()

    def finish(self):
        replay = self.replay
        while any(o.active for o in self.world.operations) or any(r.state == "Deleting" for r in self.world.resources.values()):
            replay.advance(WHOLE)
        for operation in self.world.operations:
            replay.status(operation)
            replay.result(operation)
        for number in (0, 1):
            replay.set_subscription(number, "Registered")
            replay.list_clusters(number, None, "lee", NEW)
        for resource in self.world.resources.values():
            if resource.kind != POOL:
                replay.list_pools((replay.subscriptions.index(resource.key.split("/")[2]), resource.name), "kim", NEW)
