"""What every kind of hierarchy owes: it covers the values it was built from, nests, and is what a plan can say."""

from __future__ import annotations

import dataclasses
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchies import (
    ALL,
    Dates,
    File,
    Flat,
    Hierarchy,
    HierarchySpec,
    Icd9,
    Icd10,
    Icd10Cm,
    Intervals,
    Learned,
    Prefix,
    default_for,
    text_of,
)

NUMBERS = st.sets(st.integers(-1000, 1000), min_size=1, max_size=40)
WHOLE = NUMBERS.map(lambda found: pl.Series(sorted(found), dtype=pl.Int64))
REAL = NUMBERS.map(lambda found: pl.Series(sorted(number / 8 for number in found), dtype=pl.Float64))
DAYS = st.sets(st.dates(date(1900, 1, 1), date(2100, 1, 1)), min_size=1, max_size=40).map(
    lambda found: pl.Series(sorted(found))
)
TEXT = st.sets(st.text(min_size=1, max_size=6), min_size=1, max_size=40).map(lambda found: pl.Series(sorted(found)))

CASES: list[tuple[HierarchySpec, st.SearchStrategy[pl.Series]]] = [
    (Intervals((5, 10, 50), origin=3), WHOLE),
    (Intervals((0.5, 2.5), origin=0.1), REAL),
    (Prefix(), WHOLE),
    (Prefix(), TEXT),
    (Dates(), DAYS),
    (Flat(), TEXT),
    (Learned(fanout=2), WHOLE),
    (Learned(fanout=3), REAL),
    (Learned(), DAYS),
    (Learned(fanout=2), TEXT),
]


def nests(hierarchy: Hierarchy) -> bool:
    """By the labels alone: whoever shares a label shares the next."""
    paths = [hierarchy.path(leaf) for leaf in range(len(hierarchy.leaves))]
    steps = {(level, path[level], path[level + 1]) for path in paths for level in range(hierarchy.height)}
    return len({(level, label) for level, label, _ in steps}) == len(steps)


@pytest.mark.parametrize(("spec", "series"), CASES, ids=lambda case: getattr(case, "kind", ""))
def test_built_hierarchies_cover_nest_and_end_in_a_star(
    spec: HierarchySpec, series: st.SearchStrategy[pl.Series]
) -> None:
    @given(series)
    def holds(values: pl.Series) -> None:
        hierarchy = spec.build(values)
        assert hierarchy.leaves == tuple(text_of(values))
        assert nests(hierarchy)
        assert hierarchy.levels[-1].labels == ("*",)

    holds()


def test_kinds_are_those_of_the_plan_file() -> None:
    assert [spec.kind for spec in ALL] == [
        "intervals",
        "prefix",
        "date",
        "file",
        "flat",
        "icd9",
        "icd10",
        "icd10cm",
        "learned",
    ]


@pytest.mark.parametrize("spec", ALL)
def test_specs_are_frozen_values(spec: type) -> None:
    assert dataclasses.is_dataclass(spec)
    example = {Intervals: Intervals((5,)), File: File("job.csv")}.get(spec) or spec()
    assert hash(example) == hash(dataclasses.replace(example))
    with pytest.raises(dataclasses.FrozenInstanceError):
        example.kind = "other"


def test_only_text_has_a_default() -> None:
    assert default_for("text") == Flat()
    assert [default_for(kind) for kind in ("integer", "real", "date")] == [None, None, None]


def test_the_exported_specs_are_the_listed_ones() -> None:
    assert set(ALL) == {Intervals, Prefix, Dates, File, Flat, Icd9, Icd10, Icd10Cm, Learned}
