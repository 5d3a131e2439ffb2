"""A dictionary gives every value back, of whatever kind the column is."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.engines.dictionary import dictionary
from tests.effort import examples


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), max_size=30))
@settings(max_examples=examples(50), deadline=None)
def test_a_dictionary_gives_every_value_back(values: list[str | None]) -> None:
    column = pl.Series("x", values, dtype=pl.String)
    codes, distinct = dictionary(column)
    assert [distinct[int(code)] for code in codes] == values
    assert len(distinct) == len(set(values)) == distinct.n_unique()


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([1, 2, None, 1]),
        pl.Series([1.5, None, 2.0, 1.5]),
        pl.Series([True, False, None, True]),
        pl.Series([datetime.date(2020, 1, 1), None, datetime.date(2020, 1, 1), datetime.date(1999, 1, 1)]),
        pl.Series(["a", "b", None, "a"], dtype=pl.Categorical),
        pl.Series([None, None], dtype=pl.String),
    ],
)
def test_a_dictionary_takes_every_kind_of_column(column: pl.Series) -> None:
    codes, distinct = dictionary(column)
    assert [distinct[int(code)] for code in codes] == column.to_list()
    assert distinct.dtype == column.dtype


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["a", "b", "c", "d"]), pl.String])
@pytest.mark.parametrize("values", [["d"], ["d", None, "b"], [None], []])
def test_codes_have_no_gaps_where_a_column_has_few_of_its_categories(kind: pl.DataType, values: list[str]) -> None:
    column = pl.Series(["a", "b", "c", "d", *values], dtype=kind)[4:]
    codes, distinct = dictionary(column)
    assert [distinct[int(code)] for code in codes] == values
    assert sorted(set(codes.tolist())) == list(range(len(distinct)))


def test_codes_are_unsigned_and_small() -> None:
    assert dictionary(pl.Series(["a", None])).codes.dtype == np.uint32


def test_dictionaries_of_two_columns_know_nothing_of_each_other() -> None:
    dictionary(pl.Series(["x", "y", "z"]))
    assert dictionary(pl.Series(["z", "a"])).codes.tolist() == [0, 1]
