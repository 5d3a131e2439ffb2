from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import labels
from shoal.labels import Anything, Exactly, OneOf, Range

VALUE = st.one_of(st.text(), st.text(alphabet="[]{}*,\\ ab", max_size=8))


@given(VALUE)
def test_a_value_reads_back_as_itself(value: str) -> None:
    assert labels.read(labels.exact(value)) == Exactly(value)


@given(st.sets(VALUE, min_size=2))
def test_a_set_reads_back_sorted(values: set[str]) -> None:
    assert labels.read(labels.one_of(values)) == OneOf(tuple(sorted(values)))


@given(VALUE)
def test_a_set_of_one_is_that_value(value: str) -> None:
    assert labels.one_of([value, value]) == labels.exact(value)


@given(st.integers(), st.integers())
def test_a_range_reads_back(low: int, high: int) -> None:
    meaning = Exactly(str(low)) if low == high else Range(str(low), str(high))
    assert labels.read(labels.span(str(low), str(high))) == meaning


@given(VALUE, VALUE)
def test_different_values_have_different_labels(one: str, other: str) -> None:
    assert (labels.exact(one) == labels.exact(other)) is (one == other)


@given(VALUE, st.sets(VALUE, min_size=2))
def test_a_value_never_reads_as_a_set(value: str, values: set[str]) -> None:
    assert labels.exact(value) != labels.one_of(values)


@pytest.mark.parametrize("value", ["*", "[1, 2]", "{a}", "{a, b}", "\\*", "\\"])
def test_what_would_read_as_something_else_is_escaped(value: str) -> None:
    assert labels.exact(value) == f"\\{value}"


@pytest.mark.parametrize("value", ["", "flu", "a, b", "[1]", "5*", "C:\\x", "{a"])
def test_what_reads_as_itself_is_left_alone(value: str) -> None:
    assert labels.exact(value) == value


def test_anything_and_missing() -> None:
    assert labels.read(labels.ANY) == Anything()
    assert labels.read(labels.MISSING) == Exactly("")


def test_dates_make_ranges() -> None:
    assert labels.read(labels.span("2020-01-01", "2020-12-31")) == Range("2020-01-01", "2020-12-31")
