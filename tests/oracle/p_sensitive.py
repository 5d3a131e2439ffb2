"""At least k rows, and at least p values of every sensitive column."""

from __future__ import annotations

from collections.abc import Sequence

from .counting import Row, Setting, size, tally_counted


def passes(
    members: Sequence[Row], whole: Sequence[Row], setting: Setting, *, p: int, k: int, columns: Sequence[str]
) -> bool:
    return size(members, setting) >= k and all(len(tally_counted(members, c, setting)) >= p for c in columns)
