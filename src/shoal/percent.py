"""How shares are written as percentages, everywhere in the same way."""

from __future__ import annotations


def percent(share: float) -> str:
    """A share as a percentage with about three digits.

    >>> percent(0.32740), percent(0.0), percent(0.00204), percent(0.9999), percent(1e-7)
    ('32.7 %', '0 %', '0.204 %', '99.99 %', 'less than 0.001 %')
    """
    hundredths = 100 * share
    if 0 < hundredths < 0.001:
        return "less than 0.001 %"
    rounded = f"{hundredths:.3g}"
    return f"{hundredths:.2f} %" if rounded == "100" and share != 1 else f"{rounded} %"
