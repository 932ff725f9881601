"""Plays steps against a running server and the reference model at once, and compares every answer."""
import re

import httpx

import known
from contract import World
from documents import Put
from faults import BY_NAME
from progress import Backend
from session import Session, agree, same
from shapes import CLUSTER, NAMESPACE, NEW, POOL, REGION, cluster_body, pool_body
from stack import new_subscription_id

FRONT = "https://front.example"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
OPERATION = re.compile(rf"/subscriptions/([^/]+)/providers/{NAMESPACE}/locations/{REGION}/hcpOperation(Statuses|Results)/([0-9a-f-]{{36}})")
ACTIONS = {"RequestCredential": "requestAdminCredential", "RevokeCredentials": "revokeCredentials"}
STALE = '"0123456789abcdef"'


class Replay(Session):
    def __init__(self, stack, transport=None, on_failure=lambda error: None):
        super().__init__(stack.acceptd.url, transport, on_failure)
        self.world = World()
        self.subscriptions = [new_subscription_id(), new_subscription_id()]
        self.backend = Backend(stack.simulator)
        self.writes = 0

    # -- where things are ------------------------------------------------------------------------------------------------

    def cluster(self, place):
        """`place` is (subscription number, name)."""
        number, name = place
        return f"/subscriptions/{self.subscriptions[number]}/resourceGroups/rg/providers/{NAMESPACE}/hcpOpenShiftClusters/{name}"

    def pool(self, place, name):
        return f"{self.cluster(place)}/nodePools/{name}"

    def system_data(self, creation):
        """Another person each time, so that it shows whose write was the last."""
        self.writes += 1
        who, when = f"user{self.writes}@example.com", f"2026-01-02T03:04:{self.writes % 60:02}Z"
        by = {"lastModifiedBy": who, "lastModifiedByType": "User", "lastModifiedAt": when}
        return {"createdBy": who, "createdByType": "User", "createdAt": when, **by} if creation else by

    # -- subscriptions ---------------------------------------------------------------------------------------------------

    def set_subscription(self, number, state):
        """ARM-260, ARM-261; what a deletion takes along ends when the backend says so."""
        subscription = self.subscriptions[number]
        body = {"state": state, "registrationDate": "2025-12-19T19:53:15+00:00", "properties": {"kept": [state, {"a": None}]}}
        answer = self.send("PUT", f"/subscriptions/{subscription}", version="2.0", json=body)
        same((answer.status_code, answer.json()), (200, body), "a subscription's PUT is echoed")
        self.has_headers(answer)
        self.world.set_subscription(subscription, state)
        self.settle()

    # -- PUT and PATCH ---------------------------------------------------------------------------------------------------

    def write(self, verb, identifier, caller, version, changes, tags=None, fault=None, match=None, none_match=None, fate=None):
        """`match`: current, stale, any. `fate`: what the backend makes of it: fail or reject."""
        kind = POOL if "/nodePools/" in identifier else CLUSTER
        resource = self.world.find(identifier)
        if_match = {"current": resource.etag if resource else STALE, "stale": STALE, "any": "*", "empty": ""}.get(match)
        wanted = Put(verb, identifier, kind, caller, version, {}, tags, self.system_data(resource is None), if_match, none_match, BY_NAME.get(fault))
        body = self._body(wanted, changes)
        wanted.properties = body["properties"]
        answer, struck = self._send_write(wanted, body, resource, fate)
        if fate == "reject" and struck:
            wanted.rejected = self.backend.REASON
        chosen = self.choose(answer, self.world.put(wanted))
        if chosen.commit:
            operation = chosen.commit()
            self._begun(answer, operation, version)
            if verb == "PUT":
                same(answer.headers["etag"], answer.json()["etag"], "ETag and etag")
                self.compare(operation.resource, answer.json(), version)
            self.result(operation)
        elif wanted.rejected and resource is not None:
            resource.etag_may_change()  # the intent was there and is undone
        self.settle()

    def _body(self, wanted, changes):
        if wanted.verb == "PATCH":
            body = {"properties": dict(changes)}
        elif wanted.kind == CLUSTER:
            body = cluster_body(wanted.identifier.split("/")[2], wanted.identifier.split("/")[8].lower(), wanted.version, changes)
        else:
            body = pool_body(changes)
        if wanted.tags is not None:
            body["tags"] = wanted.tags
        if wanted.fault and wanted.fault.change:
            wanted.fault.change(body, wanted.kind)
        return body

    def _send_write(self, wanted, body, resource, fate):
        fault = wanted.fault
        headers = {"x-ms-arm-resource-system-data": self.json_of(wanted.system_data),
                   "content-type": fault.media_type if fault else "application/json"}
        if wanted.if_match is not None:
            headers["if-match"] = wanted.if_match
        if wanted.if_none_match is not None:
            headers["if-none-match"] = wanted.if_none_match
        content = fault.content if fault and fault.content is not None else self.json_of(body).encode()
        version = fault.version[0] if fault and fault.version else wanted.version
        with self.backend.prepared(wanted.kind, "Update" if resource else "Create", fate) as struck:
            answer = self.send(wanted.verb, wanted.identifier, wanted.caller, version, headers, content=content)
            return answer, struck()

    @staticmethod
    def json_of(value):
        return httpx.Request("POST", "http://x", json=value).content.decode()

    def _begun(self, answer, operation, version):
        """Headers and emptiness of an answer that begins an operation, and that it names the operation (HCP 1.4)."""
        put = answer.status_code != 202
        self.has_headers(answer, "azure-asyncoperation", "retry-after", "etag" if put else "location")
        if not put:
            same(answer.content, b"", "a 202 has no body")
            self._names(answer.headers["location"], "Results", operation, version)
        self._names(answer.headers["azure-asyncoperation"], "Statuses", operation, version)
        agree(re.fullmatch(r"\d+", answer.headers["retry-after"]), "Retry-After is a number", answer.headers["retry-after"])

    def _names(self, link, kind, operation, version):
        url = httpx.URL(link)
        agree(link.startswith(self.url + "/"), "a link is absolute and on the caller's host", link)
        found = OPERATION.fullmatch(url.path)
        agree(found and found[2] == kind and found[1].lower() == operation.resource.key.split("/")[2], "an operation's URL", link)
        same(dict(url.params), {"api-version": version}, "the query of an operation's URL")
        if operation.name is None:
            agree(all(found[3] != other.name for other in self.world.operations), "a new operation has a new name", found[3])
            operation.name = found[3]
        same(found[3], operation.name, "the operation that the answer names")

    # -- DELETE and actions ------------------------------------------------------------------------------------------------

    def delete(self, identifier, caller, version, match=None):
        resource = self.world.find(identifier)
        if_match = {"current": resource.etag if resource else STALE, "stale": STALE, "any": "*", "empty": ""}.get(match)
        answer = self.send("DELETE", identifier, caller, version, {"if-match": if_match} if if_match is not None else None)
        chosen = self.choose(answer, self.world.delete(identifier, caller, version, if_match))
        if chosen.commit:
            operation = chosen.commit(answer.headers.get("location", "").split("?")[0].rsplit("/", 1)[-1])
            self._begun(answer, operation, version)
            self.result(operation)
            self.look_at_tree(operation.resource, caller, version)
        elif chosen.status == 204:
            same(answer.content, b"", "204")
            self.has_headers(answer)
        self.settle()

    def look_at_tree(self, resource, caller, version):
        """HCP-005: what a delete supersedes shows at once, before anything else has moved."""
        for one in [resource, *self.world.children(resource)]:
            self.get(one.identifier, caller, version)
            for operation in self.world.operations:
                if operation.resource is one and (operation.maybe_canceled or operation.status == "Canceled" and operation.frozen is None):
                    self.status(operation)

    def act(self, identifier, action, caller, version):
        answer = self.send("POST", f"{identifier}/{ACTIONS[action]}", caller, version)
        chosen = self.choose(answer, self.world.act(identifier, action, caller, version))
        if chosen.commit:
            self._begun(answer, chosen.commit(), version)
        self.settle()

    # -- reads -------------------------------------------------------------------------------------------------------------

    def get(self, identifier, caller, version, condition=None, upper=False):
        resource = self.world.find(identifier)
        etag = {"current": resource.etag if resource else None, "stale": STALE}.get(condition)
        scope, _, rest = identifier.partition("/resourceGroups/")
        path = f"{scope}/RESOURCEGROUPS/{rest.upper()}" if upper else identifier
        answer = self.send("GET", path, caller, version, {"if-none-match": etag} if etag else None)
        chosen = self.choose(answer, self.world.get(identifier, etag))
        if chosen.status in (200, 304):
            self.has_headers(answer, "etag")
        if chosen.status == 200:
            same(answer.headers["etag"], answer.json()["etag"], "ETag and etag")
            self.compare(resource, answer.json(), version)
        elif chosen.status == 304:
            same((answer.content, answer.headers["etag"]), (b"", etag), "304")

    def list(self, path, resources, outcomes, caller, version, top=None):
        """Every page of a list (ARM-090 to ARM-095): the resources, each as a GET shows it."""
        query = f"{path}?api-version={version}" + (f"&$top={top}" if top else "")
        answer = self.send("GET", query, caller, version, {"referer": FRONT + query})
        if self.choose(answer, outcomes).status != 200:
            return
        items = []
        while True:
            self.has_headers(answer)
            page = answer.json()
            agree(set(page) <= {"value", "nextLink"} and len(page["value"]) <= (top or 1000), "a page", page)
            items += page["value"]
            link = page.get("nextLink")
            agree(link != "" and len(items) <= 100, "nextLink", page)
            if link is None:
                break
            agree(link.startswith(FRONT + path) and "skipToken=" in link, "nextLink", link)
            answer = self.send("GET", link.removeprefix(FRONT), caller, version, {"referer": link})
            same(answer.status_code, 200, "the next page")
        same(sorted(item["id"].lower() for item in items), sorted(r.key for r in resources), f"the list {path}")
        for item in items:
            self.compare(self.world.find(item["id"]), item, version)

    def list_clusters(self, number, group, caller, version, top=None):
        subscription = self.subscriptions[number]
        scope = f"/subscriptions/{subscription}" + (f"/resourceGroups/{group}" if group else "")
        self.list(f"{scope}/providers/{NAMESPACE}/hcpOpenShiftClusters", self.world.listed(subscription, group), self.world.list_clusters(scope),
                  caller, version, top)

    def list_pools(self, place, caller, version):
        parent = self.world.find(self.cluster(place))
        self.list(self.cluster(place) + "/nodePools", self.world.children(parent) if parent else [], self.world.list_children(self.cluster(place)),
                  caller, version)

    def compare(self, resource, body, version, snapshot=False):
        """A body against the model's resource; learns what only the server knows and holds it to it."""
        body = {**body, "properties": {**body["properties"]}}
        etag = body.pop("etag", None)
        agree(etag, "the body has an etag", body)
        if not snapshot and not resource.etag_lags:
            moment = (resource.writes, resource.state)
            if resource.state == "Deleting":
                resource.etag_may_change()
            same(etag, resource.etags.setdefault(moment, etag), f"etag of {resource.identifier}, unchanged since it was seen as {resource.state}")
            agree(list(resource.etags.values()).count(etag) == 1, "the etag changes with the resource", resource.identifier, etag)
        if resource.kind == CLUSTER:
            self._generated(resource, body["properties"])
        same(body, resource.decided(body, version), f"the resource {resource.identifier}")

    @staticmethod
    def _generated(resource, properties):
        """Takes out what only the server knows; it stays as it was first seen."""
        dns, console = properties.pop("dns", {}), properties.pop("console", {})
        properties["api"] = api = dict(properties["api"])
        found = {"dns.baseDomainPrefix": dns.get("baseDomainPrefix"), "dns.baseDomain": dns.get("baseDomain"), "api.url": api.pop("url", None),
                 "console.url": console.get("url")}
        agree(dns.keys() <= {"baseDomainPrefix", "baseDomain"} and console.keys() <= {"url"}, "members of dns and console", dns, console)
        for name, value in found.items():
            if value is None:
                agree(not resource.ever_ready and name != "dns.baseDomainPrefix", f"{resource.identifier} shows {name}")
            else:
                same(value, resource.generated.setdefault(name, value), f"{name} of {resource.identifier} stays")
        agree(0 < len(found["dns.baseDomainPrefix"]) <= 15, "the length of dns.baseDomainPrefix", found)

    # -- operations ----------------------------------------------------------------------------------------------------------

    def path_of(self, operation, kind):
        subscription = operation.resource.identifier.split("/")[2]
        return f"/subscriptions/{subscription}/providers/{NAMESPACE}/locations/{REGION}/hcpOperation{kind}/{operation.name}"

    def status(self, operation, caller=None):
        """The status route (ARM-170 to ARM-183), read by its initiator unless said otherwise."""
        path = self.path_of(operation, "Statuses")
        answer = self.send("GET", path, caller or operation.caller, operation.version)
        if caller not in (None, operation.caller):
            same((answer.status_code, answer.content), (404, b""), "somebody else's operation")
            return
        same(answer.status_code, 200, "the status route")
        body = answer.json()
        same(body["status"], operation.decided(body["status"]), f"status of {operation.request} {operation.resource.identifier}")
        self.has_headers(answer, *(["retry-after"] if operation.active else []))
        expected = {"id": path, "name": operation.name, "status": operation.status, "startTime": body.get("startTime")}
        if not operation.active:
            expected["endTime"] = body.get("endTime")
            agree(TIME.fullmatch(body.get("endTime", "")) and body["endTime"][:19] >= body["startTime"][:19], "endTime", body)
        if operation.status in ("Failed", "Canceled"):
            expected["error"] = operation.error or body.get("error")
            agree(expected["error"] and expected["error"]["code"] and expected["error"]["message"], "the error of an operation", body)
        same(body, expected, "the status body")
        agree(TIME.fullmatch(body["startTime"]) and body["startTime"] == (operation.start_time or body["startTime"]), "startTime", body)
        operation.start_time = body["startTime"]
        if not operation.active:
            if known.END_OF_A_SUPERSEDED_OPERATION_MOVES and operation.status == "Canceled" and operation.frozen:
                operation.frozen = {**operation.frozen, "endTime": body["endTime"]}
            same(body, operation.frozen or body, "terminal is final")
            operation.frozen, operation.error = body, body.get("error")

    def result(self, operation, caller=None):
        """The result route (ARM-160 to ARM-166): what the synchronous call would have answered."""
        answer = self.send("GET", self.path_of(operation, "Results"), caller or operation.caller, operation.version)
        if caller not in (None, operation.caller):
            same((answer.status_code, answer.content), (404, b""), "somebody else's result")
            return
        if operation.active:
            same((answer.status_code, answer.content), (202, b""), "the result of running work")
            self.has_headers(answer, "location", "retry-after")
            self._names(answer.headers["location"], "Results", operation, operation.version)
            return
        if operation.status in ("Failed", "Canceled"):
            self.status(operation)
            agree(answer.status_code >= 400 and answer.status_code == (operation.result or answer.status_code), "the result of a failure", answer)
            same(answer.json(), {"error": operation.error}, "the result of a failure")
            operation.result = answer.status_code
            return
        wanted = {"Create": 201, "Update": 200, "Delete": 204, "RevokeCredentials": 204, "RequestCredential": 200}[operation.request]
        if operation.request == "RequestCredential" and self.world.lost_credentials(operation):
            return  # it is read from the backend, which has revoked it
        same(answer.status_code, wanted, f"the result of {operation.request}")
        if operation.request in ("Create", "Update"):
            self.has_headers(answer, "etag")
            same(answer.headers["etag"], answer.json()["etag"], "ETag and etag")
            self.compare(operation.result, answer.json(), operation.version, snapshot=True)
        elif wanted == 200:
            same(set(answer.json()), {"kubeconfig", "expirationTimestamp"}, "a credential")
        else:
            same(answer.content, b"", "204")

    # -- progress ------------------------------------------------------------------------------------------------------------

    def advance(self, seconds):
        self.trace.append(f"the backend works for {seconds} s")
        self.backend.advance(seconds)
        self.settle()

    def settle(self):
        """Waits until the server has seen what the backend has done, and takes that over into the model."""
        self.backend.settle(self)
        for resource in list(self.world.resources.values()):
            if resource.looked_at != (resource.writes, resource.state):
                resource.looked_at = (resource.writes, resource.state)
                self.get(resource.identifier, "kim", NEW)
