"""acceptd answers as the reference model does, in random sequences of requests; and the model finds falsified answers.

ACCEPTD_MODEL_EXAMPLES=N plays N random sequences instead of the fixed ones that `make test` plays.
"""
import os

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

import falsify
from machine import Steps
from replay import Replay
from session import Disagreement

EXAMPLES, STEPS = 60, 40
WANTED = int(os.environ.get("ACCEPTD_MODEL_EXAMPLES", "0"))
BOUNDS = settings(max_examples=WANTED or EXAMPLES, stateful_step_count=STEPS, derandomize=not WANTED, database=None, deadline=None,
                  suppress_health_check=list(HealthCheck), print_blob=bool(WANTED), phases=(Phase.generate,))


def play(stack, transport=None):
    """Plays until the server and the model disagree. What is raised is the first disagreement, with the conversation up to it:
    hypothesis plays a failing sequence again, which may go another way against a real server."""
    first = []

    def begin():
        if first:  # hypothesis would play it once more
            raise first[0]
        return Replay(stack, transport and transport(), first.append)

    try:
        run_state_machine_as_test(lambda: Steps(begin), settings=BOUNDS)
    except Exception as error:
        raise (first or [error])[0] from None


@pytest.mark.timeout(120 + 3 * WANTED)
def test_the_server_answers_as_the_model_does(stack, simulator):
    play(stack)


@pytest.mark.parametrize("falsifier", falsify.ALL, ids=lambda kind: kind.__name__)
def test_the_model_finds_a_falsified_answer(stack, simulator, falsifier):
    """Within the bounds of the test above."""
    with pytest.raises(Disagreement):
        play(stack, falsifier)
