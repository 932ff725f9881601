"""The checked-in OpenAPI documents are what the TypeSpec sources say, byte for byte, and refer only to files that are there."""

import json
import pathlib
import shutil
import subprocess

import pytest

SPECS = pathlib.Path(__file__).parents[2] / "specs"
CHECKED_IN = SPECS / "hcp" / "openapi"
VERSIONS = ["2024-06-10-preview", "2025-12-23-preview"]


@pytest.fixture(scope="session")
def emitted(tmp_path_factory):
    if not shutil.which("npm"):
        pytest.skip("emitting needs npm")
    output = tmp_path_factory.mktemp("specs")
    subprocess.run([SPECS / "emit.sh", output], check=True, timeout=600)
    return output / "hcp" / "openapi"


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


@pytest.mark.parametrize("version", VERSIONS)
def test_checked_in_document_is_the_emitted_one(emitted, version):
    path = pathlib.Path(version) / "openapi.json"
    assert (CHECKED_IN / path).read_bytes() == (emitted / path).read_bytes()


def test_every_emitted_document_is_checked_in(emitted):
    names = {str(path.relative_to(emitted)) for path in emitted.rglob("*.json")}
    assert names == {f"{version}/openapi.json" for version in VERSIONS}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_reference_leads_somewhere(version):
    pending = [(CHECKED_IN / version / "openapi.json").resolve()]
    seen = set()
    while pending:
        file = pending.pop()
        if file in seen:
            continue
        seen.add(file)
        for reference in references(json.loads(file.read_text())):
            path, _, pointer = reference.partition("#")
            target = (file.parent / path).resolve() if path else file
            value = json.loads(target.read_text())
            for part in pointer.lstrip("/").split("/"):
                value = value[part.replace("~1", "/").replace("~0", "~")]
            pending.append(target)
    assert len(seen) == 3
