"""Natural logarithms to fifty digits, and the one tolerance that comparing them allows."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

TOLERANCE = Decimal("1e-12")


def ln(value: Fraction) -> Decimal:
    with localcontext(prec=50):
        return Decimal(value.numerator).ln() - Decimal(value.denominator).ln()


def decimal(value: Fraction) -> Decimal:
    with localcontext(prec=50):
        return Decimal(value.numerator) / Decimal(value.denominator)
