"""At least k rows, and p values of every sensitive column of which no two have a common protected ancestor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from .counting import Row, Setting, Value, size, tally_counted


def passes(
    members: Sequence[Row], whole: Sequence[Row], setting: Setting, *, p: int, k: int, columns: Sequence[str]
) -> bool:
    return size(members, setting) >= k and all(_unrelated(members, column, setting, p) for column in columns)


def _unrelated(members: Sequence[Row], column: str, setting: Setting, p: int) -> bool:
    """Whether some p values of the class have, two by two, no protected ancestor in common."""
    values = sorted(tally_counted(members, column, setting), key=str)
    return any(
        not any(_common(a, b, column, setting) for a, b in combinations(chosen, 2))
        for chosen in combinations(values, p)
    )


def _common(a: Value, b: Value, column: str, setting: Setting) -> bool:
    """Whether two values have a protected ancestor in common. A missing value has no ancestors."""
    if a is None or b is None:
        return False
    one, other = setting.paths[column][a], setting.paths[column][b]
    both = [label for label, same in zip(one, other, strict=True) if label == same]
    return any(label in setting.protected.get(column, ()) for label in both)
