"""A second release of the same table is warned of, privately, and only if it is one."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import PlanError


@pytest.fixture
def plan(tmp_path: Path) -> shoal.Plan:
    source = tmp_path / "patients.csv"
    pl.DataFrame({"age": [30, 31, 40, 41], "ill": ["a", "b", "a", "b"]}).write_csv(source)
    return shoal.Plan(
        data=shoal.Data(source=str(source)),
        columns={"age": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=2), shoal.LDiversity("ill", l=2)],
    )


def earlier(release: shoal.Release) -> list[str]:
    return [text for text in release.steward.warnings if "earlier release" in text]


def test_a_second_release_of_the_same_table_is_warned_of(plan: shoal.Plan, tmp_path: Path) -> None:
    assert not earlier(shoal.anonymize_to(plan, tmp_path / "january"))
    (warning,) = earlier(shoal.anonymize_to(plan, tmp_path / "february"))
    assert "'january'" in warning
    (warning,) = earlier(shoal.anonymize_to(plan, tmp_path / "march"))
    assert "The folders 'february' and 'january' have earlier releases of the same table." in warning
    (warning,) = earlier(shoal.anonymize_to(plan, tmp_path / "april"))
    assert "The folder 'february' and 2 more folders have earlier releases of the same table." in warning
    assert "earlier release" not in (tmp_path / "march" / "manifest.json").read_text(encoding="utf-8")


def test_a_release_that_is_replaced_is_not_an_earlier_one(plan: shoal.Plan, tmp_path: Path) -> None:
    shoal.anonymize_to(plan, tmp_path / "out")
    assert not earlier(shoal.anonymize_to(plan, tmp_path / "out", force=True))


def test_another_table_and_files_that_say_nothing_are_passed_over(plan: shoal.Plan, tmp_path: Path) -> None:
    shoal.anonymize_to(plan, tmp_path / "january")
    (tmp_path / "empty.private").mkdir()
    for number, text in enumerate(("", "[]", "{}", json.dumps({"input_sha256": 5}))):
        folder = tmp_path / f"other{number}.private"
        folder.mkdir()
        (folder / "steward.json").write_text(text, encoding="utf-8")
    pl.read_csv(tmp_path / "patients.csv").vstack(pl.DataFrame({"age": [50], "ill": ["a"]})).write_csv(
        tmp_path / "patients.csv"
    )
    assert not earlier(shoal.anonymize_to(plan, tmp_path / "february"))


def test_a_strict_plan_stops(plan: shoal.Plan, tmp_path: Path) -> None:
    shoal.anonymize_to(plan, tmp_path / "january")
    strict = plan.changed(release=shoal.ReleaseSettings(strict=True))
    with pytest.raises(PlanError, match="earlier release"):
        shoal.anonymize_to(strict, tmp_path / "february")
    assert not (tmp_path / "february").exists()
