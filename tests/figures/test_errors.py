"""The query error that a report shows, and why there is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.estimating.query_error import asked
from shoal.figures import errors as module
from shoal.figures import sampling
from shoal.figures.errors import QUERIES, Errors
from shoal.pipeline import anonymize_to
from tests.figures.releases import plan, released, table


def _errors(release: shoal.Release) -> Errors:
    found = release.figures.private.errors
    assert found is not None
    return found


@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_it_is_the_query_error_of_the_same_workload(form: str) -> None:
    given = plan(release=shoal.ReleaseSettings(form=form), models=[shoal.LDiversity("ill", l=2)])
    release = shoal.anonymize(table(), given)
    query = _errors(release).query
    each = asked(table(), given, queries=QUERIES).errors(release.tables)
    assert query is not None and (query.queries, query.rows, query.rows_in) == (QUERIES, 20, 20)
    assert query.mean == shoal.query_error(table(), release.frames, given, queries=QUERIES).all > 0
    assert query.median == np.median(each)
    assert query.spread == pytest.approx(each.std(ddof=1) / QUERIES**0.5)


def test_exact_rows_answer_every_query() -> None:
    release = shoal.anonymize(pl.concat([table(), table()]), plan(models=[shoal.KAnonymity(k=2)]))
    query = _errors(release).query
    assert query is not None and query.mean == query.median == 0


@pytest.mark.parametrize("missing_rows", ["keep", "drop"])
def test_a_large_table_is_sampled_on_both_sides(missing_rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MOST_ROWS", 40)
    ages = pl.Series("age", [None if row % 10 == 0 else str(20 + row % 40) for row in range(200)])
    frame = pl.DataFrame([ages, pl.Series("ill", [f"d{row % 7}" for row in range(200)])])
    given = shoal.Plan(
        columns={"age": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=2)],
        data=shoal.Data(missing_rows=missing_rows),
    )
    query = _errors(shoal.anonymize(frame, given)).query
    assert query is not None and (query.rows, query.rows_in) == (40, 200)
    # Rows that are not dropped are exact, so only dropped ones are missed: never is an answer too large.
    assert query.median == 0 and (query.mean == 0 if missing_rows == "keep" else query.mean < 0.5)


def test_reasons_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.insensitive()}
    found = _errors(released(columns=columns))
    assert found.query is None and "sensitive column" in found.no_query and "target" in found.no_classification
    table().write_csv(tmp_path / "t.csv")
    source = plan(data=shoal.Data(source=str(tmp_path / "t.csv")))
    assert "memory" in _errors(anonymize_to(source, tmp_path / "out", engine="stream")).no_query
    monkeypatch.setattr(module, "MOST_CELLS", 3)
    assert "too many" in _errors(released()).no_query
    monkeypatch.setattr(sampling, "MOST_ROWS", 10)
    anatomy = shoal.ReleaseSettings(form="anatomy")
    assert "anatomy" in _errors(released(release=anatomy, models=[shoal.LDiversity("ill", l=2)])).no_query


def test_it_is_not_published(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "t.csv")
    anonymize_to(plan(data=shoal.Data(source=str(tmp_path / "t.csv"))), tmp_path / "out")
    assert "Query error" in (tmp_path / "out.private/report.html").read_text(encoding="utf-8")
    published = [path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir()]
    assert not any("Query error" in each or "query_error" in each for each in published)
