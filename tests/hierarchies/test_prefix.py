from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies import Prefix


def test_one_character_less_at_every_level() -> None:
    hierarchy = Prefix().build(pl.Series(["02139", "12345"]))
    assert hierarchy.path(1) == ("12345", "1234*", "123*", "12*", "1*", "*")
    assert hierarchy.path(0)[1] == "0213*"


def test_a_short_value_joins_the_longer_ones_that_begin_like_it() -> None:
    hierarchy = Prefix().build(pl.Series(["12", "1234", "129"]))
    assert hierarchy.path(0) == ("12", "12", "12*", "1*", "*")
    assert hierarchy.path(1) == ("1234", "123*", "12*", "1*", "*")
    assert hierarchy.path(2) == ("129", "129*", "12*", "1*", "*")


def test_steps_choose_the_prefixes() -> None:
    assert Prefix((3, 1)).build(pl.Series(["12345"])).path(0) == ("12345", "123*", "1*", "*")


def test_whole_numbers_use_their_text() -> None:
    assert Prefix().build(pl.Series([-12, 345])).path(0) == ("-12", "-1*", "-*", "*")


def test_characters_are_counted_not_bytes() -> None:
    assert Prefix().build(pl.Series(["äöü"])).path(0) == ("äöü", "äö*", "ä*", "*")


def test_a_short_value_that_reads_as_something_else_is_escaped() -> None:
    hierarchy = Prefix().build(pl.Series(["*", "abcd", "{a}"]))
    assert hierarchy.path(0)[1] == "\\*"
    assert hierarchy.path(2)[1:3] == ("{a}*", "{a*")


@given(st.sets(st.text(min_size=1, max_size=6), min_size=1, max_size=20))
def test_values_share_a_label_exactly_when_they_share_the_prefix(texts: set[str]) -> None:
    values = sorted(texts)
    hierarchy = Prefix((4, 2, 1)).build(pl.Series(values))
    for level, step in enumerate((4, 2, 1), start=1):
        for left in range(len(values)):
            for right in range(left):
                alike = hierarchy.path(left)[level] == hierarchy.path(right)[level]
                assert alike == (values[left][:step] == values[right][:step])


@pytest.mark.parametrize("steps", [(), (0,), (2, 2), (1, 3), (1.5,), (True,), ("3",), (10**30,)])
def test_steps_are_checked(steps) -> None:
    with pytest.raises(PlanError, match="steps"):
        Prefix(steps)


def test_prose_needs_steps() -> None:
    with pytest.raises(HierarchyError, match="40 levels") as raised:
        Prefix().build(pl.Series(["s" * 40]))
    assert "sss" not in str(raised.value)
    assert Prefix((2,)).build(pl.Series(["s" * 40])).height == 2


def test_dates_and_reals_are_refused() -> None:
    for values in (pl.Series([1.5]), pl.Series([date(2024, 1, 1)])):
        with pytest.raises(HierarchyError, match="intervals"):
            Prefix().build(values)
