"""Runs: their phases and their names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from shoal.studio.pages.running import _MARKS, PHASES, _suggested
from shoal.studio.states import State


def test_every_state_has_its_mark_and_the_phases_are_those_of_the_pipeline() -> None:
    assert set(_MARKS) == set(State)
    assert list(PHASES) == ["read", "encode", "search", "form", "write"]


def test_a_run_is_called_after_what_was_asked_for() -> None:
    plan = SimpleNamespace(models=[{"kind": "k-anonymity", "k": 5}], algorithm={"kind": "pais"})
    workspace: Any = SimpleNamespace(plan=plan)
    assert _suggested(workspace) == "k-anonymity k=5, pais"
