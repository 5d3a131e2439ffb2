"""Guards: models for the sensitive columns of a draft plan, chosen by the distribution of each column.

Parameters come from fixed grids, so that a published plan says no more about the table than the release does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from shoal.arrays import Int64
from shoal.models import KAnonymity, LDiversity, MultiSensitive, PSensitive, TCloseness
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

    With a diversity of 1, shares are compared with those of the whole table instead.
    """

    name: str
    diversity: int
    is_number: bool


def guarded(column: pl.Series) -> Guarded:
    """How to guard a column; only its distribution matters, no value."""
    codes = coded(column)
    counts = codes.counts
    if codes.type != "text" and len(counts) > _FEW_VALUES:
        return Guarded(column.name, 1, is_number=True)
    known = int(counts.sum())
    even = known > 0 and int(counts.max()) <= _MOST_FREQUENT * known
    return Guarded(column.name, _reachable(counts, len(column)) if even else 1, is_number=False)


def usual_k(individuals: int) -> int:
    """The k of a draft plan: 5, or 2 in a tiny table."""
    return _USUAL_K if individuals >= _USUAL_K else K[-1]


def models(columns: Sequence[Guarded], k: int, rung: Rung) -> tuple[ClassModel, ...]:
    """k-anonymity, and a model for every sensitive column; those that suit each other are guarded by one."""
    return (KAnonymity(k=k), *_diverse(columns, k, rung), *_close(columns, rung))


def _diverse(columns: Sequence[Guarded], k: int, rung: Rung) -> Iterator[ClassModel]:
    by_diversity: dict[int, list[str]] = {}
    for column in columns:
        if column.diversity > 1:
            by_diversity.setdefault(min(column.diversity, rung.diversity, k), []).append(column.name)
    for l, names in sorted(by_diversity.items(), reverse=True):
        if len(names) == 1:
            yield LDiversity(names[0], l=l)
        elif l > 2 and len(names) <= _MOST_JOINT:
            yield MultiSensitive(l=l, k=k, columns=tuple(names))
        else:
            yield PSensitive(p=l, k=k, columns=tuple(names))


def _close(columns: Sequence[Guarded], rung: Rung) -> Iterator[ClassModel]:
    for column in columns:
        if column.diversity == 1:
            yield TCloseness(column.name, t=rung.t, distance="ordered" if column.is_number else "equal")


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
