"""Candidates in a reference table equal those that are found by comparing all pairs of rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import PlanError
from shoal.labels import Anything, Exactly, OneOf, read
from shoal.progress import silent
from shoal.risks.base import Candidates
from shoal.risks.classes import counted_classes
from shoal.risks.reference import candidates
from tests.effort import examples
from tests.risks.tables import plan_of

PEOPLE = st.lists(st.tuples(st.integers(20, 29), st.sampled_from("fmx")), min_size=4, max_size=40)


def frame_of(people: list[tuple[int, str]]) -> pl.DataFrame:
    return pl.DataFrame({"age": [age for age, _ in people], "sex": [sex for _, sex in people]})


def covers(label: str, value: str) -> bool:
    """Whether a released label of these tables is true of a value."""
    meaning = read(label)
    if isinstance(meaning, Anything):
        return True
    if isinstance(meaning, Exactly):
        return meaning.value == value
    if isinstance(meaning, OneOf):
        return value in meaning.values
    return int(meaning.low) <= int(value) <= int(meaning.high)


def candidates_of(released: pl.DataFrame, reference: pl.DataFrame, plan: shoal.Plan) -> Candidates:
    return candidates(counted_classes(released, plan), reference, plan, silent)


@settings(max_examples=examples(25))
@given(PEOPLE, PEOPLE, st.sampled_from(["hierarchy", "sets"]))
def test_a_release_by_mondrian_is_compared_by_overlap(
    people: list[tuple[int, str]], others: list[tuple[int, str]], categories: str
) -> None:
    plan = plan_of(["age", "sex"], release=shoal.ReleaseSettings(categories=categories))
    released, reference = shoal.anonymize(frame_of(people), plan).frame, frame_of([*people, *others])
    found = candidates_of(released, reference, plan)

    rows = [tuple(map(str, row)) for row in released.rows()]
    known = [tuple(map(str, row)) for row in reference.rows()]
    position = [found.columns.index(name) for name in ("age", "sex")]
    fits = {label: [all(map(covers, label, person)) for person in known] for label in set(rows)}
    expected = sorted((rows.count(label), sum(each)) for label, each in fits.items())
    assert sorted(zip(found.sizes.tolist(), found.found.tolist(), strict=True)) == expected
    present = [
        min(1.0, sum(rows.count(label) / sum(each) for label, each in fits.items() if each[number]))
        for number in range(len(known))
    ]
    assert np.allclose(sorted(np.repeat(found.presence, found.times)), sorted(present))
    assert found.reference_rows == len(known) and sorted(position) == [0, 1]


def test_only_shared_columns_count() -> None:
    plan = plan_of(["age", "sex"])
    table = frame_of([(20, "f"), (20, "m"), (21, "m")])
    found = candidates_of(table, pl.DataFrame({"age": [20, 20, 20, 21]}), plan)
    assert found.columns == ("age",)
    assert found.sizes.tolist() == [2, 1] and found.found.tolist() == [3, 1]


def test_a_reference_without_shared_columns_is_refused() -> None:
    with pytest.raises(PlanError, match="none of the quasi-identifiers"):
        candidates_of(frame_of([(20, "f")]), pl.DataFrame({"name": ["a"]}), plan_of(["age", "sex"]))


def test_numbers_match_by_value_and_missing_values_match_missing_ones() -> None:
    plan = plan_of(["age"])
    found = candidates_of(
        pl.DataFrame({"age": ["20", None]}), pl.DataFrame({"age": ["20.0", "20", "?", "NA", "21"]}), plan
    )
    assert dict(zip(found.sizes.tolist(), found.found.tolist(), strict=True)) == {1: 2}
    assert found.found.tolist() == [2, 2]


def test_values_beyond_the_top_of_a_released_column_are_at_the_top() -> None:
    plan = plan_of(["age"]).changed(columns={"age": shoal.quasi(top=90, bottom=20)})
    reference = pl.DataFrame({"age": [95, 91, 90, 30, 3]})
    released = candidates_of(pl.DataFrame({"age": ["90", "30", "20"]}), reference, plan)
    assert released.found.sum() == 5 and sorted(released.found.tolist()) == [1, 1, 3]
    raw = candidates_of(pl.DataFrame({"age": [95, 30]}), reference, plan)
    assert raw.found.tolist() == [1, 1]  # the raw table is not bounded, and so the reference is not


@pytest.mark.parametrize(
    ("ages", "limits"), [([62, 63, 64, 70], {"top": 50}), ([45, 62, 63, 64], {"top": 50}), ([5, 6, 44], {"bottom": 45})]
)
def test_values_beyond_a_bound_are_found_in_a_range_that_reaches_beyond_it(
    ages: list[int], limits: dict[str, int]
) -> None:
    """All labels are [40, 59], so that every individual is a candidate."""
    people = pl.DataFrame({"age": ages})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(shoal.intervals(20), finest=1, **limits)},
        models=[shoal.KAnonymity(k=2)],
        algorithm=shoal.Optimal(),
    )
    released = shoal.anonymize(people, plan).frame
    assert released["age"].to_list() == ["[40, 59]"] * len(ages)
    found = shoal.risk(released, plan, reference=people, attacks=False).figures
    assert found["k_map"]["k"] == len(ages)
    assert found["journalist"]["highest"] == 1 / len(ages)
