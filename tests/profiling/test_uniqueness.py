"""Uniqueness is exact, however wide the key."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.profiling.uniqueness import Combination, coded, riskiest, together


@given(
    st.lists(st.tuples(*[st.one_of(st.none(), st.sampled_from("ab?"))] * 4, st.integers(0, 3)), min_size=1, max_size=12)
)
@settings(max_examples=60, deadline=None)
def test_uniqueness_is_exact(rows: list[tuple[Any, ...]]) -> None:
    """Against plain counting; all tokens of a missing value are one value."""
    names = ["a", "b", "c", "d", "number"]
    schema = dict.fromkeys(names[:4], pl.String) | {"number": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    plain = [tuple(None if value == "?" else value for value in row) for row in rows]

    def alone(columns: tuple[int, ...]) -> float:
        counts = Counter(tuple(row[place] for place in columns) for row in plain)
        return sum(times == 1 for times in counts.values()) / len(rows)

    assert together(frame, names) == Combination(tuple(names), alone((0, 1, 2, 3, 4)), min(Counter(plain).values()))
    found = riskiest(frame, names)
    for worst in found:
        size = len(worst.columns)
        assert worst.unique == alone(tuple(names.index(name) for name in worst.columns))
        assert worst.unique == max(alone(places) for places in combinations(range(5), size))
    assert [len(worst.columns) for worst in found] == [1, 2, 3]


def test_keys_too_wide_for_one_integer_stay_exact() -> None:
    wide = {f"c{i}": [(row * (i + 3)) % 4_001 for row in range(5_000)] for i in range(8)}  # 4,001 ** 8 > 2 ** 64
    frame = pl.DataFrame({**wide, "sex": [row % 2 for row in range(5_000)]})
    found = together(pl.concat([frame, frame.head(1_000)]), frame.columns)
    assert found is not None
    assert found.unique == pytest.approx(4_000 / 6_000)
    assert found.smallest == 1


def test_nothing_is_said_of_no_rows_or_no_columns() -> None:
    empty = pl.DataFrame({"a": []})
    assert together(empty, ["a"]) is None
    assert together(pl.DataFrame({"a": [1]}), []) is None
    assert riskiest(empty, ["a"]) == ()


def test_text_and_numbers_have_the_same_codes() -> None:
    numbers = pl.Series("x", [7, None, 7, 12])
    for column in (numbers, numbers.cast(pl.String), pl.Series("x", ["7", "?", " 7", "12"])):
        found = coded(column)
        assert (found.type, found.codes.tolist(), found.counts.tolist()) == ("integer", [0, -1, 0, 1], [2, 1])
