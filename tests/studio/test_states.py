"""States of jobs, stages in words, and failures that travel as JSON."""

from __future__ import annotations

from shoal.errors import CannotBeMet
from shoal.studio.states import Failure, Stage, State


def test_two_states_are_not_final() -> None:
    assert {state for state in State if not state.is_final} == {State.QUEUED, State.RUNNING}


def test_a_failure_keeps_the_parts_of_its_error() -> None:
    error = CannotBeMet("k is 5.", allowed="At most 3.", hint="lower k.")
    failure = Failure.of(error)
    assert Failure.from_json(failure.to_json()) == failure
    assert failure.exit_code == 3 and str(failure) == str(error)


def test_a_damaged_failure_is_read() -> None:
    assert Failure.from_json({"exit_code": "x"}) == Failure("")


def test_a_stage_is_said_in_words() -> None:
    assert Stage().words == "starting"
    assert Stage("search", 0.42).words == "searching, 42 %"
    assert Stage("search", 0.42, True).words.endswith("(compiling, the first time only)")
