"""Top-down specialization: rows sorted by code, split into kinds, scored, and given their new classes.

Rows that agree in every released value and in what models read are one *kind*. The kinds of a class have the same
released values. A node of a column is a range of its codes, so its rows are a slice of the rows by code.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.arrays import Array


@njit(cache=True, nogil=True)
def by_code(codes: Array, size: int) -> tuple[Array, Array]:
    """codes int32 [d] below `size` → rows int32 [d] by ascending code, starts int64 [size+1] of each code's rows."""
    starts = np.zeros(size + 1, np.int64)
    for i in range(len(codes)):
        starts[codes[i] + 1] += 1
    for c in range(size):
        starts[c + 1] += starts[c]
    place = starts[:-1].copy()
    rows = np.empty(len(codes), np.int32)
    for i in range(len(codes)):
        rows[place[codes[i]]] = i
        place[codes[i]] += 1
    return rows, starts


@njit(cache=True, nogil=True)
def tally(codes: Array, size: int, target: Array, targets: int, weight: Array) -> Array:
    """Counts the rows of a column by code and target.

    codes int32 [d], target int32 [d], weight int64 [d] → int64 [size, targets].
    """
    counts = np.zeros((size, targets), np.int64)
    for i in range(len(codes)):
        counts[codes[i], target[i]] += weight[i]
    return counts


@njit(cache=True, nogil=True)
def kinds_in(rows: Array, kind_of: Array, weight: Array) -> tuple[Array, Array]:
    """The kind int32 and weight int64 of the given rows, from kind_of int32 [d] and weight int64 [d] of all rows."""
    kinds, weights = np.empty(len(rows), np.int32), np.empty(len(rows), np.int64)
    for i in range(len(rows)):
        kinds[i], weights[i] = kind_of[rows[i]], weight[rows[i]]
    return kinds, weights


@njit(cache=True, nogil=True)
def kinds_by_code(
    codes: Array, low: int, high: int, kind_of: Array, kinds: int, weight: Array
) -> tuple[Array, Array, Array]:
    """The kinds int32 [n] and weights int64 [n] of each code from low to high, by ascending code and kind.

    → kinds, weights, and where each code begins, int64 [codes+1]. codes int32 [d] of a column, kind_of int32 [d] below
    `kinds`, weight int64 [d]. For few codes and kinds: it visits all rows in their order, which is much faster than
    visiting some of them in another order.
    """
    table = np.zeros((high - low + 1, kinds), np.int64)
    for i in range(len(codes)):
        if low <= codes[i] <= high:
            table[codes[i] - low, kind_of[i]] += weight[i]
    kinds_found, weights = np.empty(table.size, np.int32), np.empty(table.size, np.int64)
    starts, n = np.zeros(len(table) + 1, np.int64), 0
    for c in range(len(table)):
        for k in range(kinds):
            if table[c, k] > 0:
                kinds_found[n], weights[n] = k, table[c, k]
                n += 1
        starts[c + 1] = n
    return kinds_found[:n].copy(), weights[:n].copy(), starts


@njit(cache=True, nogil=True)
def split(kinds: Array, weights: Array, edges: Array, scratch: Array) -> tuple[Array, Array, Array, Array]:
    """The kinds that each part of some rows holds.

    kinds int32 [n], weights int64 [n] of what is split; edges int64 [parts+1]: offsets into it; scratch int64 of -1 for
    every kind, unchanged afterwards. → entry int32 [n] of each; kind int32 [e], total int64 [e] of each entry, offsets
    int64 [parts+1] of the entries of each part.
    """
    entry = np.empty(len(kinds), np.int32)
    kind, total = np.empty(len(kinds), np.int32), np.empty(len(kinds), np.int64)
    offsets = np.zeros(len(edges), np.int64)
    e = 0
    for p in range(len(edges) - 1):
        for i in range(edges[p], edges[p + 1]):
            j = kinds[i]
            if scratch[j] < 0:
                scratch[j], kind[e], total[e] = e, j, 0
                e += 1
            total[scratch[j]] += weights[i]
            entry[i] = scratch[j]
        for x in range(offsets[p], e):
            scratch[kind[x]] = -1
        offsets[p + 1] = e
    return entry, kind[:e].copy(), total[:e].copy(), offsets


@njit(cache=True, nogil=True)
def of_entries(
    rows: Array, edges: Array, kind_of: Array, kind: Array, offsets: Array, value: Array, scratch: Array
) -> Array:
    """int32 [rows]: the value of each row's entry, from value int32 [e].

    rows int32 in parts, edges int64 [parts+1]; kind int32 [e] and offsets int64 [parts+1]: the entries of a split of
    them; kind_of int32 [d] of all rows; scratch int64 of -1 for every kind, unchanged afterwards.
    """
    of_rows = np.empty(len(rows), np.int32)
    for p in range(len(edges) - 1):
        for e in range(offsets[p], offsets[p + 1]):
            scratch[kind[e]] = value[e]
        for i in range(edges[p], edges[p + 1]):
            of_rows[i] = scratch[kind_of[rows[i]]]
        for e in range(offsets[p], offsets[p + 1]):
            scratch[kind[e]] = -1
    return of_rows


@njit(cache=True, nogil=True)
def assign_kinds(
    codes: Array, low: int, part: Array, kind: Array, offsets: Array, new: Array, table: Array, kind_of: Array
) -> None:
    """Gives the rows of a split their new kinds, in kind_of int32 [d] of all rows.

    codes int32 [d] of the column; part int64: the part of each code from `low` on; kind int32 [e] and offsets int64
    [parts+1]: the entries of the split; new int32 [e]: their new kinds; table int32 [parts, kinds] is scratch.
    """
    for p in range(len(offsets) - 1):
        for e in range(offsets[p], offsets[p + 1]):
            table[p, kind[e]] = new[e]
    for i in range(len(codes)):
        c = codes[i] - low
        if 0 <= c < len(part):
            kind_of[i] = table[part[c], kind_of[i]]


@njit(cache=True, nogil=True)
def group(
    kind: Array, total: Array, offsets: Array, class_of: Array, scratch: Array
) -> tuple[Array, Array, Array, Array]:
    """The classes to which the entries of each part belong.

    → local int32 [e], and for each local class: class int32 [l], weight int64 [l], part int32 [l]. scratch int64
    [classes] of -1, unchanged afterwards.
    """
    local, classes = np.empty(len(kind), np.int32), np.empty(len(kind), np.int32)
    weight, part = np.zeros(len(kind), np.int64), np.empty(len(kind), np.int32)
    n = 0
    for p in range(len(offsets) - 1):
        begin = n
        for e in range(offsets[p], offsets[p + 1]):
            c = class_of[kind[e]]
            if scratch[c] < 0:
                scratch[c], classes[n], part[n] = n, c, p
                n += 1
            local[e] = scratch[c]
            weight[scratch[c]] += total[e]
        for x in range(begin, n):
            scratch[classes[x]] = -1
    return local, classes[:n].copy(), weight[:n].copy(), part[:n].copy()


@njit(cache=True, nogil=True)
def renumber(old: Array, used: int, scratch: Array) -> tuple[Array, int]:
    """New ids for the parts of whatever was split: the first part keeps the id, the others get the next free ones.

    old int32 [parts] → int32 [parts], and the number of ids then in use. scratch int64 [ids] of -1, unchanged
    afterwards.
    """
    new = np.empty(len(old), np.int32)
    for i in range(len(old)):
        if scratch[old[i]] < 0:
            scratch[old[i]] = 1
            new[i] = old[i]
        else:
            new[i] = used
            used += 1
    for i in range(len(old)):
        scratch[old[i]] = -1
    return new, used


@njit(cache=True, nogil=True)
def assign_classes(
    old: Array, new: Array, part: Array, size: Array, column: int, numbers: Array, nodes: Array, sizes: Array
) -> int:
    """Gives new classes the nodes of the old ones, but in one column the number of their part.

    → the decrease of Σ|class|². old, new, part int32 [n]; size int64 [n]; numbers int32 [parts]; nodes int32 [q,
    classes], sizes int64 [classes]. A class that keeps its id is the first of those from the same old class.
    """
    decrease = 0
    for i in range(len(old)):
        if new[i] == old[i]:
            decrease += sizes[old[i]] * sizes[old[i]]
        else:
            for a in range(len(nodes)):
                nodes[a, new[i]] = nodes[a, old[i]]
    for i in range(len(old)):
        nodes[column, new[i]] = numbers[part[i]]
        sizes[new[i]] = size[i]
        decrease -= size[i] * size[i]
    return decrease


@njit(cache=True, nogil=True)
def pairs_parted(kinds: Array, weights: Array, edges: Array, class_of: Array, sizes: Array, scratch: Array) -> int:
    """The decrease of Σ|class|² when rows are split into parts.

    kinds int32 [n], weights int64 [n], edges int64 [parts+1]; class_of int32 [kinds], sizes int64 [classes]; scratch
    int64 of -1 for every class, unchanged afterwards.
    """
    seen, tally = np.empty(len(kinds), np.int32), np.zeros(len(kinds), np.int64)
    before, after = np.int64(0), np.int64(0)
    for p in range(len(edges) - 1):
        n = 0
        for i in range(edges[p], edges[p + 1]):
            c = class_of[kinds[i]]
            if scratch[c] < 0:
                scratch[c], seen[n], tally[n] = n, c, 0
                n += 1
            tally[scratch[c]] += weights[i]
        for x in range(n):
            after += tally[x] * tally[x]
            before += tally[x] * sizes[seen[x]]  # over all parts this adds up to the square of the class
            scratch[seen[x]] = -1
    return int(before - after)


@njit(cache=True, nogil=True)
def pairs_cut(kinds: Array, weights: Array, starts: Array, class_of: Array, sizes: Array, left: Array) -> Array:
    """int64 [codes - 1]: the decrease of Σ|class|² when rows are cut after each code.

    starts int64 [codes+1]: offsets of what every code holds. left int64 of 0 for every class, unchanged afterwards.
    """
    decrease = np.zeros(len(starts) - 2, np.int64)
    product = np.int64(0)
    for c in range(len(starts) - 2):
        for i in range(starts[c], starts[c + 1]):
            g, w = class_of[kinds[i]], weights[i]
            product += w * (sizes[g] - 2 * left[g] - w)
            left[g] += w
        decrease[c] = 2 * product
    for i in range(len(kinds)):
        left[class_of[kinds[i]]] = 0
    return decrease


@njit(cache=True, nogil=True)
def _plogp(count: int, table: Array) -> float:
    """count · log2(count); 0 for 0."""
    return float(table[count]) if count < len(table) else float(count * np.log2(float(count)))


@njit(cache=True, nogil=True)
def _entropy(counts: Array, table: Array) -> float:
    """The number of rows times the entropy of their target, Σ n log n - Σ n_t log n_t, from counts int64 [targets]."""
    total, inner = 0, 0.0
    for t in range(len(counts)):
        total += counts[t]
        inner += _plogp(counts[t], table)
    return _plogp(total, table) - inner


@njit(cache=True, nogil=True)
def entropy_total(counts: Array, table: Array) -> float:
    """The number of rows times the entropy of their target, given their stratum; counts int64 [strata, targets]."""
    total = 0.0
    for s in range(len(counts)):
        total += _entropy(counts[s], table)
    return total


@njit(cache=True, nogil=True)
def gains_cut(counts: Array, table: Array) -> Array:
    """float64 [codes - 1]: the bits of the target gained by cutting after each code, over all affected rows.

    counts int64 [codes, strata, targets]. table float64: x log2 x of small numbers.
    """
    codes, strata, targets = counts.shape
    low, high = np.zeros((strata, targets), np.int64), np.zeros((strata, targets), np.int64)
    for c in range(codes):
        high += counts[c]
    gained, gain = np.zeros(strata), 0.0
    total = np.array([_entropy(high[s], table) for s in range(strata)])
    gains = np.empty(codes - 1, np.float64)
    for c in range(codes - 1):
        for s in range(strata):
            moved = 0
            for t in range(targets):
                moved += counts[c, s, t]
                low[s, t] += counts[c, s, t]
                high[s, t] -= counts[c, s, t]
            if moved:  # most codes have rows in few strata
                now = total[s] - _entropy(low[s], table) - _entropy(high[s], table)
                gain += now - gained[s]
                gained[s] = now
        gains[c] = gain
    return gains


@njit(cache=True, nogil=True)
def best_open(scores: Array, closed: Array) -> int:
    """The first of the highest scores that is not closed, -1 if all are closed."""
    at = -1
    for i in range(len(scores)):
        if not closed[i] and (at < 0 or scores[i] > scores[at]):
            at = i
    return at


@njit(cache=True, nogil=True)
def gather_nodes(nodes: Array, columns: Array, classes: Array, room: int) -> Array:
    """nodes int32 [q, classes] → int32 [columns, e]: the nodes of some columns for some classes, renumbered.

    Numbers run without gaps from 0 in order of appearance, so that counting costs no more than these classes have.
    """
    gathered = np.empty((len(columns), len(classes)), np.int32)
    place, met = np.full(room, -1, np.int32), np.empty(room, np.int32)
    for i in range(len(columns)):
        of_class, of_entry = nodes[columns[i]], gathered[i]
        used = 0
        for e in range(len(classes)):
            v = of_class[classes[e]]
            if place[v] < 0:
                place[v], met[used] = used, v
                used += 1
            of_entry[e] = place[v]
        for u in range(used):
            place[met[u]] = -1
    return gathered
