"""Finding distinct keys: by hashing, by counting, or in sorted order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from shoal.arrays import Array

_DIGIT_BITS = 11
_DIGITS = 1 << _DIGIT_BITS


@njit(cache=True, nogil=True)
def _larger(slots: Array, firsts: Array, keys: Array, used: int) -> Array:
    """A table of twice the size with the same entries."""
    mask = 2 * len(slots) - 1
    grown = np.full(mask + 1, -1, np.int64)
    for i in range(used):
        slot = _slot(keys[firsts[i]], mask)
        while grown[slot] >= 0:
            slot = (slot + 1) & mask
        grown[slot] = i
    return grown


@njit(cache=True, nogil=True)
def _slot(key: Any, mask: Any) -> Any:
    # Fibonacci hashing: packed codes differ in few low bits, which the multiplication spreads over the high bits.
    return np.int64((np.uint64(key) * np.uint64(11400714819323198485)) >> np.uint64(20)) & mask


@njit(cache=True, nogil=True)
def distinct_keys(keys: Array) -> tuple[Array, Array, Array]:
    """Finds the distinct keys by hashing, in order of first appearance.

    keys int64 [n] → id int32 [n], firsts int64 [d], counts int64 [d].
    """
    slots = np.full(1 << 12, -1, np.int64)
    mask = len(slots) - 1
    ids = np.empty(len(keys), np.int32)
    firsts, counts = np.empty(1 << 11, np.int64), np.zeros(1 << 11, np.int64)
    used = 0
    for i in range(len(keys)):
        slot = _slot(keys[i], mask)
        while slots[slot] >= 0 and keys[firsts[slots[slot]]] != keys[i]:
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            if used == len(firsts):
                firsts, counts = np.append(firsts, np.empty_like(firsts)), np.append(counts, np.zeros_like(counts))
                slots = _larger(slots, firsts, keys, used)
                mask = len(slots) - 1
                slot = _slot(keys[i], mask)
                while slots[slot] >= 0:
                    slot = (slot + 1) & mask
            slots[slot] = used
            firsts[used] = i
            used += 1
        ids[i] = slots[slot]
        counts[slots[slot]] += 1
    return ids, firsts[:used].copy(), counts[:used].copy()


@njit(cache=True, nogil=True)
def distinct_codes(codes: Array, room: int) -> tuple[Array, Array, Array]:
    """Finds the distinct codes by counting, in ascending order.

    codes int64 [n] below `room` → id int32 [n], firsts int64 [d], counts int64 [d]. For a room that is not much larger
    than the number of codes.
    """
    first, times, used = np.zeros(room, np.int64), np.zeros(room, np.int64), 0
    for i in range(len(codes)):
        if times[codes[i]] == 0:
            first[codes[i]] = i
            used += 1
        times[codes[i]] += 1
    firsts, counts, ids = np.empty(used, np.int64), np.empty(used, np.int64), np.empty(len(codes), np.int32)
    used = 0
    for c in range(room):
        if times[c] > 0:
            firsts[used], counts[used] = first[c], times[c]
            first[c] = used  # from here on, the position of the code among those that occur
            used += 1
    for i in range(len(codes)):
        ids[i] = first[codes[i]]
    return ids, firsts, counts


@njit(cache=True, nogil=True)
def sorted_places(keys: Array, room: int) -> Array:
    """keys int64 [n] below `room` → int32 [n]: their positions in ascending order, stably.

    This is a radix sort: its work grows with the bits of `room`, and is several times less than that of comparisons.
    """
    bits = 0
    while (room - 1) >> bits:
        bits += 1
    order, moved = np.empty(len(keys), np.int32), keys.copy()
    for i in range(len(keys)):
        order[i] = i
    other_order, other_moved = np.empty(len(keys), np.int32), np.empty(len(keys), np.int64)
    for shift in range(0, bits, _DIGIT_BITS):
        at = np.zeros(_DIGITS + 1, np.int64)
        for i in range(len(keys)):
            at[((moved[i] >> shift) & (_DIGITS - 1)) + 1] += 1
        for d in range(_DIGITS):
            at[d + 1] += at[d]
        for i in range(len(keys)):
            digit = (moved[i] >> shift) & (_DIGITS - 1)
            place = at[digit]
            at[digit] = place + 1
            other_moved[place], other_order[place] = moved[i], order[i]
        moved, other_moved = other_moved, moved
        order, other_order = other_order, order
    return order


@njit(cache=True, nogil=True)
def runs(keys: Array, order: Array) -> tuple[Array, Array, Array]:
    """Finds the distinct keys in sorted order.

    keys int64 [n], order int32 [n] in which they ascend → as `distinct_codes`.
    """
    ids, firsts, counts = np.empty(len(keys), np.int32), np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    used, last = 0, np.int64(0)
    for j in range(len(order)):
        i = order[j]
        if j == 0 or keys[i] != last:
            last, firsts[used], counts[used] = keys[i], i, 0
            used += 1
        counts[used - 1] += 1
        ids[i] = used - 1
    return ids, firsts[:used].copy(), counts[:used].copy()


@njit(cache=True, nogil=True)
def first_places(codes: Array, room: int) -> Array:
    """codes (any unsigned integer) [n] below `room` → int64 [room]: the first position of each code, or -1."""
    first = np.empty(room, np.int64)
    for c in range(room):
        first[c] = -1
    for i in range(len(codes)):
        if first[codes[i]] < 0:
            first[codes[i]] = i
    return first


@njit(cache=True, nogil=True)
def counting_order(ids: Array, room: int) -> Array:
    """ids int32 [n] below `room` → int64 [n]: the positions of the ids in ascending order, stably."""
    after = np.zeros(room + 1, np.int64)
    for i in range(len(ids)):
        after[ids[i] + 1] += 1
    for r in range(room):
        after[r + 1] += after[r]
    order = np.empty(len(ids), np.int64)
    for i in range(len(ids)):
        order[after[ids[i]]] = i
        after[ids[i]] += 1
    return order


@njit(cache=True, nogil=True)
def counted_pairs(values: Array, runs: Array, cells: Array, room: int, width: int) -> Array:
    """Counts the pairs of a value and a cell that occur together.

    values uint32 [n], runs int32 [n] positions in `cells` or -1, cells uint32 below `width` → int64 [room]: at
    value · width + cell, the number of rows with the pair.
    """
    counts = np.zeros(room, np.int64)
    for i in range(len(runs)):
        if runs[i] >= 0:
            counts[np.int64(values[i]) * width + cells[runs[i]]] += 1
    return counts
