from __future__ import annotations

from datetime import date
from fractions import Fraction
from math import floor, inf, nan

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies import Intervals
from shoal.labels import Exactly, Range, read


def bounds(label: str) -> tuple[Fraction, Fraction]:
    meaning = read(label)
    if isinstance(meaning, Exactly):
        return Fraction(meaning.value), Fraction(meaning.value)
    assert isinstance(meaning, Range)
    return Fraction(meaning.low), Fraction(meaning.high)


def test_whole_numbers_get_inclusive_bounds() -> None:
    hierarchy = Intervals((5, 10, 20)).build(pl.Series([19, 20, 24, 25]))
    assert hierarchy.path(0) == ("19", "[15, 19]", "[10, 19]", "[0, 19]", "*")
    assert hierarchy.path(2) == ("24", "[20, 24]", "[20, 29]", "[20, 39]", "*")
    assert hierarchy.levels[1].labels == ("[15, 19]", "[20, 24]", "[25, 29]")


def test_real_numbers_get_the_bounds_of_the_interval() -> None:
    assert Intervals((5,)).build(pl.Series([20.0, 24.99, 25.0])).levels[1].labels == ("[20, 25]", "[25, 30]")


def test_negative_numbers_and_an_origin() -> None:
    assert Intervals((10,)).build(pl.Series([-11, -10, -1, 0])).levels[1].labels == (
        "[-20, -11]",
        "[-10, -1]",
        "[0, 9]",
    )
    assert Intervals((10,), origin=18).build(pl.Series([17, 18])).levels[1].labels == ("[8, 17]", "[18, 27]")
    assert Intervals((1,), origin=-0.5).build(pl.Series([0.49, 0.5])).levels[1].labels == ("[-0.5, 0.5]", "[0.5, 1.5]")


def test_numbers_count_as_they_are_written() -> None:
    hierarchy = Intervals((0.1, 0.3)).build(pl.Series([0.3, 0.6, 0.7, 2.3, 4.35]))
    assert [hierarchy.path(leaf)[1] for leaf in range(5)] == [
        "[0.3, 0.4]",
        "[0.6, 0.7]",
        "[0.7, 0.8]",
        "[2.3, 2.4]",
        "[4.3, 4.4]",
    ]


def test_an_interval_of_one_whole_number_is_that_number() -> None:
    assert Intervals((1, 2)).build(pl.Series([7])).path(0) == ("7", "7", "[6, 7]", "*")


def test_a_level_of_one_interval_still_has_a_top() -> None:
    assert Intervals((100,)).build(pl.Series([1, 99])).path(0) == ("1", "[0, 99]", "*")


@given(
    st.sets(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20),
    st.integers(1, 2**40),
    st.integers(2, 5),
    st.integers(-(2**40), 2**40),
)
def test_every_whole_number_lies_in_its_interval(numbers: set[int], width: int, times: int, origin: int) -> None:
    values = sorted(numbers)
    hierarchy = Intervals((width, width * times), origin).build(pl.Series(values, dtype=pl.Int64))
    for leaf, value in enumerate(values):
        for level, wide in ((1, width), (2, width * times)):
            low, high = bounds(hierarchy.path(leaf)[level])
            assert low <= value <= high
            assert high - low == wide - 1
            assert (low - origin) % wide == 0


@given(
    st.sets(st.decimals("-1e6", "1e6", places=3), min_size=1, max_size=20),
    st.decimals("0.001", "50", places=3),
    st.integers(2, 5),
    st.decimals("-10", "10", places=2),
)
def test_every_real_number_lies_in_its_interval_as_written(numbers, width, times, origin) -> None:
    values = sorted({float(number) for number in numbers})
    spec = Intervals((float(width), float(width * times)), float(origin))
    hierarchy = spec.build(pl.Series(values, dtype=pl.Float64))
    for leaf, value in enumerate(values):
        written = Fraction(repr(value))
        for level, wide in ((1, Fraction(width)), (2, Fraction(width * times))):
            low, high = bounds(hierarchy.path(leaf)[level])
            assert low == Fraction(origin) + wide * floor((written - Fraction(origin)) / wide)
            assert high == low + wide


@given(st.floats(-1e13, 1e13))
def test_doubles_of_any_length_are_placed_exactly(value: float) -> None:
    low, high = bounds(Intervals((0.3,)).build(pl.Series([value])).path(0)[1])
    assert low <= Fraction(repr(value)) < high


@pytest.mark.parametrize(
    "widths", [(), (0,), (-5,), (nan,), (inf,), (True,), ("5",), (5, 12), (10, 5), (5, 5), (0.1, 0.25), (1, 10**400)]
)
def test_widths_are_checked(widths) -> None:
    with pytest.raises(PlanError, match="Intervals"):
        Intervals(widths)


def test_an_origin_is_a_number_and_decimals_are_limited() -> None:
    with pytest.raises(PlanError, match="origin"):
        Intervals((5,), origin=nan)
    with pytest.raises(PlanError, match="origin"):
        Intervals((5,), origin=10**400)
    with pytest.raises(PlanError, match="12 decimals"):
        Intervals((1e-13,))


def test_widths_that_nest_by_what_is_written_are_taken() -> None:
    assert Intervals((0.1, 0.3)).widths == (0.1, 0.3)
    assert Intervals([5, 10]).widths == (5, 10)


def test_text_and_dates_are_refused() -> None:
    for values in (pl.Series(["20"]), pl.Series([date(2024, 1, 1)])):
        with pytest.raises(HierarchyError, match='kind = "date"'):
            Intervals((5,)).build(values)


def test_fractions_are_refused_for_whole_numbers() -> None:
    with pytest.raises(HierarchyError, match="whole numbers"):
        Intervals((2.5,)).build(pl.Series([1]))


def test_values_that_cannot_be_placed_are_counted_not_shown() -> None:
    with pytest.raises(HierarchyError, match="3 of 4 distinct values") as raised:
        Intervals((0.5,)).build(pl.Series([1.0, 7.25e200, inf, nan]))
    assert "7.25" not in str(raised.value)


def test_widths_beyond_what_is_exact_are_refused_for_real_numbers() -> None:
    with pytest.raises(HierarchyError, match="at most"):
        Intervals((1e30,)).build(pl.Series([1.0]))
    assert Intervals((10**30,)).build(pl.Series([1])).path(0)[1] == f"[0, {10**30 - 1}]"
