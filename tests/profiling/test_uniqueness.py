"""Uniqueness is exact, however wide the key."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.profiling.facts import Coded, coded
from shoal.profiling.uniqueness import Combination, riskiest, together
from tests.effort import examples


def coded_columns(frame: pl.DataFrame) -> dict[str, Coded]:
    return {column.name: coded(column) for column in frame.iter_columns()}


@given(
    st.lists(st.tuples(*[st.one_of(st.none(), st.sampled_from("ab?"))] * 4, st.integers(0, 3)), min_size=1, max_size=12)
)
@settings(max_examples=examples(60), deadline=None)
def test_uniqueness_is_exact(rows: list[tuple[Any, ...]]) -> None:
    """Against plain counting; all tokens of a missing value are one value."""
    names = ["a", "b", "c", "d", "number"]
    schema = dict.fromkeys(names[:4], pl.String) | {"number": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    plain = [tuple(None if value == "?" else value for value in row) for row in rows]

    def alone(columns: tuple[int, ...]) -> float:
        counts = Counter(tuple(row[place] for place in columns) for row in plain)
        return sum(times == 1 for times in counts.values()) / len(rows)

    assert together(coded_columns(frame)) == Combination(
        tuple(names), alone((0, 1, 2, 3, 4)), min(Counter(plain).values())
    )
    found = riskiest(coded_columns(frame))
    for worst in found:
        size = len(worst.columns)
        assert worst.unique == alone(tuple(names.index(name) for name in worst.columns))
        assert worst.unique == max(alone(places) for places in combinations(range(5), size))
    assert [len(worst.columns) for worst in found] == [1, 2, 3]


def test_keys_too_wide_for_one_integer_stay_exact() -> None:
    wide = {f"c{i}": [(row * (i + 3)) % 4_001 for row in range(5_000)] for i in range(8)}  # 4,001 ** 8 > 2 ** 64
    frame = pl.DataFrame({**wide, "sex": [row % 2 for row in range(5_000)]})
    found = together(coded_columns(pl.concat([frame, frame.head(1_000)])))
    assert found is not None
    assert found.unique == pytest.approx(4_000 / 6_000)
    assert found.smallest == 1


def test_nothing_is_said_of_no_rows_or_no_columns() -> None:
    empty = coded_columns(pl.DataFrame({"a": []}))
    assert together(empty) is None and together({}) is None
    assert riskiest(empty) == riskiest({}) == ()


def test_the_eight_columns_with_the_most_values_are_searched() -> None:
    frame = pl.DataFrame({f"c{i}": [row % (i + 2) for row in range(400)] for i in range(10)})
    found = riskiest(coded_columns(frame))
    assert found[0].columns[0] not in ("c0", "c1")
    assert {name for worst in found for name in worst.columns} <= {f"c{i}" for i in range(2, 10)}


def test_figures_of_large_tables_are_those_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"a": list(range(500)), "b": [row % 7 for row in range(500)]})
    exact = riskiest(coded_columns(frame))
    monkeypatch.setattr("shoal.profiling.uniqueness._COMPARED_ROWS", 100)
    assert riskiest(coded_columns(frame)) == exact
    assert exact[0] == Combination(("a",), 1.0, 1)
