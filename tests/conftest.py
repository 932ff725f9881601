"""Fixtures: one running stack per test worker; a subscription of its own per test, so that tests do not meet."""
import pytest

from arm import Arm
from stack import Stack, new_subscription_id


@pytest.fixture(scope="session")
def stack(tmp_path_factory):
    running = Stack(tmp_path_factory.mktemp("stack")).start()
    yield running
    running.stop()


@pytest.fixture
def simulator(stack):
    """The backend of `stack`; what a test scripts is cleared after it."""
    yield stack.simulator
    stack.simulator.clear_script()
    stack.simulator.set_durations()


@pytest.fixture
def arm(stack, simulator, request):
    """A caller, as the front door forwards it. The server must have survived the test."""
    with Arm(stack.acceptd.url, simulator) as caller:
        yield caller
    assert stack.acceptd.program.alive(), "acceptd died:\n" + stack.acceptd.program.tail()


@pytest.fixture
def subscription(arm):
    """A registered subscription that no other test uses."""
    name = new_subscription_id()
    arm.register(name)
    return name


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A failure shows the end of the servers' logs; the folders stay where pytest keeps its temporary ones."""
    report = yield
    running = item.funcargs.get("stack") if hasattr(item, "funcargs") else None
    if report.when == "call" and report.failed and running is not None:
        report.sections.append(("acceptd log", running.acceptd.program.tail(8)))
        report.sections.append(("simulator log", running.simulator.program.tail(3)))
    return report
