"""Combinations: how often values occur together, for intruders who know only some of the quasi-identifiers.

Whoever knows the released values of some columns of a person finds a *cell*: all rows with these values. A Bound says
how large every cell must be, and how frequent a listed sensitive value may be in it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.errors import TableError
from shoal.exact import highest_below

if TYPE_CHECKING:
    from shoal.kernels.matching import Elements, Limits

PARALLEL_WORK = 30_000_000
"""From how many counted elements on threads are worth starting. The result does not depend on it."""
_EVERYTHING = 2**31 - 1
_COUNTS_AT_ONCE = 1 << 24  # bounds memory where many sensitive values are listed


@dataclass(frozen=True)
class Bound:
    """Every combination of values of at most `known` columns is shared by at least `support`, and at most a share
    `confidence` of them has any one listed sensitive value."""

    known: int
    support: int
    confidence: Fraction = Fraction(1)


class Seen(NamedTuple):
    """The smallest cell seen, and the largest share of a listed value as count and size of its cell."""

    support: int = _EVERYTHING
    having: int = 0
    of: int = 1

    @property
    def confidence(self) -> float:
        return self.having / self.of


class Judged(NamedTuple):
    """Whether all cells are safe. `seen` is exact for cells that are smaller, or surer, than the one compared with.

    `blocking`: where they are not, the columns of one that is not.
    """

    holds: bool
    seen: Seen
    blocking: tuple[int, ...] = ()


@dataclass(frozen=True)
class Table:
    """Entries to be counted, in groups that are never counted together.

    `nodes` gives int32 [columns, e], the value of each column, from 0 without gaps; it is asked only where cells have
    to be counted. `weight` int64 [e]; `sensitive` int32 [e]: which listed value, -1 for none, below `values`;
    `class_of` int32 [e]: entries with the same nodes in the same group have the same class, below `classes`;
    `groups` int64 [g+1]: offsets of the groups; `person` int32 [e] or None: with it persons are counted, not weights.
    """

    nodes: Callable[[], Int32]
    weight: Int64
    sensitive: Int32
    values: int
    class_of: Int32
    classes: int
    groups: Int64
    person: Int32 | None = None


def judge(table: Table, bound: Bound, chosen: int, seen: Seen | None = None, threads: int | None = None) -> Judged:
    """Whether every cell of `chosen` columns (fewer where there are fewer) in every group keeps the bound.

    Cells of fewer columns are unions of those of more, and keep it if those do. A cell that breaks a bound has a class
    that breaks it: cells of safe classes alone are not counted. With `seen` classes are compared with what was seen
    before instead, so that the smallest cell and the largest share are known exactly afterwards.
    """
    limits = _limits(bound, table)
    compared = seen if seen is not None else Seen(limits.support, limits.over, limits.under)
    best = np.array(compared if seen is not None else Seen(), np.int64)
    suspect = _suspects(table, limits, compared)
    if not suspect.any():
        return Judged(True, Seen(*best.tolist()))
    nodes = table.nodes()
    for length in _lengths(table, nodes, limits, chosen):
        columns, telling, widths = _columns(nodes, length)
        known = min(max(length, 1), len(columns))
        work = len(table.weight) * math.comb(len(columns), known)
        wanted = threads if threads is not None else (_cores() if work > PARALLEL_WORK else 1)
        unsafe = _scan(_elements(table, telling, suspect), table.groups, widths, known, limits, best, wanted)
        if unsafe is not None:
            return Judged(False, Seen(*best.tolist()), tuple(columns[unsafe].tolist()) if length else ())
    return Judged(True, Seen(*best.tolist()))


def _lengths(table: Table, nodes: Int32, limits: Limits, chosen: int) -> Sequence[int]:
    """How many columns to count the cells of: the longest are enough, but for shares of persons. A person with rows in
    two cells is one person in their union, where a share may then be larger than in both.

    So that is for whole tables alone. A search that splits them knows one column more than it counts here, and none
    may count shares of persons: see `Pais.refuses`.
    """
    if table.person is None or not limits.values:
        return (chosen,)
    says_nothing = (nodes == nodes[:, :1]).all(axis=1).any()  # who knows such a column knows no more than without it
    return range(0 if says_nothing or chosen == 0 else 1, chosen + 1)


class Line(NamedTuple):
    """The rows behind the entries of a table in order of their place: those at place p are from starts[p] to
    starts[p+1] - 1. entry int32 [rows], weight int64 [rows], starts int64 [places+1]."""

    entry: Int32
    weight: Int64
    starts: Int64


def close_cuts(table: Table, line: Line, closed: Flags, bound: Bound) -> None:
    """Sets closed bool [places - 1] for every place after which the rows cannot be cut so that both sides keep the
    bound for cells of all columns of the table. Only where the bound holds uncut; with persons only sizes count."""
    from shoal.kernels import forbidden_cuts

    cell, cells = _cells(table.nodes())
    limits, weights = _limits(bound, table), (line.weight, line.weight)
    if table.person is not None:
        # A person adds to a cell once, when first met there.
        met = cell[line.entry].astype(np.int64) * (int(table.person.max()) + 1) + table.person[line.entry]
        weights, limits = (_first(met), _first(met[::-1])[::-1].copy()), limits._replace(values=0)
    lined = forbidden_cuts.Line(line.entry, line.starts, *weights, cell, table.sensitive)
    forbidden_cuts.close_cuts(lined, cells, limits, closed, _COUNTS_AT_ONCE)


def _first(keys: Int64) -> Int64:
    """int64 [n]: 1 where a key is met for the first time, 0 elsewhere."""
    found = np.zeros(len(keys), np.int64)
    found[np.unique(keys, return_index=True)[1]] = 1
    return found


def _cells(nodes: Int32) -> tuple[Int32, int]:
    """int32 [e]: which entries are alike in all columns; and how many cells that makes."""
    from shoal.kernels.distinct import distinct_keys

    cell, cells = np.zeros(nodes.shape[1], np.int32), 1
    for column in nodes:
        cell, firsts, _ = distinct_keys(column.astype(np.int64) * cells + cell)
        cells = len(firsts)
    return cell, cells


def _limits(bound: Bound, table: Table) -> Limits:
    from shoal.kernels.matching import Limits

    total = int(table.weight.sum())
    if total > _EVERYTHING:
        raise TableError(f"The table has {total} rows, too many to compare shares exactly.")
    share = highest_below(bound.confidence, max(total, 1))
    return Limits(bound.support, share.numerator, share.denominator, table.values if share < 1 else 0)


def _columns(nodes: Int32, chosen: int) -> tuple[Int64, Int32, Int64]:
    """The columns in which anything differs, with the most values first so that unsafe cells are found early: their
    numbers, nodes and numbers of values.

    A column with one value tells nothing. Where none is left, or none may be known, one stands for all of them.
    """
    widths = nodes.max(axis=1, initial=0).astype(np.int64) + 1
    telling = np.flatnonzero(widths > 1)
    if chosen == 0 or len(telling) == 0:
        return np.zeros(1, np.int64), np.zeros((1, nodes.shape[1]), np.int32), np.ones(1, np.int64)
    widest = telling[np.argsort(-widths[telling], kind="stable")]
    return widest, nodes[widest], widths[widest]


def _suspects(table: Table, limits: Limits, compared: Seen) -> Flags:
    from shoal.kernels import combinations as kernel

    if table.person is not None:
        # A person may be in several classes of a cell, so that safe classes do not make a safe cell.
        return np.ones(len(table.weight), np.bool_)
    found: Flags = kernel.suspects(
        table.class_of, table.classes, table.weight, table.sensitive, limits.values, *compared
    )
    return found


def _elements(table: Table, nodes: Int32, suspect: Flags) -> Elements:
    from shoal.kernels.matching import Elements

    if table.person is None:
        return Elements(nodes, table.weight, table.sensitive, np.zeros(0, np.int32), suspect)
    group = np.repeat(np.arange(len(table.groups) - 1), np.diff(table.groups))
    order = np.lexsort((table.person, group))
    return Elements(nodes[:, order], table.weight[order], table.sensitive[order], table.person[order], suspect[order])


def _scan(
    elements: Elements, groups: Int64, widths: Int64, chosen: int, limits: Limits, best: Int64, threads: int
) -> Int64 | None:
    """A set of columns with an unsafe cell, None where there is none. Which one it is may depend on the threads."""
    from shoal.kernels.combinations import scan

    firsts = np.arange(len(widths) - chosen + 1)
    stop = np.zeros(1, np.bool_)
    if threads <= 1 or len(firsts) == 1:
        found: Int64 = scan(elements, groups, widths, chosen, firsts, limits, best, stop)
        return found if len(found) else None
    shares = [firsts[t::threads] for t in range(min(threads, len(firsts)))]
    bests = [best.copy() for _ in shares]
    with ThreadPoolExecutor(len(shares)) as pool:
        jobs = [
            pool.submit(scan, elements, groups, widths, chosen, share, limits, own, stop)
            for share, own in zip(shares, bests, strict=True)
        ]
        unsafe = [job.result() for job in jobs]
    best[0] = min(own[0] for own in bests)
    for own in bests:
        if own[1] * best[2] > best[1] * own[2]:
            best[1:] = own[1:]
    return next((columns for columns in unsafe if len(columns)), None)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
