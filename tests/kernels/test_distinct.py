"""Distinct keys: as a dictionary or numpy would find them, also where a table must grow and keys collide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.distinct import (
    counted_pairs,
    counting_order,
    distinct_codes,
    distinct_keys,
    first_places,
    runs,
    sorted_places,
)
from tests.effort import examples


def check(keys: list[int]) -> None:
    ids, firsts, counts = distinct_keys(np.array(keys, np.int64))
    places: dict[int, int] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, place)
    number = {key: i for i, key in enumerate(places)}
    assert ids.dtype == np.int32
    assert ids.tolist() == [number[key] for key in keys]
    assert firsts.tolist() == list(places.values())
    assert counts.tolist() == [keys.count(key) for key in places] if len(keys) < 2000 else counts.sum() == len(keys)


@given(st.lists(st.integers(0, 2**62), max_size=60))
@settings(max_examples=examples(60), deadline=None)
def test_any_keys(keys: list[int]) -> None:
    check(keys)


def test_no_keys() -> None:
    check([])


@pytest.mark.parametrize("step", [1, 2**20, 2**44, 2**50, 11400714819323198485 % 2**40])
def test_more_keys_than_the_first_table_holds(step: int) -> None:
    check([(i * step) % 2**62 for i in range(9000)] + [0, step])


@given(st.lists(st.integers(0, 20), max_size=60))
def test_both_ways_to_keep_their_order_find_what_numpy_finds(codes: list[int]) -> None:
    given_codes = np.array(codes, np.int64)
    order = sorted_places(given_codes, 21)
    _, expected_firsts, expected_ids, expected = np.unique(
        given_codes, return_index=True, return_inverse=True, return_counts=True
    )
    for ids, firsts, counts in (distinct_codes(given_codes, 21), runs(given_codes, order)):
        assert ids.dtype == np.int32 and ids.tolist() == expected_ids.tolist()
        assert firsts.tolist() == expected_firsts.tolist() and counts.tolist() == expected.tolist()


@given(st.lists(st.integers(0, 2**62 - 1), max_size=60), st.sampled_from([1, 11, 12, 40, 62]))
def test_keys_ascend_and_equal_ones_stay_as_they_stood(keys: list[int], bits: int) -> None:
    small = [key % 2**bits for key in keys]
    order = sorted_places(np.array(small, np.int64), 2**bits)
    assert order.tolist() == sorted(range(len(small)), key=lambda place: small[place])


@given(st.lists(st.integers(0, 20), max_size=60))
def test_ids_are_put_in_order_and_equal_ones_stay_as_they_stood(ids: list[int]) -> None:
    order = counting_order(np.array(ids, np.int32), 21)
    assert order.tolist() == sorted(range(len(ids)), key=lambda place: ids[place])


@given(st.lists(st.integers(0, 20), max_size=60))
def test_the_first_place_of_every_code_is_found(codes: list[int]) -> None:
    found = first_places(np.array(codes, np.uint32), 21)
    assert found.tolist() == [codes.index(code) if code in codes else -1 for code in range(21)]


def test_pairs_are_counted() -> None:
    values, runs, cells = (
        np.array([2, 0, 1, 2], np.uint32),
        np.array([1, -1, 0, 1], np.int32),
        np.array([0, 1], np.uint32),
    )
    assert counted_pairs(values, runs, cells, 6, 2).tolist() == [0, 0, 1, 0, 0, 2]
