"""Guards: models for the sensitive columns of a draft plan, chosen by the distribution of each column.

Parameters come from fixed grids, so that a published plan says no more about the table than the release does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from shoal.arrays import Int64
from shoal.models import ExtendedPSensitive, KAnonymity, LDiversity, MultiSensitive, PSensitive, TCloseness
from shoal.models.base import ClassModel
from shoal.profiling.facts import coded

K = (20, 10, 5, 2)
"""The sizes of classes that a draft may ask for."""

_USUAL_K = 5
_MOST_FREQUENT = 0.8
"""Above this share of the most frequent value, classes with several values would have to be large."""
_FEW_VALUES = 20
"""Numbers with more values are compared by their distance."""
_MOST_JOINT = 6
_LARGEST_MEAN_CLASS = 40 * _USUAL_K


class Rung(NamedTuple):
    """How much to ask of the guards: the diversity of values, and the distance `t` to the whole table."""

    diversity: int
    t: float


LADDER = (Rung(3, 0.2), Rung(2, 0.3), Rung(2, 0.5))
"""From the strictest to the most lenient."""


@dataclass(frozen=True)
class Guarded:
    """A sensitive column: the largest diversity that is possible at little cost, and whether its values are numbers.

    With a diversity of 1, shares are compared with those of the whole table instead. `groups` is the same for the
    protected subtrees of its hierarchy; with 1, classes that hold several of them are not possible, or nothing is
    protected.
    """

    name: str
    diversity: int
    is_number: bool
    groups: int = 1


def guarded(column: pl.Series, subtrees: Int64 | None = None, *, as_text: bool = False) -> Guarded:
    """How to guard a column; only its distribution matters, no value.

    `subtrees` int64 [subtrees]: the number of rows in each protected subtree, if the column has a hierarchy. Numbers
    that are read `as_text` are codes, which have no distance.
    """
    codes = coded(column)
    counts = codes.counts
    is_number = codes.type != "text" and not as_text
    if subtrees is None and is_number and len(counts) > _FEW_VALUES:
        return Guarded(column.name, 1, is_number=True)
    groups = 1 if subtrees is None else _diversity(subtrees, len(column))
    return Guarded(column.name, _diversity(counts, len(column)), is_number=False, groups=groups)


def usual_k(individuals: int) -> int:
    """The k of a draft plan: 5, or 2 in a tiny table."""
    return _USUAL_K if individuals >= _USUAL_K else K[-1]


def models(columns: Sequence[Guarded], k: int, rung: Rung, most: int = 1) -> tuple[ClassModel, ...]:
    """k-anonymity, and a model for every sensitive column; those that suit each other are guarded by one.

    Columns with protected subtrees must also be diverse in these, up to `most`; with 1, they need not.
    """
    return (KAnonymity(k=k), *_extended(columns, k, most), *_diverse(columns, k, rung, most), *_close(columns, rung))


def _extended(columns: Sequence[Guarded], k: int, most: int) -> Iterator[ClassModel]:
    by_groups: dict[int, list[str]] = {}
    for column in columns:
        by_groups.setdefault(min(column.groups, most, k), []).append(column.name)
    for p, names in sorted(by_groups.items(), reverse=True):
        if p > 1:
            yield ExtendedPSensitive(p=p, k=k, columns=tuple(names))


def _diverse(columns: Sequence[Guarded], k: int, rung: Rung, most: int) -> Iterator[ClassModel]:
    by_diversity: dict[int, list[Guarded]] = {}
    for column in columns:
        if column.diversity > 1:
            by_diversity.setdefault(min(column.diversity, rung.diversity, k), []).append(column)
    for l, alike in sorted(by_diversity.items(), reverse=True):
        if l > 2 and 1 < len(alike) <= _MOST_JOINT:
            yield MultiSensitive(l=l, k=k, columns=tuple(column.name for column in alike))
            continue
        # p different protected subtrees have p different values
        names = [column.name for column in alike if min(column.groups, most, k) < l]
        if len(names) == 1:
            yield LDiversity(names[0], l=l)
        elif names:
            yield PSensitive(p=l, k=k, columns=tuple(names))


def _close(columns: Sequence[Guarded], rung: Rung) -> Iterator[ClassModel]:
    for column in columns:
        if column.diversity == 1:
            yield TCloseness(column.name, t=rung.t, distance="ordered" if column.is_number else "equal")


def _diversity(counts: Int64, rows: int) -> int:
    """The largest diversity that is possible at little cost, given the number of rows of each value; 1 if none is."""
    known = int(counts.sum())
    even = known > 0 and int(counts.max()) <= _MOST_FREQUENT * known
    return _reachable(counts, rows) if even else 1


def _reachable(counts: Int64, rows: int) -> int:
    """The largest diversity up to 3 that allows classes of at most a few hundred rows on average; 1 if none does.

    If the m most frequent values cover c rows, each class of l distinct values needs l - m of the other rows. So there
    are at most (rows - c) / (l - m) classes.
    """
    ordered = sorted(counts.tolist(), reverse=True)
    for l in range(min(LADDER[0].diversity, len(ordered)), 1, -1):
        most_classes = min(sum(ordered[m:]) // (l - m) for m in range(l))
        if most_classes * _LARGEST_MEAN_CLASS >= rows:
            return l
    return 1
