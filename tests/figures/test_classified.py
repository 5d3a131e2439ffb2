"""The classification error that a report shows."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.figures import classified as module
from shoal.figures import sampling
from shoal.figures.classified import SPLITS, Classified
from shoal.pipeline import anonymize_to
from tests.figures.releases import table

pytest.importorskip("sklearn")
N = 400
COLUMNS = {"age": shoal.quasi(), "ill": shoal.sensitive(), "group": shoal.insensitive(), "old": shoal.target()}


def _people() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    ages = rng.integers(20, 90, N)
    return pl.DataFrame(
        {
            "age": ages,
            "ill": rng.choice(["flu", "cold", "gout"], N),
            "group": rng.choice(["a", "b"], N),
            "old": np.where(ages > 60, "yes", "no"),
        }
    )


def _plan(k: int = 5, **parts: object) -> shoal.Plan:
    return shoal.Plan(**{"columns": COLUMNS, "models": [shoal.KAnonymity(k=k)], **parts})  # type: ignore[arg-type]


def _found(release: shoal.Release) -> Classified:
    errors = release.figures.private.errors
    assert errors is not None and errors.classification is not None and not errors.no_classification
    return errors.classification


def _reason(release: shoal.Release) -> str:
    errors = release.figures.private.errors
    assert errors is not None and errors.classification is None
    return errors.no_classification


@pytest.mark.parametrize("suppression", [0.0, 0.2])
def test_it_is_the_classification_error_of_the_release(suppression: float) -> None:
    plan = _plan(release=shoal.ReleaseSettings(suppression=suppression), algorithm=shoal.Optimal())
    found = _found(shoal.anonymize(_people(), plan))
    expected = shoal.classification_error(_people(), plan, seeds=SPLITS)
    assert (found.raw, found.released, found.removed) == (
        expected.raw.mean,
        expected.released.mean,
        expected.removed.mean,
    )
    assert found.raw < 0.05 < found.removed  # the age tells the target


def test_more_privacy_predicts_worse() -> None:
    exact, coarse = (_found(shoal.anonymize(_people(), _plan(k))) for k in (2, N))
    assert exact.released < coarse.released == pytest.approx(coarse.removed, abs=0.1)
    assert (exact.splits, exact.rows, exact.rows_released) == (SPLITS, N, N)


@pytest.mark.parametrize("missing_rows", ["keep", "drop"])
def test_a_sample_pairs_each_row_with_its_own_release(missing_rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MOST_ROWS", 300)
    monkeypatch.setattr(module, "MOST_ROWS", 200)
    seen: list[pl.DataFrame] = []
    known = module.classifiers.error
    monkeypatch.setattr(module.classifiers, "error", lambda rows, *a, **b: seen.append(rows) or known(rows, *a, **b))
    frame = _people().with_columns(age=pl.when(pl.int_range(N) % 7 == 0).then(None).otherwise("age"))
    plan = _plan(data=shoal.Data(missing_rows=missing_rows))
    found = _found(shoal.anonymize(frame, plan))
    assert (found.rows, found.rows_released) == (200, N if missing_rows == "keep" else N - len(range(0, N, 7)))
    raw, released, removed = seen
    assert raw["ill"].to_list() == released["ill"].to_list() and raw["group"].to_list() == released["group"].to_list()
    assert raw.columns == ["age", "ill", "group"] and removed.columns == ["ill", "group"]
    for age, label in zip(raw["age"], released["age"], strict=True):
        low, high = (label.strip("[]").split(", ") * 2)[:2] if label else (None, None)
        assert (age is None) if not label else (age is None and label == "*") or float(low) <= age <= float(high)


def test_a_pattern_of_roles_names_the_target() -> None:
    columns = {name: column for name, column in COLUMNS.items() if name != "old"}
    found = _found(shoal.anonymize(_people(), _plan(columns=columns, roles={"target": ["o*"]})))
    assert found.raw < 0.05


def test_reasons_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    none = {**COLUMNS, "old": shoal.insensitive()}
    assert "has none" in _reason(shoal.anonymize(_people(), _plan(columns=none)))
    two = {**COLUMNS, "group": shoal.target()}
    assert "has 2" in _reason(shoal.anonymize(_people(), _plan(columns=two)))
    anatomy = _plan(release=shoal.ReleaseSettings(form="anatomy"), models=[shoal.LDiversity("ill", l=2)])
    assert "generalized" in _reason(shoal.anonymize(_people(), anatomy))
    numbered = _people().with_columns(old=pl.int_range(N) % 60)
    assert "more than 50 values" in _reason(shoal.anonymize(numbered, _plan()))
    _people().write_csv(tmp_path / "t.csv")
    plan = _plan(data=shoal.Data(source=str(tmp_path / "t.csv")))
    assert "memory" in _reason(anonymize_to(plan, tmp_path / "out", engine="stream"))
    monkeypatch.setattr(module, "MOST_COLUMNS", 3)
    assert "more than 3 columns" in _reason(shoal.anonymize(_people(), _plan()))


def test_too_few_rows_are_a_reason() -> None:
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.target()}
    release = shoal.anonymize(table().head(2), _plan(2, columns=columns))
    assert "too few" in _reason(release)


def test_without_scikit_learn_the_release_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.split(".")[0] == "sklearn":
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    assert "shoal[learn]" in _reason(shoal.anonymize(_people(), _plan()))


def test_it_is_not_published(tmp_path: Path) -> None:
    _people().write_csv(tmp_path / "t.csv")
    anonymize_to(_plan(data=shoal.Data(source=str(tmp_path / "t.csv"))), tmp_path / "out")
    assert "Wrongly predicted" in (tmp_path / "out.private/report.html").read_text(encoding="utf-8")
    assert not any("Wrongly predicted" in path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir())
