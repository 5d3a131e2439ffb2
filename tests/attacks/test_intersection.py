"""Two diverse releases of the same people may leave one value together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks import Intersection, Outcome, Target
from tests.attacks.conftest import ALGORITHMS, attacked, patients, plan_of, quick

PLAN = shoal.Plan(columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.LDiversity("ill", l=2)])
RAW = pl.DataFrame({"age": ["28", "32", "38", "45"], "ill": ["HIV", "flu", "HIV", "cold"]})
NEW = pl.DataFrame({"age": ["[28, 32]", "[28, 32]", "[38, 45]", "[38, 45]"], "ill": ["HIV", "flu", "HIV", "cold"]})
OLD = pl.DataFrame({"age": ["[20, 29]", "[30, 49]", "[30, 49]", "[20, 29]"], "ill": ["HIV", "flu", "HIV", "cold"]})


def of_column(outcomes: tuple[Outcome, ...], column: str | None) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.column == column]


def registry(rows: int = 2_000) -> tuple[pl.DataFrame, list[shoal.Plan]]:
    """Patients with a cost that is nearly unique, and two plans that weigh the quasi-identifiers differently."""
    draw = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": draw.integers(18, 90, rows),
            "zip": draw.integers(10_000, 99_999, rows),
            "stay": draw.integers(1, 60, rows),
            "cost": draw.integers(100, 90_000, rows),
            "diagnosis": draw.choice(["flu", "cold", "HIV", "asthma", "rash"], rows),
        }
    )
    return frame, [_weighted(*weights) for weights in ((10, 1, 0.1), (0.1, 1, 10))]


def _weighted(*weights: float) -> shoal.Plan:
    quasi = {name: shoal.quasi(weight=w) for name, w in zip(("age", "zip", "stay"), weights, strict=True)}
    columns = {**quasi, "cost": shoal.sensitive(type="integer"), "diagnosis": shoal.sensitive()}
    return shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=5)])


@pytest.mark.parametrize("known", ["nothing", "raw", "reference"])
def test_two_k_anonymous_releases_isolate_people_together(known: str) -> None:
    frame, (old_plan, plan) = registry()
    old, new = (shoal.anonymize(frame, each).tables for each in (old_plan, plan))
    given = {"raw": frame} if known == "raw" else {"reference": frame} if known == "reference" else {}
    outcomes = Intersection().attack(Target(new, plan, earlier=old, **given))
    mean, largest = of_column(outcomes, None)
    assert mean.success > 0.6 and mean.baseline <= 1 / 5 and mean.bound == 1 / 5 and not mean.holds
    assert largest.success == 1 and largest.baseline == 1 / 5 and not largest.holds
    for column in ("cost", "diagnosis"):
        (certain,) = of_column(outcomes, column)
        assert certain.success > 0.4 and certain.baseline < 0.02
    again = Intersection().attack(Target(new, plan, earlier=new, **given))
    assert all(outcome.success == outcome.baseline and outcome.holds for outcome in again)


def test_each_release_is_diverse_and_both_together_are_not() -> None:
    target = Target({"release": NEW}, PLAN, raw=RAW, earlier={"release": OLD})
    (outcome,) = of_column(Intersection().attack(target), "ill")
    # 28: {HIV, flu} ∩ {HIV, cold}; 38: {HIV, cold} ∩ {flu, HIV}; 45: the same classes as 38, but HIV is wrong
    assert (outcome.success, outcome.baseline, outcome.bound) == (2 / 4, 0.0, None)
    people = RAW.select("age")
    (of_reference,) = of_column(Intersection().attack(replace(target, raw=None, reference=people)), "ill")
    assert of_reference.success == 3 / 4  # nobody says which value is right


def test_values_of_one_row_are_combined() -> None:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive(), "drug": shoal.sensitive(), "ward": shoal.insensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])
    rows = {"age": ["[20, 29]"] * 2, "ill": ["flu", "HIV"], "drug": ["a", "b"], "ward": ["n", "s"]}
    other = {"age": ["[25, 39]"] * 2, "ill": ["flu", "HIV"], "drug": ["b", "b"], "ward": ["s", "s"]}
    target = Target({"release": pl.DataFrame(rows)}, plan, earlier={"release": pl.DataFrame(other)})
    people = pl.DataFrame({"age": ["27"]})
    outcomes = Intersection().attack(replace(target, reference=people))
    # both values of 'ill' are in both releases, but only HIV beside drug b in ward s
    assert [outcome.success for outcome in outcomes] == [1.0] * 4
    alone = plan.changed(columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, data=shoal.Data(unlisted="drop"))
    apart = Intersection().attack(replace(target, plan=alone, reference=people))
    assert [outcome.success for outcome in apart] == [0.5, 0.5, 0.0]


def test_without_individuals_rows_are_linked_by_their_values() -> None:
    target = Target({"release": NEW}, PLAN, earlier={"release": OLD})
    (outcome,) = of_column(Intersection().attack(target), "ill")
    # 38: the only class that [38, 45] overlaps has HIV and no cold; 28 may be in a class with flu; 45 is in no class
    assert outcome.success == 1 / 4
    other = pl.DataFrame({"age": ["[20, 29]"] * 2 + ["[30, 39]"] * 2, "ill": ["flu", "cold", "HIV", "flu"]})
    outcomes = Intersection().attack(Target({"release": other}, PLAN, earlier={"release": other}))
    assert [outcome.success for outcome in outcomes] == [0.5, 0.5, 0.0]


def test_the_bound_is_what_the_weaker_release_keeps_by_itself() -> None:
    rows = pl.DataFrame({"age": ["[20, 29]"] * 4, "ill": ["flu", "cold", "HIV", "flu"]})
    finer = rows.with_columns(age=pl.Series(["[20, 24]"] * 2 + ["[25, 29]"] * 2))
    single = rows.with_columns(age=pl.Series(["[20, 24]"] * 3 + ["[25, 29]"]))
    plan = PLAN.changed(models=[shoal.KAnonymity(k=4)])
    for earlier, bound in ((rows, 1 / 4), (finer, 1 / 2), (single, None)):
        outcomes = Intersection().attack(Target({"release": rows}, plan, earlier={"release": earlier}))
        assert {outcome.bound for outcome in of_column(outcomes, None)} == {bound}


def test_it_needs_two_releases_with_something_in_common() -> None:
    assert "no earlier release" in Intersection().applies(Target({"release": NEW}, PLAN))
    assert "sensitive" in Intersection().applies(Target({"release": NEW}, PLAN, earlier={"release": OLD.drop("ill")}))
    assert "quasi" in Intersection().applies(Target({"release": NEW}, PLAN, earlier={"release": OLD.drop("age")}))


@given(frame=patients(), algorithm=ALGORITHMS, with_raw=st.booleans())
@quick
def test_the_same_release_twice_says_nothing_new(frame: pl.DataFrame, algorithm: object, with_raw: bool) -> None:
    plan = plan_of(shoal.LDiversity("ill", l=2), algorithm=algorithm)
    target = attacked(frame, plan, raw=frame if with_raw else None)
    for outcome in Intersection().attack(replace(target, earlier=target.tables)):
        assert outcome.success == outcome.baseline


@given(frame=patients(), with_raw=st.booleans())
@quick
def test_a_value_of_both_releases_is_never_excluded(frame: pl.DataFrame, with_raw: bool) -> None:
    new = attacked(frame, plan_of(shoal.KAnonymity(k=2)), raw=frame if with_raw else None)
    old = attacked(frame, plan_of(shoal.KAnonymity(k=3), algorithm=shoal.KMember()))
    for outcome in Intersection().attack(replace(new, earlier=old.tables)):
        assert outcome.success >= outcome.baseline
