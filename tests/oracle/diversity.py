"""Diversity over several sensitive columns, by trying every choice of values; and the exponential rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from .counting import Row, Setting, Value, size

Chosen = tuple[str, Value]


def diversity(
    members: Sequence[Row], columns: Sequence[str], setting: Setting, limits: Mapping[str, int] | None = None
) -> float:
    """The fewest values, at most limits[column] of a column, that touch every row; infinite where no choice does.

    A missing value that does not count may be chosen for nothing, unless its column may not be used at all.
    """
    allowed = {column: (limits or {}).get(column, len(members)) for column in columns}
    values = sorted({(c, row[c]) for row in members for c in columns if allowed[c] > 0}, key=str)
    free = {(c, value) for c, value in values if value is None and c not in setting.missing_counts}
    costly = [value for value in values if value not in free]
    for number in range(len(members) + 1):
        for chosen in combinations(costly, number):
            within = all(sum(c == column for c, _ in chosen) <= most for column, most in allowed.items())
            if within and all(_touched(row, columns, {*chosen, *free}) for row in members):
                return number
    return float("inf")


def _touched(row: Row, columns: Sequence[str], chosen: set[Chosen]) -> bool:
    return any((column, row[column]) in chosen for column in columns)


def passes(
    members: Sequence[Row],
    whole: Sequence[Row],
    setting: Setting,
    *,
    l: int,
    k: int,
    columns: Sequence[str],
    limits: Mapping[str, int] | None = None,
    check: str = "exact",
) -> bool:
    return size(members, setting) >= k and diversity(members, columns, setting, limits) >= l


def passes_exponential(
    members: Sequence[Row], whole: Sequence[Row], setting: Setting, *, l: int, columns: Sequence[str]
) -> bool:
    for column in columns:
        others = [other for other in columns if other != column]
        for row in members:
            alike = [each for each in members if all(each[other] == row[other] for other in others)]
            values = {each[column] for each in alike}
            if column not in setting.missing_counts:
                values -= {None}
            if len(values) < l:
                return False
    return True
