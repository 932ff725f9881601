"""What needs servers of its own: Retry-After within the contract's bounds, two regions."""
import re

import pytest

from arm import Arm, assert_error, cluster_id, cluster_list
from processes import run
from stack import Acceptd, Simulator, config, new_subscription_id


@pytest.fixture
def simulator_alone(tmp_path):
    simulator = Simulator(tmp_path).start()
    simulator.set_durations()
    yield simulator
    simulator.stop()


def server(folder, simulator, **settings):
    folder.mkdir(exist_ok=True)
    return Acceptd(folder, simulator.url, **settings)


CONFORMING = {"engine": {"non_conforming_retry_after_seconds": -1, "retry_after": "10s"}}


def conforming(folder, simulator, **more):
    """A server without the setting that tests use to be quick."""
    acceptd = server(folder, simulator, **more)
    text = acceptd.config_file.read_text()
    acceptd.config_file.write_text(re.sub(r',\s*"non_conforming_retry_after_seconds": \d+', "", text))
    return acceptd


def test_ARM_120_retry_after_is_whole_seconds_within_bounds(tmp_path, simulator_alone):
    acceptd = conforming(tmp_path / "a", simulator_alone).start()
    try:
        with Arm(acceptd.url, simulator_alone) as arm:
            subscription = new_subscription_id()
            arm.register(subscription)
            created = arm.put_cluster(cluster_id(subscription))
            deleted = arm.delete(cluster_id(subscription))
            answers = [deleted, arm.get(arm.status_url(deleted)), arm.get(arm.result_url(deleted))]
            for answer in answers:
                assert re.fullmatch(r"[1-9]\d*", answer.headers["retry-after"]), answer.headers
                assert 10 <= int(answer.headers["retry-after"]) <= 600
            if "retry-after" in created.headers:
                assert 10 <= int(created.headers["retry-after"]) <= 600
    finally:
        acceptd.stop()


@pytest.mark.parametrize("value", ["9s", "601s", "0s"])
def test_ARM_120_the_configuration_enforces_the_bounds(tmp_path, value):
    acceptd = Acceptd(tmp_path, "http://127.0.0.1:1", engine={"retry_after": value})
    checked = run("acceptd", "check", acceptd.config_file)
    assert checked.returncode != 0
    assert "retry_after" in checked.stderr + checked.stdout


@pytest.fixture
def two_regions(tmp_path, simulator_alone):
    """Two endpoints, each with its region and its own store, in front of a backend that both could reach."""
    servers = [server(tmp_path / region, simulator_alone, region=region).start() for region in ("westus3", "eastus2")]
    yield [Arm(s.url, simulator_alone) for s in servers]
    for s in servers:
        s.stop()


def test_ARM_210_ARM_211_ARM_212_regions_are_isolated(two_regions):
    west, east = two_regions
    subscription = new_subscription_id()
    for arm in (west, east):
        arm.register(subscription)
    assert (west.http.get("/location").text.strip(), east.http.get("/location").text.strip()) == ("westus3", "eastus2")
    resource = cluster_id(subscription)
    created = west.put_cluster(resource)
    assert "/locations/westus3/" in created.headers["azure-asyncoperation"]
    assert_error(east.get(resource), 404, "ResourceNotFound")
    assert east.get(cluster_list(subscription)).json()["value"] == []
    url = west.status_url(created)
    assert east.get(url).status_code == 404, "an operation of another region"
    assert west.get(url.replace("/westus3/", "/eastus2/")).status_code == 404, "a foreign region in the path"
    assert west.get(url).status_code == 200
