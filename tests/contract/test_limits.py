"""`finest` and `coarsest`: no algorithm publishes a label beyond them, and verification notices one that is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import algorithms
from shoal.errors import CannotBeMet, PlanError
from shoal.hierarchies import Dates, Flat, Intervals, Prefix
from shoal.plan import Plan, ReleaseSettings
from shoal.roles.columns import Column
from shoal.table import Runs
from shoal.verification.labelled import labelled
from shoal.verification.labels import label_problems

AGE = Intervals((5, 10, 20), 0)
ZIP = Prefix((4, 3, 2, 1))
KINDS = [cls.kind for cls in algorithms.ALL if cls is not algorithms.Scba]  # it refuses `finest`


def cls(kind: str) -> Any:
    return next(each for each in algorithms.ALL if each.kind == kind)


def table(rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 80, rows).astype(str),
            "zip": rng.choice(["12345", "12399", "12400", "98765", "98701"], rows),
            "sex": rng.choice(["f", "m"], rows),
            "diagnosis": rng.choice(["flu", "asthma", "burn", "angina"], rows),
        }
    )


def plan(kind: str, columns: dict[str, Column], **release: Any) -> Plan:
    """A plan with these quasi-identifiers."""
    options = {"goal": "general"} if kind == "pais" else {}
    return Plan(
        columns={**columns, "diagnosis": shoal.sensitive()},
        models=[shoal.KAnonymity(k=5)],
        algorithm=cls(kind)(**options),
        release=ReleaseSettings(**release),
    )


def shown(release: shoal.Release, name: str) -> set[Any]:
    return set(release.frame[name].cast(pl.String).to_list())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
def test_every_algorithm_keeps_between_finest_and_coarsest(kind: str, categories: str) -> None:
    columns = {
        "age": shoal.quasi(AGE, finest=1, coarsest=2),
        "zip": shoal.quasi(ZIP, finest=1, coarsest=4),
        "sex": shoal.quasi(coarsest=0),
    }
    release = shoal.anonymize(table(), plan(kind, columns, categories=categories))
    assert shown(release, "sex") == {"f", "m"}
    fives = {f"[{low}, {low + 4}]" for low in range(20, 80, 5)}
    tens = {f"[{low}, {low + 9}]" for low in range(20, 80, 10)}
    assert shown(release, "age") <= fives | tens
    assert all(label.endswith("*") and len(label) > 1 for label in shown(release, "zip"))
    assert release.frame.group_by("age", "zip", "sex").len()["len"].min() >= 5


@pytest.mark.parametrize("kind", KINDS)
def test_finest_alone_leaves_the_top_open(kind: str) -> None:
    columns = {"age": shoal.quasi(AGE, finest=3), "zip": shoal.quasi(ZIP, finest=9), "sex": shoal.quasi()}
    release = shoal.anonymize(table(), plan(kind, columns))
    assert shown(release, "zip") == {"*"}, "a finest level above the top leaves only `*`"
    assert shown(release, "age") <= {"[20, 39]", "[40, 59]", "[60, 79]", "*"}


@pytest.mark.parametrize("kind", KINDS)
def test_levels_and_losses_are_those_of_the_whole_hierarchy(kind: str) -> None:
    columns = {"age": shoal.quasi(AGE, finest=2, coarsest=2), "zip": shoal.quasi(ZIP, finest=3, coarsest=3)}
    release = shoal.anonymize(table().drop("sex"), plan(kind, columns))
    if cls(kind).recodes_by_level:
        assert release.manifest.levels == {"age": 2, "zip": 3}
    free = shoal.anonymize(table().drop("sex"), plan(kind, {"age": shoal.quasi(AGE), "zip": shoal.quasi(ZIP)}))
    assert free.manifest.measures["ncp"] <= release.manifest.measures["ncp"] + 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_limits_that_the_models_cannot_meet_are_an_error(kind: str) -> None:
    columns = {"age": shoal.quasi(AGE, coarsest=0), "zip": shoal.quasi(ZIP, coarsest=0), "sex": shoal.quasi()}
    with pytest.raises(CannotBeMet, match="coarsest"):
        shoal.anonymize(table(60), plan(kind, columns))


def test_suppression_helps_where_limits_leave_rows_alone() -> None:
    columns = {"age": shoal.quasi(AGE, coarsest=1), "zip": shoal.quasi(ZIP, coarsest=3), "sex": shoal.quasi()}
    for local in (False, True):
        given = plan("optimal", columns, suppression=0.5)
        given = given.changed(algorithm=replace(given.algorithm, local=local))
        release = shoal.anonymize(table(), given)
        assert "*" not in shown(release, "age") | shown(release, "zip")


def test_missing_values_form_a_part_of_their_own() -> None:
    frame = table().with_columns(
        pl.when(pl.int_range(pl.len()) % 8 == 0).then(pl.lit("")).otherwise("sex").alias("sex")
    )
    for kind in KINDS:
        release = shoal.anonymize(
            frame,
            plan(kind, {"age": shoal.quasi(AGE), "sex": shoal.quasi(coarsest=0)}).changed(
                data=shoal.Data(unlisted="drop")
            ),
        )
        assert shown(release, "sex") == {"f", "m", None}


def test_verification_notices_labels_beyond_the_limits() -> None:
    columns = {"age": shoal.quasi(AGE, finest=1, coarsest=2), "sex": shoal.quasi(coarsest=0)}
    given = plan("mondrian", columns).changed(data=shoal.Data(unlisted="drop"))
    release = shoal.anonymize(table(), given)

    def problems(**changed: pl.Expr) -> str:
        frame = release.frame.with_columns(pl.col("age", "sex").cast(pl.String)).with_columns(**changed)
        return " ".join(label_problems(labelled({"release": Runs.of(frame)}, given), given))

    assert problems() == ""
    for label in ("37", "[20, 39]", "*"):
        assert "finest" in problems(age=pl.lit(label))
    assert "'sex'" in problems(sex=pl.lit("*"))


def test_limits_need_levels_that_a_plan_can_name() -> None:
    with pytest.raises(PlanError, match="finest must not be above"):
        plan("mondrian", {"age": shoal.quasi(AGE, finest=2, coarsest=1)})
    with pytest.raises(PlanError, match="Levels count from 0"):
        plan("mondrian", {"age": shoal.quasi(AGE, finest=-1)})
    with pytest.raises(PlanError, match="learned"):
        plan("mondrian", {"age": shoal.quasi(shoal.hierarchies.Learned(), coarsest=1)})
    with pytest.raises(PlanError, match="steps"):
        plan("mondrian", {"zip": shoal.quasi(Prefix(), coarsest=1)})
    with pytest.raises(PlanError, match="no hierarchy whose levels"):
        shoal.anonymize(table().select("age", "diagnosis"), plan("mondrian", {"age": shoal.quasi(coarsest=1)}))
    with pytest.raises(PlanError, match="only a quasi-identifier"):
        plan("mondrian", {"age": shoal.quasi(), "sex": Column(role="insensitive", coarsest=1)})
    with pytest.raises(PlanError, match="publishes quasi-identifiers unchanged"):
        Plan(
            columns={"age": shoal.quasi(AGE, finest=1), "diagnosis": shoal.sensitive()},
            models=[shoal.LDiversity("diagnosis", l=2)],
            release=ReleaseSettings(form="anatomy"),
        )


def test_sets_apply_to_text_only() -> None:
    columns = {"age": shoal.quasi(AGE), "zip": shoal.quasi(type="text"), "sex": shoal.quasi()}
    given = plan("mondrian", columns, categories="sets").changed(models=[shoal.KAnonymity(k=20)])
    release = shoal.anonymize(table(), given)
    nodes = {f"[{low}, {low + width - 1}]" for width in (5, 10, 20) for low in range(20, 80, width)} | {"*"}
    assert {label for label in shown(release, "age") if not label.isdigit()} <= nodes
    assert any(label.startswith("{") for label in shown(release, "zip"))


def test_dates_keep_between_their_levels() -> None:
    frame = table().with_columns(born=pl.date(1950, 1, 1) + pl.duration(days=pl.int_range(pl.len()) * 17))
    born = shoal.quasi(Dates(("month", "year", "decade")), finest=2, coarsest=3)
    given = plan("mondrian", {"born": born, "sex": shoal.quasi(Flat())}).changed(data=shoal.Data(unlisted="drop"))
    labels = shown(shoal.anonymize(frame, given), "born")
    assert labels <= {*(str(year) for year in range(1950, 1970)), "[1950, 1959]", "[1960, 1969]"}
