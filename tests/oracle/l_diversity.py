"""At least l well-represented values; a missing value is no value unless it counts."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from .counting import Row, Setting, tally_counted, written
from .logarithms import TOLERANCE, decimal, ln


def passes(
    members: Sequence[Row],
    whole: Sequence[Row],
    setting: Setting,
    *,
    column: str,
    l: float,
    variant: str = "distinct",
    c: float | None = None,
) -> bool:
    counts = sorted(tally_counted(members, column, setting).values(), reverse=True)
    if variant == "distinct":
        return len(counts) >= l
    if not counts:
        return False
    if variant == "entropy":
        return _entropy(counts) >= ln(written(l)) - TOLERANCE
    assert variant == "recursive" and c is not None
    return counts[0] < written(c) * sum(counts[int(l) - 1 :])


def _entropy(counts: Sequence[int]) -> Decimal:
    shares = [Fraction(count, sum(counts)) for count in counts]
    return -sum((decimal(share) * ln(share) for share in shares), Decimal())
