"""Rolling up: from classes to the classes that they form when quasi-identifiers are raised to higher levels.

A class is represented by one of its rows, `row[g]`, and by the sparse counts of what models read: entries
offsets[g]:offsets[g+1] of values (a joint sensitive code) and counts.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels.distinct import distinct_keys


@njit(cache=True, nogil=True)
def raised_keys(codes: Array, row: Array, node: Array, start: Array, size: Array, keys: Array) -> None:
    """Extends keys int64 [g] in place by the columns of codes: key · size[a] + node[start[a] + code].

    codes int32 [d, q], row int64 [g]. node int32 [·] holds, from start[a], the code of column a at the wanted level for
    every leaf code. size int64 [q]: the number of codes of that level.
    """
    for g in range(len(row)):
        key = keys[g]
        for a in range(len(start)):
            key = key * size[a] + node[start[a] + codes[row[g], a]]
        keys[g] = key


@njit(cache=True, nogil=True)
def group_keys(keys: Array, room: int) -> tuple[Array, int]:
    """Numbers keys by first appearance.

    keys int64 [g] below `room` (0: unknown) → id int32 [g], number of ids.
    """
    if room == 0 or room > 8 * len(keys) + 1024:
        ids, firsts, _ = distinct_keys(keys)
        return ids, len(firsts)
    place = np.full(room, -1, np.int32)
    ids = np.empty(len(keys), np.int32)
    used = 0
    for g in range(len(keys)):
        if place[keys[g]] < 0:
            place[keys[g]] = used
            used += 1
        ids[g] = place[keys[g]]
    return ids, used


@njit(cache=True, nogil=True)
def merge(
    ids: Array, classes: int, row: Array, offsets: Array, values: Array, counts: Array, kinds: int
) -> tuple[Array, Array, Array, Array, Array]:
    """Merges old classes with the same id int32 [g] into `classes` new ones, and adds up equal values (below `kinds`).

    → row int64 [n], weight int64 [n] (summed counts), offsets int64 [n+1], values int32 [e], counts int64 [e].
    """
    first = np.zeros(classes + 1, np.int64)
    for g in range(len(ids)):
        first[ids[g] + 1] += 1
    for n in range(classes):
        first[n + 1] += first[n]
    at = first[:-1].copy()
    sorted_classes = np.empty(len(ids), np.int64)
    for g in range(len(ids)):
        sorted_classes[at[ids[g]]] = g
        at[ids[g]] += 1
    new_row, weight = np.empty(classes, np.int64), np.zeros(classes, np.int64)
    new_offsets = np.zeros(classes + 1, np.int64)
    new_values, new_counts = np.empty(len(values), np.int32), np.empty(len(values), np.int64)
    tally = np.zeros(kinds, np.int64)
    e = 0
    for n in range(classes):
        begin = e
        new_row[n] = row[sorted_classes[first[n]]]
        for s in range(first[n], first[n + 1]):
            g = sorted_classes[s]
            for i in range(offsets[g], offsets[g + 1]):
                value = values[i]
                if tally[value] == 0:
                    new_values[e] = value
                    e += 1
                tally[value] += counts[i]
                weight[n] += counts[i]
        for i in range(begin, e):
            new_counts[i] = tally[new_values[i]]
            tally[new_values[i]] = 0
        new_offsets[n + 1] = e
    return new_row, weight, new_offsets, new_values[:e].copy(), new_counts[:e].copy()


@njit(cache=True, nogil=True)
def group_costs(codes: Array, row: Array, cost: Array, start: Array) -> Array:
    """float64 [g]: the cost of publishing the row of each class: cost[start[a] + code], summed over columns a."""
    costs = np.zeros(len(row), np.float64)
    for g in range(len(row)):
        for a in range(len(start)):
            costs[g] += cost[start[a] + codes[row[g], a]]
    return costs
