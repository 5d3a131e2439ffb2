from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.hierarchies import Learned
from shoal.labels import Exactly, OneOf, Range, read


def test_numbers_become_bands_of_about_equal_frequency() -> None:
    hierarchy = Learned(fanout=2).build(pl.Series(range(8)))
    assert hierarchy.levels[1].labels == ("[0, 1]", "[2, 3]", "[4, 5]", "[6, 7]")
    assert hierarchy.levels[2].labels == ("[0, 3]", "[4, 7]")
    assert hierarchy.height == 3


def test_frequent_numbers_get_narrower_bands() -> None:
    counts = pl.Series([100, 100, 100, 100, 1, 1, 1, 1])
    assert Learned(fanout=4).build(pl.Series(range(8)), counts).levels[1].labels == ("0", "1", "2", "[3, 7]")


def test_rare_text_is_grouped_first() -> None:
    hierarchy = Learned(fanout=2).build(pl.Series(list("abcdefgh")), pl.Series([1, 50, 1, 25, 1, 13, 1, 1]))
    assert set(hierarchy.levels[1].labels) == {"b", "d", "{a, c, e, f, g, h}"}
    assert set(hierarchy.levels[2].labels) == {"b", "{a, c, d, e, f, g, h}"}


def test_large_groups_are_numbered_and_small_ones_listed() -> None:
    values = pl.Series([f"v{number:02d}" for number in range(40)])
    assert Learned(fanout=4).build(values).levels[-2].labels == tuple(f"group {number} of 4" for number in range(1, 5))
    few = Learned(fanout=2).build(pl.Series(["a, b", "c", "d", "e"]))
    assert few.levels[1].labels[0] == r"{a\, b, c}"


def test_dates_become_bands() -> None:
    days = [date(2024, 1, 1) + timedelta(days=number) for number in range(4)]
    hierarchy = Learned(fanout=2).build(pl.Series(days))
    assert hierarchy.levels[1].labels == ("[2024-01-01, 2024-01-02]", "[2024-01-03, 2024-01-04]")


def test_few_values_go_straight_to_the_top() -> None:
    assert Learned().build(pl.Series([1, 2, 3])).height == 1
    assert Learned().build(pl.Series([], dtype=pl.Int64)).with_missing().path(0) == ("", "*")


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=120), st.integers(2, 5))
def test_ranges_hold_their_values_and_follow_their_order(counts: list[int], fanout: int) -> None:
    values = pl.Series(range(-5, len(counts) - 5))
    hierarchy = Learned(fanout).build(values, pl.Series(counts))
    for level in hierarchy.levels[1:-1]:
        assert (np.diff(level.of_leaf) >= 0).all()
        assert 2 * len(level.labels) <= len(values)
        for value, code in zip(values, level.of_leaf, strict=True):
            meaning = read(level.labels[code])
            low, high = (meaning.low, meaning.high) if isinstance(meaning, Range) else (meaning.value,) * 2
            assert int(low) <= value <= int(high)


@given(st.lists(st.integers(1, 10**6), min_size=8, max_size=60))
def test_bands_hold_about_their_share(counts: list[int]) -> None:
    hierarchy = Learned(fanout=2).build(pl.Series(range(len(counts))), pl.Series(counts))
    level = hierarchy.levels[-2]
    shares = np.bincount(level.of_leaf, weights=counts)
    assert shares.max() <= sum(counts) / 2 + max(counts)


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.integers(1, 50), min_size=1, max_size=40))
def test_set_labels_list_exactly_their_members(frequencies: dict[str, int]) -> None:
    values = sorted(frequencies)
    counts = pl.Series([frequencies[value] for value in values], dtype=pl.Int64)
    hierarchy = Learned(fanout=2).build(pl.Series(values), counts)
    for level in hierarchy.levels[1:-1]:
        for code, label in enumerate(level.labels):
            members = tuple(values[leaf] for leaf in np.flatnonzero(level.of_leaf == code))
            if len(members) <= 8:
                assert read(label) == (Exactly(members[0]) if len(members) == 1 else OneOf(members))
            else:
                assert label == f"group {int(label.split()[1])} of {label.split()[3]}"


def test_the_same_data_gives_the_same_hierarchy() -> None:
    values, counts = pl.Series(list("abcdefgh")), pl.Series([3] * 8)
    first, second = (Learned(fanout=2).build(values, counts) for _ in range(2))
    assert [level.labels for level in first.levels] == [level.labels for level in second.levels]


@pytest.mark.parametrize("fanout", [1, 0, -4, 2.0, True, "4"])
def test_fanout_is_checked(fanout) -> None:
    with pytest.raises(PlanError, match="at least 2"):
        Learned(fanout)
