"""Linkage finds unique individuals, and under k-anonymity nobody with a better chance than 1/k."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks import Linkage, Target
from tests.attacks.conftest import ALGORITHMS, attacked, patients, plan_of, quick, ward


def test_everyone_is_found_in_a_raw_table() -> None:
    plan, frame = ward()
    for known in ({}, {"raw": frame}, {"reference": frame}):
        mean, largest = Linkage().attack(Target({"release": frame}, plan, **known))
        assert mean.success == largest.success == 1 and mean.tried == 12
        assert mean.baseline == pytest.approx(1 / 12) and mean.bound == pytest.approx(1 / 3) and not mean.holds


def test_one_unique_individual_breaks_the_promise() -> None:
    plan, _ = ward()
    frame = pl.DataFrame({"age": ["1"] * 11 + ["2"], "sex": ["m"] * 12, "ill": ["flu"] * 12})
    mean, largest = Linkage().attack(Target({"release": frame}, plan))
    assert mean.success == pytest.approx(2 / 12) and mean.holds
    assert largest.success == 1 and not largest.holds
    assert mean.measured.startswith("On average, ") and largest.measured.startswith("At most, ")


def test_a_larger_reference_lowers_the_chance() -> None:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])
    release = pl.DataFrame({"age": ["[20, 29]"] * 2 + ["[30, 39]"] * 2, "ill": ["a", "b", "c", "d"]})
    voters = pl.DataFrame({"name": list("pqrstuvw"), "age": ["20", "21", "22", "23", "30", "35", "", "50"]})
    mean, _ = Linkage().attack(Target({"release": release}, plan, reference=voters))
    assert mean.success == pytest.approx((2 / 5 + 2 / 3) / 4)  # an unknown age matches every label
    assert mean.baseline == 1 / 8 and "1 of 1 quasi-identifiers" in mean.knows
    strangers = pl.DataFrame({"age": ["70"]})
    assert Linkage().attack(Target({"release": release}, plan, reference=strangers))[0].success == 0
    assert "no quasi-identifier" in Linkage().applies(Target({"release": release}, plan, reference=voters[["name"]]))


def test_a_reference_with_fewer_columns_finds_larger_groups() -> None:
    plan, frame = ward()
    one_man = frame.select("sex").head(1)
    mean, largest = Linkage().attack(Target({"release": frame}, plan, reference=one_man))
    assert largest.success == pytest.approx(1 / 6)  # six men match, whatever their age
    assert mean.success == pytest.approx(1 / 12)
    assert "1 of 2 quasi-identifiers" in mean.knows


@given(frame=patients(), k=st.integers(2, 4), algorithm=ALGORITHMS, known=st.sampled_from(["", "raw", "reference"]))
@quick
def test_k_anonymity_bounds_every_link(frame: pl.DataFrame, k: int, algorithm: object, known: str) -> None:
    target = attacked(frame, plan_of(shoal.KAnonymity(k=k), algorithm=algorithm), **({known: frame} if known else {}))
    mean, largest = Linkage().attack(target)
    assert mean.bound == 1 / k and mean.holds and largest.holds
    assert 0 < mean.success <= largest.success  # every row is covered by the labels of its class


@given(frame=patients(), k=st.integers(2, 4))
@quick
def test_sets_and_cut_ranges_cover_their_individuals(frame: pl.DataFrame, k: int) -> None:
    settings = shoal.ReleaseSettings(categories="sets", ranges="cut")
    target = attacked(frame, plan_of(shoal.KAnonymity(k=k), release=settings), raw=frame)
    mean, _ = Linkage().attack(target)
    own = len(target.labelled) / frame.height  # the chance of an intruder who knows the class
    assert mean.success <= own + 1e-12 and mean.holds


def test_an_anatomy_promises_nothing_about_identity() -> None:
    _, frame = ward()
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.sensitive()}
    settings = shoal.ReleaseSettings(form="anatomy")
    plan = shoal.Plan(columns=columns, models=[shoal.LDiversity("ill", l=2)], release=settings)
    mean, _ = Linkage().attack(Target(shoal.anonymize(frame, plan).tables, plan, raw=frame))
    assert (mean.success, mean.bound) == (1.0, None)
