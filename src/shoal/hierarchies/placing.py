"""Placing: what released labels tell, judged by the labels and the specification of their hierarchy alone.

Published figures must not depend on values that were not released. So levels and losses are found again from the
labels: leaves are those that the specification lists, and without a list the numbers or values that the labels name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction

import numpy as np

from shoal.arrays import Float64
from shoal.labels import ANY, MISSING, Anything, Exactly, Meaning, OneOf, Range, read

_GROUP = re.compile(r"group \d+ of (\d+)")
_WHOLE = re.compile(r"-?\d{1,4000}", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.(?:\d{3}|\d{6}))?", re.ASCII)

MICROSECONDS_A_DAY = 86_400_000_000


@dataclass(frozen=True)
class Placed:
    """The distinct labels of a column, each at the levels at which it may occur.

    `by_level` float64 [levels, labels]: the loss of publishing the label at this level, NaN if it does not occur there.
    `outside` float64 [labels]: the loss of a range or set that is no node of the hierarchy, NaN for nodes. A label
    that is NaN in both is none of this column.
    """

    by_level: Float64
    outside: Float64

    @property
    def height(self) -> int:
        """The number of generalization steps from a leaf to the top."""
        return len(self.by_level) - 1

    @property
    def known(self) -> bool:
        """Whether every label is a node, a range or a set."""
        return not (np.isnan(self.by_level).all(axis=0) & np.isnan(self.outside)).any()

    @property
    def levels(self) -> Float64:
        """float64 [labels]: the lowest level of the column if all labels share one, else that of each label.

        NaN for all labels if one of them is no node.
        """
        possible = ~np.isnan(self.by_level)
        if not possible.any(axis=0).all():
            return np.full(len(self.outside), np.nan)
        shared = np.flatnonzero(possible.all(axis=1))
        lowest = possible.argmax(axis=0)
        return np.full(len(lowest), float(shared[0])) if len(shared) else lowest.astype(np.float64)

    @property
    def losses(self) -> Float64:
        """float64 [labels]: the loss of each label at its level, NaN if it is none of this column."""
        levels = self.levels
        if np.isnan(levels).any():
            lowest = np.nanmin(np.vstack([self.by_level, self.outside]), axis=0, initial=np.inf)
            return np.where(np.isinf(lowest), np.nan, lowest)
        losses: Float64 = self.by_level[levels.astype(np.int64), np.arange(len(levels))]
        return losses


def meanings(labels: Sequence[str]) -> list[Meaning]:
    """What each label means by itself."""
    return [read(label) for label in labels]


def empty(levels: int, labels: Sequence[str]) -> Placed:
    """Labels that are not placed yet, but for the missing value, a leaf of its own, and `*`, the top."""
    by_level = np.full((levels, len(labels)), np.nan)
    for place, label in enumerate(labels):
        if label == MISSING:
            by_level[:-1, place] = 0.0
        elif label == ANY:
            by_level[-1, place] = 1.0
    return Placed(by_level, np.full(len(labels), np.nan))


def by_meaning(labels: Sequence[str], among: Sequence[str], *, bands: bool) -> Placed:
    """Labels of a column whose specification lists no leaves: a value loses nothing, `*` everything.

    A range loses its share of the distance between the smallest and the largest number of all labels, a set its share
    of all values that the labels name. With `bands`, both are a level between the values and `*`.
    """
    read_labels = meanings(labels)
    wide = _shares(read_labels, meanings(among))
    placed = empty(
        3 if bands and any(isinstance(each, Range | OneOf) or _groups(each) for each in read_labels) else 2, labels
    )
    for place, (label, meaning) in enumerate(zip(labels, read_labels, strict=True)):
        if label in (MISSING, ANY):
            continue
        groups = _groups(meaning) if bands else 0
        if isinstance(meaning, Exactly) and not groups:
            placed.by_level[:-1, place] = 0.0
        elif bands:
            placed.by_level[1, place] = 1 / groups if groups else wide[place]
        else:
            placed.outside[place] = wide[place]
    return placed


def by_nodes(
    labels: Sequence[str], levels: Sequence[Mapping[str, int]], leaves: Sequence[str], spellings: Iterable[str] = ()
) -> Placed:
    """Labels of a tree that lists its leaves: for each level, label → the number of leaves under it.

    A set or range of leaves, which is no node, loses as much as a node with the same number of leaves. A missing value
    in a set counts as a leaf. `spellings`: other ways to write a leaf.
    """
    total = max(len(leaves) - 1, 1)
    placed = empty(len(levels), labels)
    for place, label in enumerate(labels):
        for number, nodes in enumerate(levels):
            if label in nodes:
                placed.by_level[number, place] = (nodes[label] - 1) / total
    unplaced = np.flatnonzero(np.isnan(placed.by_level).all(axis=0))
    if len(unplaced):
        numbers, known = _numbers(leaves), {*leaves, *spellings, MISSING}
        for place in unplaced.tolist():
            beyond = _leaves_in(read(labels[place]), known, numbers) - 1
            placed.outside[place] = np.minimum(beyond / total, 1.0)
    return placed


def _leaves_in(meaning: Meaning, leaves: set[str], numbers: Float64) -> float:
    """The number of leaves in a set or range; NaN if it does not consist of leaves."""
    if isinstance(meaning, OneOf) and all(value in leaves for value in meaning.values):
        return len(meaning.values)
    low, high = extents([meaning])[0]
    if isinstance(meaning, Range) and low <= high:
        return max(int(((numbers >= low) & (numbers <= high)).sum()), 1)
    return np.nan


def _numbers(leaves: Sequence[str]) -> Float64:
    """The leaves that are numbers, dates or date-times."""
    every = extents([Exactly(leaf) for leaf in leaves])[:, 0]
    return every[~np.isnan(every)]


def _groups(meaning: Meaning) -> int:
    """The number of groups of which a learned band is one; 0 for any other label."""
    match = _GROUP.fullmatch(meaning.value) if isinstance(meaning, Exactly) else None
    return int(match[1]) if match else 0


# -- numbers ------------------------------------------------------------------------------------------------------


def number_of(text: str) -> float | int | Fraction:
    """A number, a date as its day, or a date-time as a fraction of days; NaN for any other text.

    Days count from 0001-01-01, which is day 1. Whole numbers of any size, dates and date-times are exact.
    """
    if _WHOLE.fullmatch(text):
        return int(text)
    try:
        return float(text) if "_" not in text else np.nan
    except ValueError:
        pass
    try:
        if _MOMENT.fullmatch(text):
            return 1 + Fraction(
                (datetime.fromisoformat(text) - datetime.min) // timedelta(microseconds=1), MICROSECONDS_A_DAY
            )
        return date.fromisoformat(text).toordinal() if len(text) == len("2024-03-09") else np.nan
    except ValueError:
        return np.nan


def base_of(read_labels: Sequence[Meaning]) -> int:
    """A whole number near those of the labels; measured from it, neighbours beyond 2^53 stay distinct."""
    numbers = (number for meaning in read_labels for number in map(number_of, _ends(meaning)))
    return next((math.floor(number) for number in numbers if isinstance(number, int | Fraction)), 0)


def extents(read_labels: Sequence[Meaning], base: int = 0) -> Float64:
    """float64 [labels, 2]: the lowest and highest number that each label allows, less `base`; NaN if it names none."""
    ends = np.full((len(read_labels), 2), np.nan)
    for place, meaning in enumerate(read_labels):
        numbers = [number_of(end) - base for end in _ends(meaning)]
        if numbers:
            ends[place] = [float(number) for number in numbers]
    return ends


def _ends(meaning: Meaning) -> tuple[str, ...]:
    """The texts of the two ends of a range or of a single value; none for anything else."""
    if isinstance(meaning, Range):
        return meaning.low, meaning.high
    return (meaning.value, meaning.value) if isinstance(meaning, Exactly) and meaning.value != MISSING else ()


def spread(read_labels: Sequence[Meaning], among: Sequence[Meaning]) -> Float64:
    """float64 [labels]: the share, at most 1, of the distance between all numbers `among` that each label covers."""
    base = base_of(among)
    return of_extents(extents(read_labels, base), extents(among, base))


def of_extents(ends: Float64, among: Float64) -> Float64:
    """float64 [labels]: the share, at most 1, of the distance between all ends `among` that each label covers."""
    known = among[np.isfinite(among)]
    distance = float(known.max() - known.min()) if len(known) else 0.0
    lengths: Float64 = ends[:, 1] - ends[:, 0]
    full = np.where(np.isnan(lengths), np.nan, np.where(lengths > 0, 1.0, 0.0))
    return np.minimum(lengths / distance, full) if distance > 0 else full


def _shares(read_labels: Sequence[Meaning], among: Sequence[Meaning]) -> Float64:
    """float64 [labels]: what ranges and sets lose, measured by the numbers and values of the labels `among`."""
    named = {value for meaning in among for value in _values(meaning)}
    lost = spread(read_labels, among)
    for place, meaning in enumerate(read_labels):
        if isinstance(meaning, OneOf):
            lost[place] = (len(meaning.values) - 1) / max(len(named) - 1, 1)
        elif isinstance(meaning, Exactly | Anything):
            lost[place] = float(isinstance(meaning, Anything))
    return lost


def _values(meaning: Meaning) -> tuple[str, ...]:
    """The values that a label names; the name of a group is none."""
    if isinstance(meaning, OneOf):
        return meaning.values
    return (meaning.value,) if isinstance(meaning, Exactly) and not _groups(meaning) else ()
