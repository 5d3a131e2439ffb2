"""What a release costs those who predict its target, against learning by hand."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import shoal
from shoal.errors import PlanError, TableError
from shoal.estimating import classifiers
from shoal.evaluate import classification_error as prediction

pytest.importorskip("sklearn")

N = 600
TABLE = pl.DataFrame(
    {
        "age": [20 + n % 60 for n in range(N)],
        "town": ["ABC"[n % 3] for n in range(N)],
        "ill": ["flu" if n % 4 else "HIV" for n in range(N)],
        "old": ["yes" if 20 + n % 60 > 50 else "no" for n in range(N)],
    }
)


def plan(**changes: object) -> shoal.Plan:
    columns = {"age": shoal.quasi(), "town": shoal.quasi(), "ill": shoal.sensitive(), "old": shoal.target()}
    asked = shoal.Plan(
        columns=columns, models=[shoal.LKC(1, 20, 0.9, "ill")], algorithm=shoal.Pais(goal="classification", stop_at=1)
    )
    return asked.changed(**changes)


def test_the_step_that_matters_costs_nothing_and_removing_all_costs_everything() -> None:
    found = shoal.classification_error(TABLE, plan(), seeds=3, honest=True)
    assert found.raw.mean == found.released.mean == 0
    assert found.removed.mean == pytest.approx(29 / 60, abs=0.05)
    assert found.honest is not None and found.honest.mean < 0.05 and found.honest.seeds == 3


def test_errors_are_those_of_the_release() -> None:
    asked = plan(algorithm=shoal.Pais(goal="general", stop_at=2))
    release = shoal.anonymize(TABLE, asked)
    expected = classifiers.error(release.frame.drop("old"), release.frame["old"], seeds=2)
    found = shoal.classification_error(TABLE.to_pandas(), asked, seeds=2)
    assert found.released == expected and found.honest is None
    assert found.raw.mean <= found.released.mean <= found.removed.mean


def test_the_honest_recoding_never_sees_the_rows_it_is_judged_by(monkeypatch: pytest.MonkeyPatch) -> None:
    numbered, given = TABLE.with_columns(age=pl.int_range(pl.len())), []

    def noted(table: pl.DataFrame, asked: shoal.Plan) -> shoal.Release:
        given.append(table["age"].to_list())
        return shoal.anonymize(table, asked)

    monkeypatch.setattr(prediction, "anonymize", noted)
    prediction.honest_error(numbered, plan(), seeds=2)
    assert given == [classifiers.split(N, seed)[0].tolist() for seed in range(2)]


def test_a_recoding_is_applied_to_other_rows() -> None:
    """A number takes the label of the nearest one that was released; a text that was not released is missing."""
    rule = {
        "age": pl.DataFrame({"value": [10, 20, 60], "label": ["[10, 20]", "[10, 20]", "60"]}),
        "town": pl.DataFrame({"value": ["A", "B", None], "label": ["north", "south", ""]}),
    }
    release = shoal.anonymize(TABLE, plan())
    release = replace(release, draft=replace(release.draft, private=replace(release.private, rule=rule)))
    other = pl.DataFrame({"age": [59, 11], "town": ["C", "A"], "old": ["yes", "no"]})
    found = pl.DataFrame([prediction._recoded(other[name], release) for name in other.columns])
    assert found.rows() == [("60", None, "yes"), ("[10, 20]", "north", "no")]


def test_the_rule_of_a_release_gives_its_rows_their_labels() -> None:
    release = shoal.anonymize(TABLE, plan(algorithm=shoal.Pais(goal="classification")))
    raw = TABLE[release.private.witness.row]
    for name in ("age", "town"):
        assert prediction._recoded(raw[name], release).to_list() == release.frame[name].to_list()


def test_a_recoding_that_differs_from_row_to_row_has_no_honest_error() -> None:
    table = TABLE.with_columns(age=pl.int_range(pl.len()) * 7919 % 97)
    with pytest.raises(TableError, match="differs between rows"):
        prediction.honest_error(table, plan(models=[shoal.KAnonymity(40)], algorithm=shoal.Mondrian()), seeds=1)


def test_dropped_rows_do_not_shift_the_others() -> None:
    """The first rows have a missing value and are dropped; the raw values are still those of the released rows."""
    table = pl.concat([TABLE.head(7).with_columns(town=pl.lit(None, pl.String)), TABLE])
    dropping = plan(data=shoal.Data(missing_rows="drop"))
    raw, released = prediction._before_and_after(table, shoal.anonymize(table, dropping))
    assert raw["old"].to_list() == released["old"].to_list()
    found = shoal.classification_error(table, dropping, seeds=2)
    assert found.raw.mean == found.released.mean == 0


def test_without_a_target_there_is_nothing_to_predict() -> None:
    columns = {**plan().columns, "old": shoal.insensitive()}
    with pytest.raises(PlanError, match="one target"):
        shoal.classification_error(TABLE, plan(columns=columns, algorithm=shoal.Pais()))
