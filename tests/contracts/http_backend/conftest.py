"""acceptd in front of somebody's slow API (tests/support/slow_api), described by the example of docs/http-backend.md as it is printed."""
import json
import re
import sys

import httpx
import pytest

from arm import Arm
from processes import ROOT, Program, binary, free_port, until
from stack import REGION, healthy, new_subscription_id

VERSION = "2025-01-01"
TOKEN = "only-we-know"
COMMON = {"name": "api-version", "in": "query", "required": True, "type": "string"}
LONG = {"x-ms-long-running-operation": True}


def parameter(name, **more):
    return {"name": name, "in": "path", "required": True, "type": "string", **more}


def description():
    """One tracked type with all verbs and an action."""
    place = [COMMON, parameter("subscriptionId"), parameter("resourceGroupName"), parameter("name", pattern="^[a-z][a-z0-9-]{1,30}$")]
    body = {"name": "body", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Appliance"}}
    answer = {"description": "The appliance.", "schema": {"$ref": "#/definitions/Appliance"}}
    later = {"202": {"description": "Accepted."}}
    path = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Contoso.Slow/appliances/{name}"
    fixed = {"readOnly": True, "type": "string"}
    return {
        "swagger": "2.0", "info": {"title": "Slow appliances", "version": VERSION},
        "paths": {
            path: {
                "get": {"operationId": "Appliances_Get", "parameters": place, "responses": {"200": answer}},
                "put": {"operationId": "Appliances_Put", "parameters": [*place, body], "responses": {"200": answer, "201": answer}, **LONG},
                "delete": {"operationId": "Appliances_Delete", "parameters": place, "responses": {**later, "204": {"description": "No."}}, **LONG}},
            path + "/restart": {"post": {"operationId": "Appliances_Restart", "parameters": place, "responses": later, **LONG}}},
        "definitions": {"Appliance": {
            "type": "object", "required": ["location"],
            "properties": {
                "id": fixed, "name": fixed, "type": fixed, "location": {"type": "string"},
                "tags": {"type": "object", "additionalProperties": {"type": "string"}},
                "properties": {"type": "object", "properties": {
                    "size": {"type": "integer"}, "fail": {"type": "string"}, "endpoint": fixed, "provisioningState": fixed}}}}}}


def example():
    """The section as the page prints it."""
    page = (ROOT / "docs" / "http-backend.md").read_text()
    return re.search(r"```yaml\n(.*?)```", page, re.DOTALL).group(1)


class SlowApi:
    def __init__(self, folder):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.http = httpx.Client(base_url=self.url, timeout=30)
        self.folder, self.program = folder, None
        self.token_file = folder / "token"
        self.token_file.write_text(TOKEN)

    def start(self, token=TOKEN):
        self.program = Program([sys.executable, ROOT / "tests" / "support" / "slow_api" / "slow_api.py", "--port", self.port,
                                "--duration", "0.05", "--token", token], self.folder / "slow_api.log").start()
        until(lambda: healthy(self.url + "/control/requests"), "the slow API answers")
        return self

    def stop(self):
        self.program.stop()

    def fault(self, **fault):
        answer = self.http.post("/control/fault", json=fault)
        assert answer.status_code == 200, answer.text

    def appliances(self, name):
        answer = self.http.get("/v1/appliances", headers={"Authorization": "Bearer " + TOKEN})
        return [a for a in answer.json()["items"] if name in a["name"]]


class Served:
    def __init__(self, folder, slow, change):
        provider = folder / "provider"
        provider.mkdir()
        section = change(example().replace("http://127.0.0.1:8300", slow.url))
        section += f"credentials: {{file: {slow.token_file}}}\ncalls: {{request_timeout: 2s, settle_time: 100ms, breaker_open_for: 50ms}}\n"
        (provider / "provider.yaml").write_text(
            f"namespace: Contoso.Slow\nversions: {{{VERSION}: slow.json}}\nbackend:\n  http:\n"
            + "".join("    " + line + "\n" for line in section.splitlines()))
        (provider / "slow.json").write_text(json.dumps(description()))
        self.port, self.admin_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        config = folder / "acceptd.yaml"
        config.write_text(json.dumps({
            "region": REGION, "listeners": {"arm": {"port": self.port}, "admin": {"port": self.admin_port}},
            "store": {"sqlite": {"path": str(folder / "acceptd.sqlite")}}, "providers": [str(provider)],
            "engine": {"poll_first": "10ms", "poll_max": "50ms", "inline_budget": "1s", "non_conforming_retry_after_seconds": 0},
            "stop_grace": "5s"}))
        self.program = Program([binary("acceptd"), "serve", "--config", config], folder / "acceptd.log")

    def start(self):
        self.program.start()
        until(lambda: healthy(self.url + "/healthz") or self.ended(), "acceptd answers")
        return self

    def ended(self):
        assert self.program.alive(), "acceptd ended:\n" + self.program.tail()


@pytest.fixture(scope="session")
def slow(tmp_path_factory):
    running = SlowApi(tmp_path_factory.mktemp("slow_api")).start()
    yield running
    running.stop()


def without_keys(section):
    assert "idempotency_header: Idempotency-Key\n" in section
    return section.replace("idempotency_header: Idempotency-Key\n", "")


@pytest.fixture(scope="session", params=["keys", "probe"])
def served(request, tmp_path_factory, slow):
    """With idempotency keys as the example has them, and without: then objects are found by their stamp."""
    change = without_keys if request.param == "probe" else str
    running = Served(tmp_path_factory.mktemp("served"), slow, change).start()
    yield running
    running.program.stop()


@pytest.fixture
def arm(served):
    with Arm(served.url) as caller:
        yield caller
    assert served.program.alive(), "acceptd died:\n" + served.program.tail()


@pytest.fixture
def subscription(arm):
    name = new_subscription_id()
    arm.register(name)
    return name
