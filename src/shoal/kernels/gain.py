"""What a cut reveals about a target and about sensitive columns: the kernels of target-guided cuts.

Information is counted in fixed point, so that sums do not depend on the order of the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Array
from shoal.kernels import part

FINE = 1 << 20
"""The units of a bit."""

# A bit per row about the target is worth this many times all of the information loss, so the target decides while it
# can. A bit per row about the sensitive columns costs as much as all of the loss: cuts that separate sensitive values
# leave classes that the models do not let cut again.
# Measured on Adult with LKC, L = 4, K = 20, C = 20 %. A higher worth lowers the error and raises the loss: 10 and 20
# give 0.63 and 0.50 points of error, and an NCP of 30 % and 35 %. The cost matters less: 0.5 works nearly as well.
WORTH, COST = 15.0, 1.0

# Akaike's criterion: a parameter that explains nothing gains half a nat on average, and should gain a whole one.
PER_PARAMETER = 1.4426950408889634

# The best of all cuts of a node reveals so much by chance in one node of twenty.
SURE = 4.321928094887363


class Target(NamedTuple):
    """The target of every distinct row d.

    stratum int64 [d]: rows that agree in the sensitive columns; -1 if the target is missing. part int64 [d]: the
    stratum and the value of the target, or for numbers the stratum. number int64 [d]: the target as a number; empty if
    it has values without order. logs int64 [·]: n log2 n of small numbers, in fixed point.
    """

    stratum: Array
    part: Array
    number: Array
    logs: Array
    strata: int
    parts: int


class Sides(NamedTuple):
    """Work space: the rows on both sides of a cut, all zero between uses."""

    strata: Array  # int64 [2, strata]: rows
    parts: Array  # int64 [2, parts]: rows or, for numbers, their sum
    rating: Array  # float64 [largest size]: of every cut


class Whole(NamedTuple):
    """A node before a cut: rows with a target, sums over strata and parts, and the bits that chance may reveal."""

    rows: int
    strata: int
    parts: int
    squares: int
    chance: float


@part
def sides(t: Target, largest: int) -> Sides:
    """New work space for attributes of up to `largest` codes."""
    rows, parts = np.zeros((2, t.strata), np.int64), np.zeros((2, t.parts), np.int64)
    return Sides(rows, parts, np.empty(largest, np.float64))


@part
def n_log_n(n: int, t: Target) -> int:
    """n · log2(n) in fixed point; 0 for 0."""
    return int(t.logs[n]) if n < len(t.logs) else int(n * np.log2(n) * FINE + 0.5)


@part
def _square(total: int, n: int) -> int:
    """The square of a sum over the number of rows: what the mean explains of the sum of squares."""
    return int(float(total) * float(total) / n) if n > 0 else 0


@part
def _move(row: int, rows: int, side: int, t: Target, s: Sides) -> tuple[int, int]:
    """Adds rows to a side, or removes them; → the changes of the sums over its strata and over its parts."""
    stratum, part_ = t.stratum[row], t.part[row]
    before, held = s.strata[side, stratum], s.parts[side, part_]
    after = before + rows
    s.strata[side, stratum] = after
    of_strata = n_log_n(after, t) - n_log_n(before, t)
    if len(t.number) == 0:
        s.parts[side, part_] = held + rows
        return of_strata, n_log_n(held + rows, t) - n_log_n(held, t)
    total = held + rows * t.number[row]
    s.parts[side, part_] = total
    return of_strata, _square(total, after) - _square(held, before)


@part
def whole(weight: Array, rows: Array, columns: int, t: Target, s: Sides) -> Whole:
    """Sums up a node with so many columns that vary.

    Chance: the bits that name a cut, those for the parameters of a second side, and those that make it sure.
    """
    known, of_strata, of_parts, squares, parameters = 0, 0, 0, 0, 0
    by_value = len(t.number) == 0
    for row in rows:
        if t.stratum[row] < 0:
            continue
        if s.strata[1, t.stratum[row]] == 0:
            parameters += -1 if by_value else 1
        if by_value and s.parts[1, t.part[row]] == 0:
            parameters += 1
        if not by_value:
            squares += weight[row] * t.number[row] * t.number[row]
        more = _move(row, weight[row], 1, t, s)
        of_strata, of_parts, known = of_strata + more[0], of_parts + more[1], known + weight[row]
    _clear(rows, t, s)
    chance = np.log2(float(max(known, 1) * max(columns, 1))) + PER_PARAMETER * parameters + SURE
    return Whole(known, of_strata, of_parts, squares, chance)


@part
def _clear(rows: Array, t: Target, s: Sides) -> None:
    """Sets the counts of both sides to zero again."""
    for row in rows:
        if t.stratum[row] >= 0:
            for side in range(2):
                s.strata[side, t.stratum[row]] = 0
                s.parts[side, t.part[row]] = 0


@part
def rate(weight: Array, rows: Array, bounds: Array, cuts: int, node: Whole, t: Target, s: Sides) -> None:
    """s.rating[i] = what cut i reveals, as WORTH and COST have it, times the number of rows.

    `rows`: those of the node in the order of an attribute; cut i separates rows[:bounds[i + 1]] from the others. What
    is revealed about the target is conditional on the stratum, because sensitive columns are released as well, and
    counts for nothing if it may be chance.
    """
    strata, parts, left = np.zeros(2, np.int64), np.zeros(2, np.int64), 0
    strata[1], parts[1] = node.strata, node.parts
    for row in rows:
        if t.stratum[row] >= 0:
            _move(row, weight[row], 1, t, s)
    for i in range(cuts):
        for j in range(bounds[i], bounds[i + 1]):
            row = rows[j]
            if t.stratum[row] < 0:
                continue
            left += weight[row]
            for side in range(2):
                more = _move(row, weight[row] if side == 0 else -weight[row], side, t, s)
                strata[side] += more[0]
                parts[side] += more[1]
        told_strata = strata[0] + strata[1] - node.strata
        told_parts = parts[0] + parts[1] - node.parts
        told = n_log_n(node.rows, t) - n_log_n(left, t) - n_log_n(node.rows - left, t)
        bits = _bits(told_parts, told_strata, node, t)
        if bits <= node.chance:
            bits = 0.0
        s.rating[i] = WORTH * bits - COST * (told + told_strata) / FINE
    _clear(rows, t, s)


@part
def _bits(told_parts: int, told_strata: int, node: Whole, t: Target) -> float:
    """The bits that a cut reveals about the target, over all rows, given the stratum.

    Of numbers, it is the information in normal deviations whose variance the cut reduces.
    """
    if len(t.number) == 0:
        return (told_parts - told_strata) / FINE
    least = float(max(node.rows, 1))  # rounded numbers have no less
    before = max(float(node.squares - node.parts), least)
    return float(0.5 * node.rows * np.log2(before / max(before - told_parts, least)))
