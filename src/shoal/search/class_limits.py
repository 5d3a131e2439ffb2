"""How many classes a table can have at most, and how many rows must be suppressed where there are more."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.stats import whole_table
from shoal.models.base import ClassModel


def most_classes(coded: Coded, models: Iterable[ClassModel]) -> int | None:
    """The largest number of classes in which the rows can pass every model; None if no model bounds it."""
    whole = whole_table(coded)
    return min((most for model in models if (most := model.most_classes(whole)) is not None), default=None)


def rows_beyond(sizes: Int64, most: int | None) -> int:
    """The fewest rows to suppress until at most so many classes remain: those of the smallest classes.

    It bounds finer classes too: as many of them lie in at most as many of these.

    >>> rows_beyond(np.array([5, 1, 2]), 2), rows_beyond(np.array([5, 1, 2]), None)
    (1, 0)
    """
    if most is None or len(sizes) <= most:
        return 0
    return int(np.partition(sizes, len(sizes) - most - 1)[: len(sizes) - most].sum())
