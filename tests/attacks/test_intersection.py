"""Two diverse releases of the same people may leave one value together."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from hypothesis import given

import shoal
from shoal.attacks import Intersection, Target
from tests.attacks.conftest import attacked, patients, plan_of, quick

PLAN = shoal.Plan(columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.LDiversity("ill", l=2)])
RAW = pl.DataFrame({"age": ["28", "32", "38", "45"], "ill": ["HIV", "flu", "HIV", "cold"]})
NEW = pl.DataFrame({"age": ["[28, 32]", "[28, 32]", "[38, 45]", "[38, 45]"], "ill": ["HIV", "flu", "HIV", "cold"]})
OLD = pl.DataFrame({"age": ["[20, 29]", "[30, 49]", "[30, 49]", "[20, 29]"], "ill": ["HIV", "flu", "HIV", "cold"]})


def test_each_release_is_diverse_and_both_together_are_not() -> None:
    target = Target({"release": NEW}, PLAN, raw=RAW, earlier={"release": OLD})
    (outcome,) = Intersection().attack(target)
    # 28: {HIV, flu} ∩ {HIV, cold}; 38: {HIV, cold} ∩ {flu, HIV}; 45: the same classes as 38, but HIV is wrong
    assert (outcome.success, outcome.baseline, outcome.bound) == (2 / 4, 0.0, None)
    people = RAW.select("age")
    (of_reference,) = Intersection().attack(replace(target, raw=None, reference=people))
    assert of_reference.success == 3 / 4  # nobody says which value is right


def test_without_individuals_overlapping_classes_are_combined() -> None:
    target = Target({"release": NEW}, PLAN, earlier={"release": OLD})
    (outcome,) = Intersection().attack(target)
    assert outcome.success == 2 / 4  # [38, 45] overlaps one class, [28, 32] both
    other = pl.DataFrame({"age": ["[20, 29]"] * 2 + ["[30, 39]"] * 2, "ill": ["flu", "cold", "HIV", "flu"]})
    assert Intersection().attack(Target({"release": other}, PLAN, earlier={"release": other}))[0].success == 0


def test_it_needs_two_releases_with_something_in_common() -> None:
    assert "no earlier release" in Intersection().applies(Target({"release": NEW}, PLAN))
    assert "sensitive" in Intersection().applies(Target({"release": NEW}, PLAN, earlier={"release": OLD.drop("ill")}))
    assert "quasi" in Intersection().applies(Target({"release": NEW}, PLAN, earlier={"release": OLD.drop("age")}))


@given(frame=patients())
@quick
def test_the_same_release_twice_says_nothing_new(frame: pl.DataFrame) -> None:
    target = attacked(frame, plan_of(shoal.LDiversity("ill", l=2)), raw=frame)
    for outcome in Intersection().attack(replace(target, earlier=target.tables)):
        assert outcome.success == outcome.baseline


@given(frame=patients())
@quick
def test_a_value_of_both_releases_is_never_excluded(frame: pl.DataFrame) -> None:
    new = attacked(frame, plan_of(shoal.KAnonymity(k=2)), raw=frame)
    old = attacked(frame, plan_of(shoal.KAnonymity(k=3), algorithm=shoal.KMember()))
    for outcome in Intersection().attack(replace(new, earlier=old.tables)):
        assert outcome.success >= outcome.baseline
