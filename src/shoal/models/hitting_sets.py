"""Minimum hitting sets in plain Python, for verification: the fewest values that touch every row of a class.

The search decides the same question with its own kernels. Neither uses code of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from heapq import nlargest
from operator import or_

BUDGET = 2_000_000
"""The most nodes to visit for one class. It exceeds that of the search, because the branching order differs."""

LOWER_BOUND, COVER, SEARCH = "disjoint rows", "greedy cover", "exact search"
UNDECIDED = "undecided"

Row = tuple[int, ...]
"""One value per column, as numbers that are unique across columns."""


def least_touching(rows: Sequence[Row], limits: Sequence[int], l: int) -> tuple[int, str]:
    """The fewest values that touch every row, counted up to l, and the step that decided.

    A class that cannot be decided within the budget counts as 0.
    """
    if _pairwise_apart(rows, l) >= l:
        return l, LOWER_BOUND
    problem = _Problem(rows, limits)
    upper = problem.greedy(l - 1)
    if upper is None:
        touched = problem.touched_with(l - 1)
        if touched is None:
            return 0, UNDECIDED
        if not touched:
            return l, SEARCH
        upper, step = l - 1, SEARCH
    else:
        step = COVER
    while upper > 0 and (problem.touched_with(upper - 1) is not False):
        upper -= 1
    return upper, step


def _pairwise_apart(rows: Iterable[Row], most: int) -> int:
    """The number of rows, taken in turn, that share no value with a row taken before: each needs its own value."""
    taken, seen = 0, set[int]()
    for row in rows:
        if seen.isdisjoint(row):
            seen.update(row)
            taken += 1
            if taken == most:
                break
    return taken


class _OutOfBudget(Exception):
    """The class cannot be decided within the budget."""


class _Problem:
    """The rows of a class as bits.

    `touches[v]`: the rows that have value v. `near[row]`: the rows that share a value with this row.
    """

    def __init__(self, rows: Sequence[Row], limits: Sequence[int]) -> None:
        self.rows, self.all = rows, (1 << len(rows)) - 1
        self.touches: dict[int, int] = {}
        self.column: dict[int, int] = {}
        for place, row in enumerate(rows):
            for a, value in enumerate(row):
                self.touches[value] = self.touches.get(value, 0) | 1 << place
                self.column[value] = a
        self.near = [reduce(or_, (self.touches[value] for value in row)) for row in rows]
        self.limits, self.nodes = list(limits), 0

    def greedy(self, most: int) -> int | None:
        """The number of values, the most frequent first, that touch all rows; None if `most` do not suffice."""
        left, room = self.all, list(self.limits)
        for picked in range(most + 1):
            if not left:
                return picked
            open_ = [value for value, column in self.column.items() if room[column] > 0]
            best = max(open_, key=lambda value: (self.touches[value] & left).bit_count(), default=None)
            if best is None:
                return None
            left &= ~self.touches[best]
            room[self.column[best]] -= 1
        return None

    def touched_with(self, most: int) -> bool | None:
        """Whether at most `most` values can touch every row; None if the budget does not suffice."""
        self.nodes = 0
        try:
            return self._touched(self.all, most, list(self.limits), frozenset())
        except _OutOfBudget:
            return None

    def _touched(self, left: int, most: int, room: list[int], barred: frozenset[int]) -> bool:
        """Whether at most `most` further values can touch the rows in `left`.

        `room`: how many values each column may still give. `barred`: values that may not be chosen.
        """
        if not left:
            return True
        self.nodes += 1
        if self.nodes > BUDGET:
            raise _OutOfBudget
        if self._needs_more(left, most, room, barred):
            return False
        for value in self._worth_trying(left, most, room, barred):
            room[self.column[value]] -= 1
            done = self._touched(left & ~self.touches[value], most - 1, room, barred)
            room[self.column[value]] += 1
            if done:
                return True
            barred |= {value}  # all choices that contain it have been tried
        return False

    def _needs_more(self, left: int, most: int, room: list[int], barred: frozenset[int]) -> bool:
        """Whether `most` values certainly do not suffice.

        Either too many rows share no value, or the most frequent values have too few rows.
        """
        apart, needed = left, 0
        while apart:
            apart &= ~self.near[(apart & -apart).bit_length() - 1]
            needed += 1
            if needed > most:
                return True
        reach = [
            (touched & left).bit_count()
            for value, touched in self.touches.items()
            if room[self.column[value]] > 0 and value not in barred
        ]
        return sum(nlargest(most, reach)) < left.bit_count()

    def _worth_trying(self, left: int, most: int, room: list[int], barred: frozenset[int]) -> list[int]:
        """The values to try: those of the row that shares values with the fewest others, the most frequent first.

        A value that touches only this row is no better than another value whose column has room for all picks.
        """
        row = self.rows[min(_places(left), key=lambda place: (self.near[place] & left).bit_count())]
        open_ = [value for value in row if room[self.column[value]] > 0 and value not in barred]
        reach = {value: (self.touches[value] & left).bit_count() for value in open_}
        worth: list[int] = []
        for value in sorted(open_, key=lambda value: -reach[value]):
            if reach[value] == 1 and any(room[self.column[better]] >= most for better in worth):
                break
            worth.append(value)
        return worth


def _places(bits: int) -> Iterator[int]:
    """The positions of the bits that are set."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
