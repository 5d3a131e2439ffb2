"""Neighbours: what a column between clinical columns most likely is, if its name means nothing.

Tables keep related columns together: demographic columns at the beginning, carers and bookkeeping at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.profiling.facts import Facts
from shoal.profiling.needs import is_flag
from shoal.profiling.signs import DROP, SENSITIVE, Sign
from shoal.roles.columns import Role

FINDING = Sign("unknown, but between clinical columns", SENSITIVE, confidence="low")

_EITHER_SIDE = 2
_SMALLEST, _LARGEST = -99, 999
"""Larger whole numbers may be those of places, carers or individuals; negative ones stand for no answer."""
_LONGEST_RUN = {0: 40, 1: 20}
"""The largest number of a run from 0 or 1 that may be a score or a category; longer runs may number individuals."""
_MOST_DECIMALS = 3
"""With more decimals, numbers may be coordinates."""


def amid_clinical(roles: Sequence[Role]) -> list[bool]:
    """For each column, whether the two nearest released ones on either side are all sensitive."""
    before = _after_clinical(roles)
    after = _after_clinical(reversed(roles))[::-1]
    return [left and right for left, right in zip(before, after, strict=True)]


def _after_clinical(roles: Iterable[Role]) -> list[bool]:
    """For each column, whether it follows at least two sensitive columns; dropped ones do not count."""
    follows: list[bool] = []
    in_a_row = 0
    for role in roles:
        follows.append(in_a_row >= _EITHER_SIDE)
        if role != DROP:
            in_a_row = in_a_row + 1 if role == SENSITIVE else 0
    return follows


def may_be_finding(facts: Facts) -> bool:
    """Whether the values are flags or numbers as they are measured or counted, and neither identify nor say a place."""
    if facts.distinct == 0:
        return False
    if facts.type == "real":
        return all(len(value.partition(".")[2]) <= _MOST_DECIMALS for value in facts.sample)
    if facts.type != "integer":
        return is_flag(facts)
    low, high = facts.span
    return low >= _SMALLEST and high <= _LARGEST and not facts.nearly_unique and not _is_numbering(facts)


def _is_numbering(facts: Facts) -> bool:
    """Whether the values are all numbers from the first to the last of many, as those of individuals are."""
    low, high = facts.span
    return low in _LONGEST_RUN and high > _LONGEST_RUN[int(low)] and facts.distinct >= high - low
