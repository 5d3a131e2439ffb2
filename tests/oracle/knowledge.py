"""What is known of some columns: cells of equal released values, counted as the definition says."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from .counting import Row, Setting, size, tally_counted, written


def passes(
    members: Sequence[Row],
    whole: Sequence[Row],
    setting: Setting,
    *,
    l: int,
    k: int,
    c: float,
    column: str,
    values: Sequence[str] | None = None,
) -> bool:
    """Whether a class is safe from one who knows every quasi-identifier."""
    support, confidence = cell(members, setting, column, values)
    return support >= k and (c == 1 or confidence <= written(c))


def cell(members: Sequence[Row], setting: Setting, column: str, values: Sequence[str] | None) -> tuple[int, Fraction]:
    """How many share a cell, and the largest share of a (listed) sensitive value among them."""
    n = size(members, setting)
    bounded = [m for v, m in tally_counted(members, column, setting).items() if values is None or v in values]
    return n, max((Fraction(m, n) for m in bounded), default=Fraction(0))


def achieved(
    rows: Sequence[Row],
    quasi: Sequence[str],
    l: int,
    column: str,
    values: Sequence[str] | None = None,
    setting: Setting | None = None,
) -> tuple[int, Fraction]:
    """The smallest cell and the largest share, over every choice of at most l columns and every combination of their
    values that occurs."""
    support, confidence = 10**9, Fraction(0)
    for known in range(1, min(l, len(quasi)) + 1):
        for columns in combinations(quasi, known):
            for seen in {tuple(row[name] for name in columns) for row in rows}:
                members = [row for row in rows if tuple(row[name] for name in columns) == seen]
                n, share = cell(members, setting or Setting(), column, values)
                support, confidence = min(support, n), max(confidence, share)
    return support, confidence


def holds(
    rows: Sequence[Row],
    quasi: Sequence[str],
    *,
    l: int,
    k: int,
    c: float,
    column: str,
    values: Sequence[str] | None = None,
    setting: Setting | None = None,
) -> bool:
    """Whether a released table is LKC-private."""
    support, confidence = achieved(rows, quasi, l, column, values, setting)
    return support >= k and (c == 1 or confidence <= written(c))
