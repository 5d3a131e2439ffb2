"""How values repeat, against counting them one by one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.engines import repeats as module
from shoal.engines.base import Repeats
from shoal.engines.columns import hashed
from tests.effort import examples

MISSING = ("", "?", "NA")


def repeats(column: pl.Series, missing: Any, row_of: Any, most: int, sample: int = 1) -> Repeats:
    return module.repeats(hashed(column), column.dtype, missing, row_of, most, sample)


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "?", "NA", "", None]), max_size=40))
@settings(max_examples=examples(100), deadline=None)
def test_values_rows_and_shared_ones_are_counted(values: list[str | None]) -> None:
    column = pl.Series("id", values, dtype=pl.String)
    found = repeats(column, MISSING, np.arange(len(values), dtype=np.int32), 1000)
    counts = Counter(value for value in values if value not in (*MISSING, None))
    assert found.values == len(counts)
    assert found.rows == sum(counts.values())
    assert found.sharing == sum(times for times in counts.values() if times > 1)
    pairs = found.pairs.T.tolist()
    assert all(one != other and values[one] == values[other] not in (*MISSING, None) for one, other in pairs)
    assert len(pairs) == found.rows - found.values
    linked = {values[one] for one, _ in pairs}
    assert linked == {value for value, times in counts.items() if times > 1}


def test_about_as_many_pairs_as_asked_for() -> None:
    values = pl.Series("id", [f"p{i % 500}" for i in range(2000)])
    found = repeats(values, MISSING, np.arange(2000, dtype=np.int32), 30)
    assert 20 <= found.pairs.shape[1] <= 40
    assert found.sharing == 2000
    assert all(values[one] == values[other] for one, other in found.pairs.T.tolist())


def test_pairs_are_distinct_rows() -> None:
    row_of = np.array([7, 7, 3, 5], np.int32)
    found = repeats(pl.Series("id", ["x", "y", "x", "z"]), MISSING, row_of, 10)
    assert sorted(found.pairs[:, 0].tolist()) == [3, 7]


def test_rows_that_share_a_value_are_not_paired_with_their_neighbours_only() -> None:
    """In a table sorted by patient, neighbours with the same name are often the same person."""
    values = pl.Series("name", ["n"] * 100)
    found = repeats(values, MISSING, np.arange(100, dtype=np.int32), 1000)
    apart = np.abs(found.pairs[0] - found.pairs[1])
    assert float(np.mean(apart > 1)) > 0.5


@pytest.mark.parametrize(
    "values", [[1, 1, 2, None, None], [1.5, 1.5, 2.5, None, None], [True, True, False, None, None]]
)
def test_columns_that_are_no_text_have_nulls_only_for_missing(values: list[Any]) -> None:
    found = repeats(pl.Series("id", values), MISSING, np.arange(5, dtype=np.int32), 10)
    assert (found.values, found.rows, found.sharing) == (2, 3, 2)


def test_nothing_repeats_in_an_empty_column() -> None:
    found = repeats(pl.Series("id", [], dtype=pl.String), MISSING, np.zeros(0, np.int32), 10)
    assert (found.values, found.rows, found.sharing, found.pairs.shape) == (0, 0, 0, (2, 0))


def test_a_sample_of_values_has_all_their_rows() -> None:
    values = pl.Series("id", [None if i % 5 == 4 else f"p{i // 5}" for i in range(10_000)])
    found = repeats(values, MISSING, np.arange(10_000, dtype=np.int32), 1000, sample=10)
    assert 100 < found.values < 300 and found.rows == found.sharing == 4 * found.values
    assert all(values[one] == values[other] for one, other in found.pairs.T.tolist())


def test_pairs_do_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(2)
    values, row_of = rng.integers(0, 30, 400), rng.integers(0, 25, 400).astype(np.int32)
    found = set()
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(400)
        pairs = repeats(pl.Series("id", values[order]), MISSING, row_of[order], 100).pairs
        found.add(str(pairs.tolist()))
    assert len(found) == 1


def test_counted_rows_are_paired_as_the_rows_themselves() -> None:
    rng = np.random.default_rng(2)
    values, row_of = pl.Series("id", rng.integers(0, 30, 400)), rng.integers(0, 25, 400).astype(np.int32)
    hashes = (hashed(values) >> np.uint64(1)).astype(np.int64)
    counted = pl.DataFrame({"hash": hashes, "row": row_of}).group_by("hash", "row").len("n")
    expected = repeats(values, MISSING, row_of, 10_000).pairs
    assert module.scattered_pairs(counted, 10_000).tolist() == expected.tolist()
