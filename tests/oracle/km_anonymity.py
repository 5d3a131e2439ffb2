"""Combinations of items, counted one by one as the definition says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from .counting import Row, Setting, Value, tally


def items(cell: Value) -> set[str]:
    """The items of a cell."""
    return set((cell or "").split("|")) - {""}


def passes(members: Sequence[Row], whole: Sequence[Row], setting: Setting, *, column: str, k: int, m: int) -> bool:
    """Every combination of at most m items of a member occurs in at least k rows of the whole table."""
    counts = tally(whole, column, setting)
    return all(
        sum(count for cell, count in counts.items() if set(each) <= items(cell)) >= k
        for member in members
        for size in range(1, m + 1)
        for each in combinations(sorted(items(member[column])), size)
    )
