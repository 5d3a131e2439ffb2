"""At least k rows (or persons)."""

from __future__ import annotations

from collections.abc import Sequence

from .counting import Row, Setting, size


def passes(members: Sequence[Row], whole: Sequence[Row], setting: Setting, *, k: int) -> bool:
    return size(members, setting) >= k
