"""Guards of sensitive columns: every column gets a model that its distribution allows, from fixed grids."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.models import ExtendedPSensitive, KAnonymity, LDiversity, MultiSensitive, PSensitive, TCloseness
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


def test_codes_that_are_numbers_have_no_distance() -> None:
    codes = pl.Series("s", [1_000 + 7 * n for n in range(100)] * 5)
    assert guarded(codes) == Guarded("s", 1, is_number=True)
    assert guarded(codes, as_text=True) == Guarded("s", 3, is_number=False)


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


@pytest.mark.parametrize(
    ("subtrees", "groups"),
    [([50, 50, 50, 50], 3), ([100, 100], 2), ([200], 1), ([190, 5, 5], 1)],
)
def test_protected_subtrees_are_counted_like_values(subtrees: list[int], groups: int) -> None:
    column = pl.Series("s", ["a", "b", "c", "d"] * 50)
    assert guarded(column, np.array(subtrees)) == Guarded("s", 3, is_number=False, groups=groups)


def test_codes_of_digits_are_no_numbers_where_a_tree_covers_them() -> None:
    column = pl.Series("s", [str(n % 100 + 100) for n in range(1_000)])
    assert guarded(column).is_number
    assert guarded(column, np.full(100, 10)) == Guarded("s", 3, is_number=False, groups=3)


SEVERAL = [
    Guarded("a", 3, False, groups=3),
    Guarded("b", 3, False),
    Guarded("c", 3, False, groups=2),
    Guarded("d", 1, True),
]


def test_p_sensitivity_is_extended_and_the_other_columns_keep_their_guards() -> None:
    assert models(SEVERAL, 5, LADDER[-1])[1] == PSensitive(p=2, k=5, columns=("a", "b", "c"))
    assert models(SEVERAL, 5, LADDER[-1], most=2) == (
        KAnonymity(k=5),
        ExtendedPSensitive(p=2, k=5, columns=("a", "c")),
        LDiversity("b", l=2),
        TCloseness("d", t=0.5, distance="ordered"),
    )


def test_guards_that_promise_more_than_the_extension_stay() -> None:
    strict = models(SEVERAL, 5, LADDER[0])
    assert strict[1] == MultiSensitive(l=3, k=5, columns=("a", "b", "c"))
    assert models(SEVERAL, 5, LADDER[0], most=3) == (
        KAnonymity(k=5),
        ExtendedPSensitive(p=3, k=5, columns=("a",)),
        ExtendedPSensitive(p=2, k=5, columns=("c",)),
        *strict[1:],
    )
    alone = [Guarded("a", 3, False, groups=2)]
    assert models(alone, 5, LADDER[0], most=3) == (
        KAnonymity(k=5),
        ExtendedPSensitive(p=2, k=5, columns=("a",)),
        LDiversity("a", l=3),
    )


def test_diversity_of_the_same_size_is_implied() -> None:
    alone = [Guarded("a", 3, False, groups=3)]
    assert models(alone, 5, LADDER[0], most=3) == (
        KAnonymity(k=5),
        ExtendedPSensitive(p=3, k=5, columns=("a",)),
    )


def test_without_protected_subtrees_nothing_is_extended() -> None:
    plain = [Guarded("a", 3, False), Guarded("b", 1, False)]
    assert models(plain, 5, LADDER[0], most=3) == models(plain, 5, LADDER[0])


@given(
    st.lists(st.tuples(st.integers(1, 3), st.booleans(), st.integers(1, 3)), max_size=9),
    st.sampled_from(LADDER),
    st.sampled_from([2, 5]),
)
def test_every_column_stays_guarded(kinds: list[tuple[int, bool, int]], rung: Any, k: int) -> None:
    columns = [Guarded(f"c{number}", *kind) for number, kind in enumerate(kinds)]
    chosen = models(columns, k, rung, most=rung.diversity)
    assert {name for model in chosen for name in model.resolved(()).reads} == {column.name for column in columns}
    by_tree = {name for model in chosen if model.kind == "extended-p-sensitive" for name in model.reads}
    assert by_tree == {column.name for column in columns if column.groups > 1}
