"""What an algorithm did not keep apart tells why: the minimality attack of Wong et al. on their table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.attacks import Minimality, Target, minimality
from tests.attacks.conftest import ward

# Both individuals of q1 have HIV. With α = 1/2, q1 must be merged with q2, and would not be otherwise.
RAW = pl.DataFrame({"q": ["q1"] * 2 + ["q2"] * 5, "ill": ["HIV"] * 2 + ["flu"] * 5})
PLAN = shoal.Plan(
    columns={"q": shoal.quasi(), "ill": shoal.sensitive()},
    models=[shoal.AlphaK("ill", alpha=0.5, k=2, values=("HIV",))],
)


@pytest.mark.parametrize("algorithm", [shoal.Mondrian(), shoal.Optimal()])
def test_a_generalization_that_was_needed_discloses_why(algorithm: object) -> None:
    plan = PLAN.changed(algorithm=algorithm)
    target = Target(shoal.anonymize(RAW, plan).tables, plan, raw=RAW)
    assert Minimality().applies(target) == "" and target.main["q"].n_unique() == 1
    (outcome,) = Minimality().attack(target)
    assert outcome.baseline == pytest.approx((2 * 2 / 7 + 5 * 5 / 7) / 7)
    assert outcome.success == 1 and outcome.bound is None  # of 21 tables, only one leads to this release


def test_every_table_leads_to_a_release_that_sees_no_sensitive_value() -> None:
    frame = pl.DataFrame({"age": [20, 21, 22, 40, 41, 42], "ill": ["a", "b", "c"] * 2})
    plan = shoal.Plan(columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=3)])
    (outcome,) = Minimality().attack(Target(shoal.anonymize(frame, plan).tables, plan, raw=frame))
    assert outcome.success == pytest.approx(outcome.baseline) == pytest.approx(1 / 3)


def test_when_it_cannot_be_tried() -> None:
    plan, frame = ward()
    tables = shoal.anonymize(frame, plan).tables
    assert "raw table" in Minimality().applies(Target(tables, plan))
    assert "not released" in Minimality().applies(Target(tables, plan, raw=frame[:9]))
    large = pl.concat([frame] * 4)
    assert "more than 40 rows" in Minimality().applies(Target({"release": large}, plan, raw=large))


def wide(columns: int) -> tuple[shoal.Plan, pl.DataFrame]:
    """A plan whose lattice has 4 levels for each column, and a table of forty patients."""
    draw = np.random.default_rng(0)
    names = [f"q{n}" for n in range(columns)]
    frame = pl.DataFrame({name: draw.integers(100, 999, 40).astype(str) for name in names})
    roles = {**dict.fromkeys(names, shoal.quasi(shoal.prefixes())), "ill": shoal.sensitive()}
    models = [shoal.KAnonymity(k=3), shoal.LDiversity("ill", l=2)]
    plan = shoal.Plan(columns=roles, models=models, algorithm=shoal.Incognito())
    return plan, frame.with_columns(ill=pl.Series(draw.choice(list("abcde"), 40)))


@pytest.mark.parametrize(("columns", "tables"), [(3, 50), (6, 44), (7, 13)])
def test_the_larger_the_lattice_the_fewer_tables_are_tried(
    columns: int, tables: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, frame = wide(columns)
    target, runs = Target(shoal.anonymize(frame, plan).tables, plan, raw=frame), []
    monkeypatch.setattr(minimality, "_released", lambda raw, plan: runs.append(raw))
    assert Minimality().applies(target) == ""
    (outcome,) = Minimality().attack(target)
    assert len(runs) == tables and f"of {tables} tables that were tried" in outcome.measured


def test_a_lattice_that_is_too_large_is_not_searched_again() -> None:
    plan, frame = wide(8)
    target = Target({"release": frame}, plan, raw=frame)
    assert "too many" in Minimality().applies(target)
