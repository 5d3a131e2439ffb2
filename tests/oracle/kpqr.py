"""At least k; and where a rare value occurs, p values and a variance of at least r times that of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from .counting import Row, Setting, Value, shares, size, tally, tally_counted, written


def passes(
    members: Sequence[Row],
    whole: Sequence[Row],
    setting: Setting,
    *,
    column: str,
    k: int,
    p: int,
    q: float,
    r: float = 0,
    reference: str = "both",
) -> bool:
    """`reference` only says which table the caller has to pass as `whole`."""
    if size(members, setting) < k:
        return False
    values = tally_counted(members, column, setting)
    table = shares(whole, column, setting)
    if not any(table[value] < written(q) for value in values):
        return True
    places = placed({row[column] for row in whole}, setting.order.get(column, []))
    needed = written(r) * variance(tally(whole, column, setting), places)
    return len(values) >= p and (r == 0 or variance(tally(members, column, setting), places) >= needed)


def placed(values: set[Value], order: Sequence[str]) -> Mapping[Value, Fraction]:
    """The number of each value: itself, or its rank where values are no numbers."""
    try:
        return {value: Fraction(value) for value in values if value is not None}
    except ValueError:
        ranked = [value for value in order if value in values]
        return {value: Fraction(rank) for rank, value in enumerate(ranked)}


def variance(counts: Mapping[Value, int], places: Mapping[Value, Fraction]) -> Fraction:
    """The mean squared distance to the mean; 0 where no value has a place."""
    spread = [places[value] for value, count in counts.items() if value in places for _ in range(count)]
    if not spread:
        return Fraction()
    mean = sum(spread, Fraction()) / len(spread)
    return sum(((place - mean) ** 2 for place in spread), Fraction()) / len(spread)
