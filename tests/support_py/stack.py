"""The simulator of Cluster Service and acceptd in front of it, in a folder of their own."""
import json
import pathlib
import sqlite3
import uuid

import httpx

from processes import Program, binary, free_port, until

REGION = "westus3"
# Work at the simulated backend lasts until a test lets it end (Simulator.advance), so that nothing depends on speed.
WORK_SECONDS = 1000
DURATIONS = ("cluster_create", "cluster_update", "cluster_delete", "node_pool_create", "node_pool_update", "node_pool_delete",
             "credential", "revocation")


def merged(base, changes):
    """Mappings merge, everything else replaces."""
    if not isinstance(base, dict) or not isinstance(changes, dict):
        return changes
    return {**base, **{key: merged(base.get(key), value) for key, value in changes.items()}}


def config(acceptd, **settings):
    """The configuration of a server under test: quick looks at the backend, and Retry-After 0 by the setting that says
    that it is not conforming."""
    base = {
        "region": REGION,
        "listeners": {"arm": {"port": acceptd.port}, "admin": {"port": acceptd.admin_port}},
        "store": {"sqlite": {"path": str(acceptd.database)}},
        "cluster_service": {"url": acceptd.backend_url, "request_timeout": "2s", "settle_time": "1s", "breaker_open_for": "100ms"},
        "on_contract_violation": "abort",
        "engine": {"inline_budget": "3s", "poll_first": "10ms", "poll_max": "50ms", "non_conforming_retry_after_seconds": 0},
        "stop_grace": "5s",
    }
    return json.dumps(merged(base, settings), indent=1)  # JSON is YAML


def read_documents(database):
    """[(partition, resource type, {id, properties})] of a database file, a running server's too."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
    try:
        rows = connection.execute("SELECT name, type_name, id, body FROM documents JOIN partitions USING (pk) JOIN types USING (type)")
        return [(partition, kind, {"id": str(uuid.UUID(bytes=key)), "properties": json.loads(body)}) for partition, kind, key, body in rows]
    finally:
        connection.close()


def healthy(url):
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.TransportError:
        return False


class Simulator:
    def __init__(self, folder):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.data = folder / "simulator.sqlite"
        self.program = Program([binary("cluster-service-sim"), "--listen", f"127.0.0.1:{self.port}", "--data", self.data,
                                "--seed", "1"], folder / "simulator.log")
        self.http = httpx.Client(base_url=self.url, timeout=30)

    def start(self):
        self.program.start()
        self.wait_ready()
        return self

    def wait_ready(self):
        until(lambda: healthy(self.url + "/") or self._ended(), "the simulator answers")

    def _ended(self):
        assert self.program.alive(), "the simulator ended:\n" + self.program.tail()

    def stop(self):
        self.http.close()
        self.program.stop()

    def _control(self, method, path, body=None):
        answer = self.http.request(method, "/simulator/" + path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    def set_durations(self, seconds=WORK_SECONDS, **named):
        wanted = {f"{name}_seconds": seconds for name in DURATIONS}
        wanted.update({f"{name}_seconds": value for name, value in named.items()})
        self._control("POST", "script", {"durations": wanted})

    def script(self, *rules):
        """Faults on order, see docs/cluster-service-sim.md."""
        return self._control("POST", "script", {"rules": list(rules)})

    def rules(self):
        return self._control("GET", "script")["rules"]

    def clear_script(self):
        self._control("DELETE", "script")

    def advance(self, seconds=WORK_SECONDS * 2):
        self._control("POST", "advance", {"seconds": seconds})

    def stats(self):
        return self._control("GET", "stats")

    def writes(self):
        """Number of calls that change something, by route."""
        return {route: n for route, n in self.stats()["calls"].items() if not route.startswith("GET")}

    def clusters(self, subscription):
        """Live clusters that the backend has for a subscription."""
        answer = self.http.get("/api/aro_hcp/v1alpha1/clusters",
                               params={"search": f"azure.subscription_id = '{subscription.lower()}'", "size": 1000})
        assert answer.status_code == 200, answer.text
        return answer.json()["items"]

    def node_pools(self, cluster_id):
        answer = self.http.get(f"/api/aro_hcp/v1alpha1/clusters/{cluster_id}/node_pools", params={"size": 1000})
        assert answer.status_code == 200, answer.text
        return answer.json()["items"]


class Acceptd:
    """`settings` overrides parts of the configuration, see config()."""

    def __init__(self, folder, backend_url, **settings):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.admin_port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.admin_url = f"http://127.0.0.1:{self.admin_port}"
        self.database = self.folder / "acceptd.sqlite"
        self.config_file = self.folder / "acceptd.yaml"
        self.backend_url = backend_url
        self.write_config(**settings)
        self.program = Program([binary("acceptd"), "serve", "--config", self.config_file], self.folder / "acceptd.log")

    def write_config(self, **settings):
        self.config_file.write_text(config(self, **settings))

    def start(self, ready=True):
        self.program.start()
        if ready:
            self.wait_ready()
        return self

    def wait_ready(self, seconds=30.0):
        until(lambda: healthy(self.url + "/healthz") or self._ended(), "acceptd answers", seconds)

    def _ended(self):
        assert self.program.alive(), "acceptd ended:\n" + self.program.tail()

    def stop(self):
        return self.program.stop()

    def documents(self):
        """Every stored document, by reading the file as anybody may."""
        return read_documents(self.database)


class Stack:
    """Simulator and server."""

    def __init__(self, folder, **settings):
        self.folder = folder
        self.simulator = Simulator(folder)
        self.acceptd = Acceptd(folder, self.simulator.url, **settings)

    def start(self):
        self.simulator.start()
        self.simulator.set_durations()
        try:
            self.acceptd.start()
        except BaseException:
            self.simulator.stop()
            raise
        return self

    def stop(self):
        try:
            if self.acceptd.program.process is not None:
                self.acceptd.stop()
        finally:
            if self.simulator.program.process is not None:
                self.simulator.stop()


def new_subscription_id():
    return str(uuid.uuid4())
