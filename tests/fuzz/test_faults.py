"""The faults of `make mutants` still fit the source, and their verdicts are what the comparison says."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import mutants
from benchmarks.faults import FAULTS, Fault


def test_names_are_unique_and_there_are_enough() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 60


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_replaces_one_piece_of_the_source(fault: Fault) -> None:
    compile(mutants.patched(fault), fault.file, "exec")


def test_a_fault_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="occurs 0 times"):
        mutants.patched(Fault("gone", "version.py", "no such text", ""))


CLAIMS = {"manifest": "m", "proven_optimal": True, "cost": 0.5, "minimal": None, "height": None}


def released(tables: str = "t", problems: tuple[str, ...] = (), **claims: Any) -> dict[str, Any]:
    return {"state": "released", "tables": tables, "problems": list(problems), "claims": {**CLAIMS, **claims}}


@pytest.mark.parametrize(
    ("here", "verdict"),
    [
        (released(), "same"),
        (released("other"), "other"),
        ({"state": "PromiseBroken"}, "stopped"),
        (released("other", ("promise: k-anonymity does not hold",)), "wrong"),
        (released(manifest="other"), "false claim"),
        (released("other", cost=0.6), "false claim"),
        (released(height=3), "false claim"),
    ],
)
def test_a_release_with_a_fault_is_compared_with_the_sound_one(here: dict[str, Any], verdict: str) -> None:
    assert mutants._compared(here, released())[0] == verdict
