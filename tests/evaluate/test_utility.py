"""The utility of a release: what is left out counts, and the figures are those of the measures."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import PlanError, ShoalError
from shoal.estimating.classifiers import split
from shoal.evaluate.utility import loss_for
from tests.evaluate.test_comparing import patients, plan_of

FRAME = patients()
GIVEN = plan_of(3)
RELEASE = shoal.anonymize(FRAME, GIVEN)
WITHOUT = shoal.anonymize(FRAME, GIVEN.changed(columns={**GIVEN.columns, "city": shoal.drop()}))


def test_general_is_the_information_loss() -> None:
    loss = loss_for("general", FRAME, GIVEN)
    assert loss(RELEASE) == pytest.approx(RELEASE.measures["ncp"])


def test_a_dropped_column_is_lost() -> None:
    loss = loss_for("general", FRAME, GIVEN)
    assert loss(WITHOUT) == pytest.approx((1 + WITHOUT.measures["ncp_by_column"]["age"]) / 2)


def test_the_weights_of_the_given_plan_count() -> None:
    heavy = GIVEN.columns["age"].model_copy(update={"weight": 3.0})
    loss = loss_for("general", FRAME, GIVEN.changed(columns={**GIVEN.columns, "age": heavy}))
    lost = RELEASE.measures["ncp_by_column"]
    assert loss(RELEASE) == pytest.approx((3 * lost["age"] + lost["city"]) / 4)


def test_counts_are_the_query_error() -> None:
    loss = loss_for("counts", FRAME, GIVEN)
    assert loss(RELEASE) == pytest.approx(shoal.query_error(FRAME, RELEASE.frames, GIVEN).all)


def test_queries_about_a_dropped_column_are_asked_all_the_same() -> None:
    starred = {"release": WITHOUT.frame.with_columns(city=pl.lit("*"))}
    found = loss_for("counts", FRAME, GIVEN)(WITHOUT)
    assert found == pytest.approx(shoal.query_error(FRAME, starred, GIVEN).all)


def test_a_better_release_predicts_better() -> None:
    pytest.importorskip("sklearn")
    frame = FRAME.with_columns(sick=(FRAME["age"] > 40).cast(pl.String))
    plan = GIVEN.changed(columns={**GIVEN.columns, "sick": shoal.target()})
    loss = loss_for("classification", frame, plan)
    coarse = plan.changed(models=[shoal.KAnonymity(k=150)])
    assert loss(shoal.anonymize(frame, plan)) < 0.1 < loss(shoal.anonymize(frame, coarse))


def test_suppressed_rows_count_as_wrongly_predicted() -> None:
    pytest.importorskip("sklearn")
    frame = FRAME.with_columns(same=pl.lit("x"))  # right for every released row
    plan = GIVEN.changed(
        columns={**GIVEN.columns, "same": shoal.target()},
        algorithm=shoal.Optimal(),
        release=shoal.ReleaseSettings(suppression=0.2),
    )
    release = shoal.anonymize(frame, plan)
    kept = np.zeros(frame.height, bool)
    kept[release.private.witness.row] = True
    assert not kept.all()
    shares = [1 - kept[split(frame.height, seed)[1]].mean() for seed in range(3)]
    assert loss_for("classification", frame, plan)(release) == pytest.approx(np.mean(shares))


@pytest.mark.parametrize(
    ("use", "error", "words"),
    [("generl", ShoalError, "did you mean 'general'"), ("classification", PlanError, "target")],
)
def test_what_a_use_needs_is_said(use: str, error: type[ShoalError], words: str) -> None:
    with pytest.raises(error, match=words):
        loss_for(use, FRAME, GIVEN)


def test_counts_need_a_sensitive_column() -> None:
    columns = {**GIVEN.columns, "ill": shoal.insensitive()}
    with pytest.raises(ShoalError, match="sensitive column"):
        loss_for("counts", FRAME, GIVEN.changed(columns=columns, models=[shoal.KAnonymity(k=2)]))
