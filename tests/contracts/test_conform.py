"""`acceptctl conform`: finds nothing wrong with acceptd, and in each deliberately broken server exactly what is broken there."""
import json

import pytest

from arm import CLIENT, TENANT, V2024, cluster_body, cluster_id
from falsifier import Falsifier
from processes import run
from stack import new_subscription_id

STRANGER = "99999999-9999-4999-8999-999999999999"
CONFORMING, BROKEN = 0, 7
RULES_AT_LEAST = 60  # that a whole run looks at


@pytest.fixture
def conform(arm, simulator):
    """Runs the command against a URL; the backend needs a moment for all that it does."""
    simulator.set_durations(0.05)

    def call(url, *more):
        subscription = new_subscription_id()
        arm.register(subscription)
        resource = cluster_id(subscription, "conform")
        body = {**cluster_body(resource, V2024), "tags": {"made": "first"}}
        ended = run("acceptctl", "conform", f"{url}{resource}?api-version={V2024}", "--body", json.dumps(body), "--stranger", STRANGER,
                    "--short-waits", "--json", "--timeout", "30", *more, env={"ACCEPTD_TENANT": TENANT, "ACCEPTD_CLIENT": CLIENT})
        return ended, json.loads(ended.stdout)["rules"] if ended.stdout else {}
    return call


def broken_rules(rules):
    return {rule: told["first"] for rule, told in rules.items() if not told["kept"]}


def test_acceptd_conforms(stack, conform):
    ended, rules = conform(stack.acceptd.url)
    assert broken_rules(rules) == {} and ended.returncode == CONFORMING
    assert len(rules) >= RULES_AT_LEAST


def test_the_table_is_for_people(stack, arm, simulator):
    simulator.set_durations(0.05)
    subscription = new_subscription_id()
    arm.register(subscription)
    resource = cluster_id(subscription, "conform")
    ended = run("acceptctl", "conform", f"{stack.acceptd.url}{resource}?api-version={V2024}", "--short-waits",
                "--body", json.dumps(cluster_body(resource, V2024)))
    assert ended.returncode == CONFORMING, ended.stdout
    assert ended.stdout.splitlines()[0].split() == ["RULE", "RESULT", "LOOKS", "FIRST", "FINDING"]
    assert "ARM-120   kept" in ended.stdout


# ---- broken servers: a rule, and what is done to requests (ask_) or answers --------------------------------------------

BROKEN_SERVERS = {}


def breaks(rule, name=None):
    def note(make):
        BROKEN_SERVERS[name or rule] = (rule, make)
        return make
    return note


def always(header, value):
    def answer(x):
        x.headers[header] = value
    return answer


@breaks("ARM-001")
def same_request_id():
    return {"answer": always("x-ms-request-id", "always-the-same")}


@breaks("ARM-001", "ARM-001 missing")
def no_request_id():
    return {"answer": lambda x: x.headers.pop("x-ms-request-id", None)}


@breaks("ARM-002")
def no_date():
    return {"answer": lambda x: x.headers.pop("date", None)}


@breaks("ARM-003")
def wrong_media_type():
    return {"answer": lambda x: x.headers.update({"content-type": "text/plain"}) if x.content else None}


@breaks("ARM-005")
def echoes_unasked():
    return {"answer": lambda x: x.headers.update({"x-ms-client-request-id": x.asked["x-ms-client-request-id"]})}


@breaks("ARM-011")
def links_inside():
    def answer(x):
        for name in ("location", "azure-asyncoperation"):
            if name in x.headers:
                x.headers[name] = x.headers[name].replace("front-door.conformance.example", "inside.example")
    return {"answer": answer}


@breaks("ARM-030")
def needs_no_version():
    def ask(x):
        x.query = x.query or f"api-version={V2024}"
    return {"ask": ask}


@breaks("ARM-032")
def knows_every_version():
    def ask(x):
        x.query = x.query.replace("1999-01-01", V2024)
    return {"ask": ask}


@breaks("ARM-033")
def links_without_version():
    def ask(x):
        x.query = x.query or (f"api-version={V2024}" if x.is_status else "")

    def answer(x):
        if "azure-asyncoperation" in x.headers:
            x.headers["azure-asyncoperation"] = x.headers["azure-asyncoperation"].partition("?")[0]
    return {"ask": ask, "answer": answer}


@breaks("ARM-040")
def errors_without_message():
    return {"answer": lambda x: x.edit(lambda b: b["error"].pop("message")) if x.status >= 400 and x.content else None}


@breaks("ARM-041")
def code_in_lower_case():
    def answer(x):
        if x.status == 404:
            x.refuse(404, "not_found")
    return {"answer": answer}


@breaks("ARM-044")
def no_error_header():
    return {"answer": lambda x: x.headers.pop("x-ms-error-code", None)}


@breaks("ARM-053")
def wrong_name():
    def answer(x):
        if x.is_resource and x.status in (200, 201) and x.content:
            x.edit(lambda b: b.update(name="another"))
    return {"answer": answer}


@breaks("ARM-058")
def merges_tags():
    patched = []

    def answer(x):
        patched.extend([1] if x.method == "PATCH" and x.status == 202 else [])
        if patched and x.is_resource and x.method == "GET" and x.status == 200:
            x.edit(lambda b: b["tags"].update(made="first"))
    return {"answer": answer}


@breaks("ARM-063")
def forgets_a_tag():
    return {"answer": lambda x: x.edit(lambda b: b.pop("tags")) if x.status == 201 else None}


@breaks("ARM-080")
def creates_with_200():
    def answer(x):
        x.status = 200 if x.status == 201 else x.status
    return {"answer": answer}


@breaks("ARM-084")
def missing_is_a_bad_request():
    written = []

    def answer(x):
        written.extend([1] if x.status == 201 else [])
        if not written and x.method == "GET" and x.status == 404:
            x.status = 410
    return {"answer": answer}


@breaks("ARM-094")
def empty_next_link():
    return {"answer": lambda x: x.edit(lambda b: b.update(nextLink="")) if x.is_list and x.status == 200 else None}


@breaks("ARM-100")
def tag_in_the_body_only():
    return {"answer": lambda x: x.headers.pop("etag", None)}


def cell(rule, method, header, value, before, after):
    @breaks(rule)
    def wrong_cell():
        def answer(x):
            if x.method == method and x.asked.get(header) == value and x.status == before:
                x.status = after
        return {"answer": answer}


STALE = '"no-such-tag"'
cell("ARM-102", "PUT", "if-match", "*", 412, 404)
cell("ARM-103", "PUT", "if-match", STALE, 412, 409)
cell("ARM-104", "PUT", "if-none-match", "*", 412, 409)
cell("ARM-105", "PATCH", "if-match", None, 404, 400)
cell("ARM-106", "PATCH", "if-match", "*", 404, 400)
cell("ARM-107", "PATCH", "if-match", STALE, 412, 409)
cell("ARM-108", "DELETE", "if-match", None, 204, 404)
cell("ARM-109", "DELETE", "if-match", "*", 204, 404)
cell("ARM-110", "DELETE", "if-match", STALE, 412, 409)


@breaks("ARM-111")
def another_code_for_412():
    return {"answer": lambda x: x.refuse(412, "Conflict") if x.status == 412 else None}


@breaks("ARM-113")
def never_304():
    return {"ask": lambda x: x.asked.pop("if-none-match", None) if x.method == "GET" else None}


@breaks("ARM-120")
def waits_in_words():
    return {"answer": lambda x: x.headers.update({"retry-after": "soon"}) if "retry-after" in x.headers else None}


def relative(rule, header):
    @breaks(rule)
    def relative_link():
        def answer(x):
            if header in x.headers:
                x.headers[header] = "/" + x.headers[header].split("/", 3)[3]
        return {"answer": answer}


relative("ARM-121", "location")
relative("ARM-122", "azure-asyncoperation")


@breaks("ARM-131")
def shows_the_target_late():
    read = []

    def answer(x):
        if x.is_resource and x.method == "GET" and x.status == 200:
            read.append(1)
            if len(read) == 1:
                x.edit(lambda b: b.pop("tags"))
    return {"answer": answer}


@breaks("ARM-133")
def lists_late():
    read = []

    def answer(x):
        if x.is_list and x.status == 200:
            read.append(1)
            if len(read) == 1:
                x.edit(lambda b: b.update(value=[]))
    return {"answer": answer}


@breaks("ARM-135")
def state_that_changes_by_itself():
    ended, read = [], []

    def answer(x):
        if x.is_status and x.status == 200 and x.body["status"] == "Succeeded":
            ended.append(1)
        if ended and x.is_resource and x.method == "GET":
            read.append(1)
            if len(read) == 2:
                x.edit(lambda b: b["properties"].update(provisioningState="Failed"))
    return {"answer": answer}


@breaks("ARM-138")
def refuses_the_state_that_is():
    def ask(x):
        if x.method == "PUT" and b'"Succeeded"' in x.asked_content and "if-match" not in x.asked and written:
            x.canned = True
            x.headers = {"x-ms-request-id": str(len(x.path)) + "-own", "date": "Sat, 21 Nov 2026 10:00:00 GMT"}
            x.refuse(400, "InvalidRequestContent")

    written = []

    def answer(x):
        written.extend([1] if x.status == 201 else [])
        if x.canned and x.asked.get("x-ms-return-client-request-id"):
            x.headers["x-ms-client-request-id"] = x.asked["x-ms-client-request-id"]
    return {"ask": ask, "answer": answer}


@breaks("ARM-139")
def another_status_for_a_wrong_state():
    def answer(x):
        if x.status == 400 and b"provisioningState" in x.asked_content:
            x.status = 409
    return {"answer": answer}


@breaks("ARM-140")
def no_state_in_the_first_body():
    def answer(x):
        if x.method == "PUT" and x.status in (200, 201):
            x.edit(lambda b: b["properties"].pop("provisioningState"))
    return {"answer": answer}


@breaks("ARM-142")
def final_state_in_the_first_body():
    def answer(x):
        if x.method == "PUT" and x.status in (200, 201):
            x.edit(lambda b: b["properties"].update(provisioningState="Succeeded"))
    return {"answer": answer}


def no_location(rule, method):
    @breaks(rule)
    def drops_location():
        return {"answer": lambda x: x.headers.pop("location", None) if x.method == method else None}


no_location("ARM-150", "PATCH")
no_location("ARM-152", "DELETE")


@breaks("ARM-151")
def result_without_the_resource():
    def answer(x):
        if x.is_result and x.status == 200:
            x.status, x.content = 204, b""
    return {"answer": answer}


@breaks("ARM-153")
def still_there_after_its_delete():
    def answer(x):
        if x.is_result and x.status == 204:
            x.refuse(404, "ResourceNotFound")
    return {"answer": answer}


@breaks("ARM-155")
def accepted_with_a_body():
    def answer(x):
        if x.status == 202 and x.method in ("PATCH", "DELETE"):
            x.put_body({"status": "Accepted"})
    return {"answer": answer}


@breaks("ARM-156")
def second_delete_is_a_conflict():
    seen = []

    def answer(x):
        if x.method == "DELETE" and x.status == 202:
            seen.append(1)
            if len(seen) == 2:
                for name in ("location", "azure-asyncoperation"):
                    x.headers.pop(name, None)
                x.refuse(409, "Conflict")
    return {"answer": answer}


@breaks("ARM-141")
def rests_before_its_operation():
    rested, read = [], []

    def answer(x):
        if x.is_resource and x.method == "GET" and x.state == "Succeeded":
            rested.append(1)
        if x.is_status and x.status == 200 and len(read) < 1:
            read.extend(rested[:1])
            as_running(x)
    return {"answer": answer}


@breaks("ARM-160")
def poll_of_the_result_without_a_location():
    read = []

    def answer(x):
        if x.is_result:
            read.append(1)
            if len(read) == 1:
                x.status, x.content = 202, b""
                x.headers = {k: v for k, v in x.headers.items() if k not in ("location", "content-type", "etag")}
    return {"answer": answer}


@breaks("ARM-161")
def result_with_a_location():
    def answer(x):
        if x.is_result and x.status == 200:
            x.headers["location"] = f"https://front-door.conformance.example{x.path}?{x.query}"
    return {"answer": answer}


@breaks("ARM-165")
def unknown_operation_is_a_bad_request():
    def answer(x):
        if x.is_status and x.status == 404 and x.asked.get("x-ms-home-tenant-id") == TENANT:
            x.status = 400
    return {"answer": answer}


@breaks("ARM-166")
def result_that_changes():
    seen = []

    def answer(x):
        if x.is_result and x.status == 200:
            seen.append(1)
            x.edit(lambda b: b.update(reads=len(seen)))
    return {"answer": answer}


def as_running(x):
    """The operation goes on, whatever became of it meanwhile."""
    def go_on(body):
        for name in ("endTime", "properties", "error"):
            body.pop(name, None)
        body["status"] = "Provisioning"
    x.edit(go_on)
    x.headers["retry-after"] = "0"


def running(rule, change):
    @breaks(rule)
    def wrong_status():
        read = []

        def answer(x):
            if x.is_status and x.status == 200:
                read.append(1)
                if len(read) == 1:
                    as_running(x)
                    change(x)
        return {"answer": answer}


running("ARM-170", lambda x: setattr(x, "status", 202))
running("ARM-172", lambda x: x.edit(lambda b: b.pop("status")))
running("ARM-174", lambda x: x.edit(lambda b: b.update(name="another")))
running("ARM-175", lambda x: x.edit(lambda b: b.update(startTime="yesterday")))
running("ARM-176", lambda x: x.edit(lambda b: b.update(percentComplete=101)))
running("ARM-177", lambda x: x.edit(lambda b: b.update(properties={})))
running("ARM-180", lambda x: x.headers.pop("retry-after", None))
running("ARM-181", lambda x: x.edit(lambda b: b.update(resourceLocation="https://elsewhere.example/x")))
running("CL-07", lambda x: x.edit(lambda b: b.update(status="NotYetCanceled")))


@breaks("ARM-182")
def end_that_changes():
    ended = set()

    def answer(x):
        if x.is_status and x.status == 200 and x.body["status"] == "Succeeded":
            if x.lower in ended:
                x.edit(lambda b: (b.pop("properties", None), b.update(status="Failed", error={"code": "Late", "message": "Late."})))
            ended.add(x.lower)
    return {"answer": answer}


@breaks("ARM-183")
def operations_for_everybody():
    def ask(x):
        if x.is_status:
            x.asked.update({"x-ms-home-tenant-id": TENANT, "x-ms-client-object-id": CLIENT})
    return {"ask": ask}


@breaks("CL-05")
def a_get_with_a_status_to_watch():
    def answer(x):
        if x.is_resource and x.method == "GET" and x.status == 200:
            x.headers["azure-asyncoperation"] = f"https://front-door.conformance.example{x.path}?{x.query}"
    return {"answer": answer}


@pytest.mark.parametrize("server", BROKEN_SERVERS)
def test_a_broken_server_is_found_by_the_rule_that_it_breaks(stack, conform, server):
    rule, make = BROKEN_SERVERS[server]
    with Falsifier(stack.acceptd.url, **make()) as falsifier:
        ended, rules = conform(falsifier.url)
    assert set(broken_rules(rules)) == {rule}, broken_rules(rules)
    assert ended.returncode == BROKEN


def test_a_server_that_does_not_answer_is_said_so(conform):
    ended, _ = conform("http://127.0.0.1:1")
    assert ended.returncode == 5 and "no answer" in ended.stdout + ended.stderr
