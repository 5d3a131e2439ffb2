"""Sorted rows are recognised in text, dictionaries and numbers, and others are not."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.verification.ordering import is_sorted

CELLS = st.sampled_from(["", "a", "B", "b", "ä", "10", "9", None])
ROWS = st.lists(st.tuples(CELLS, CELLS), max_size=6)


def in_order(rows: list[tuple[bytes, ...]]) -> bool:
    """Whether no row comes before its predecessor, compared up to the first missing cell."""
    for above, here in pairwise(rows):
        for one, other in zip(above, here, strict=True):
            if one > other:
                return False
            if one < other or not one:
                break
    return True


@given(rows=ROWS, kind=st.sampled_from(["text", "categorical", "enum"]))
def test_as_a_plain_comparison_says(rows: list[tuple[str | None, str | None]], kind: str) -> None:
    table = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String}, orient="row")
    dtype = {"text": pl.String(), "categorical": pl.Categorical(), "enum": pl.Enum(["b", "", "a", "B", "ä", "9", "10"])}
    texts = [tuple((cell or "").encode() for cell in row) for row in rows]
    assert is_sorted(table.with_columns(pl.all().cast(dtype[kind]))) is in_order(texts)


@pytest.mark.parametrize(("values", "expected"), [([1.0, 1.5, 10.0], True), ([9.0, 10.0], False), ([None, 1.0], True)])
def test_numbers_are_sorted_by_their_text(values: list[float | None], expected: bool) -> None:
    assert is_sorted(pl.DataFrame({"x": values})) is expected


def test_no_row_is_sorted() -> None:
    assert is_sorted(pl.DataFrame({"x": []}, schema={"x": pl.String})) and is_sorted(pl.DataFrame())
