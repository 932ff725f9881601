"""The process: configuration, its file, its backend, starting and stopping."""
import os
import re
import shutil
import socket
import sqlite3

import httpx
import pytest

from arm import Arm, assert_error, cluster_id, operation_of, state
from processes import binary, free_port, run, until
from stack import Acceptd, Simulator, Stack, new_subscription_id


@pytest.fixture
def simulator_alone(tmp_path):
    simulator = Simulator(tmp_path).start()
    simulator.set_durations()
    yield simulator
    if simulator.program.alive():
        simulator.stop()


@pytest.fixture
def server(tmp_path, simulator_alone):
    acceptd = Acceptd(tmp_path, simulator_alone.url)
    yield acceptd
    if acceptd.program.alive():
        acceptd.stop()


def refuses_to_start(acceptd, *words):
    """It ends at once with 1 and one line that says why."""
    ended = run("acceptd", "serve", "--config", acceptd.config_file)
    assert ended.returncode == 1, ended.stderr
    lines = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    assert len(lines) == 1, ended.stderr
    for word in words:
        assert word in lines[0], lines[0]


def test_version():
    assert re.fullmatch(r"acceptd \d+\.\d+\.\d+\n", run("acceptd", "--version").stdout)


# -- configuration -------------------------------------------------------------------------------------------------------

def test_check_says_that_a_file_is_good(server):
    checked = run("acceptd", "check", server.config_file)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_check_takes_the_example(tmp_path):
    from processes import ROOT
    checked = run("acceptd", "check", ROOT / "deploy" / "acceptd.yaml")
    assert checked.returncode == 0, checked.stderr


SECTIONS = ["", "log", "listeners", "listeners.arm", "listeners.arm.tls", "listeners.arm.limits", "listeners.admin", "store", "store.sqlite", "cluster_service",
            "simulated_backend", "engine", "engine.deadlines"]


@pytest.mark.parametrize("section", SECTIONS)
def test_the_example_shows_every_key(tmp_path, section):
    """What `check` says of an unknown key names the known ones: all of them are in the example, commented out or not."""
    from processes import ROOT
    example = (ROOT / "deploy" / "acceptd.yaml").read_text()
    nested = "nonsense: 1"
    for name in reversed(section.split(".") if section else []):
        nested = name + ": {" + nested + "}"
    file = tmp_path / "typo.yaml"
    file.write_text(nested + "\n")
    said = run("acceptd", "check", file).stderr
    known = re.search(r"nonsense: unknown key; known here: (.*)", said).group(1).split(", ")
    for key in known:
        assert re.search(rf"(^|[ #{{]){re.escape(key)}:( |$)", example, re.M), f"{key} of {section or 'the top'}"


@pytest.mark.parametrize("name, words", [("/", "directory"), ("two.yaml", "second document"), ("none.yaml", "No such file"), ("endless.yaml", "YAML")])
def test_check_says_what_it_cannot_read(server, tmp_path, name, words):
    (tmp_path / "two.yaml").write_text(server.config_file.read_text() + "\n---\nregion: eastus\n")
    (tmp_path / "endless.yaml").write_text("a: &a [" + "[" * 5000)
    checked = run("acceptd", "check", name if name == "/" else tmp_path / name)
    assert checked.returncode == 1 and words in checked.stderr, checked.stderr
    assert len(checked.stderr.splitlines()) == 1 and "terminate" not in checked.stderr


def test_check_names_file_line_column_and_key_of_every_mistake(tmp_path):
    file = tmp_path / "typo.yaml"
    file.write_text("region: westus3\nlisteners:\n  arm:\n    port: 80a\nstore:\n  sqlite:\n    pth: x.db\ncluster_service:\n"
                    "  url: http://127.0.0.1:1\nengine:\n  inline_budget: 20 parsecs\n")
    checked = run("acceptd", "check", file)
    assert checked.returncode == 1
    text = checked.stderr + checked.stdout
    assert re.search(r"typo\.yaml:4:11: listeners\.arm\.port: .*\"80a\"", text), text
    assert re.search(r"typo\.yaml:7:\d+: store\.sqlite\.pth", text), text
    assert "store.sqlite.path" in text
    assert re.search(r"typo\.yaml:11:\d+: engine\.inline_budget", text), text


@pytest.mark.parametrize("text, word", [("region: [", "typo.yaml:1"), ("", "region"), ("- a\n- b\n", "region"), ("region: westus3\nregion: eastus\n", "region")])
def test_check_refuses_what_is_no_configuration(tmp_path, text, word):
    file = tmp_path / "typo.yaml"
    file.write_text(text)
    checked = run("acceptd", "check", file)
    assert checked.returncode == 1 and word in checked.stderr + checked.stdout


def test_serve_refuses_a_bad_configuration(tmp_path):
    file = tmp_path / "typo.yaml"
    file.write_text("region: westus3\nunknown_key: 1\n")
    ended = run("acceptd", "serve", "--config", file)
    assert ended.returncode == 1 and "unknown_key" in ended.stderr


def test_a_missing_configuration_file_is_named(tmp_path):
    ended = run("acceptd", "serve", "--config", tmp_path / "none.yaml")
    assert ended.returncode == 1 and "none.yaml" in ended.stderr


def test_retention_must_outlast_every_deadline(tmp_path):
    acceptd = Acceptd(tmp_path, "http://127.0.0.1:1", engine={"retention": "1h"})
    checked = run("acceptd", "check", acceptd.config_file)
    assert checked.returncode == 1 and "retention" in checked.stderr + checked.stdout


# -- the file ------------------------------------------------------------------------------------------------------------

def test_a_port_in_use_is_said(server):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", server.port))
        taken.listen()
        refuses_to_start(server, str(server.port))


def test_a_second_process_on_one_file_is_refused(tmp_path, simulator_alone, server):
    server.start()
    (tmp_path / "second").mkdir()
    second = Acceptd(tmp_path / "second", simulator_alone.url, store={"sqlite": {"path": str(server.database)}})
    refuses_to_start(second, str(server.database), "in use by another process")
    assert server.program.alive()
    assert httpx.get(server.url + "/healthz").status_code == 200


@pytest.mark.parametrize("damage", ["header", "everything", "text", "cut"])
def test_a_damaged_file_is_refused_and_left_alone(server, damage):
    server.start()
    server.stop()
    content = server.database.read_bytes()
    bad = {"header": b"\0" * 100 + content[100:], "everything": os.urandom(len(content)), "text": b"not a database\n", "cut": content[:5000]}[damage]
    for file in server.folder.glob("acceptd.sqlite*"):
        file.unlink()
    server.database.write_bytes(bad)
    refuses_to_start(server, str(server.database))
    assert server.database.read_bytes() == bad


def test_a_newer_file_is_refused_and_left_alone(server):
    server.start()
    server.stop()
    with sqlite3.connect(server.database) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = server.database.read_bytes()
    refuses_to_start(server, str(server.database), "newer")
    assert server.database.read_bytes() == before


def test_a_file_of_another_program_is_refused(server):
    with sqlite3.connect(server.database) as db:
        db.execute("CREATE TABLE mine(x)")
    db.close()
    refuses_to_start(server, str(server.database), "another program")


def test_a_folder_that_is_not_there_is_said(tmp_path):
    acceptd = Acceptd(tmp_path, "http://127.0.0.1:1", store={"sqlite": {"path": str(tmp_path / "none" / "a.db")}})
    refuses_to_start(acceptd, str(tmp_path / "none"))


# -- life ----------------------------------------------------------------------------------------------------------------

def test_a_stop_is_clean_and_a_restart_goes_on(server, simulator_alone):
    server.start()
    with Arm(server.url, simulator_alone) as arm:
        subscription = new_subscription_id()
        arm.register(subscription)
        resource = cluster_id(subscription)
        created = arm.put_cluster(resource)
        before = arm.operation(created)
        assert server.stop() == 0
        server.start()
        assert arm.operation(created)["name"] == before["name"]
        assert arm.done(created)["startTime"] == before["startTime"]
        assert state(arm.get(resource)) == "Succeeded"
        assert len(simulator_alone.clusters(subscription)) == 1
        assert server.stop() == 0
    epochs = [d["properties"] for _, kind, d in server.documents() if kind == "acceptd/epochs"]
    assert len(epochs) == 1


def test_the_admin_listener_answers(server):
    server.start()
    assert httpx.get(server.admin_url + "/healthz").status_code == 200
    assert until(lambda: httpx.get(server.admin_url + "/readyz").status_code == 200, "ready")
    metrics = httpx.get(server.admin_url + "/metrics")
    assert metrics.status_code == 200 and "# TYPE" in metrics.text
    assert httpx.get(server.url + "/metrics").status_code == 404, "not on the public listener"


def test_a_backend_that_is_down_at_the_start_and_comes_later(tmp_path):
    """acceptd serves without it; what is accepted meanwhile ends when the backend is there."""
    simulator = Simulator(tmp_path)
    acceptd = Acceptd(tmp_path, simulator.url, engine={"inline_budget": "200ms"}).start()
    try:
        with Arm(acceptd.url, simulator) as arm:
            subscription = new_subscription_id()
            arm.register(subscription)
            resource = cluster_id(subscription)
            created = arm.put_cluster(resource)
            if created.status_code != 201:  # nothing was accepted, and the caller is told to come back
                assert_error(created, 503, "ServiceUnavailable")
                assert re.fullmatch(r"\d+", created.headers["retry-after"])
                assert arm.gone(resource)
            simulator.start()
            simulator.set_durations()
            if created.status_code != 201:
                created = until(lambda: (a := arm.put_cluster(resource)).status_code == 201 and a, "the backend is found again")
            arm.done(created)
            assert state(arm.get(resource)) == "Succeeded"
            assert len(simulator.clusters(subscription)) == 1
            assert simulator.stats()["duplicates"] == 0
    finally:
        acceptd.stop()
        if simulator.program.alive():
            simulator.stop()


def test_a_backend_that_goes_away_and_comes_back(server, simulator_alone):
    server.start()
    with Arm(server.url, simulator_alone) as arm:
        subscription = new_subscription_id()
        arm.register(subscription)
        resource = cluster_id(subscription)
        created = arm.put_cluster(resource)
        simulator_alone.program.kill()
        assert arm.get(resource).status_code == 200
        deleted = arm.delete(resource)
        assert deleted.status_code == 202, "a delete is always accepted"
        assert arm.operation(created)["status"] == "Canceled"
        simulator_alone.program.start()
        simulator_alone.wait_ready()
        arm.done(deleted)
        assert arm.gone(resource) and simulator_alone.clusters(subscription) == []
