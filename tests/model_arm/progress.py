"""The backend's part: it holds all work until told otherwise, and what it shows decides what the server must come to show."""
import contextlib

from documents import TERMINAL
from processes import until
from session import agree, same
from shapes import CLUSTER, NEW, POOL
from stack import WORK_SECONDS

ROUTES = {(CLUSTER, "Create"): ("POST", "/clusters"), (CLUSTER, "Update"): ("PATCH", "/clusters/*"),
          (POOL, "Create"): ("POST", "/clusters/*/node_pools"), (POOL, "Update"): ("PATCH", "/clusters/*/node_pools/*")}
CREDENTIALS = "/api/clusters_mgmt/v1/clusters/{}/break_glass_credentials"
# Work lasts WORK_SECONDS and changes its state after one and two tenths. These steps stay away from such moments by far more
# than the seconds that pass by themselves.
PART, WHOLE = int(WORK_SECONDS * 0.35), WORK_SECONDS * 2


class Backend:
    REASON = "not today"

    def __init__(self, simulator):
        self.simulator = simulator

    def advance(self, seconds):
        self.simulator.advance(seconds)

    @contextlib.contextmanager
    def prepared(self, kind, request, fate):
        """The next such call fails its work or is refused; the value tells whether there was such a call."""
        if fate is None:
            yield lambda: False
            return
        method, route = ROUTES[kind, request]
        how = {"action": "fail", "code": "OCM7", "message": "no luck"} if fate == "fail" else {"action": "reject", "reason": self.REASON}
        self.simulator.script({**how, "method": method, "route": route, "count": 1})
        try:
            yield lambda: any(rule["applied"] for rule in self.simulator.rules())
        finally:
            self.simulator.clear_script()
            self.simulator.set_durations()

    # -- what it shows -----------------------------------------------------------------------------------------------------

    def _cluster(self, resource):
        """The backend's cluster of a cluster or node pool, or None."""
        parts = resource.key.split("/")
        return next((c for c in self.simulator.clusters(parts[2]) if c["azure"]["resource_name"].lower() == parts[8]
                     and c["azure"]["resource_group_name"].lower() == parts[4]), None)

    def state_of(self, resource):
        """The state of a resource's object, None if there is none."""
        cluster = self._cluster(resource)
        if cluster is None or resource.kind == CLUSTER:
            return cluster and cluster["status"]["state"]
        pool = next((p for p in self.simulator.node_pools(cluster["id"]) if p["id"] == resource.name.lower()), None)
        return pool and pool["status"]["state"]["node_pool_state_value"]

    def _credentials(self, resource):
        answer = self.simulator.http.get(CREDENTIALS.format(self._cluster(resource)["id"]), params={"size": 1000})
        assert answer.status_code == 200, answer.text
        return {c["status"] for c in answer.json()["items"]} - {"expired"}

    def shown_to(self, operation):
        """The state that decides an operation's status."""
        if operation.request == "RequestCredential":
            return "created" if "created" in self._credentials(operation.resource) else "issued"
        if operation.request == "RevokeCredentials":
            until(lambda: not self._credentials(operation.resource) & {"created", "issued"}, "the backend is told to revoke")
            return "awaiting_revocation" if "awaiting_revocation" in self._credentials(operation.resource) else "revoked"
        return self.state_of(operation.resource)

    # -- the server follows --------------------------------------------------------------------------------------------------

    def settle(self, replay):
        world = replay.world
        for resource in [r for r in world.resources.values() if r.etag_lags]:
            until(lambda r=resource: replay.send("GET", r.identifier).headers.get("etag") not in r.etags.values(), "the etag follows")
            resource.etag_lags = False
        deleting = [r for r in world.resources.values() if r.state == "Deleting"]
        for resource in sorted(deleting, key=lambda r: r.kind == CLUSTER):
            until(lambda r=resource: self.state_of(r) in (None, "uninstalling"), f"the backend removes {resource.identifier}")
            if self.state_of(resource) is None:
                self._ended(replay, resource)
        for operation in [o for o in world.operations if o.active and o.request != "Delete"]:
            status = world.backend_says(operation, self.shown_to(operation))
            if status != operation.status:
                self._reaches(replay, operation, status)
                world.advance(operation, status)
                replay.status(operation)

    def _reaches(self, replay, operation, status):
        def there():
            seen = replay.send("GET", replay.path_of(operation, "Statuses"), operation.caller, operation.version)
            same(seen.status_code, 200, "the status route")
            now = seen.json()["status"]
            agree(now == status or now not in TERMINAL, f"{operation.request} of {operation.resource.identifier} becomes {status}", seen.text)
            return now == status

        until(there, f"{operation.request} of {operation.resource.identifier} becomes {status}")

    def _ended(self, replay, resource):
        """Every operation that deletes it succeeds; then it is gone at once (ARM-153, CL-04)."""
        for operation in resource.deletes:
            self._reaches(replay, operation, "Succeeded")
        if not resource.deletes:
            until(lambda: replay.send("GET", resource.identifier).status_code == 404, f"{resource.identifier} is gone")
        replay.world.gone(resource)
        replay.get(resource.identifier, "kim", NEW)
        for operation in resource.deletes:
            replay.status(operation)
