"""Labels overlap if and only if what they stand for, listed value by value, has a value in common."""

from __future__ import annotations

import datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import PlanError, TableError
from shoal.hierarchies import Dates, File, Icd9, Prefix
from shoal.hierarchies.flat import Flat
from shoal.labels import one_of, span
from shoal.risks import overlap
from shoal.risks.overlap import equal_places, overlaps, readable_hierarchy
from tests.risks.tables import plan_of

NUMBERS = range(8)
RANGES = st.tuples(st.sampled_from(NUMBERS), st.sampled_from(NUMBERS)).map(sorted)
NUMERIC = st.one_of(
    RANGES.map(lambda ends: (span(str(ends[0]), str(ends[1])), set(range(ends[0], ends[1] + 1)))),
    st.sets(st.sampled_from(NUMBERS), min_size=1).map(lambda some: (one_of(map(str, some)), some)),
    st.just(("*", {*NUMBERS, None})),
    st.just(("", {None})),
)
"""Labels of whole numbers, each with the values for which it may stand; None is the missing value."""


@given(st.lists(NUMERIC, min_size=1, max_size=6), st.lists(NUMERIC, min_size=1, max_size=6))
def test_ranges_sets_and_values(left: list[tuple[str, set[int]]], right: list[tuple[str, set[int]]]) -> None:
    found = overlaps([label for label, _ in left], [label for label, _ in right], Flat())
    assert found.tolist() == [[bool(one & other) for _, other in right] for _, one in left]


@given(st.lists(NUMERIC, min_size=1, max_size=6), st.lists(NUMERIC, min_size=1, max_size=6))
def test_equal_labels_suffice_only_if_nothing_else_overlaps(
    left: list[tuple[str, set[int]]], right: list[tuple[str, set[int]]]
) -> None:
    labels, values = sorted({label for label, _ in left}), [label for label, _ in right]
    places = equal_places(labels, values, Flat())
    if places is not None:
        equal = [[place == number for place in places.tolist()] for number in range(len(labels))]
        assert overlaps(labels, values, Flat()).tolist() == equal


def test_equal_labels_suffice_for_raw_values_and_leaves() -> None:
    places = equal_places(["a", "b"], ["b", "c", "a"], Flat())
    assert places is not None and places.tolist() == [1, -1, 0]
    assert equal_places(["12*"], ["123"], Prefix()) is None
    assert equal_places(["122"], ["123"], Prefix()) is not None
    assert equal_places(["[1, 2]"], ["1"], Flat()) is None


def test_too_many_pairs_are_refused_and_large_ones_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, values = ["[1, 2]", "{2, 4}", "3", "*"], ["1", "2", "3"]
    expected = overlaps(labels, values, Flat()).tolist()
    monkeypatch.setattr(overlap, "_AT_ONCE", 3)
    assert overlaps(labels, values, Flat()).tolist() == expected
    monkeypatch.setattr(overlap, "LARGEST", 11)
    with pytest.raises(TableError, match="4 labels and the reference table 3 values"):
        overlaps(labels, values, Flat())


def test_codes_that_are_numbers_are_compared_as_text() -> None:
    assert overlaps(["01234", "1234"], ["1234"], Flat()).tolist() == [[False], [True]]


def test_prefixes_overlap_what_begins_with_them() -> None:
    labels, values = ["12*", "1*", "1234", "2*", "*"], ["1234", "1299", "13*", "2000"]
    assert overlaps(labels, values, Prefix()).astype(int).tolist() == [
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 0, 0, 0],
        [0, 0, 0, 1],
        [1, 1, 1, 1],
    ]


def test_nodes_of_a_tree_overlap_their_leaves_and_what_is_above(tmp_path: Path) -> None:
    path = tmp_path / "tree.csv"
    path.write_text("a;left;*\nb;left;*\nc;right;*\n", encoding="utf-8")
    found = overlaps(["left", "right", "a", "{a, c}"], ["a", "b", "c", "right", "unknown"], File(str(path)))
    assert found.astype(int).tolist() == [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 0, 0, 0, 0], [1, 0, 1, 1, 0]]


def test_dates_overlap_their_periods() -> None:
    found = overlaps(["2020-03", "2020", "[2020-03-01, 2020-03-31]"], ["2020-03-05", "2020-04-01"], Dates())
    assert found.astype(int).tolist() == [[1, 0], [1, 1], [1, 0]]


def test_codes_overlap_their_chapters() -> None:
    found = overlaps(["140-239", "250"], ["174.9", "250.01"], Icd9())
    assert found.astype(int).tolist() == [[1, 0], [0, 1]]


def test_a_learned_group_may_be_any_value() -> None:
    assert overlaps(["group 1 of 3"], ["x", "y"], Flat()).all()


def test_a_hierarchy_that_is_not_at_hand_is_refused() -> None:
    plan = plan_of(["job"]).changed(columns={"job": shoal.quasi(shoal.tree("nowhere.csv"))})
    with pytest.raises(PlanError, match="hierarchy file of column 'job' is not at hand"):
        readable_hierarchy(plan, "job")
    assert readable_hierarchy(plan_of(["job"]), "job") is not None


def test_dates_are_read_as_they_are_released() -> None:
    frame = pl.DataFrame({"d": [datetime.date(2020, 3, day) for day in (1, 2, 3, 4)]})
    plan = plan_of(["d"]).changed(columns={"d": shoal.quasi(shoal.dates("month"))})
    found = shoal.risk(frame, plan, reference=frame, attacks=False)
    assert found.figures["k_map"]["k"] == 1
