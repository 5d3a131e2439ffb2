"""Combinations: how often values occur together, for intruders who know only some quasi-identifiers.

An intruder who knows the released values of some columns of an individual, a *combination*, finds the *matching rows*:
all rows with these values. A Bound states how many rows must match every combination, and how frequent a listed
sensitive value may be among them. Below, a *match* is the set of matching rows of one combination.
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
"""The number of counted elements above which threads pay off. The result does not depend on it."""
_EVERYTHING = 2**31 - 1
_COUNTS_AT_ONCE = 1 << 24  # bounds memory where many sensitive values are listed


@dataclass(frozen=True)
class Bound:
    """A bound on the matching rows of every combination of values of at most `known` columns.

    At least `support` rows match, and at most a share `confidence` of them has any one listed sensitive value.
    """

    known: int
    support: int
    confidence: Fraction = Fraction(1)


class Seen(NamedTuple):
    """The smallest match seen, and the largest share of a listed value.

    The share is that of `having` rows in a match of `of` rows.
    """

    support: int = _EVERYTHING
    having: int = 0
    of: int = 1

    @property
    def confidence(self) -> float:
        """The largest share of a listed value."""
        return self.having / self.of


class Judged(NamedTuple):
    """Whether all matches keep the bound.

    `seen` is exact for matches that are smaller, or have a larger share, than the one compared with. `blocking`: the
    columns of a combination that breaks the bound, if one does.
    """

    holds: bool
    seen: Seen
    blocking: tuple[int, ...] = ()


@dataclass(frozen=True)
class Table:
    """Entries to be counted, in groups that are counted separately.

    `nodes` gives int32 [columns, e], the value of each column, from 0 without gaps. It is called only if matches have
    to be counted. `weight` int64 [e]. `sensitive` int32 [e]: which listed value, below `values`, or -1 for none.
    `class_of` int32 [e], below `classes`: entries with the same nodes in the same group have the same class. `groups`
    int64 [g+1]: offsets of the groups. `person` int32 [e] or None: if given, persons are counted instead of weights.
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
    """Whether every match of `chosen` columns (or of all, if there are fewer) in every group keeps the bound.

    Matches of fewer columns are unions of matches of more columns, and keep the bound if those do. A match that breaks
    the bound contains a class that breaks it, so matches of safe classes only are not counted. With `seen`, classes are
    compared with what was seen before instead, so that the smallest match and the largest share are exact afterwards.
    """
    limits = _limits(bound, table)
    compared = seen if seen is not None else Seen(limits.support, limits.over, limits.under)
    best = np.array(compared if seen is not None else Seen(), np.int64)
    suspect = _suspects(table, limits, compared)
    if not suspect.any():
        return Judged(True, Seen(*best.tolist()))
    nodes = table.nodes()
    for length in _lengths(table, nodes, limits, chosen):
        columns, varying, widths = _columns(nodes, length)
        known = min(max(length, 1), len(columns))
        work = len(table.weight) * math.comb(len(columns), known)
        wanted = threads if threads is not None else (_cores() if work > PARALLEL_WORK else 1)
        unsafe = _scan(_elements(table, varying, suspect), table.groups, widths, known, limits, best, wanted)
        if unsafe is not None:
            return Judged(False, Seen(*best.tolist()), tuple(columns[unsafe].tolist()) if length else ())
    return Judged(True, Seen(*best.tolist()))


def _lengths(table: Table, nodes: Int32, limits: Limits, chosen: int) -> Sequence[int]:
    """The numbers of columns whose matches must be counted.

    The largest number suffices, except for shares of persons: a person with rows in two matches counts once in their
    union, where a share may exceed both. Only whole-table checks need this. A search that splits the table knows one
    column more than it counts here, and must not count shares of persons: see `Pais.refuses`.
    """
    if table.person is None or not limits.values:
        return (chosen,)
    has_constant = (nodes == nodes[:, :1]).all(axis=1).any()  # a constant column adds no knowledge
    return range(0 if has_constant or chosen == 0 else 1, chosen + 1)


class Line(NamedTuple):
    """The rows behind the entries of a table, in the order of their place.

    The rows at place p are starts[p] to starts[p+1] - 1. entry int32 [rows], weight int64 [rows], starts int64
    [places+1].
    """

    entry: Int32
    weight: Int64
    starts: Int64


def close_cuts(table: Table, line: Line, closed: Flags, bound: Bound) -> None:
    """Sets closed bool [places - 1] for every place after which a cut would break the bound on one side.

    It considers matches of all columns of the table, and requires that they keep the bound uncut. If persons are
    counted, it considers sizes only.
    """
    from shoal.kernels import forbidden_cuts

    match, matches = _matches(table.nodes())
    limits, weights = _limits(bound, table), (line.weight, line.weight)
    if table.person is not None:
        # A person adds to a match once, at the first row there.
        keys = match[line.entry].astype(np.int64) * (int(table.person.max()) + 1) + table.person[line.entry]
        weights, limits = (_first(keys), _first(keys[::-1])[::-1].copy()), limits._replace(values=0)
    lined = forbidden_cuts.Line(line.entry, line.starts, *weights, match, table.sensitive)
    forbidden_cuts.close_cuts(lined, matches, limits, closed, _COUNTS_AT_ONCE)


def _first(keys: Int64) -> Int64:
    """int64 [n]: 1 at the first occurrence of a key, 0 elsewhere."""
    is_first = np.zeros(len(keys), np.int64)
    is_first[np.unique(keys, return_index=True)[1]] = 1
    return is_first


def _matches(nodes: Int32) -> tuple[Int32, int]:
    """int32 [e]: the match of every entry, equal for entries that agree in all columns; and the number of matches."""
    from shoal.kernels.distinct import distinct_keys

    match, matches = np.zeros(nodes.shape[1], np.int32), 1
    for column in nodes:
        match, firsts, _ = distinct_keys(column.astype(np.int64) * matches + match)
        matches = len(firsts)
    return match, matches


def _limits(bound: Bound, table: Table) -> Limits:
    """The bound in machine integers."""
    from shoal.kernels.matching import Limits

    total = int(table.weight.sum())
    if total > _EVERYTHING:
        raise TableError(f"The table has {total} rows, too many to compare shares exactly.")
    share = highest_below(bound.confidence, max(total, 1))
    return Limits(bound.support, share.numerator, share.denominator, table.values if share < 1 else 0)


def _columns(nodes: Int32, chosen: int) -> tuple[Int64, Int32, Int64]:
    """The columns with more than one value, those with most values first: their numbers, nodes and numbers of values.

    Columns with many values expose unsafe matches early. A column with one value reveals nothing. If no other is left,
    or none may be known, one column stands for all of them.
    """
    widths = nodes.max(axis=1, initial=0).astype(np.int64) + 1
    varying = np.flatnonzero(widths > 1)
    if chosen == 0 or len(varying) == 0:
        return np.zeros(1, np.int64), np.zeros((1, nodes.shape[1]), np.int32), np.ones(1, np.int64)
    widest = varying[np.argsort(-widths[varying], kind="stable")]
    return widest, nodes[widest], widths[widest]


def _suspects(table: Table, limits: Limits, compared: Seen) -> Flags:
    """bool [e]: the entries whose class may be part of an unsafe match."""
    from shoal.kernels import combinations as kernel

    if table.person is not None:
        # A person may be in several classes of a match, so safe classes do not make a safe match.
        return np.ones(len(table.weight), np.bool_)
    flags: Flags = kernel.suspects(
        table.class_of, table.classes, table.weight, table.sensitive, limits.values, *compared
    )
    return flags


def _elements(table: Table, nodes: Int32, suspect: Flags) -> Elements:
    """The elements to count; if persons are counted, those of a group sorted by person."""
    from shoal.kernels.matching import Elements

    if table.person is None:
        return Elements(nodes, table.weight, table.sensitive, np.zeros(0, np.int32), suspect)
    group = np.repeat(np.arange(len(table.groups) - 1), np.diff(table.groups))
    order = np.lexsort((table.person, group))
    return Elements(nodes[:, order], table.weight[order], table.sensitive[order], table.person[order], suspect[order])


def _scan(
    elements: Elements, groups: Int64, widths: Int64, chosen: int, limits: Limits, best: Int64, threads: int
) -> Int64 | None:
    """A set of columns with an unsafe match; None if there is none.

    Which set is returned may depend on the number of threads.
    """
    from shoal.kernels.combinations import scan

    firsts = np.arange(len(widths) - chosen + 1)
    stop = np.zeros(1, np.bool_)
    if threads <= 1 or len(firsts) == 1:
        columns_found: Int64 = scan(elements, groups, widths, chosen, firsts, limits, best, stop)
        return columns_found if len(columns_found) else None
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
