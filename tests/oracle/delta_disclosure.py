"""Every value of the table is in the class, at a share less than a factor e^delta off."""

from __future__ import annotations

from collections.abc import Sequence

from .counting import Row, Setting, shares, written
from .logarithms import TOLERANCE, decimal, ln


def passes(members: Sequence[Row], whole: Sequence[Row], setting: Setting, *, column: str, delta: float) -> bool:
    here = shares(members, column, setting)
    bound = decimal(written(delta)) - TOLERANCE
    return all(
        value in here and abs(ln(here[value] / p)) < bound for value, p in shares(whole, column, setting).items()
    )
