"""Minimum hitting sets in plain Python, for verification: how few values touch every row of a class.

The search decides the same with kernels of its own; neither knows of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from heapq import nlargest
from operator import or_

BUDGET = 2_000_000
"""Nodes that may be spent on one class. It branches in another order than the search, so it is given more."""

LOWER_BOUND, COVER, SEARCH = "disjoint rows", "greedy cover", "exact search"
UNDECIDED = "undecided"

Row = tuple[int, ...]
"""A value of every column, as numbers that no two columns share."""


def least_touching(rows: Sequence[Row], limits: Sequence[int], l: int) -> tuple[int, str]:
    """The fewest values that touch every row, counted no further than l, and the step that decided about l.

    What cannot be decided within the budget counts as 0.
    """
    if _pairwise_apart(rows, l) >= l:
        return l, LOWER_BOUND
    problem = _Problem(rows, limits)
    upper = problem.greedy(l - 1)
    if upper is None:
        found = problem.touched_with(l - 1)
        if found is None:
            return 0, UNDECIDED
        if not found:
            return l, SEARCH
        upper, step = l - 1, SEARCH
    else:
        step = COVER
    while upper > 0 and (problem.touched_with(upper - 1) is not False):
        upper -= 1
    return upper, step


def _pairwise_apart(rows: Iterable[Row], most: int) -> int:
    """How many rows, taken in turn, share no value with one taken before: each needs a value of its own."""
    found, seen = 0, set[int]()
    for row in rows:
        if seen.isdisjoint(row):
            seen.update(row)
            found += 1
            if found == most:
                break
    return found


class _OutOfBudget(Exception):
    """The class cannot be decided within the budget."""


class _Problem:
    """Rows as bits: `touches[v]` has those of the rows that have value v, `near[row]` those that share one with it."""

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
        """How many values, the most frequent first, touch all rows; None if `most` do not."""
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
        """Whether some choice of at most `most` values touches every row; None where the budget does not suffice."""
        self.nodes = 0
        try:
            return self._touched(self.all, most, list(self.limits), frozenset())
        except _OutOfBudget:
            return None

    def _touched(self, left: int, most: int, room: list[int], barred: frozenset[int]) -> bool:
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
            barred |= {value}  # whatever it takes part in has been tried
        return False

    def _needs_more(self, left: int, most: int, room: list[int], barred: frozenset[int]) -> bool:
        """Whether `most` values cannot do: too many rows share none, or the most frequent values have too few rows."""
        apart, found = left, 0
        while apart:
            apart &= ~self.near[(apart & -apart).bit_length() - 1]
            found += 1
            if found > most:
                return True
        reach = [
            (touched & left).bit_count()
            for value, touched in self.touches.items()
            if room[self.column[value]] > 0 and value not in barred
        ]
        return sum(nlargest(most, reach)) < left.bit_count()

    def _worth_trying(self, left: int, most: int, room: list[int], barred: frozenset[int]) -> list[int]:
        """The values to try for the untouched row that shares values with fewest others, most frequent first.

        One that touches this row alone is no better than another whose column has room for all picks.
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
    """The places of the bits that are set."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
