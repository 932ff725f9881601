"""The rules that ARM's linter has for a published description, checked on the documents that acceptd itself is compiled from."""

import json
import pathlib
import re

import pytest

SPECS = pathlib.Path(__file__).parents[2] / "specs" / "hcp" / "openapi"
VERSIONS = ["2024-06-10-preview", "2025-12-23-preview"]
METHODS = ("get", "put", "patch", "post", "delete")


def load(file):
    """The file's value, every $ref with the whole path of the file that it leads into."""
    def whole(value):
        if isinstance(value, list):
            return [whole(item) for item in value]
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("$ref"), str):
            path, _, pointer = value["$ref"].partition("#")
            return {**value, "$ref": f"{(file.parent / path).resolve() if path else file}#{pointer}"}
        return {name: whole(member) for name, member in value.items()}
    return whole(json.loads(file.read_text()))


class Document:
    def __init__(self, version):
        self.root = load((SPECS / version / "openapi.json").resolve())

    def operations(self, *methods):
        """[(method, path, operation)]; never empty."""
        found = [(m, p, o) for p, item in self.root["paths"].items() for m, o in item.items() if m in (methods or METHODS)]
        assert found
        return found

    def long_running(self, *methods):
        found = [(m, p, o) for m, p, o in self.operations(*methods) if o.get("x-ms-long-running-operation")]
        assert found
        return found

    def resolve(self, value):
        while "$ref" in value:
            path, _, pointer = value["$ref"].partition("#")
            value = load(pathlib.Path(path))
            for part in pointer.strip("/").split("/"):
                value = value[part.replace("~1", "/").replace("~0", "~")]
        return value

    def members(self, schema):
        """Name and schema of every member, inherited ones included."""
        schema = self.resolve(schema)
        found = {}
        for parent in schema.get("allOf", []):
            found.update(self.members(parent))
        found.update(schema.get("properties", {}))
        return found


@pytest.fixture(params=VERSIONS)
def document(request):
    return Document(request.param)


def codes(operation):
    return set(operation["responses"])


def test_ARM_290_put_answers_200_and_201(document):
    for _, path, operation in document.operations("put"):
        assert codes(operation) == {"200", "201", "default"}, path
        assert all("schema" in operation["responses"][code] for code in ("200", "201")), path


def test_ARM_291_delete_answers_202_and_204(document):
    for _, path, operation in document.operations("delete"):
        expected = {"202", "204", "default"} if operation.get("x-ms-long-running-operation") else {"200", "204", "default"}
        assert codes(operation) == expected, path
        assert "schema" not in operation["responses"]["202"] and "schema" not in operation["responses"]["204"], path


def test_ARM_292_post_answers_202_and_either_200_or_204(document):
    for _, path, operation in document.long_running("post"):
        final = codes(operation) - {"202", "default"}
        assert final in ({"200"}, {"204"}), path
        assert "schema" not in operation["responses"]["202"], path
        assert ("schema" in operation["responses"][final.pop()]) == ("200" in codes(operation)), path


def test_ARM_293_patch_answers_200_and_202(document):
    for _, path, operation in document.long_running("patch"):
        assert codes(operation) == {"200", "202", "default"}, path


def test_ARM_294_every_202_declares_location(document):
    for method, path, operation in document.long_running():
        if "202" in operation["responses"]:
            assert "Location" in operation["responses"]["202"]["headers"], f"{method} {path}"


def test_ARM_295_long_running_writes_have_a_provisioning_state(document):
    for method, path, operation in document.long_running("put", "patch"):
        properties = document.members(operation["responses"]["200"]["schema"])["properties"]
        declared = document.members(properties)["provisioningState"]
        assert declared.get("readOnly") is True, f"{method} {path}"
        assert {"Succeeded", "Failed", "Canceled"} <= set(document.resolve(declared)["enum"]), f"{method} {path}"


def test_ARM_295_202_is_said_to_be_long_running(document):
    for method, path, operation in document.operations("put", "patch", "post", "delete"):
        assert ("202" not in operation["responses"]) or operation["x-ms-long-running-operation"] is True, f"{method} {path}"


def test_ARM_295_errors_are_arms(document):
    for method, path, operation in document.operations():
        schema = operation["responses"]["default"]["schema"]
        assert set(document.members(document.members(schema)["error"])) >= {"code", "message"}, f"{method} {path}"


def test_ARM_295_get_answers_200(document):
    for _, path, operation in document.operations("get"):
        allowed = {"200", "202", "204", "default"} if "hcpOperationResults" in path else {"200", "default"}
        assert codes(operation) == allowed, path


def test_ARM_295_lists_have_value_and_next_link_only(document):
    lists = [(p, o) for _, p, o in document.operations("get") if "x-ms-pageable" in o]
    assert len(lists) >= 5
    for path, operation in lists:
        assert set(document.members(operation["responses"]["200"]["schema"])) == {"value", "nextLink"}, path


def test_ARM_295_every_operation_takes_an_api_version(document):
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}(-preview)?", document.root["info"]["version"])
    for method, path, operation in document.operations():
        parameters = [document.resolve(p) for p in operation["parameters"]]
        version, = [p for p in parameters if p["name"] == "api-version"]
        assert version["in"] == "query" and version["required"] is True, f"{method} {path}"


def test_ARM_295_the_operations_api_is_described(document):
    assert "get" in document.root["paths"]["/providers/Microsoft.RedHatOpenShift/operations"]


def test_ARM_295_resources_have_system_data_that_is_read_only(document):
    for _, path, operation in document.operations("put"):
        declared = document.members(operation["responses"]["200"]["schema"])["systemData"]
        assert declared.get("readOnly") is True, path
