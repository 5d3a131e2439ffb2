"""At least k rows, and no (listed) value with a share above alpha."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .counting import Row, Setting, size, tally_counted, written


def passes(
    members: Sequence[Row],
    whole: Sequence[Row],
    setting: Setting,
    *,
    column: str,
    alpha: float,
    k: int,
    values: Sequence[str] | None = None,
) -> bool:
    n = size(members, setting)
    bounded = {v: c for v, c in tally_counted(members, column, setting).items() if values is None or v in values}
    return n >= k and all(Fraction(count, n) <= written(alpha) for count in bounded.values())
