"""Rolling up, counted again in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.roll_up import group_costs, group_keys, merge, raised_keys

KEYS = st.lists(st.integers(0, 40), min_size=1, max_size=60)


@given(keys=KEYS, room=st.sampled_from([0, 41, 10**9]))
@settings(deadline=None)
def test_equal_keys_get_equal_ids_in_the_order_of_appearance(keys: list[int], room: int) -> None:
    ids, count = group_keys(np.array(keys, np.int64), room)
    seen = list(dict.fromkeys(keys))
    assert ids.tolist() == [seen.index(key) for key in keys]
    assert count == len(seen)


@given(data=st.data(), rows=st.integers(1, 12))
@settings(deadline=None)
def test_keys_tell_rows_apart_as_their_codes_at_the_level_do(data: st.DataObject, rows: int) -> None:
    sizes, leaves = [3, 2, 4], [5, 2, 6]
    node = [
        data.draw(st.lists(st.integers(0, s - 1), min_size=n, max_size=n)) for s, n in zip(sizes, leaves, strict=True)
    ]
    codes = [[data.draw(st.integers(0, n - 1)) for n in leaves] for _ in range(rows)]
    picked = data.draw(st.lists(st.integers(0, rows - 1), min_size=1, max_size=20))
    keys = np.array([data.draw(st.integers(0, 1)) for _ in picked], np.int64)
    before = keys.tolist()
    start = np.array([0, 5, 7], np.int64)
    flat = np.array([code for column in node for code in column], np.int32)
    raised_keys(np.array(codes, np.int32), np.array(picked), flat, start, np.array(sizes, np.int64), keys)
    raised = [(key, *(node[a][codes[r][a]] for a in range(3))) for key, r in zip(before, picked, strict=True)]
    for i in range(len(picked)):
        for j in range(len(picked)):
            assert (keys[i] == keys[j]) == (raised[i] == raised[j])


@given(data=st.data(), groups=st.integers(1, 8))
@settings(deadline=None)
def test_merging_adds_up_what_groups_hold(data: st.DataObject, groups: int) -> None:
    held = [data.draw(st.dictionaries(st.integers(0, 5), st.integers(1, 9), min_size=1)) for _ in range(groups)]
    numbers = data.draw(st.lists(st.integers(0, 3), min_size=groups, max_size=groups))
    seen = list(dict.fromkeys(numbers))
    ids = [seen.index(number) for number in numbers]
    row, weight, offsets, values, counts = merge(
        np.array(ids, np.int32),
        len(seen),
        np.arange(100, 100 + groups, dtype=np.int64),
        np.concatenate([[0], np.cumsum([len(each) for each in held])]).astype(np.int64),
        np.array([value for each in held for value in each], np.int32),
        np.array([count for each in held for count in each.values()], np.int64),
        6,
    )
    expected: dict[int, Counter[int]] = defaultdict(Counter)
    for number, each in zip(ids, held, strict=True):
        expected[number].update(each)
    for n in range(len(seen)):
        entries = slice(offsets[n], offsets[n + 1])
        assert dict(zip(values[entries].tolist(), counts[entries].tolist(), strict=True)) == expected[n]
        assert weight[n] == expected[n].total()
        assert ids[row[n] - 100] == n
    assert offsets[-1] == len(values) == len(counts)


def test_costs_add_up_over_columns() -> None:
    codes = np.array([[0, 1], [1, 0], [1, 1]], np.int32)
    cost = np.array([0.5, 0.25, 10.0, 20.0])
    found = group_costs(codes, np.array([2, 0]), cost, np.array([0, 2]))
    assert found.tolist() == [20.25, 20.5]
