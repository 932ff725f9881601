"""The life of resources whose types are declared in OpenAPI documents (specs/network-appliance)."""
import json
import shutil

import pytest

from arm import assert_error, group, path_of, state
from processes import run
from stack import REGION

OLD, NEW = "2024-05-01", "2025-03-01"
PROVIDER = "/providers/Contoso.Network"
PASSWORD = "correct-horse-battery"


def appliance_id(subscription, name="fw1"):
    return f"{group(subscription)}{PROVIDER}/appliances/{name}"


def appliance_body(**properties):
    return {"location": REGION, "sku": {"name": "Standard"}, "tags": {"team": "net"},
            "properties": {"adminPassword": PASSWORD, "uplink": {"kind": "Static", "address": "10.0.0.4/24"}, **properties}}


def rule_body(priority=100, **properties):
    return {"properties": {"priority": priority, "action": "Allow", **properties}}


def finish(arm, answer):
    body = arm.finish(answer, advance=False)
    assert body["status"] == "Succeeded", body
    return body


def put_done(arm, resource, body, version=NEW):
    answer = arm.put(resource, body, version=version)
    assert answer.status_code in (200, 201), answer.text
    finish(arm, answer)
    return arm.get(resource, version=version).json()


@pytest.fixture
def appliance(arm, subscription):
    resource = appliance_id(subscription)
    put_done(arm, resource, appliance_body())
    return resource


def test_ARM_130_ARM_134_a_long_put_answers_at_once_and_ends(arm, subscription):
    resource = appliance_id(subscription)
    created = arm.put(resource, appliance_body(), version=NEW)
    assert created.status_code == 201, created.text
    assert state(created) not in ("Succeeded", "Failed", "Canceled")
    assert path_of(created.headers["azure-asyncoperation"]).startswith(
        f"/subscriptions/{subscription}{PROVIDER}/locations/{REGION}/operationStatuses/")
    finish(arm, created)
    read = arm.get(resource, version=NEW)
    body = read.json()
    assert body["id"] == resource and body["name"] == "fw1" and body["type"] == "Contoso.Network/appliances"
    assert body["location"] == REGION and body["sku"] == {"name": "Standard"} and body["tags"] == {"team": "net"}
    assert body["properties"] == {"provisioningState": "Succeeded", "size": "Small", "adminUser": "admin", "throughputMbps": 1000,
                                  "uplink": {"kind": "Static", "address": "10.0.0.4/24"},
                                  "hostName": "appliance.example.net"}
    again = arm.put(resource, appliance_body(size="Large"), version=NEW)
    assert again.status_code == 200
    finish(arm, again)
    assert arm.get(resource, version=NEW).json()["properties"]["size"] == "Large"


def test_ARM_150_ARM_060_a_patch_changes_what_it_names(arm, appliance):
    answer = arm.patch(appliance, {"sku": {"name": "Basic"}, "properties": {"uplink": {"gateway": "10.0.0.1"}}}, version=NEW)
    assert answer.status_code == 202 and answer.content == b"" and answer.headers["location"]
    finish(arm, answer)
    result = arm.get(arm.result_url(answer))
    assert result.status_code == 200
    body = result.json()
    assert body["sku"] == {"name": "Basic"}
    assert body["properties"]["uplink"] == {"kind": "Static", "address": "10.0.0.4/24", "gateway": "10.0.0.1"}
    assert body["tags"] == {"team": "net"}


def test_the_secret_is_kept_through_a_patch_and_never_shown(arm, declared, appliance):
    finish(arm, arm.patch(appliance, {"tags": {"a": "b"}}, version=NEW))  # the merge must still have what is required
    for answer in (arm.get(appliance, version=NEW), arm.get(appliance, version=OLD),
                   arm.get(f"{appliance.rsplit('/', 1)[0]}", version=NEW),
                   arm.put(appliance, appliance_body(size="Medium"), version=NEW)):
        assert answer.status_code == 200
        assert PASSWORD not in answer.text and "adminPassword" not in answer.text
    assert PASSWORD not in declared.program.log.read_text()


def test_what_one_version_does_not_know_survives_an_update_in_it(arm, subscription):
    resource = appliance_id(subscription)
    put_done(arm, resource, appliance_body(throughputMbps=5000))
    old = arm.get(resource, version=OLD).json()
    assert "throughputMbps" not in old["properties"]
    put_done(arm, resource, appliance_body(size="Medium"), version=OLD)
    new = arm.get(resource, version=NEW).json()["properties"]
    assert (new["size"], new["throughputMbps"]) == ("Medium", 5000)


@pytest.mark.parametrize("change, target", [
    ({"size": "Huge"}, "properties.size"),
    ({"adminPassword": "short"}, "properties.adminPassword"),
    ({"colour": "red"}, "properties.colour"),
    ({"throughputMbps": 1}, "properties.throughputMbps"),
    ({"uplink": {"kind": "Pigeon"}}, "properties.uplink.kind"),
    ({"uplink": {"kind": "Static"}}, "properties.uplink.address"),
    ({"uplink": {"kind": "Dynamic", "address": "10.0.0.4/24"}}, "properties.uplink.address"),
])
def test_a_body_that_the_document_does_not_allow_is_refused(arm, subscription, change, target):
    answer = arm.put(appliance_id(subscription), appliance_body(**change), version=NEW)
    error = assert_error(answer, 400, "InvalidRequestContent", target=target)
    assert "short" not in error["message"]
    assert arm.get(appliance_id(subscription), version=NEW).status_code == 404


def test_what_is_fixed_at_creation_cannot_change(arm, appliance):
    assert_error(arm.put(appliance, appliance_body(adminUser="root"), version=NEW), 400, "InvalidRequestContent",
                 target="properties.adminUser")
    assert_error(arm.patch(appliance, {"properties": {"adminUser": "root"}}, version=NEW), 400, "InvalidRequestContent",
                 target="properties.adminUser")


def test_ARM_052_names_are_those_of_the_documents_parameter(arm, subscription):
    assert_error(arm.put(appliance_id(subscription, "9lives"), appliance_body(), version=NEW), 400, "InvalidResourceName")


def test_a_resource_of_the_document_lives_only_in_the_scope_that_it_says(arm, subscription):
    answer = arm.put(f"/subscriptions/{subscription}{PROVIDER}/appliances/fw1", appliance_body(), version=NEW)
    assert answer.status_code == 404


def test_ARM_067_children_need_their_parent(arm, subscription):
    orphan = appliance_id(subscription, "none") + "/rules/r1"
    assert arm.put(orphan, rule_body(), version=NEW).status_code == 404
    assert arm.get(appliance_id(subscription, "none") + "/rules", version=NEW).status_code == 404


def test_ARM_064_a_rule_has_neither_location_nor_tags(arm, appliance):
    body = put_done(arm, appliance + "/rules/r1", rule_body())
    assert "location" not in body and "tags" not in body
    assert body["type"] == "Contoso.Network/appliances/rules"
    assert_error(arm.put(appliance + "/rules/r2", {"location": REGION, **rule_body(200)}, version=NEW), 400,
                 "InvalidRequestContent", target="location")


def test_values_that_must_be_unique_are(arm, appliance):
    put_done(arm, appliance + "/rules/r1", rule_body(100))
    assert_error(arm.put(appliance + "/rules/r2", rule_body(100), version=NEW), 409, "Conflict")
    finish(arm, arm.delete(appliance + "/rules/r1", version=NEW))
    put_done(arm, appliance + "/rules/r2", rule_body(100))


def test_ARM_080_ARM_082_ARM_083_a_synchronous_type_is_answered_when_it_is_done(arm, subscription):
    resource = f"{group(subscription)}{PROVIDER}/addressLists/home"
    body = {"location": REGION, "properties": {"addresses": ["10.1.0.0/16"]}}
    created = arm.put(resource, body, version=NEW)
    assert created.status_code == 201 and state(created) == "Succeeded"
    updated = arm.put(resource, body, version=NEW)
    assert updated.status_code == 200 and state(updated) == "Succeeded"
    patched = arm.patch(resource, {"properties": {"comment": "mine"}}, version=NEW)
    assert patched.status_code == 200 and patched.json()["properties"]["comment"] == "mine"
    removed = arm.delete(resource, version=NEW)
    assert removed.status_code == 200 and removed.content == b""
    assert arm.delete(resource, version=NEW).status_code == 204
    for answer in (created, updated, patched, removed):
        assert "azure-asyncoperation" not in answer.headers and "location" not in answer.headers


def test_a_singleton_has_only_its_one_name(arm, appliance):
    setting = appliance + "/diagnosticSettings/default"
    answer = arm.put(setting, {"properties": {}}, version=NEW)
    assert answer.status_code == 200, answer.text  # the document knows no 201
    assert answer.json()["properties"] == {"provisioningState": "Succeeded", "level": "Errors"}
    assert_error(arm.put(appliance + "/diagnosticSettings/other", {"properties": {}}, version=NEW), 400, "InvalidResourceName")


@pytest.mark.parametrize("path, method, allow", [
    ("/diagnosticSettings/default", "DELETE", "GET, HEAD, PUT"),
    ("/diagnosticSettings/default", "PATCH", "GET, HEAD, PUT"),
    ("/rules/r1", "PATCH", "GET, HEAD, PUT, DELETE"),
    ("/rules", "PUT", "GET, HEAD"),
    ("/restart", "GET", "POST"),
])
def test_methods_that_the_document_does_not_have_are_answered_405(arm, appliance, path, method, allow):
    answer = arm.request(method, appliance + path, version=NEW, json={} if method in ("PUT", "PATCH") else None)
    assert_error(answer, 405, "MethodNotAllowed")
    assert answer.headers["allow"] == allow


def test_ARM_085_an_action_with_an_answer_gives_it_at_once(arm, appliance):
    answer = arm.post(appliance + "/listCredentials", version=NEW)
    assert answer.status_code == 200
    assert answer.json() == {"adminUser": "admin", "adminPassword": "not-a-real-password"}
    assert answer.headers["cache-control"] == "no-store"


def test_ARM_154_ARM_161_a_long_action_gives_its_answer_at_its_location(arm, appliance):
    answer = arm.post(appliance + "/exportConfiguration", version=NEW)
    assert answer.status_code == 202 and answer.content == b""
    finish(arm, answer)
    result = arm.get(arm.result_url(answer))
    assert result.status_code == 200 and result.json() == {"text": "hostname appliance"}
    quiet = arm.post(appliance + "/restart", version=NEW, json={"mode": "Forced"})
    finish(arm, quiet)
    assert arm.get(arm.result_url(quiet)).status_code in (200, 204)


def test_an_actions_parameters_are_checked(arm, appliance):
    assert_error(arm.post(appliance + "/restart", version=NEW, json={"mode": "Sideways"}), 400, "InvalidRequestContent",
                 target="mode")


def test_an_action_of_a_later_version_is_not_there_before(arm, appliance):
    assert arm.post(appliance + "/exportConfiguration", version=OLD).status_code == 404


def test_ARM_090_lists(arm, appliance, subscription):
    put_done(arm, appliance + "/rules/r1", rule_body())
    by_group = arm.get(f"{group(subscription)}{PROVIDER}/appliances", version=NEW).json()
    by_subscription = arm.get(f"/subscriptions/{subscription}{PROVIDER}/appliances", version=NEW).json()
    assert [one["id"] for one in by_group["value"]] == [one["id"] for one in by_subscription["value"]] == [appliance]
    rules = arm.get(appliance + "/rules", version=NEW).json()["value"]
    assert [one["name"] for one in rules] == ["r1"]
    # The document lists address lists of a group only.
    assert arm.get(f"/subscriptions/{subscription}{PROVIDER}/addressLists", version=NEW).status_code == 404


def test_ARM_065_ARM_152_ARM_153_a_delete_takes_what_is_below_with_it(arm, appliance):
    put_done(arm, appliance + "/rules/r1", rule_body())
    answer = arm.delete(appliance, version=NEW)
    assert answer.status_code == 202 and answer.content == b""
    finish(arm, answer)
    assert arm.get(appliance, version=NEW).status_code == 404
    assert arm.get(appliance + "/rules/r1", version=NEW).status_code == 404


def test_ARM_030_ARM_032_versions_are_those_of_the_folder(arm, appliance):
    assert_error(arm.get(appliance, version=None), 400, "InvalidParameter")
    assert_error(arm.get(appliance, version="2023-01-01"), 400, "InvalidResourceType")


def test_ARM_243_ARM_244_the_providers_operations_are_listed(arm):
    names = {one["name"] for one in arm.get(f"{PROVIDER}/operations", version=NEW).json()["value"]}
    assert {"Contoso.Network/appliances/write", "Contoso.Network/appliances/restart/action",
            "Contoso.Network/appliances/rules/delete"} <= names
    assert "Contoso.Network/appliances/diagnosticSettings/delete" not in names


def test_check_says_what_is_not_served(declared):
    checked = run("acceptd", "check", declared.config_file)
    assert checked.returncode == 0, checked.stderr
    assert "Contoso.Network/appliances/rules (2 API versions)" in checked.stdout
    notes = [line for line in checked.stdout.splitlines() if line.startswith("note: ")]
    assert len(notes) == 2
    assert "/openapi/2025-03-01/network.json#/paths/~1" in notes[0]
    assert any("locations~1{location}~1sizes/get: not served" in note for note in notes)


@pytest.mark.parametrize("edit, said", [
    (lambda d: d["definitions"].pop("Sku"), "#/definitions/Appliance/properties/sku: the reference '#/definitions/Sku' names nothing"),
    (lambda d: d["definitions"]["Sku"]["properties"].update(capacity={"type": "integer", "minimum": 9, "maximum": 2}),
     "#/definitions/Sku/properties/capacity: contradicts itself"),
    (lambda d: d["definitions"]["Sku"].update(required=["again"], properties={"again": {"$ref": "#/definitions/Sku"}}),
     "#/definitions/Sku: recursive without end"),
    (lambda d: d["definitions"]["Sku"].update(allOf=[{"$ref": "#/definitions/Sku"}]), "#/definitions/Sku: a schema is part of itself"),
])
def test_a_document_that_cannot_be_used_is_refused_with_its_place(declared, tmp_path, edit, said):
    folder = tmp_path / "provider"
    shutil.copytree(declared.provider, folder)
    document = folder / "openapi" / NEW / "network.json"
    text = json.loads(document.read_text())
    edit(text)
    document.write_text(json.dumps(text))
    config = json.loads(declared.config_file.read_text())
    config["providers"] = [str(folder)]
    (tmp_path / "acceptd.yaml").write_text(json.dumps(config))
    checked = run("acceptd", "check", tmp_path / "acceptd.yaml")
    assert checked.returncode == 1
    assert f"{document}{said}" in checked.stderr
    assert run("acceptd", "serve", "--config", tmp_path / "acceptd.yaml").returncode == 1
