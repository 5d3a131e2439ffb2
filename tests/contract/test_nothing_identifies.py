"""Plans without quasi-identifiers: all rows are one class, which must satisfy every model, and a warning says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import algorithms
from shoal.errors import CannotBeMet, PlanError
from shoal.plan import Plan, ReleaseSettings

TABLE = pl.DataFrame(
    {"ward": ["a", "b", "a", "b"] * 5, "diagnosis": ["flu", "burn", "flu", "angina"] * 5, "mrn": range(20)}
)


def plan(kind: str = "mondrian", **parts: Any) -> Plan:
    cls = next(each for each in algorithms.ALL if each.kind == kind)
    given: dict[str, Any] = {
        "columns": {"ward": shoal.insensitive(), "diagnosis": shoal.sensitive(), "mrn": shoal.identifier()},
        "models": [shoal.KAnonymity(k=20), shoal.LDiversity("diagnosis", l=3)],
        "algorithm": cls(),
    }
    return Plan(**(given | parts))


@pytest.mark.parametrize("kind", [cls.kind for cls in algorithms.ALL if cls is not algorithms.Scba])
def test_all_rows_are_one_class(kind: str, tmp_path: Path) -> None:
    release = shoal.anonymize(TABLE, plan(kind))
    assert release.manifest.classes == 1 and release.manifest.rows_suppressed == 0
    assert release.frame.columns == ["ward", "diagnosis"]
    assert release.manifest.measures["ncp"] == 0
    release.save(tmp_path / "out")
    assert shoal.verify_folder(tmp_path / "out").holds
    assert shoal.verify(release.frame, plan(kind)).holds


def test_a_warning_says_that_nothing_is_generalized() -> None:
    assert any("no quasi-identifier" in warning for warning in shoal.anonymize(TABLE, plan()).warnings)


@pytest.mark.parametrize("models", [[shoal.KAnonymity(k=21)], [shoal.LDiversity("diagnosis", l=4)]])
def test_a_model_that_the_whole_table_fails_is_an_error(models: list[Any]) -> None:
    with pytest.raises(CannotBeMet):
        shoal.anonymize(TABLE, plan(models=models))


@pytest.mark.parametrize(
    "model", [shoal.LKC(l=2, k=20, c=1.0, column="diagnosis"), shoal.TCloseness("diagnosis", t=0.1)]
)
def test_other_models_judge_the_whole_table(model: Any) -> None:
    release = shoal.anonymize(TABLE, plan("pais" if model.kind == "lkc" else "mondrian", models=[model]))
    assert release.verification.holds


def test_persons_are_counted() -> None:
    table = TABLE.with_columns(mrn=pl.col("mrn") // 2)
    counted = plan(data=shoal.Data(person="mrn"), models=[shoal.KAnonymity(k=11)])
    with pytest.raises(CannotBeMet):
        shoal.anonymize(table, counted)
    assert shoal.anonymize(table, counted.changed(models=[shoal.KAnonymity(k=10)])).verification.holds


def test_what_cannot_be_released_is_refused() -> None:
    with pytest.raises(PlanError, match="releases no column"):
        plan(columns={"mrn": shoal.identifier(), "ward": shoal.drop()}, models=[shoal.KAnonymity(k=2)])
    with pytest.raises(PlanError, match="needs quasi-identifiers"):
        plan(release=ReleaseSettings(form="anatomy"), models=[shoal.LDiversity("diagnosis", l=2)])
