"""Correlation: Pearson's correlation of every pair of some columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import ClassVar

import numpy as np

from shoal.errors import PlanError
from shoal.statistics.base import Cells, Compared, Side, Sides, figure, names
from shoal.statistics.weighted import Moments, grouped, moments

MOST_JOINED = 4_000_000
"""Up to this many rows, all columns are counted at once. Beyond, each pair is, which takes as many passes."""
MERGED = (
    f"With more than {MOST_JOINED:,} rows, neighbouring numbers of columns with very many are counted as one, which "
    "changes the figures little and makes bounds wider."
)
_CELLS_OF_PAIR = 2_000
"""Groups of neighbouring numbers of each column, if rows are many: the pairs of these are not more than rows above."""
_MOST_COLUMNS = 30


@dataclass(frozen=True)
class Correlation:
    """Pearson's correlation of every pair of the columns.

    After the release, the middle of a range stands for its value. Each correlation has bounds: no values within the
    released ranges give another one. A pair is computed from the rows in which both values are known.

    >>> Correlation(("age", "cost")).columns
    ('age', 'cost')
    """

    columns: tuple[str, ...]
    """The columns. Allowed: a list of 2 to 30 columns of numbers or dates."""

    kind: ClassVar[str] = "correlation"

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", names(self, "columns", self.columns))
        if not 2 <= len(self.columns) <= _MOST_COLUMNS:
            raise PlanError(f"Correlation columns must be 2 to {_MOST_COLUMNS} columns; got {len(self.columns)}.")

    @property
    def numeric(self) -> tuple[str, ...]:
        return self.columns

    def compared(self, sides: Sides) -> Compared:
        before, after = (pairwise_moments(side, self.columns) for side in (sides.before, sides.after))
        places = list(combinations(range(len(self.columns)), 2))
        shown = [pair for pair in places if _enough(before, pair, sides.fewest) and _enough(after, pair, sides.fewest)]
        was, now, (low, high) = before.correlations, after.correlations, after.bounds
        notes = [] if len(shown) == len(places) else [_hidden(sides.fewest)]
        used = {int(after.rows[pair]) for pair in shown}
        if len(used) > 1:
            notes.append(f"Pairs use from {min(used):,} to {max(used):,} released rows.")
        if any(_many(side.within(self.columns[0])) for side in (sides.before, sides.after)):
            notes.append(MERGED)
        return Compared(
            self.kind,
            self.columns,
            f"Correlations of {', '.join(self.columns)}",
            tuple(figure(self._name(at), was[at], now[at], (low[at], high[at])) for at in shown),
            _most_rows(before, shown),
            _most_rows(after, shown),
            notes=tuple(notes),
        )

    def _name(self, pair: tuple[int, int]) -> str:
        return " and ".join(self.columns[place] for place in pair)


def _many(cells: Cells) -> bool:
    """Whether rows are too many to count all columns at once."""
    return int(cells.rows.sum()) > MOST_JOINED


def _enough(found: Moments, pair: tuple[int, int], fewest: int) -> bool:
    return bool(found.rows[pair] >= fewest)


def _hidden(fewest: int) -> str:
    return f"Pairs with fewer than {fewest:,} rows in which both values are known are not shown."


def _most_rows(found: Moments, pairs: Sequence[tuple[int, int]]) -> int:
    return max((int(found.rows[pair]) for pair in pairs), default=0)


def pairwise_moments(side: Side, columns: Sequence[str]) -> Moments:
    """The moments of all pairs: of all columns counted at once, or of each pair if rows are many."""
    cells = [side.within(name) for name in columns]
    numbers = [each.numbers() for each in cells]
    if not _many(cells[0]):
        every = (np.arange(len(each.middle), dtype=np.int32) for each in numbers)
        return moments(numbers, *side.joint(dict(zip(columns, every, strict=True))))
    merged = [grouped(each, of.rows, _CELLS_OF_PAIR) for each, of in zip(numbers, cells, strict=True)]
    found = {item.name: np.zeros((len(columns), len(columns))) for item in fields(Moments)}
    for i, j in combinations(range(len(columns)), 2):
        joint = side.joint({columns[i]: merged[i][0], columns[j]: merged[j][0]})
        pair = moments([merged[i][1], merged[j][1]], *joint)
        for name, of_all in found.items():
            of_all[np.ix_([i, j], [i, j])] = getattr(pair, name)
    return Moments(**found)
