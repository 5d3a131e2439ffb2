"""A release from Spark is the release of the local engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.engines import spark_frames, spark_publishing, spark_rows
from shoal.errors import PromiseBroken
from tests.spark import needs_spark, scattered

pytestmark = needs_spark

FRAME = pl.DataFrame(
    {
        "name": [f"n{row % 70}" for row in range(240)],
        "age": [20 + row * 7 % 50 for row in range(240)],
        "zip": [None if row % 9 == 0 else f"{10 + row % 13}" for row in range(240)],
        "ill": [["flu", "HIV", "rash", "?"][row * 5 % 4] for row in range(240)],
        "cost": [None if row % 17 == 0 else row * 3 % 17 / 4 for row in range(240)],
    }
)
COLUMNS = {
    "name": shoal.identifier(),
    "age": shoal.quasi(),
    "zip": shoal.quasi(),
    "ill": shoal.sensitive(),
    "cost": shoal.insensitive(),
}
MODELS = [shoal.KAnonymity(k=4), shoal.LDiversity("ill", l=2)]


def plan_of(**settings: Any) -> shoal.Plan:
    data = {name: settings.pop(name) for name in ("person", "missing_rows") if name in settings}
    return shoal.Plan(**{"columns": COLUMNS, "models": MODELS, "data": shoal.Data(missing=["?"], **data), **settings})


PLANS = {
    "mondrian": plan_of(),
    "dropped": plan_of(missing_rows="drop"),
    "persons": plan_of(person="name"),
    "divided": plan_of(algorithm=shoal.KMember()),
    "suppressed": plan_of(algorithm=shoal.Optimal(), release=shoal.ReleaseSettings(suppression=0.3)),
    "anatomy": plan_of(models=MODELS[1:], release=shoal.ReleaseSettings(form="anatomy")),
}


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("size", ["small", "large"])
def test_the_release_is_that_of_the_local_engine(
    session: Any, name: str, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = shoal.anonymize(FRAME, PLANS[name])
    if size == "large":  # as if the results were
        monkeypatch.setattr(spark_rows, "_ROWS_OF_PARTITION", 100)
        monkeypatch.setattr(spark_frames, "_SMALL", 0)
        monkeypatch.setattr(spark_frames, "_SENT", 0)
        monkeypatch.setattr(spark_publishing, "_AT_ONCE", 0)
    found = shoal.anonymize(scattered(session, FRAME, 3), PLANS[name])
    for table, runs in local.draft.tables.items():
        assert found.draft.tables[table].rows.equals(runs.rows)
        assert found.draft.tables[table].times.tolist() == runs.times.tolist()
    assert found.warnings == local.warnings
    assert found.manifest == local.manifest


def test_rows_that_the_search_does_not_distinguish_are_divided_as_by_the_local_engine(session: Any) -> None:
    few = FRAME.with_columns(pl.col("age") % 2, pl.col("zip").fill_null("1").str.slice(0, 1))
    plan = PLANS["divided"].changed(models=[shoal.KAnonymity(k=7)])
    local, found = shoal.anonymize(few, plan), shoal.anonymize(scattered(session, few), plan)
    assert found.draft.tables["release"].expanded().equals(local.draft.tables["release"].expanded())
    assert found.manifest == local.manifest


def test_skewed_keys_are_released_as_by_the_local_engine(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_rows, "_ROWS_OF_PARTITION", 50)
    monkeypatch.setattr(spark_frames, "_SMALL", 0)
    rare = pl.int_range(pl.len()) % 12 == 0
    skewed = FRAME.with_columns(pl.when(rare).then(name).otherwise(pl.col(name).first()) for name in FRAME.columns)
    plan = PLANS["divided"].changed(models=[shoal.KAnonymity(k=9)])
    local, found = shoal.anonymize(skewed, plan), shoal.anonymize(scattered(session, skewed), plan)
    assert found.draft.tables["release"].expanded().equals(local.draft.tables["release"].expanded())
    assert found.manifest == local.manifest and found.warnings == local.warnings


def test_a_spark_frame_in_gives_a_spark_frame_out(session: Any) -> None:
    plan = plan_of()
    found = shoal.anonymize(scattered(session, FRAME), plan).frame
    expected = shoal.anonymize(FRAME, plan).frame
    assert found.schema == session.createDataFrame(expected.to_arrow()).schema
    assert sorted(map(str, found.collect())) == sorted(map(str, session.createDataFrame(expected.to_arrow()).collect()))


def test_a_release_that_is_not_true_to_its_input_is_not_published(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(column: Any, ranks: Any) -> Any:
        found = by_rank(column, ranks)
        return type(found)(np.roll(found.codes, 1), found.ranks, found.cells)

    by_rank = spark_publishing._by_rank
    monkeypatch.setattr(spark_publishing, "_by_rank", wrong)
    with pytest.raises(PromiseBroken):
        shoal.anonymize(scattered(session, FRAME), plan_of())
