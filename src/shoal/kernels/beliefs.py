"""What an intruder believes about the labels of a class, and whether a rule allows it.

The sum of a label is Σ weight / |K| over the rows of a class whose linked labels K have it: β times the rows. Sums are
floats; a class for which they are within `BAND` of the threshold is DOUBTFUL, and decided by the caller in integers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import part
from shoal.kernels.linking import lowest
from shoal.kernels.sorting import ascending

FAILS, PASSES, DOUBTFUL = 0, 1, 2
BAND = 1e-9
"""Relative. Sums of a million rows in floats are more precise than this by far."""
EXACT = 2**53
"""Floats represent all whole numbers below."""


class Rule(NamedTuple):
    """QS (c,l)-diversity or, with `closeness`, a distance of at most t to the reference distribution.

    limit: t². alpha float64 [labels]: the reference distribution, with the sum of its squares; empty for diversity.
    c = over / under, exactly; both are 0 if they are too large for that, and for closeness.
    """

    closeness: bool
    c: float
    l: int
    limit: float
    alpha: Array
    squares: float
    over: int
    under: int


@njit(cache=True, nogil=True)
def judged(
    offsets: Array, sets: Array, weights: Array, bits: Array, sizes: Array, labels: int, rule: Rule
) -> tuple[Array, Array]:
    """offsets int64 [c+1], sets int32 [e], weights int64 [e], bits uint64 [s, words], sizes int64 [s] → int8 [c],
    float64 [c]: the verdict on every class, and for closeness its squared distance to the reference.
    """
    verdicts, distances = np.empty(len(offsets) - 1, np.int8), np.zeros(len(offsets) - 1)
    sums, touched, values = np.zeros(labels), np.empty(labels, np.int64), np.empty(labels)
    for c in range(len(verdicts)):
        count, rows = 0, 0
        for e in range(offsets[c], offsets[c + 1]):
            rows += weights[e]
            if sizes[sets[e]] > 0:
                count = added(bits[sets[e]], weights[e] / sizes[sets[e]], sums, touched, count)
        if rule.closeness:
            distances[c] = distance(rule, sums, touched, count, rows)
            verdicts[c] = close(rule, distances[c])
        else:
            for i in range(count):
                values[i] = sums[touched[i]]
            verdicts[c] = diverse(values, count, rule.c, rule.l)
        for i in range(count):
            sums[touched[i]] = 0.0
    return verdicts, distances


@njit(cache=True, nogil=True)
def largest_l(
    offsets: Array, sets: Array, weights: Array, bits: Array, sizes: Array, labels: int, c: float
) -> tuple[Array, Array]:
    """As `judged` → int64 [c] twice: the largest l for which a class passes, if doubts count against it and for it.

    A class that links to nothing passes for every l: labels + 1.
    """
    low, high = np.empty(len(offsets) - 1, np.int64), np.empty(len(offsets) - 1, np.int64)
    sums, touched, values = np.zeros(labels), np.empty(labels, np.int64), np.empty(labels)
    for k in range(len(low)):
        count = 0
        for e in range(offsets[k], offsets[k + 1]):
            if sizes[sets[e]] > 0:
                count = added(bits[sets[e]], weights[e] / sizes[sets[e]], sums, touched, count)
        for i in range(count):
            values[i] = sums[touched[i]]
            sums[touched[i]] = 0.0
        low[k], high[k] = widest(values, count, c, labels)
    return low, high


@njit(cache=True, nogil=True)
def summed(bits: Array, sizes: Array, weights: Array, labels: int) -> Array:
    """bits uint64 [s, words], sizes int64 [s], weights int64 [s] → float64 [labels]: the sums of all sets together."""
    sums, touched, count = np.zeros(labels), np.empty(labels, np.int64), 0
    for s in range(len(bits)):
        if sizes[s] > 0 and weights[s] > 0:
            count = added(bits[s], weights[s] / sizes[s], sums, touched, count)
    return sums


@njit(cache=True, nogil=True)
def tallied(bits: Array, weights: Array, labels: int) -> Array:
    """bits uint64 [s, words], weights int64 [s] → int64 [labels]: the total weight of the sets with each label."""
    tally = np.zeros(labels, np.int64)
    for s in range(len(bits)):
        for word in range(bits.shape[1]):
            rest = bits[s, word]
            while rest != np.uint64(0):
                tally[64 * word + lowest(rest)] += weights[s]
                rest &= rest - np.uint64(1)
    return tally


@part
def added(bits: Array, share: float, sums: Array, touched: Array, count: int) -> int:
    """Adds a share to the sum of every label of a bitset; `touched[:count]` lists the labels whose sum is not 0."""
    for word in range(len(bits)):
        rest = bits[word]
        while rest != np.uint64(0):
            label = 64 * word + lowest(rest)
            if sums[label] == 0.0:
                touched[count] = label
                count += 1
            sums[label] += share
            rest &= rest - np.uint64(1)
    return count


@part
def diverse(values: Array, count: int, c: float, l: int) -> int:
    """The verdict of (c,l)-diversity on the sums values[:count] > 0, whose order it changes."""
    if count == 0:
        return PASSES
    if count < l:
        return FAILS
    select(values, count, l - 1)
    first, tail = 0.0, 0.0
    for i in range(l - 1):
        first = max(first, values[i])
    for i in range(l - 1, count):
        first = max(first, values[i])
        tail += values[i]
    return compared(first, c * tail)


@part
def exactly_diverse(
    bits: Array, sizes: Array, weights: Array, rule: Rule, sums: Array, touched: Array, values: Array
) -> int:
    """The verdict of (c,l)-diversity in whole numbers, which floats represent exactly; DOUBTFUL if they are too large.

    bits uint64 [r, words], sizes int64 [r], weights int64 [r]: the linked labels of rows, and how many rows they are;
    sums float64 [labels], all 0; touched int64 [labels], values float64 [labels]: room.
    """
    common, largest = 1, float(max(rule.over, rule.under))  # the largest product, as a float, which cannot overflow
    for row in range(len(sizes)):
        if sizes[row] > 0 and common < EXACT:
            common *= sizes[row] // divisor(common, sizes[row])
    rows = 0
    for row in range(len(sizes)):
        rows += weights[row]
    if rule.under == 0 or common >= EXACT or largest * common * rows >= EXACT:
        return DOUBTFUL
    count = 0
    for row in range(len(sizes)):
        if sizes[row] > 0:
            count = added(bits[row], float(weights[row] * (common // sizes[row])), sums, touched, count)
    first, tail = 0.0, 0.0
    for i in range(count):
        values[i] = sums[touched[i]]
        sums[touched[i]] = 0.0
    if count == 0:
        return PASSES
    if count < rule.l:
        return FAILS
    select(values, count, rule.l - 1)
    for i in range(count):
        first = max(first, values[i])
        if i >= rule.l - 1:
            tail += values[i]
    return PASSES if first * rule.under <= rule.over * tail else FAILS


@part
def divisor(a: int, b: int) -> Any:
    """int64: the greatest common divisor."""
    while b != 0:
        a, b = b, a % b
    return a


@part
def compared(small: float, large: float) -> int:
    """The verdict on small <= large."""
    band = BAND * (small + large)
    if large - small > band:
        return PASSES
    return FAILS if small - large > band else DOUBTFUL


@part
def close(rule: Rule, squared: float) -> int:
    """The verdict of closeness on a squared distance; its rounding errors are those of the sum of squares."""
    band = BAND * (rule.limit + rule.squares + 1e-6)
    if rule.limit - squared > band:
        return PASSES
    return FAILS if squared - rule.limit > band else DOUBTFUL


@part
def distance(rule: Rule, sums: Array, touched: Array, count: int, rows: int) -> float:
    """The squared distance of β to the reference: labels that the class lacks differ by what the reference has."""
    squared = rule.squares
    for i in range(count):
        label = touched[i]
        beta = sums[label] / rows
        squared += beta * (beta - 2.0 * rule.alpha[label])
    return max(squared, 0.0)


@part
def widest(values: Array, count: int, c: float, labels: int) -> tuple[int, int]:
    """The largest l with p1 <= c · (p_l + … + p_m), if doubts count against it and for it; sorts values[:count]."""
    if count == 0:
        return labels + 1, labels + 1
    ascending(values, 0, count)
    first, tail = values[count - 1], 0.0
    low, high = 0, 0
    for i in range(count):
        tail += values[i]
        verdict = compared(first, c * tail)
        if verdict != FAILS and high == 0:
            high = count - i
        if verdict == PASSES:
            low = count - i
            break
    return low, high


@part
def select(values: Array, count: int, most: int) -> None:
    """Moves the `most` largest of values[:count] to the front, in any order."""
    low, high = 0, count - 1
    while low < high:
        a, b, d = values[low], values[(low + high) >> 1], values[high]
        pivot = max(min(a, b), min(max(a, b), d))
        i, j = low, high
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if most - 1 <= j:
            high = j
        elif most - 1 >= i:
            low = i
        else:
            return
