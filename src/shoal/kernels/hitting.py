"""Minimum hitting sets: the fewest sensitive values that touch every row of a class.

The kernels decide whether at least `l` are needed. A class is a slice of `entries`, the distinct joint tuples of its
rows. Tuple t has the values `tuples[t, a] + starts[a]` for every column a, so that equal codes of two columns are
different values. At most `limits[a]` values may come from column a. There are three sound steps, each of which is taken
only if the previous one did not decide:
LOWER   rows that share no value pairwise need one value each; with limits, rows whose l - 1 most frequent allowed
        values do not add up to all of them (Figures 6 and 7 of Gal, Chen, Gangopadhyay, the latter repaired)
COVER   fewer than l values, picked greedily, touch every row: the class fails
EXACT   branch and bound over the values of one untouched row at a time
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import part
from shoal.kernels.sorting import ascending

# How a class was decided. Only the first two pass.
PASSED_BY_LOWER_BOUND, PASSED_BY_SEARCH = 0, 1
FAILED_BY_COVER, FAILED_BY_SEARCH, OUT_OF_BUDGET, NOT_SHOWN, NOT_ASKED = 2, 3, 4, 5, 6

_LOW = 0xFFFFFFFF


class Classes(NamedTuple):
    """The distinct joint tuples of every class, and their meaning.

    offsets int64 [c+1], entries int32 [e], counts int64 [e]: sparse counts of tuples per class;
    tuples int32 [t, m], starts int64 [m]: the values of a tuple; values: the total number of values.
    """

    offsets: Array
    entries: Array
    counts: Array
    tuples: Array
    starts: Array
    values: int


@njit(cache=True, nogil=True)
def decide(s: Classes, asked: Array, limits: Array, l: int, exact: bool, budget: int) -> tuple[Array, Array]:
    """asked bool [c], limits int64 [m] → how each class was decided int8 [c], nodes of its search int64 [c].

    Without `exact`, only the lower bound is tried: a class that it does not show to pass is NOT_SHOWN.
    """
    classes = len(s.offsets) - 1
    decided, nodes = np.empty(classes, np.int8), np.zeros(classes, np.int64)
    frequency, stamp = np.zeros(s.values, np.int64), np.zeros(s.values, np.int64)
    local = np.zeros(s.values, np.int64)
    limited = False
    for limit in limits:
        limited = limited or limit < l
    for c in range(classes):
        if not asked[c]:
            decided[c] = NOT_ASKED
            continue
        order = _by_frequency(s, c, frequency)
        disjoint, members = _disjoint(s, c, order, l, stamp)
        shown = disjoint >= l
        if limited and not shown and disjoint > 0:
            shown = _extended(s, c, order, members, disjoint, limits, l, frequency)
        if shown:
            decided[c] = PASSED_BY_LOWER_BOUND
        elif not exact:
            decided[c] = NOT_SHOWN
        else:
            rows, column = _localized(s, c, order, local)
            if _covered(rows, column, limits, l - 1):
                decided[c] = FAILED_BY_COVER
            else:
                decided[c], nodes[c] = _search(rows, column, limits, l - 1, budget)
    return decided, nodes


@part
def _by_frequency(s: Classes, c: int, frequency: Array) -> Array:
    """The entries of a class, those with the rarest values first; ties are broken by content.

    `frequency` is zero before and after.
    """
    first, last = s.offsets[c], s.offsets[c + 1]
    for e in range(first, last):
        for a in range(len(s.starts)):
            frequency[s.tuples[s.entries[e], a] + s.starts[a]] += s.counts[e]
    keys = np.empty(last - first, np.int64)
    for e in range(first, last):
        total = 0
        for a in range(len(s.starts)):
            total += frequency[s.tuples[s.entries[e], a] + s.starts[a]]
        keys[e - first] = (total << 32) | (e - first)
    for e in range(first, last):
        for a in range(len(s.starts)):
            frequency[s.tuples[s.entries[e], a] + s.starts[a]] = 0
    ascending(keys, 0, len(keys))
    for i in range(len(keys)):
        keys[i] = first + (keys[i] & _LOW)
    return keys


@part
def _disjoint(s: Classes, c: int, order: Array, most: int, stamp: Array) -> tuple[int, Array]:
    """Rows that share no value pairwise, taken greedily up to `most`: their number and positions in `order`."""
    members = np.zeros(len(order), np.bool_)
    taken = 0
    for i in range(len(order)):
        t = s.entries[order[i]]
        shares = False
        for a in range(len(s.starts)):
            shares = shares or stamp[s.tuples[t, a] + s.starts[a]] == c + 1
        if shares:
            continue
        for a in range(len(s.starts)):
            stamp[s.tuples[t, a] + s.starts[a]] = c + 1
        members[i] = True
        taken += 1
        if taken == most:
            break
    return taken, members


@part
def _extended(
    s: Classes, c: int, order: Array, members: Array, disjoint: int, limits: Array, l: int, frequency: Array
) -> bool:
    """Whether rows added to the disjoint ones show diversity l under the limits; duplicates count as separate rows.

    Rows C are (x+1)-diverse if every allowed choice of at most x values has a total frequency strictly below |C|. A row
    that would break what is shown already is removed again. `frequency` is zero before and after.
    """
    m = len(s.starts)
    top = np.zeros((m, l), np.int64)  # the largest frequencies of each column in C, up to its limit
    place = np.empty(m, np.int64)
    size, x = 0, disjoint
    for i in range(len(order)):
        if members[i]:
            _add(s, s.entries[order[i]], limits, top, place, frequency)
            size += 1
    shown = False
    for i in range(len(order)):
        again = s.counts[order[i]] - (1 if members[i] else 0)
        for _ in range(again):
            t = s.entries[order[i]]
            _add(s, t, limits, top, place, frequency)
            size += 1
            if _largest(top, x - 1) >= size:
                _take_back(s, t, top, place, frequency)
                size -= 1
                break
            while x < l and _largest(top, x) < size:
                x += 1
            if x >= l:
                break
        if x >= l:
            shown = True
            break
    for i in range(len(order)):
        for a in range(m):
            frequency[s.tuples[s.entries[order[i]], a] + s.starts[a]] = 0
    return shown


@part
def _add(s: Classes, t: int, limits: Array, top: Array, place: Array, frequency: Array) -> None:
    """Counts a row. Raising the first of several equal frequencies keeps each list in order."""
    for a in range(len(s.starts)):
        v = s.tuples[t, a] + s.starts[a]
        place[a] = -1
        for i in range(min(limits[a], top.shape[1])):
            if top[a, i] == frequency[v]:
                top[a, i] += 1
                place[a] = i
                break
        frequency[v] += 1


@part
def _take_back(s: Classes, t: int, top: Array, place: Array, frequency: Array) -> None:
    """Undoes the last `_add`."""
    for a in range(len(s.starts)):
        frequency[s.tuples[t, a] + s.starts[a]] -= 1
        if place[a] >= 0:
            top[a, place[a]] -= 1


@part
def _largest(top: Array, x: int) -> int:
    """The sum of the x largest frequencies of all lists together; each list is in descending order."""
    at = np.zeros(len(top), np.int64)
    total = 0
    for _ in range(x):
        best, where = 0, -1
        for a in range(len(top)):
            if at[a] < top.shape[1] and top[a, at[a]] > best:
                best, where = top[a, at[a]], a
        if where < 0:
            break
        total += best
        at[where] += 1
    return total


@part
def _localized(s: Classes, c: int, order: Array, local: Array) -> tuple[Array, Array]:
    """The rows of a class in `order`, with values numbered from 0, and the column of each value.

    rows int32 [n, m], column int64 [v]. `local` is zero before and after.
    """
    m = len(s.starts)
    rows, column = np.empty((len(order), m), np.int32), np.empty(len(order) * m, np.int64)
    used = 0
    for i in range(len(order)):
        for a in range(m):
            v = s.tuples[s.entries[order[i]], a] + s.starts[a]
            if local[v] == 0:
                column[used] = a
                used += 1
                local[v] = used
            rows[i, a] = local[v] - 1
    for i in range(len(order)):
        for a in range(m):
            local[s.tuples[s.entries[order[i]], a] + s.starts[a]] = 0
    return rows, column[:used].copy()


@part
def _occurrences(rows: Array, values: int) -> tuple[Array, Array]:
    """Rows by value: those of v are members[starts[v]:starts[v+1]]."""
    n, m = rows.shape
    starts = np.zeros(values + 1, np.int64)
    for i in range(n):
        for a in range(m):
            starts[rows[i, a] + 1] += 1
    for v in range(values):
        starts[v + 1] += starts[v]
    at, members = starts[:-1].copy(), np.empty(n * m, np.int64)
    for i in range(n):
        for a in range(m):
            members[at[rows[i, a]]] = i
            at[rows[i, a]] += 1
    return starts, members


@part
def _frequencies(starts: Array) -> Array:
    """int64 [v]: the number of rows with each value."""
    frequencies = np.empty(len(starts) - 1, np.int64)
    for v in range(len(frequencies)):
        frequencies[v] = starts[v + 1] - starts[v]
    return frequencies


@part
def _touch(v: int, rows: Array, starts: Array, members: Array, touched: Array, frequency: Array) -> int:
    """Marks the rows that have value v; returns how many were untouched before.

    `frequency` counts untouched rows only.
    """
    fresh = 0
    for j in range(starts[v], starts[v + 1]):
        i = members[j]
        if touched[i] == 0:
            fresh += 1
            for a in range(rows.shape[1]):
                frequency[rows[i, a]] -= 1
        touched[i] += 1
    return fresh


@part
def _untouch(v: int, rows: Array, starts: Array, members: Array, touched: Array, frequency: Array) -> int:
    """Undoes `_touch`; returns how many rows are untouched again."""
    freed = 0
    for j in range(starts[v], starts[v + 1]):
        i = members[j]
        touched[i] -= 1
        if touched[i] == 0:
            freed += 1
            for a in range(rows.shape[1]):
                frequency[rows[i, a]] += 1
    return freed


@part
def _covered(rows: Array, column: Array, limits: Array, most: int) -> bool:
    """Whether `most` values touch every row, if each is the one that touches most of the untouched rows."""
    starts, members = _occurrences(rows, len(column))
    frequency, touched = _frequencies(starts), np.zeros(len(rows), np.int64)
    used, left = np.zeros(len(limits), np.int64), len(rows)
    for _ in range(most):
        best = -1
        for v in range(len(column)):
            allowed = used[column[v]] < limits[column[v]]
            if allowed and frequency[v] > 0 and (best < 0 or frequency[v] > frequency[best]):
                best = v
        if best < 0:
            break
        used[column[best]] += 1
        left -= _touch(best, rows, starts, members, touched, frequency)
    return left == 0


@part
def _search(rows: Array, column: Array, limits: Array, most: int, budget: int) -> tuple[int, int]:
    """Whether no choice of at most `most` values touches every row; depth-first, over the values of one row at a time.

    A value whose branch has no solution is excluded from the branches of its siblings. `open_`: the values that may
    still be chosen, which are not excluded and whose columns have room.
    """
    n, m = rows.shape
    starts, members = _occurrences(rows, len(column))
    touched, frequency = np.zeros(n, np.int64), _frequencies(starts)
    room, excluded = limits.copy(), np.zeros(len(column), np.bool_)
    open_, stamp = np.empty(len(column), np.bool_), np.zeros(len(column), np.int64)
    histogram = np.zeros(n + 1, np.int64)
    options = np.empty((most + 1, m), np.int64)
    count, after = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    depth, left, nodes, entering = 0, n, 0, True
    while True:
        if entering:
            if left == 0:
                return FAILED_BY_SEARCH, nodes
            nodes += 1
            if nodes > budget:
                return OUT_OF_BUDGET, nodes
            count[depth], after[depth] = 0, 0
            if _reach(frequency, column, room, excluded, most - depth, open_, histogram) >= left:
                row = _branch(rows, touched, frequency, open_, most - depth, nodes, stamp)
                if row >= 0:
                    count[depth] = _ordered(rows[row], frequency, column, room, open_, most - depth, options[depth])
        if after[depth] < count[depth]:
            v = options[depth, after[depth]]
            after[depth] += 1
            room[column[v]] -= 1
            left -= _touch(v, rows, starts, members, touched, frequency)
            depth += 1
            entering = True
            continue
        for i in range(count[depth]):
            excluded[options[depth, i]] = False
        if depth == 0:
            return PASSED_BY_SEARCH, nodes
        depth -= 1
        v = options[depth, after[depth] - 1]
        left += _untouch(v, rows, starts, members, touched, frequency)
        room[column[v]] += 1
        excluded[v] = True
        entering = False


@part
def _reach(
    frequency: Array, column: Array, room: Array, excluded: Array, most: int, open_: Array, histogram: Array
) -> int:
    """An upper bound on the number of untouched rows that `most` values can touch; fills `open_`.

    `histogram` is zero before and after.
    """
    largest = 0
    for v in range(len(column)):
        open_[v] = not excluded[v] and room[column[v]] > 0
        if open_[v]:
            histogram[frequency[v]] += 1
            largest = max(largest, frequency[v])
    reach, picks = 0, most
    for f in range(largest, -1, -1):
        taken = min(picks, histogram[f])
        reach += taken * f
        picks -= taken
        histogram[f] = 0
    return reach


@part
def _branch(rows: Array, touched: Array, frequency: Array, open_: Array, most: int, node: int, stamp: Array) -> int:
    """The untouched row with the fewest open values, and of several the rarest; -1 if `most` values cannot suffice.

    They cannot if a row has no open value, or if more than `most` rows share no open value.
    """
    m = rows.shape[1]
    packed, branch, fewest, rarest = 0, -1, m + 1, 0
    for i in range(len(rows)):
        if touched[i] > 0:
            continue
        free, total, apart = 0, 0, True
        for a in range(m):
            v = rows[i, a]
            if open_[v]:
                free += 1
                total += frequency[v]
                apart = apart and stamp[v] != node
        if free == 0:
            return -1
        if apart:
            for a in range(m):
                stamp[rows[i, a]] = node
            packed += 1
            if packed > most:
                return -1
        if free < fewest or (free == fewest and total < rarest):
            branch, fewest, rarest = i, free, total
    return branch


@part
def _ordered(row: Array, frequency: Array, column: Array, room: Array, open_: Array, most: int, options: Array) -> int:
    """Fills `options` with the values of a row that are worth trying, the most frequent first, and counts them.

    A value that touches only this row is no better than another value of the row whose column has room for all picks.
    """
    count, roomy = 0, False
    for a in range(len(row)):
        v = row[a]
        if open_[v]:
            at = count
            while at > 0 and frequency[options[at - 1]] < frequency[v]:
                options[at] = options[at - 1]
                at -= 1
            options[at] = v
            count += 1
    for i in range(count):
        if roomy and frequency[options[i]] == 1:
            return i
        roomy = roomy or room[column[options[i]]] >= most
    return count


@njit(cache=True, nogil=True)
def eliminations(s: Classes, most: int, tried: int) -> Array:
    """The fewest values, found greedily, that an intruder must rule out to learn the value of some column.

    All rows that remain then agree in this column. → int64 [c]: the smallest number for any individual of a class,
    `most` + 1 if there is none. Up to `tried` distinct tuples of a class are tried as the individual's: those with the
    most frequent values.
    """
    classes = len(s.offsets) - 1
    least = np.empty(classes, np.int64)
    frequency, local = np.zeros(s.values, np.int64), np.zeros(s.values, np.int64)
    for c in range(classes):
        least[c] = most + 1
        order = _by_frequency(s, c, frequency)
        for i in range(len(order) // 2):
            order[i], order[-1 - i] = order[-1 - i], order[i]
        rows, column = _localized(s, c, order, local)
        starts, members = _occurrences(rows, len(column))
        for own in range(min(len(rows), tried)):
            for a in range(rows.shape[1]):
                least[c] = min(least[c], _ruled_out(rows, starts, members, own, a, most))
    return least


@part
def _ruled_out(rows: Array, starts: Array, members: Array, own: int, a: int, most: int) -> int:
    """The number of values, chosen greedily, that touch every row that differs from the individual's in column a.

    `own` is the row of the individual, whose own values cannot be ruled out.
    """
    touched, frequency = np.zeros(len(rows), np.int64), _frequencies(starts)
    left = 0
    for i in range(len(rows)):
        if rows[i, a] != rows[own, a]:
            left += 1
        else:  # these need not be ruled out
            touched[i] = 1
            for b in range(rows.shape[1]):
                frequency[rows[i, b]] -= 1
    for b in range(rows.shape[1]):
        frequency[rows[own, b]] = -len(rows)  # the individual's own values cannot be ruled out
    for picked in range(most + 1):
        if left == 0:
            return picked
        if picked < most:
            best = 0
            for v in range(len(frequency)):
                if frequency[v] > frequency[best]:
                    best = v
            left -= _touch(best, rows, starts, members, touched, frequency)
    return most + 1
