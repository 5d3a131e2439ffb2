"""Progress is a callable that may cancel; the silent one does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.algorithms import Mondrian, Optimal, Pais
from shoal.errors import Cancelled
from shoal.progress import Progress, silent
from tests.contract.patients import patients, plan_of


def test_the_silent_one_does_nothing() -> None:
    told: Progress = silent
    told("search", 0.5)


@pytest.mark.parametrize("algorithm", [Mondrian(), Pais(), Optimal()], ids=lambda each: each.kind)
def test_shares_grow_from_0_to_1_within_a_step(tmp_path: Path, algorithm: object) -> None:
    seen: list[tuple[str, float]] = []
    plan = plan_of(tmp_path, algorithm=algorithm, models=(shoal.KAnonymity(k=2),))
    shoal.anonymize(patients(), plan, progress=lambda step, share: seen.append((step, share)))
    assert all(0 <= share <= 1 for _, share in seen)
    for step in dict.fromkeys(step for step, _ in seen):
        shares = [share for each, share in seen if each == step]
        assert shares == sorted(shares), step


def test_whatever_it_raises_cancels_the_work(tmp_path: Path) -> None:
    def cancel(_step: str, _share: float) -> None:
        raise Cancelled("Enough.")

    with pytest.raises(Cancelled, match="Enough"):
        shoal.anonymize(patients(), plan_of(tmp_path), progress=cancel)
