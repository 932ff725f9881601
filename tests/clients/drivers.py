"""Other people's clients, each taken through one operation: start it, let the test meddle, take its outcome.

An outcome is {outcome: succeeded | failed, result, code, status, text, versions, polled?}.
"""
import importlib.metadata
import json
import pathlib
import subprocess
import time

from azure.core.credentials import AccessToken
from azure.core.exceptions import AzureError, HttpResponseError
from azure.core.polling import LROPoller
from azure.core.rest import HttpRequest
from azure.mgmt.core.polling.arm_polling import ARMPolling
from azure.mgmt.resource.resources import ResourceManagementClient

from arm import CLIENT, TENANT

HERE = pathlib.Path(__file__).parent
GO_PROGRAM = HERE.parents[1] / "build" / "clients" / "go-client"
IDENTITY = {"x-ms-home-tenant-id": TENANT, "x-ms-client-object-id": CLIENT}


class Process:
    """A client that is a program of its own: its task on standard input, "started" and its outcome on standard output."""

    def __init__(self, command, task):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.process.stdin.write(json.dumps(task))
        self.process.stdin.close()
        self.first = self.process.stdout.readline()

    def started(self):
        assert self.first == "started\n", self.first + self.process.stderr.read()

    def done(self):
        return self.process.poll() is not None

    def outcome(self):
        said, wrong = self.process.stdout.read(), self.process.stderr.read()
        assert self.process.wait(timeout=60) == 0, wrong
        return json.loads(said)


def javascript(task):
    assert (HERE / "node_modules" / "@azure").is_dir(), "npm ci has not run in tests/clients (tools/test.sh does)"
    return Process(["node", HERE / "operate.mjs"], task)


def javascript_engine(task):
    return Process(["node", HERE / "operate.mjs"], {**task, "engine": True})


def go(task):
    assert GO_PROGRAM.is_file(), "tests/clients/golang is not built (tools/test.sh does)"
    return Process([GO_PROGRAM], task)


class Credential:
    def get_token(self, *_, **__):
        return AccessToken("unused", int(time.time()) + 3600)


class Python:
    """azure-mgmt-resource and ARMPolling; the poller runs in its own thread, as it does for everybody."""

    VERSIONS = ("azure-mgmt-resource", "azure-mgmt-core", "azure-core")

    def __init__(self, task):
        self.client = ResourceManagementClient(Credential(), task["subscription"], base_url=task["endpoint"], headers=IDENTITY)
        call = {"enforce_https": False, "polling_interval": 0}
        resources, path, version = self.client.resources, task["path"], task["apiVersion"]
        begin = {
            "PUT": lambda: resources.begin_create_or_update_by_id(path, task["body"], api_version=version, **call),
            "PATCH": lambda: resources.begin_update_by_id(path, task["body"], api_version=version, **call),
            "DELETE": lambda: resources.begin_delete_by_id(path, api_version=version, **call),
            "POST": lambda: self._act(task),
        }
        self.poller = begin[task["verb"]]()

    def _act(self, task):
        """The management client has no method for actions: its pipeline and its poller."""
        pipeline = self.client.resources._client  # pylint: disable=protected-access
        request = HttpRequest("POST", f"{task['endpoint']}{task['path']}?api-version={task['apiVersion']}")
        first = pipeline.send_request(request, _return_pipeline_response=True, enforce_https=False)
        polling = ARMPolling(0, lro_options={"final-state-via": "location"}, enforce_https=False)
        return LROPoller(pipeline, first, lambda answer: answer.http_response.json(), polling)

    def started(self):
        pass

    def done(self):
        return self.poller.done()

    def outcome(self):
        versions = {name: importlib.metadata.version(name) for name in self.VERSIONS}
        try:
            result = self.poller.result(timeout=60)
            result = result.as_dict() if hasattr(result, "as_dict") else result
            return {"outcome": "succeeded", "result": result, "versions": versions}
        except AzureError as error:
            refused = error if isinstance(error, HttpResponseError) else None
            return {"outcome": "failed", "code": refused and refused.error and refused.error.code, "status": refused and refused.status_code,
                    "text": str(error), "versions": versions}
        finally:
            self.client.close()


CLIENTS = {"python": Python, "javascript": javascript, "javascript-engine": javascript_engine, "go": go}
