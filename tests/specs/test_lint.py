"""Azure's own rules for the OpenAPI documents of resource providers (ARM-290 to ARM-295) find nothing wrong with ours."""
import copy
import json
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
OPENAPI = ROOT / "specs" / "hcp" / "openapi"
CLIENTS = ROOT / "tests" / "clients"
VERSIONS = ["2024-06-10-preview", "2025-12-23-preview"]

# Which of the linter's rules a rule of the contract stands for.
RULES = {
    "ARM-290": ["PutResponseCodes"],
    "ARM-291": ["DeleteResponseCodes"],
    "ARM-292": ["PostResponseCodes"],
    "ARM-293": ["PatchResponseCodes", "LroPatch202"],
    "ARM-294": ["LroLocationHeader"],
    "ARM-295": ["ProvisioningStateSpecifiedForLROPut", "ProvisioningStateSpecifiedForLROPatch", "ProvisioningStateValidation",
                "XMSLongRunningOperationProperty", "ProvisioningStateMustBeReadOnly", "LroErrorContent", "GetResponseCodes", "DeleteResponseBodyEmpty",
                "GetCollectionOnlyHasValueAndNextLink", "ApiVersionParameterRequired", "APIVersionPattern", "OperationsApiSchemaUsesCommonTypes",
                "OperationsApiResponseSchema", "SystemDataDefinitionsCommonTypes"],
}
# What the linter calls wrong and is meant: (rule, part of the place) and why.
MEANT = {
    ("GetResponseCodes", "/hcpOperationResults/"): "it answers as the request would have, so a finished delete gives 204",
    ("GuidUsage", "/hcpOperation"): "operations are named by UUIDs",
    ("AvoidAdditionalProperties", "definitions.UserAssignedIdentitiesProfile"): "identities by the names of operators, which are not known beforehand",
    ("AvoidAdditionalProperties", "definitions.HcpOperationResult"): "a result is a resource, a credential or nothing",
    ("PatchBodyParametersSchema", "UpdateProperties"): "a PATCH is a merge patch: what it leaves out is taken from the resource, defaults and all",
}


def published(document, folder):
    """Writes a document as the repository of Azure's specifications has it: the common types lie elsewhere there, and rules look for that."""
    types = folder / "common-types" / "resource-management"
    if not types.exists():
        shutil.copytree(OPENAPI / "common-types", types)
    place = folder / document["info"]["version"]
    place.mkdir(exist_ok=True)
    path = place / "openapi.json"
    path.write_text(json.dumps(document).replace("../common-types/", "../common-types/resource-management/"))
    return path


def read(version):
    return json.loads((OPENAPI / version / "openapi.json").read_text())


def lint(*files):
    assert (CLIENTS / "node_modules" / "@microsoft.azure").is_dir(), "npm ci has not run in tests/clients (tools/test.sh does)"
    ended = subprocess.run(["node", CLIENTS / "lint.mjs", *files], capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture(scope="module")
def linted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lint")
    return lint(*[published(read(version), folder) for version in VERSIONS])


def meant(finding):
    return next((key for key in MEANT if finding["rule"] == key[0] and key[1] in finding["path"]), None)


@pytest.mark.parametrize("rules", [pytest.param(rules, id=name) for name, rules in RULES.items()])
def test_rules(linted, rules):
    assert set(rules) <= set(linted["rules"]), "the linter has such rules"
    assert [f for f in linted["found"] if f["rule"] in rules and not meant(f)] == []


def test_nothing_else_is_wrong(linted):
    assert [finding for finding in linted["found"] if not meant(finding)] == []
    assert {meant(finding) for finding in linted["found"]} == set(MEANT), "exceptions that nothing needs any more"


CLUSTER = ("/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/"
           "{hcpOpenShiftClusterName}")


def add_202_to_put(document):
    responses = document["paths"][CLUSTER]["put"]["responses"]
    responses["202"] = copy.deepcopy(responses["200"])


def add_200_to_delete(document):
    document["paths"][CLUSTER]["delete"]["responses"]["200"] = {"description": "Gone."}


def add_201_to_post(document):
    document["paths"][CLUSTER + "/revokeCredentials"]["post"]["responses"]["201"] = {"description": "Made."}


def drop_202_of_patch(document):
    del document["paths"][CLUSTER]["patch"]["responses"]["202"]


def drop_location(document):
    del document["paths"][CLUSTER]["delete"]["responses"]["202"]["headers"]["Location"]


def drop_a_terminal_state(document):
    states = document["definitions"]["ProvisioningState"]
    states["enum"].remove("Canceled")


@pytest.mark.parametrize("change, rules", [
    (add_202_to_put, RULES["ARM-290"]), (add_200_to_delete, RULES["ARM-291"]), (add_201_to_post, RULES["ARM-292"]),
    (drop_202_of_patch, RULES["ARM-293"]), (drop_location, RULES["ARM-294"]), (drop_a_terminal_state, RULES["ARM-295"])],
    ids=lambda value: value.__name__ if callable(value) else "")
def test_the_linter_would_find_it(tmp_path, change, rules):
    document = read(VERSIONS[1])
    change(document)
    assert {finding["rule"] for finding in lint(published(document, tmp_path))["found"] if not meant(finding)} & set(rules)
