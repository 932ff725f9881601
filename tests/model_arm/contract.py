"""The contract as a reference model, written from the rule text: what may be answered to a request, and what then holds.

A request is judged into the outcomes that the rules allow (one, or several where they leave the order of two refusals open); the
outcome that the server chose is then committed. The backend's progress comes in from outside (`backend_says`). No I/O, no clock.
"""
import copy
import dataclasses

import known
import shapes
from documents import SUPERSEDED, TERMINAL, Operation, Outcome, Put, Resource
from shapes import CLUSTER, POOL, TYPES

STATES = ("Registered", "Unregistered", "Warned", "Suspended", "Deleted")
LAST_POOL = "Forbidden: The last node pool can not be deleted from a cluster."


class World:
    def __init__(self):
        self.subscriptions = {}  # id -> state
        self.resources = {}  # key -> Resource
        self.operations = []

    # -- what is there ---------------------------------------------------------------------------------------------------

    def find(self, identifier):
        return self.resources.get(identifier.lower())

    def children(self, resource):
        return [r for r in self.resources.values() if r.parent is resource]

    def active(self, resource):
        return [o for o in self.operations if o.active and o.resource is resource]

    def listed(self, subscription, group=None):
        prefix = f"/subscriptions/{subscription}/".lower() + (f"resourcegroups/{group}/".lower() if group else "")
        return [r for r in self.resources.values() if r.kind == CLUSTER and r.key.startswith(prefix)]

    # -- who may ask -----------------------------------------------------------------------------------------------------

    def refused_by_subscription(self, identifier, verb):
        """HCP 1.2 and ARM-265 to ARM-269."""
        subscription = identifier.split("/")[2].lower()
        state = self.subscriptions.get(subscription)
        if state is None:
            return Outcome(404, "SubscriptionNotFound")
        if state == "Unregistered" and verb != "GET":
            return Outcome(400, "InvalidSubscriptionState", f"Request is not allowed in unregistered subscription '{subscription}'.")
        if state in ("Warned", "Suspended") and verb in ("PUT", "PATCH", "POST"):
            return Outcome(409, "InvalidSubscriptionState", f"Request is not allowed in subscription in state '{state}'.")
        if state == "Deleted" and verb != "GET":
            return Outcome(400, "InvalidSubscriptionState")
        return None

    def not_found(self, identifier):
        """HCP 1.5, "The resource 'TYPE/NAME' under ...": a child's name there is its own or has its parent's before it."""
        parts = identifier.split("/")
        kind = POOL if "nodePools" in parts else CLUSTER
        names = {parts[-1], "/".join(parts[8::2])}
        return [Outcome(404, "ResourceNotFound", f"The resource '{TYPES[kind]}/{name}' under resource group '{parts[4]}' was not found.")
                for name in sorted(names)]

    # -- reads -----------------------------------------------------------------------------------------------------------

    def get(self, identifier, if_none_match=None):
        refused = self.refused_by_subscription(identifier, "GET")
        if refused:
            return [refused]
        resource = self.find(identifier)
        if resource is None:
            return self.not_found(identifier)
        if if_none_match is not None and if_none_match == resource.etag:
            return [Outcome(304), Outcome(200)] if resource.state == "Deleting" else [Outcome(304)]  # see etag_may_change
        return [Outcome(200)]

    def list_clusters(self, scope):
        """ARM-092: for an unknown subscription 404 or an empty list."""
        refused = self.refused_by_subscription(scope, "GET")
        return [refused, Outcome(200)] if refused else [Outcome(200)]

    def list_children(self, identifier):
        refused = self.refused_by_subscription(identifier, "GET")
        if refused:
            return [refused]
        return [Outcome(200)] if self.find(identifier) else self.not_found(identifier)

    # -- PUT and PATCH -----------------------------------------------------------------------------------------------------

    def put(self, wanted: Put):
        if wanted.fault and wanted.fault.before_handler:
            return [wanted.fault.outcome(wanted)]
        refused = self.refused_by_subscription(wanted.identifier, wanted.verb)
        if refused:
            return [refused]
        resource = self.find(wanted.identifier)
        parent = self.find(wanted.identifier.rsplit("/nodePools/", 1)[0]) if wanted.kind == POOL else None
        refusals = self._missing(wanted, resource, parent) or self._conflicts(wanted, resource, parent)
        unmet = self._precondition(resource, wanted.if_match, wanted.if_none_match, put=wanted.verb == "PUT")
        if unmet:
            refusals.append(unmet)
        if not refusals and wanted.fault and wanted.fault.applies(resource, wanted):
            refusals.append(wanted.fault.outcome(wanted))
        if not refusals and wanted.rejected:
            refusals.append(Outcome(400, "InvalidRequestContent", wanted.rejected))
        if refusals:
            return refusals
        if resource is None:
            return [Outcome(201, commit=lambda: self._create(wanted, parent))]
        return [Outcome(200 if wanted.verb == "PUT" else 202, commit=lambda: self._update(wanted, resource))]

    def _missing(self, wanted, resource, parent):
        found = []
        if wanted.kind == POOL and parent is None:
            found += self.not_found(wanted.identifier.rsplit("/nodePools/", 1)[0]) + self.not_found(wanted.identifier)
        elif resource is None and wanted.verb == "PATCH":
            found += self.not_found(wanted.identifier)
            if wanted.fault:
                found.append(wanted.fault.outcome(wanted))
        if found and wanted.fault:
            found.append(Outcome(400))
        return found

    def _conflicts(self, wanted, resource, parent):
        """HCP 1.6 and HCP-011; 409 is decided before the body (HCP-003)."""
        if parent is not None and (parent.state in ("Deleting", "Provisioning") or
                                   (parent.state == "Accepted" and parent.operation.request == "Create")):
            verb = "update" if resource else "create"
            own = [Outcome(409, "Conflict", f'Cannot update resource while resource is "{resource.state.lower()}"')] \
                if resource and resource.state not in TERMINAL else []
            return own + [Outcome(409, "Conflict", f"Cannot {verb} resource while parent resource is {form}")
                          for form in (parent.state.lower(), f'"{parent.state.lower()}"')]
        if resource is not None and resource.state not in TERMINAL:
            return [Outcome(409, "Conflict", f'Cannot update resource while resource is "{resource.state.lower()}"', target=resource.identifier)]
        return []

    @staticmethod
    def _precondition(resource, if_match, if_none_match, put):
        """The ETag table, ARM-101 to ARM-110. PATCH and DELETE of what is missing do not come here."""
        failed = Outcome(412, "PreconditionFailed")
        if if_none_match == "*" and resource is not None:
            return failed
        if not if_match:
            return None
        if resource is None:
            return failed if put else None
        return None if if_match in ("*", resource.etag) else failed

    def _create(self, wanted, parent):
        subnet = parent.content["platform"]["subnetId"] if parent else None
        resource = Resource(
            wanted.kind, wanted.identifier, shapes.content_of_put(wanted.kind, wanted.properties, wanted.version, None, subnet),
            tags=copy.deepcopy(wanted.tags or {}), system_data=dict(wanted.system_data), parent=parent,
            identity={"type": "UserAssigned", "userAssignedIdentities": {}} if wanted.kind == CLUSTER else None)
        self.resources[resource.key] = resource
        return self._begin("Create", resource, wanted)

    def _update(self, wanted, resource):
        before = (copy.deepcopy(resource.content), copy.deepcopy(resource.tags), copy.deepcopy(resource.identity))
        if wanted.verb == "PUT":
            subnet = resource.parent.content["platform"]["subnetId"] if resource.parent else None
            resource.content = shapes.content_of_put(resource.kind, wanted.properties, wanted.version, resource.content, subnet)
        else:
            resource.content = shapes.merge_patch(resource.content, wanted.properties)
        if wanted.tags is not None:
            resource.tags = copy.deepcopy(wanted.tags)
        if (resource.content, resource.tags, resource.identity) != before:  # ARM-069
            resource.system_data = {**resource.system_data, **wanted.system_data}
        resource.previous = before
        resource.wrote("Accepted")
        return self._begin("Update", resource, wanted)

    def _begin(self, request, resource, wanted):
        operation = Operation(request, resource, wanted.caller, wanted.version, "Accepted")
        resource.operation = operation
        self.operations.append(operation)
        return operation

    # -- DELETE ------------------------------------------------------------------------------------------------------------

    def delete(self, identifier, caller, version, if_match=None):
        refused = self.refused_by_subscription(identifier, "DELETE")
        if refused:
            return [refused]
        resource = self.find(identifier)
        if resource is None:
            return [Outcome(204)]
        refusals = []
        unmet = self._precondition(resource, if_match, None, put=False)
        if unmet:
            refusals.append(unmet)
        if resource.kind == POOL and resource.state != "Deleting" and \
                not any(r for r in self.children(resource.parent) if r is not resource and r.state != "Deleting"):
            refusals.append(Outcome(400, "InvalidRequestContent", LAST_POOL))  # HCP-012
        accepted = [Outcome(202, commit=lambda name: self._delete(resource, caller, version, name))]
        if resource.state == "Deleting" and if_match == resource.etag:  # it may have changed meanwhile, see etag_may_change
            return accepted + [Outcome(412, "PreconditionFailed")]
        return refusals or accepted

    def _delete(self, resource, caller, version, name):
        """README decision 7: the same caller gets the same operation, another one a follower of its own. `name` is the one answered."""
        if resource.state != "Deleting":
            self.begin_delete(resource)
        own = [operation for operation in resource.deletes if operation.caller == caller]
        if known.A_FOLLOWER_GETS_ANOTHER_OPERATION_EACH_TIME:
            own = [operation for operation in own if operation.name == name]
        if own:
            return own[0]
        operation = Operation("Delete", resource, caller, version, "Deleting")
        self.operations.append(operation)
        resource.deletes.append(operation)
        return operation

    def begin_delete(self, resource):
        """HCP-005: own and nested operations are superseded, the whole tree is deleting."""
        for one in [resource, *self.children(resource)]:
            if one.state == "Deleting":  # a child's own delete: superseded (ARM-157) or going on (HCP-004), the rules allow both
                for operation in one.deletes:
                    operation.maybe_canceled = True
                one.etag_may_change()
                continue
            for operation in self.active(one):
                operation.status, operation.error = "Canceled", dict(SUPERSEDED)
            if one.previous:  # whether a superseded update is taken back is not said
                one.alternatives = [one.previous]
            one.previous = one.operation = None
            one.wrote("Deleting")
            one.etag_lags = one is not resource and known.ETAG_OF_A_CHILD_LAGS_BEHIND_ITS_PARENTS_DELETE

    # -- actions -----------------------------------------------------------------------------------------------------------

    def act(self, identifier, action, caller, version):
        """HCP 1.6: a cluster at work and a revocation under way refuse; a revocation supersedes requests."""
        refused = self.refused_by_subscription(identifier, "POST")
        if refused:
            return [refused]
        resource = self.find(identifier)
        if resource is None:
            return self.not_found(identifier)
        phrase = "request credential" if action == "RequestCredential" else "revoke credentials"
        if resource.state not in TERMINAL:
            return [Outcome(409, "Conflict", f'Cannot {phrase} while resource is "{resource.state.lower()}"', target=resource.identifier)]
        if any(o.request == "RevokeCredentials" for o in self.active(resource)):
            message = "Cannot request credential while credentials are being revoked" if action == "RequestCredential" \
                else "Credentials are already being revoked"
            return [Outcome(409, "Conflict", message, target=resource.identifier, retry_after="10")]
        return [Outcome(202, commit=lambda: self._act(resource, action, caller, version))]

    def lost_credentials(self, operation):
        """A credential is read from the backend, where a revocation or the cluster's end may have taken it."""
        later = self.operations[self.operations.index(operation):]
        return operation.resource.state == "Deleting" or any(o.request == "RevokeCredentials" and o.resource is operation.resource for o in later)

    def _act(self, resource, action, caller, version):
        if action == "RevokeCredentials":
            for operation in self.active(resource):
                if operation.request == "RequestCredential":
                    operation.status, operation.error = "Canceled", dict(SUPERSEDED)
        operation = Operation(action, resource, caller, version, "Accepted")
        self.operations.append(operation)
        resource.etag_may_change()
        return operation

    # -- subscriptions -----------------------------------------------------------------------------------------------------

    def set_subscription(self, subscription, state):
        self.subscriptions[subscription] = state
        if state == "Deleted":  # ARM-268
            for cluster in self.listed(subscription):
                if cluster.state != "Deleting":
                    self.begin_delete(cluster)

    # -- progress ------------------------------------------------------------------------------------------------------------

    def backend_says(self, operation, backend):
        """The status that the mapping table 3.2 gives an active operation, from its object's state at the backend."""
        request, now = operation.request, operation.status
        if request == "RequestCredential":
            return {"created": "Provisioning", "issued": "Succeeded"}[backend]
        if request == "RevokeCredentials":
            return {"awaiting_revocation": "Deleting", "revoked": "Succeeded"}[backend]
        if backend is None:
            return "Succeeded" if request == "Delete" else now
        if backend in ("error", "recoverable_error"):
            return "Failed"
        if backend == "ready":
            return now if request == "Delete" else "Succeeded"
        return {"installing": "Provisioning", "updating": "Updating", "uninstalling": "Deleting"}.get(backend, now)

    def advance(self, operation, status, error=None):
        """An operation moves on, and its resource with it (credential operations never touch it)."""
        operation.status, operation.error = status, error
        resource = operation.resource
        if operation.request not in ("Create", "Update"):
            resource.etag_may_change()
            return
        resource.state = status
        if status not in TERMINAL:
            return
        if status == "Failed" and resource.previous:  # ARM-136 speaks of properties: the tags may stay
            tags = resource.tags
            resource.content, resource.tags, resource.identity = resource.previous
            resource.alternatives = [(resource.content, tags, resource.identity)]
        resource.previous = resource.operation = None
        resource.ever_ready = resource.ever_ready or status == "Succeeded"
        if status == "Succeeded":
            operation.result = dataclasses.replace(resource)  # contents are replaced, never changed in place

    def gone(self, resource):
        """The backend has removed it: the resource ends, and every operation that deletes it."""
        assert not self.children(resource), "a child ends before its parent"
        for operation in resource.deletes:
            operation.status = "Succeeded"
        del self.resources[resource.key]
