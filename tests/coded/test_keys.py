"""Keys: rows are told apart, in order, however many columns there are."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.arrays import Int64
from shoal.coded import keys
from shoal.coded.keys import ROOM, Distinct, Key, distinct_packed, distinct_recoded, distinct_rows, packed
from tests.effort import examples

quick = settings(max_examples=examples(80), deadline=None)


def check(columns: list[list[int]], found: Distinct) -> None:
    rows = list(zip(*columns, strict=True))
    in_order = sorted(set(rows))
    assert found.ids.dtype == np.int32
    assert [in_order[i] for i in found.ids.tolist()] == rows
    assert [rows[first] for first in found.firsts.tolist()] == in_order
    assert found.counts.tolist() == [rows.count(row) for row in in_order]


def as_codes(columns: list[list[int]]) -> list[np.ndarray[tuple[int], np.dtype[np.int32]]]:
    return [np.array(column, np.int32) for column in columns]


@given(st.integers(1, 4), st.integers(1, 30), st.sampled_from([1, 3, 5000, 2**31 - 1]), st.integers(0, 2**32 - 1))
@quick
def test_distinct_rows_ascend_by_the_first_column_then_the_next(width: int, rows: int, largest: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = rng.integers(0, largest, 3, endpoint=True)
    columns = rng.choice(pool, (width, rows)).tolist()
    check(columns, distinct_rows(as_codes(columns)))


@given(st.integers(1, 4), st.integers(0, 30), st.sampled_from([1, 3, 5000, 2**31 - 1]), st.integers(0, 2**32 - 1))
@quick
def test_columns_given_by_value_have_the_same_distinct_rows(width: int, rows: int, largest: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    of_values = rng.integers(0, largest, (width, 3), endpoint=True).astype(np.int32)
    codes = rng.integers(0, 3, (width, rows)).astype(np.uint32)
    found = distinct_recoded(list(zip(codes, of_values, strict=True)))
    check([of_value[column].tolist() for column, of_value in zip(codes, of_values, strict=True)], found)


def test_rows_are_packed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_PART", 3)
    columns = [[2, 0, 1, 2, 0, 1, 2], [0, 1, 0, 1, 0, 0, 1]]
    check(columns, distinct_rows(as_codes(columns)))


@given(st.integers(1, 6), st.integers(8, 60), st.sampled_from([1, 3, 5000, 2**31 - 1]), st.integers(0, 2**32 - 1))
@quick
def test_blocks_of_rows_have_the_distinct_rows_of_the_table(width: int, rows: int, largest: int, seed: int) -> None:
    """With many wide columns, keys are compressed in between."""
    rng = np.random.default_rng(seed)
    pool = rng.integers(0, largest, 3, endpoint=True)
    columns = rng.choice(pool, (width, rows)).astype(np.int32)
    whole = distinct_rows(list(columns))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keys, "_BLOCK", 7)
        patched.setattr(keys, "_PART", 3)
        found = distinct_rows(list(columns))
    check(columns.tolist(), found)
    assert all(np.array_equal(*pair) for pair in zip(whole, found, strict=True))


def test_more_columns_than_fit_one_number_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 5000, 400).astype(np.int32) for _ in range(30)]
    columns = [np.concatenate([column, column]) for column in columns]
    ids, firsts, counts = distinct_rows(columns)
    assert len(firsts) == 400 and (counts == 2).all()
    assert np.array_equal(ids[:400], ids[400:])
    stacked = np.stack(columns, axis=1)
    assert np.array_equal(stacked[firsts][ids], stacked)
    in_order = [tuple(row) for row in stacked[firsts].tolist()]
    assert in_order == sorted(in_order)


@pytest.mark.parametrize("sizes", [[2**31 - 1, 2**31 - 1, 3], [2**31 - 1] * 5, [3, 2**31 - 1, 2**31 - 1]])
def test_columns_that_fill_62_bits_and_one_more(sizes: list[int]) -> None:
    """The last column differs alone, or the first: neither falls out of the key."""
    rows = product(*([0, high] for high in sizes))
    columns = [list(column) for column in zip(*rows, strict=True)]
    check(columns, distinct_rows(as_codes(columns)))


def test_no_row_has_no_key() -> None:
    ids, firsts, counts = distinct_rows([np.zeros(0, np.int32), np.zeros(0, np.int32)])
    assert (len(ids), len(firsts), len(counts)) == (0, 0, 0)


@given(st.lists(st.integers(0, 60), max_size=40), st.sampled_from([61, 5000, ROOM]))
@quick
def test_keys_are_found_the_same_by_counting_and_by_sorting(given_keys: list[int], room: int) -> None:
    check([given_keys], distinct_packed(np.array(given_keys, np.int64), room))


def test_keys_are_compressed_only_where_the_next_column_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes 3, 4, 5, 6 below 13: 3 · 4 fits; then 12 keys are made as few as there are, and so on."""
    monkeypatch.setattr(keys, "ROOM", 13)
    codes = np.array([[2, 0, 2], [3, 1, 3], [4, 0, 4], [5, 5, 0]])
    extended: list[tuple[int, int]] = []
    rooms: list[int] = []

    def extend(given_keys: Int64, part: slice) -> None:
        extended.append((part.start, part.stop))
        for column, size in zip(codes[part], [3, 4, 5, 6][part], strict=True):
            given_keys *= size
            given_keys += column

    def compress(given_keys: Int64, room: int) -> tuple[Int64, int]:
        assert given_keys.max() < room
        rooms.append(room)
        distinct, ids = np.unique(given_keys, return_inverse=True)
        return ids.astype(np.int64), len(distinct)

    found, room = packed([3, 4, 5, 6], 3, extend, compress)
    assert extended == [(0, 2), (2, 3), (3, 4)] and rooms == [12, 10]
    assert room == 2 * 6 and found.max() < room
    assert np.argsort(found).tolist() == [1, 2, 0]


def test_keys_of_no_column_are_all_the_same() -> None:
    found, room = packed([], 4, lambda *_: None, lambda given_keys, room: (given_keys, room))
    assert found.tolist() == [0, 0, 0, 0] and room == 1


@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=20),
    st.sampled_from([4, 2**20, 2**31]),
    st.booleans(),
)
@quick
def test_a_key_of_several_columns_tells_rows_apart_as_they_do(
    rows: list[tuple[int, ...]], bound: int, by_sorting: bool
) -> None:
    """Also where the bounds together exceed 62 bits, and where there are too many keys to tally."""
    with pytest.MonkeyPatch.context() as patch:
        if by_sorting:
            patch.setattr(keys, "_LARGEST_TALLY", 0)
        else:
            patch.setattr(keys, "ROOM", 100)
        key = Key.nothing(len(rows))
        assert key.class_sizes.tolist() == [len(rows)] and key.all_unique is (len(rows) == 1)
        for column in zip(*rows, strict=True):
            key = key.and_by(Key(np.array(column, np.int64), bound if by_sorting else 4))
        assert key.codes.min() >= 0 and key.codes.max() < key.bound
        assert len(set(zip(key.codes.tolist(), rows, strict=True))) == len(set(rows)) == len(set(key.codes.tolist()))
        assert sorted(key.class_sizes.tolist()) == sorted(Counter(rows).values())
        assert key.all_unique is (len(set(rows)) == len(rows))
