"""A server that serves nothing but the sample provider of specs/network-appliance, driven by its simulated backend."""
import json
import shutil

import pytest

from arm import Arm
from processes import ROOT, Program, binary, free_port, until
from stack import REGION, healthy, new_subscription_id

SAMPLE = ROOT / "specs" / "network-appliance"


class Declared:
    def __init__(self, folder):
        self.folder = folder
        self.provider = folder / "network-appliance"
        shutil.copytree(SAMPLE, self.provider)
        text = (SAMPLE / "provider.yaml").read_text()
        assert "work: 2s" in text
        (self.provider / "provider.yaml").write_text(text.replace("work: 2s", "work: 100ms"))
        self.port, self.admin_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.config_file = folder / "acceptd.yaml"
        self.config_file.write_text(json.dumps({
            "region": REGION, "listeners": {"arm": {"port": self.port}, "admin": {"port": self.admin_port}},
            "store": {"sqlite": {"path": str(folder / "acceptd.sqlite")}}, "providers": [str(self.provider)],
            "engine": {"poll_first": "10ms", "poll_max": "50ms", "non_conforming_retry_after_seconds": 0}, "stop_grace": "5s"}))
        self.program = Program([binary("acceptd"), "serve", "--config", self.config_file], folder / "acceptd.log")

    def start(self):
        self.program.start()
        until(lambda: healthy(self.url + "/healthz") or self.ended(), "acceptd answers")
        return self

    def ended(self):
        assert self.program.alive(), "acceptd ended:\n" + self.program.tail()


@pytest.fixture(scope="session")
def declared(tmp_path_factory):
    running = Declared(tmp_path_factory.mktemp("declared")).start()
    yield running
    running.program.stop()


@pytest.fixture
def arm(declared):
    with Arm(declared.url) as caller:
        yield caller
    assert declared.program.alive(), "acceptd died:\n" + declared.program.tail()


@pytest.fixture
def subscription(arm):
    name = new_subscription_id()
    arm.register(name)
    return name
