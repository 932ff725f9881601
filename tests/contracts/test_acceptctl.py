"""The command line: against the real server, and against one that answers as a test says."""
import email.utils
import http.server
import json
import threading
import time

import pytest

from arm import CLIENT, NAMESPACE, REGION, TENANT, V2025, cluster_body, cluster_id, node_pool_body
from processes import free_port, run, until
from stack import new_subscription_id

OK, FAILED, USAGE, NOT_FOUND, REFUSED, UNREACHABLE, TIMED_OUT = range(7)


@pytest.fixture
def ctl(stack, simulator):
    def call(*arguments, **more):
        return run("acceptctl", *arguments, env={"ACCEPTD_SERVER": stack.acceptd.url, "ACCEPTD_TENANT": TENANT, "ACCEPTD_CLIENT": CLIENT,
                                                 "NO_COLOR": "1"}, **more)
    return call


@pytest.fixture
def quick(simulator):
    """The backend ends its work by itself, in milliseconds: the program under test waits, not the test."""
    simulator.set_durations(0.05)


def test_help_documents_the_exit_codes():
    text = run("acceptctl", "--help").stdout
    for code in range(7):
        assert f"{code} " in text[text.index("Exit codes"):]


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["get"], ["get", "cluster", "c1"], ["put", "cluster", "c1", "-s", "x", "-g", "y"],
                                       ["put", "/subscriptions/x", "--body", "{}"], ["get", "thing", "c1", "-s", "x", "-g", "y"],
                                       ["list", "nodepool", "-s", "x", "-g", "y"], ["op", "show", "abc"], ["op"],
                                       ["put", "cluster", "c1", "-s", "x", "-g", "y", "--body", "{"],
                                       ["--server", "nonsense", "list", "cluster", "-s", "x"], ["--timeout", "0", "op", "list", "-s", "x"]])
def test_wrong_usage_is_2(ctl, arguments):
    ended = ctl(*arguments)
    assert ended.returncode == USAGE and (ended.stderr or ended.stdout)


def test_op_cancel_explains_itself(ctl):
    ended = ctl("op", "cancel", "abc", "-s", "x")
    assert ended.returncode == USAGE
    assert "DELETE" in ended.stderr and "supersedes" in ended.stderr


def test_the_life_of_a_cluster(ctl, quick):
    subscription = new_subscription_id()
    scope = ["-s", subscription, "-g", "rg"]
    body = json.dumps(cluster_body(cluster_id(subscription)))
    assert ctl("subscription", "register", subscription).returncode == OK
    assert "Registered" in ctl("subscription", "show", subscription).stdout
    created = ctl("put", "cluster", "c1", *scope, "-f", "-", "--wait", "--json", input=body)
    assert created.returncode == OK, created.stderr
    assert json.loads(created.stdout)["properties"]["provisioningState"] == "Succeeded"
    pool = ctl("put", "nodepool", "np1", "--cluster", "c1", *scope, "--body", json.dumps(node_pool_body()), "--wait")
    assert pool.returncode == OK, pool.stderr
    by_id = ctl("get", cluster_id(subscription), "--json")
    assert json.loads(by_id.stdout)["id"] == cluster_id(subscription)
    assert "provisioningState" in ctl("get", "cluster", "c1", *scope).stdout
    patched = ctl("patch", "cluster", "c1", *scope, "--body", '{"tags":{"a":"b"}}', "--wait", "--json")
    assert json.loads(patched.stdout)["tags"] == {"a": "b"}
    listed = ctl("list", "cluster", "-s", subscription)
    assert "c1" in listed.stdout and "Succeeded" in listed.stdout
    assert [item["name"] for item in json.loads(ctl("list", "nodepool", "--cluster", "c1", *scope, "--json").stdout)] == ["np1"]
    credential = ctl("action", "requestAdminCredential", "cluster", "c1", *scope, "--wait", "--json")
    kubeconfig = json.loads(credential.stdout)["kubeconfig"]
    shown = ctl("action", "requestAdminCredential", "cluster", "c1", *scope, "--wait").stdout
    assert shown.startswith("kubeconfig\n  apiVersion: v1\n  kind: Config\n"), "several lines stand below their name"
    assert len(shown.splitlines()) == len(kubeconfig.splitlines()) + 2
    operations = json.loads(ctl("op", "list", "-s", subscription, "--json").stdout)
    assert len(operations) == 5 and {o["status"] for o in operations} == {"Succeeded"}
    table = [line.split() for line in ctl("op", "list", "-s", subscription).stdout.splitlines()]
    assert table[0] == ["OPERATION", "REQUEST", "RESOURCE", "STATUS", "STARTED", "ENDED"]
    assert [row[:4] for row in table[1:]] == [[o["name"], o["operation"], "c1/np1" if "nodePools" in o["resourceId"] else "c1", o["status"]]
                                              for o in operations]
    shown = ctl("op", "show", operations[0]["name"], "-s", subscription, "--json")
    assert json.loads(shown.stdout) == operations[0] or json.loads(shown.stdout)["name"] == operations[0]["name"]
    removed = ctl("delete", "cluster", "c1", *scope, "--wait")
    assert removed.returncode == OK, removed.stderr
    assert ctl("get", "cluster", "c1", *scope).returncode == NOT_FOUND
    again = ctl("delete", "cluster", "c1", *scope, "--wait")
    assert again.returncode == OK and "nothing to delete" in again.stderr


def test_without_wait_it_names_the_operation_and_watch_follows_it(ctl, quick):
    subscription = new_subscription_id()
    ctl("subscription", "register", subscription)
    created = ctl("put", "cluster", "c1", "-s", subscription, "-g", "rg", "--body", json.dumps(cluster_body(cluster_id(subscription))))
    assert created.returncode == OK
    url = created.stderr.split("'")[1]
    watched = ctl("op", "watch", url, "--json")
    assert watched.returncode == OK and json.loads(watched.stdout)["status"] == "Succeeded"


def test_a_failed_operation_is_1(ctl, simulator, quick):
    simulator.script({"action": "fail", "method": "POST", "route": "/clusters", "code": "OCM7", "message": "No capacity here"})
    subscription = new_subscription_id()
    ctl("subscription", "register", subscription)
    created = ctl("put", "cluster", "c1", "-s", subscription, "-g", "rg", "--body", json.dumps(cluster_body(cluster_id(subscription))), "--wait")
    assert created.returncode == FAILED and "No capacity here" in created.stderr


def test_refusals_are_4_and_what_is_missing_3(ctl, simulator):
    subscription = new_subscription_id()
    scope = ["-s", subscription, "-g", "rg"]
    body = json.dumps(cluster_body(cluster_id(subscription)))
    assert ctl("put", "cluster", "c1", *scope, "--body", body).returncode == NOT_FOUND, "the subscription"
    ctl("subscription", "register", subscription)
    assert ctl("patch", "cluster", "c1", *scope, "--body", "{}").returncode == NOT_FOUND
    assert ctl("put", "cluster", "c1", *scope, "--body", "{}").returncode == REFUSED
    assert ctl("put", "cluster", "c1", *scope, "--body", body).returncode == OK
    conflict = ctl("put", "cluster", "c1", *scope, "--body", body)
    assert conflict.returncode == REFUSED and "Cannot update resource" in conflict.stderr
    as_json = ctl("put", "cluster", "c1", *scope, "--body", body, "--json")
    assert json.loads(as_json.stdout)["error"]["code"] == "Conflict"
    stale = ctl("delete", "cluster", "c1", *scope, "--if-match", '"stale"')
    assert stale.returncode == REFUSED and "PreconditionFailed" in stale.stderr


def test_no_server_is_5():
    ended = run("acceptctl", "--server", f"http://127.0.0.1:{free_port()}", "list", "cluster", "-s", "x")
    assert ended.returncode == UNREACHABLE and "does not answer" in ended.stderr


def test_waiting_too_long_is_6(ctl, simulator):
    subscription = new_subscription_id()
    ctl("subscription", "register", subscription)
    body = json.dumps(cluster_body(cluster_id(subscription)))
    ended = ctl("--timeout", "1", "put", "cluster", "c1", "-s", subscription, "-g", "rg", "--body", body, "--wait")
    assert ended.returncode == TIMED_OUT


# -- a server that answers as the test says -------------------------------------------------------------------------------

class Scripted:
    """Answers requests in order from a list of (status, headers, body); keeps when and what it was asked."""

    def __init__(self, answers):
        self.answers, self.asked = list(answers), []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                outer.asked.append((time.monotonic(), self.command, self.path))
                status, headers, body = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                headers = headers(outer) if callable(headers) else headers
                content = json.dumps(body).encode() if body is not None else b""
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def gaps(self):
        return [later[0] - earlier[0] for earlier, later in zip(self.asked, self.asked[1:])]


DELETE = ["delete", "cluster", "c1", "-s", "s", "-g", "g"]
OPERATION = "/subscriptions/s/providers/x/locations/l/ops/1?api-version=1"
ACCEPTED = (202, lambda s: {"Azure-AsyncOperation": s.url + OPERATION, "Retry-After": "0"}, None)
DONE = (200, {}, {"status": "Succeeded"})


def in_seconds(seconds):
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


def test_ARM_126_SH_001_it_waits_what_retry_after_says_in_both_forms():
    running = {"status": "Deleting"}
    answers = [ACCEPTED, (200, {"Retry-After": "1"}, running), (200, lambda _: {"Retry-After": in_seconds(2)}, running),
               (200, {"Retry-After-Ms": "300"}, running), (200, {"x-ms-retry-after-ms": "200"}, running), DONE]
    with Scripted(answers) as server:
        ended = run("acceptctl", "--server", server.url, *DELETE, "--wait")
        assert ended.returncode == OK, ended.stderr
        gaps = server.gaps()
    assert [method for _, method, _ in server.asked] == ["DELETE"] + ["GET"] * 5
    assert {path for _, method, path in server.asked if method == "GET"} == {OPERATION}, "polls keep the URL"
    assert gaps[1] >= 1 and gaps[2] >= 0.9 and gaps[3] >= 0.3 and gaps[4] >= 0.2, gaps


def test_ARM_126_without_retry_after_it_waits_a_minute():
    """It has not polled again when a time-out far below a minute ends it."""
    with Scripted([ACCEPTED, (200, {}, {"status": "Deleting"}), DONE]) as server:
        ended = run("acceptctl", "--server", server.url, "--timeout", "2", *DELETE, "--wait")
        assert ended.returncode == TIMED_OUT
        assert len(server.asked) == 2


@pytest.mark.parametrize("status, headers", [(408, {}), (500, {}), (503, {"Retry-After": "0"}), (429, {"Retry-After": "0"}), (409, {"Retry-After": "0"})])
def test_ARM_200_it_repeats_what_may_be_repeated(status, headers):
    with Scripted([(status, headers, {"error": {"code": "X", "message": "y"}}), (204, {}, None)]) as server:
        assert run("acceptctl", "--server", server.url, *DELETE).returncode == OK
        assert len(server.asked) == 2


@pytest.mark.parametrize("status, code", [(400, REFUSED), (404, NOT_FOUND), (409, REFUSED), (412, REFUSED)])
def test_ARM_200_it_does_not_repeat_what_is_final(status, code):
    with Scripted([(status, {}, {"error": {"code": "X", "message": "y"}})]) as server:
        assert run("acceptctl", "--server", server.url, *DELETE).returncode == code
        assert len(server.asked) == 1


def test_ARM_200_a_post_that_may_have_worked_is_not_repeated():
    with Scripted([(500, {}, {"error": {"code": "X", "message": "y"}})]) as server:
        ended = run("acceptctl", "--server", server.url, "action", "act", "cluster", "c1", "-s", "s", "-g", "g")
        assert (ended.returncode, len(server.asked)) == (UNREACHABLE, 1)


def test_ARM_200_attempts_are_bounded():
    with Scripted([(503, {"Retry-After": "0"}, {"error": {"code": "X", "message": "y"}})]) as server:
        assert run("acceptctl", "--server", server.url, *DELETE).returncode == UNREACHABLE
        assert len(server.asked) == 4


def test_a_poll_that_fails_is_no_outcome():
    broken = (500, {"Retry-After": "0"}, {"error": {"code": "X", "message": "y"}})
    with Scripted([ACCEPTED, broken, broken, broken, broken, broken, DONE]) as server:
        assert run("acceptctl", "--server", server.url, *DELETE, "--wait").returncode == OK


def test_a_result_url_alone_is_followed():
    located = lambda s: {"Location": s.url + "/result?api-version=1", "Retry-After": "0"}
    with Scripted([(202, located, None), (202, located, None), (204, {}, None)]) as server:
        assert run("acceptctl", "--server", server.url, *DELETE, "--wait").returncode == OK
        assert [path for _, _, path in server.asked][1:] == ["/result?api-version=1"] * 2


def test_an_operation_at_another_host_is_not_followed():
    with Scripted([(202, {"Azure-AsyncOperation": "http://other.example/x"}, None)]) as server:
        ended = run("acceptctl", "--server", server.url, *DELETE, "--wait")
        assert ended.returncode == USAGE and "other.example" in ended.stderr and len(server.asked) == 1


def test_ARM_096_all_pages_are_followed():
    page = lambda n, more: (200, {}, {"value": [{"id": f"/subscriptions/s/resourceGroups/g/providers/n/t/{n}", "name": str(n)}], **more})
    with Scripted([page(1, {})]) as server:
        server.answers = [page(1, {"nextLink": server.url + "/two"}), (200, {}, {"value": [], "nextLink": server.url + "/three"}), page(3, {"nextLink": None})]
        ended = run("acceptctl", "--server", server.url, "list", "cluster", "-s", "s", "--json")
        assert [item["name"] for item in json.loads(ended.stdout)] == ["1", "3"]
