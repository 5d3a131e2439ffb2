"""Folding: reports name a category only if it has as many rows as a class needs, and at least five."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.plan import Plan

FEWEST = 5
"""The fewest rows of a named category, whatever the models demand."""
MOST_NAMED = 12
"""The most categories of a column that are named. The others are counted together."""


def fewest_rows(plan: Plan) -> int:
    """The fewest rows that a category needs to be named: those of the largest class that a model demands, or five."""
    return max([FEWEST, *(model.floor for model in plan.enforced)])


@dataclass(frozen=True)
class Category:
    """A category with its number of rows."""

    label: str
    rows: int


@dataclass(frozen=True)
class Categories:
    """The most frequent categories, and how many others there are, with their rows."""

    named: tuple[Category, ...]
    others: int = 0
    other_rows: int = 0

    @property
    def rows(self) -> int:
        """The number of all rows."""
        return sum(each.rows for each in self.named) + self.other_rows


def nameable(rows: Int64, total: Int64 | np.int64 | int, fewest: int) -> int:
    """How many of the first categories can be named so that the others have no row, or at least `fewest` together.

    `rows`: int64 [categories] or, if each is counted in several tables, [categories, tables]; `total`: of all rows.

    >>> nameable(np.array([9, 6]), 16, 5), nameable(np.array([9, 6]), 15, 5)
    (1, 2)
    """
    before = np.zeros_like(rows, shape=(1, *rows.shape[1:]))
    rest = (total - np.concatenate([before, np.cumsum(rows, axis=0)])).reshape(len(rows) + 1, -1)
    places = np.flatnonzero(((rest == 0) | (rest >= fewest)).all(axis=1))
    return int(places[-1]) if len(places) else 0


def folded(labels: Sequence[str] | pl.Series, rows: Int64, fewest: int, most: int = MOST_NAMED) -> Categories:
    """The categories with at least `fewest` rows, the most frequent first; all others are counted together.

    The others have at least `fewest` rows, too: the rarest named category is counted with them if they have fewer.

    >>> folded(["flu", "gout", "plague"], np.array([9, 6, 1]), fewest=5)
    Categories(named=(Category(label='flu', rows=9),), others=2, other_rows=7)
    """
    large = np.flatnonzero(rows >= fewest).tolist()
    order = sorted(large, key=lambda place: (-int(rows[place]), labels[place]))[:most]
    order = order[: nameable(rows[order], rows.sum(), fewest)]
    named = tuple(Category(labels[place], int(rows[place])) for place in order)
    shown = sum(each.rows for each in named)
    return Categories(named, len(labels) - len(named), int(np.sum(rows)) - shown)
