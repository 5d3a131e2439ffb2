"""The plan as it was given is read only from a private folder that belongs to the release."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import shoal
from shoal.models import KAnonymity
from shoal.release.steward import plan_beside


def released(folder: Path, k: int = 2) -> Path:
    plan = shoal.Plan(columns={"age": shoal.quasi(type="integer", weight=2.0)}, models=[KAnonymity(k=k)])
    shoal.anonymize(pl.DataFrame({"age": [31, 32, 58, 59]}), plan).save(folder)
    return folder


def test_the_plan_beside_a_release_is_the_one_that_was_given(tmp_path: Path) -> None:
    plan = plan_beside(released(tmp_path / "out"))
    assert plan is not None and plan.columns["age"].weight == 2.0


def test_a_private_folder_of_another_release_is_not_used(tmp_path: Path) -> None:
    first, second = released(tmp_path / "first"), released(tmp_path / "second", k=4)
    (tmp_path / "first.private").rename(tmp_path / "kept")
    (tmp_path / "second.private").rename(tmp_path / "first.private")
    assert plan_beside(first) is None
    assert plan_beside(second) is None
