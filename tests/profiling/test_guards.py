"""Guards of sensitive columns: every column gets a model that its distribution allows, from fixed grids."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.models import LDiversity, MultiSensitive, PSensitive, TCloseness
from shoal.profiling.guards import LADDER, Guarded, guarded, models, usual_k


@pytest.mark.parametrize(
    ("values", "diversity", "is_number"),
    [
        (["a", "b", "c", "d"] * 50, 3, False),
        (["a", "b"] * 100, 2, False),
        (["a"] * 200, 1, False),
        (["a"] * 1_999 + ["b"], 1, False),
        (["no"] * 950 + ["yes"] * 50, 1, False),  # classes with both would need many rows
        ([None] * 10, 1, False),
        ([1, 2, 3] * 50, 3, False),
        ([n / 7 for n in range(200)], 1, True),
    ],
)
def test_the_distribution_decides(values: list[Any], diversity: int, is_number: bool) -> None:
    assert guarded(pl.Series("s", values)) == Guarded("s", diversity, is_number)


def test_columns_that_suit_each_other_share_a_model() -> None:
    several = [Guarded("a", 3, False), Guarded("b", 3, False), Guarded("c", 2, False), Guarded("d", 1, True)]
    strict = models(several, 5, LADDER[0])
    assert strict[1:] == (
        MultiSensitive(l=3, k=5, columns=("a", "b")),
        LDiversity("c", l=2),
        TCloseness("d", t=0.2, distance="ordered"),
    )
    lenient = models(several, 5, LADDER[-1])
    assert lenient[1:] == (PSensitive(p=2, k=5, columns=("a", "b", "c")), TCloseness("d", t=0.5, distance="ordered"))


@given(
    st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=9), st.sampled_from(LADDER), st.sampled_from([2, 5])
)
def test_every_column_is_guarded(kinds: list[tuple[int, bool]], rung: Any, k: int) -> None:
    columns = [Guarded(f"c{number}", *kind) for number, kind in enumerate(kinds)]
    read = {name for model in models(columns, k, rung) for name in model.resolved(()).reads}
    assert read == {column.name for column in columns}


def test_tiny_tables_get_a_smaller_k() -> None:
    assert [usual_k(rows) for rows in (2, 4, 5, 10**6)] == [2, 2, 5, 5]
