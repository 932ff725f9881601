"""A declared type in front of an HTTP API: the provider of one page, the backend of the other, both as printed."""
import json
import re
import sys

from arm import Arm, group
from processes import ROOT, Program, binary, free_port, until
from stack import healthy, new_subscription_id

PAGES = ROOT / "docs"


def printed(page, language, after=""):
    text = (PAGES / page).read_text()
    return re.search(rf"```{language}\n(.*?)```", text[text.index(after):], re.S).group(1)


def indented(text, by):
    return "".join(" " * by + line + "\n" if line.strip() else "\n" for line in text.splitlines())


def write_provider(folder, backend_port):
    folder.mkdir()
    document = json.loads(printed("declaring-a-provider.md", "json"))
    properties = document["definitions"]["Kite"]["properties"]["properties"]["properties"]
    properties["endpoint"] = {"type": "string", "readOnly": True}
    (folder / "kites.json").write_text(json.dumps(document))
    provider = printed("declaring-a-provider.md", "yaml", "`kites/provider.yaml`")
    backend = printed("http-backend.md", "yaml", "The section that drives it").replace("8300", str(backend_port))
    (folder / "provider.yaml").write_text(provider[:provider.index("backend:")] + "backend:\n  http:\n" + indented(backend, 4))


def test_a_declared_type_is_driven_over_http(tmp_path):
    backend_port, port, admin_port = free_port(), free_port(), free_port()
    write_provider(tmp_path / "kites", backend_port)
    (tmp_path / "acceptd.yaml").write_text(json.dumps({
        "region": "westus3", "listeners": {"arm": {"port": port}, "admin": {"port": admin_port}},
        "store": {"sqlite": {"path": str(tmp_path / "a.sqlite")}}, "providers": [str(tmp_path / "kites")],
        "engine": {"poll_first": "10ms", "poll_max": "50ms", "non_conforming_retry_after_seconds": 0}}))
    backend = Program([sys.executable, ROOT / "tests" / "support" / "slow_api" / "slow_api.py", "--port", backend_port,
                       "--duration", "0.2"], tmp_path / "backend.log").start()
    server = Program([binary("acceptd"), "serve", "--config", tmp_path / "acceptd.yaml"], tmp_path / "acceptd.log").start()
    try:
        until(lambda: healthy(f"http://127.0.0.1:{port}/healthz"), "acceptd answers")
        with Arm(f"http://127.0.0.1:{port}") as arm:
            subscription = new_subscription_id()
            arm.register(subscription)
            kite = f"{group(subscription)}/providers/Contoso.Kites/kites/dragon"
            version = "2025-01-01"
            created = arm.put(kite, {"location": "westus3", "properties": {"code": "open sesame"}}, version=version)
            assert created.status_code == 201, created.text + server.tail()
            assert arm.finish(created, advance=False)["status"] == "Succeeded", server.tail()
            properties = arm.get(kite, version=version).json()["properties"]
            assert properties["provisioningState"] == "Succeeded" and properties["colour"] == "Red"
            assert properties["endpoint"], properties
            removed = arm.delete(kite, version=version)
            assert removed.status_code == 202
            assert arm.finish(removed, advance=False)["status"] == "Succeeded"
            assert arm.get(kite, version=version).status_code == 404
    finally:
        server.stop()
        backend.stop()
