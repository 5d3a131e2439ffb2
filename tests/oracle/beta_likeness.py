"""No value gains more than beta, relative to its share in the table."""

from __future__ import annotations

from collections.abc import Sequence

from .counting import Row, Setting, shares, written
from .logarithms import TOLERANCE, decimal, ln


def passes(
    members: Sequence[Row],
    whole: Sequence[Row],
    setting: Setting,
    *,
    column: str,
    beta: float,
    variant: str = "basic",
) -> bool:
    table = shares(whole, column, setting)
    for value, q in shares(members, column, setting).items():
        p = table[value]
        if q <= p:
            continue
        gain = (q - p) / p
        if gain > written(beta):
            return False
        if variant == "enhanced" and decimal(gain) > -ln(p) + TOLERANCE:
            return False
    return True
