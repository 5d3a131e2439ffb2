"""Finding where rows may be cut in two so that enough rows match every combination on both sides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels.matching import Limits


class Line(NamedTuple):
    """Rows in the order of their place: those at place p are entry[starts[p]:starts[p+1]].

    entry int32 [n], starts int64 [places+1]. weight, weight_behind int64 [n]: what a row adds when it is counted from
    the front, and from behind. match int32 and sensitive int32 (as in Elements): those of every entry.
    """

    entry: Array
    starts: Array
    weight: Array
    weight_behind: Array
    match: Array
    sensitive: Array


@njit(cache=True, nogil=True)
def _unsafe(c: int, s: int, was: bool, sizes: Array, counts: Array, limits: Limits) -> bool:
    """Whether the part of match c counted so far is unsafe, after a row with value s was added to it."""
    size = sizes[c]
    if size < limits.support:
        return True
    if limits.values == 0:
        return False
    if not was:  # then only the value that was added can have become too frequent
        return s >= 0 and counts[c, s] * limits.under > limits.over * size
    for value in range(limits.values):
        if counts[c, value] * limits.under > limits.over * size:
            return True
    return False


@njit(cache=True, nogil=True)
def _sweep(line: Line, backwards: bool, first: int, last: int, limits: Limits, closed: Array) -> None:
    """Closes the cuts that leave an unsafe part of one of the matches first to last before them (or behind them)."""
    sizes, unsafe = np.zeros(last - first + 1, np.int64), np.zeros(last - first + 1, np.bool_)
    counts = np.zeros((last - first + 1, limits.values), np.int64)
    weight = line.weight_behind if backwards else line.weight
    parts = 0
    for cut in range(len(closed)):
        place = len(closed) - cut if backwards else cut
        for i in range(line.starts[place], line.starts[place + 1]):
            e = line.entry[i]
            c, s = line.match[e] - first, line.sensitive[e]
            if c < 0 or c > last - first:
                continue
            sizes[c] += weight[i]
            if limits.values and s >= 0:
                counts[c, s] += weight[i]
            was = unsafe[c]
            unsafe[c] = _unsafe(c, s, was, sizes, counts, limits)
            if unsafe[c] != was:
                parts += -1 if was else 1
        if parts:
            closed[place - 1 if backwards else place] = True


@njit(cache=True, nogil=True)
def close_cuts(line: Line, matches: int, limits: Limits, closed: Array, room: int) -> None:
    """Sets closed bool [places - 1] after every place at which a match cannot be cut into two safe parts.

    The matches are numbered from 0 to matches - 1, and must be safe uncut. At most `room` counts are kept at a time.
    """
    at_once = max(room // (limits.values + 1), 1)
    for first in range(0, matches, at_once):
        for backwards in (False, True):
            _sweep(line, backwards, first, min(first + at_once, matches) - 1, limits, closed)
