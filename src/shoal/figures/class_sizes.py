"""The sizes of the classes of a release: how many classes and rows there are by class size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Int64


@dataclass(frozen=True)
class SizeBin:
    """The classes with `low` to `high` rows, and the number of all their rows."""

    low: int
    high: int
    classes: int
    rows: int


@dataclass(frozen=True)
class ClassSizes:
    """The smallest, the median and the largest class, and the classes by size. Sizes without any class are omitted.

    `median_of_rows`: half of the rows are in a class of at most this size.
    """

    smallest: int
    median: float
    median_of_rows: int
    largest: int
    bins: tuple[SizeBin, ...]


def class_sizes(sizes: Int64) -> ClassSizes | None:
    """The distribution of class sizes, int64 [classes]; None if there is no class.

    >>> class_sizes(np.array([5, 5, 7, 30])).bins[0]
    SizeBin(low=5, high=5, classes=2, rows=10)
    """
    if not len(sizes):
        return None
    ordered = np.sort(sizes)
    ends = _ends(int(ordered[-1]))
    of_class = np.searchsorted(ends, ordered)  # the first bin whose end is not below the size
    classes = np.bincount(of_class, minlength=len(ends))
    rows = np.zeros(len(ends), np.int64)
    np.add.at(rows, of_class, ordered)
    bins = [
        SizeBin(int(ends[place - 1]) + 1 if place else 1, int(ends[place]), int(classes[place]), int(rows[place]))
        for place in np.flatnonzero(classes)
    ]
    half = int(np.searchsorted(2 * np.cumsum(ordered), ordered.sum()))
    return ClassSizes(int(ordered[0]), float(np.median(ordered)), int(ordered[half]), int(ordered[-1]), tuple(bins))


def _ends(largest: int) -> Int64:
    """The largest size of each bin: every size up to 10, then 20, 50, 100, 200, 500 and so on."""
    ends, scale = list(range(1, 11)), 10
    while ends[-1] < largest:
        ends += [2 * scale, 5 * scale, 10 * scale]
        scale *= 10
    return np.array(ends, np.int64)
