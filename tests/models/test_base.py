from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.models import ClassModel, Evidence, KAnonymity, SensitiveFacts
from shoal.models.base import CLASS, PERSON, exceeds, largest_ratio, least, small_total

RELEASED = Evidence(
    pl.DataFrame({CLASS: [0, 0, 0, 1], "d": ["a", "a", None, "b"], PERSON: ["x", "x", "y", "x"]}),
    {"d": SensitiveFacts()},
)


def counted(frame: pl.DataFrame) -> set[tuple[object, ...]]:
    return set(frame.iter_rows())


class TestEvidence:
    def test_persons_are_counted_once(self) -> None:
        assert counted(RELEASED.sizes) == {(0, 2), (1, 1)}
        assert counted(RELEASED.counts("d")) == {(0, "a", 1), (0, None, 1), (1, "b", 1)}
        assert counted(RELEASED.whole("d")) == {("a", 1), (None, 1), ("b", 1)}

    def test_rows_are_counted_where_there_are_no_persons(self) -> None:
        rows = replace(RELEASED, frame=RELEASED.frame.drop(PERSON))
        assert counted(rows.sizes) == {(0, 3), (1, 1)}
        assert counted(rows.counts("d")) == {(0, "a", 2), (0, None, 1), (1, "b", 1)}

    def test_missing_counts_only_where_the_plan_says_so(self) -> None:
        assert counted(RELEASED.counted("d")) == {(0, "a", 1), (1, "b", 1)}
        lenient = replace(RELEASED, facts={"d": SensitiveFacts(missing_counts=True)})
        assert counted(lenient.counted("d")) == {(0, "a", 1), (0, None, 1), (1, "b", 1)}

    def test_a_row_without_a_class_is_refused_rather_than_left_out(self) -> None:
        with pytest.raises(TableError, match="1 released rows belong to no class"):
            Evidence(pl.DataFrame({CLASS: [0, None]}), {})


@given(
    st.lists(st.tuples(st.integers(-(10**20), 10**20), st.integers(1, 10**20)), min_size=1),
    st.fractions(min_value=0, max_denominator=10**40),
    st.booleans(),
)
def test_exceeds_is_exact_however_large_the_numbers(
    pairs: list[tuple[int, int]], limit: Fraction, or_equals: bool
) -> None:
    over, under = (pl.Series(column, dtype=pl.Int128) for column in zip(*pairs, strict=True))
    expected = [Fraction(a, b) >= limit if or_equals else Fraction(a, b) > limit for a, b in pairs]
    assert exceeds(over, under, limit, or_equals=or_equals).to_list() == expected
    own = Fraction(*pairs[0])
    assert exceeds(over, under, own)[0] is False
    assert exceeds(over, under, own, or_equals=True)[0] is True


def test_nothing_to_compare() -> None:
    nothing = pl.Series([], dtype=pl.Int64)
    assert exceeds(nothing, nothing, Fraction(1, 2)).to_list() == []
    assert largest_ratio(nothing, nothing) == 0
    assert least(nothing) == 0


def test_tables_too_large_for_exact_products_are_refused() -> None:
    assert small_total(2**31 - 1) == 2**31 - 1
    with pytest.raises(TableError, match="too many to compare"):
        small_total(2**31)


MODEL = KAnonymity(k=2)


def test_models_that_name_their_column_are_resolved_as_they_are() -> None:
    assert MODEL.resolved(("a", "b")) is MODEL


def test_a_model_that_leaves_out_a_verdict_cannot_be_made() -> None:
    @dataclass(frozen=True)
    class Silent(ClassModel):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Silent()  # type: ignore[abstract]
