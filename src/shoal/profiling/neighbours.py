"""Neighbours: what a column beside clinical columns most likely is, if its name means nothing.

Tables keep related columns together: demographic columns at the beginning, carers and bookkeeping at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.profiling.facts import Facts
from shoal.profiling.findings import are_findings
from shoal.profiling.needs import is_flag
from shoal.profiling.signs import DROP, SENSITIVE, Sign
from shoal.roles.columns import Role

FINDING = Sign("unknown, but beside clinical columns", SENSITIVE, confidence="low")

_EITHER_SIDE = 2
_HALF, _MOST, _ALL = 2, 3, 4
"""How many of the two nearest columns on either side must be clinical."""
_SMALLEST, _LARGEST = -99, 999
"""Larger whole numbers may be those of places, carers or individuals; negative ones stand for no answer."""
_LONGEST_RUN = {0: 40, 1: 20}
"""The largest number of a run from 0 or 1 that may be a score or a category; longer runs may number individuals."""
_MOST_DECIMALS = 3
"""With more decimals, numbers may be coordinates."""


def clinical_beside(roles: Sequence[Role]) -> list[int]:
    """For each column, how many of the two nearest released ones on either side are sensitive."""
    before = _clinical_before(roles)
    after = _clinical_before(reversed(roles))[::-1]
    return [left + right for left, right in zip(before, after, strict=True)]


def _clinical_before(roles: Iterable[Role]) -> list[int]:
    """For each column, how many of the two before it are sensitive; dropped ones do not count."""
    counts: list[int] = []
    nearest: tuple[Role, ...] = ()
    for role in roles:
        counts.append(nearest.count(SENSITIVE))
        if role != DROP:
            nearest = (*nearest, role)[-_EITHER_SIDE:]
    return counts


def neighbours_needed(facts: Facts) -> int | None:
    """How many clinical neighbours make an unknown column a finding; None if no number of them does.

    Flags, measured numbers and words of findings need fewer than whole numbers, which may code anything. Other texts
    stay unknown, because the names of carers stand between clinical columns as well.
    """
    if facts.distinct == 0:
        return None
    if is_flag(facts):
        return _HALF if facts.type == "text" else _MOST if facts.span[0] == 0 else _ALL  # 1 and 2 may be sexes
    if facts.type == "text":
        return _HALF if are_findings(facts.sample) else None
    if facts.type == "real" and not _are_whole(facts):
        return _HALF if all(len(value.partition(".")[2]) <= _MOST_DECIMALS for value in facts.sample) else None
    return _of_whole_numbers(facts) if facts.is_number else None


def _are_whole(facts: Facts) -> bool:
    return bool((facts.values % 1 == 0).all())


def _of_whole_numbers(facts: Facts) -> int | None:
    low, high = facts.span
    if low < _SMALLEST or high > _LARGEST or (facts.nearly_unique and facts.type == "integer") or _is_numbering(facts):
        return None
    return _ALL


def _is_numbering(facts: Facts) -> bool:
    """Whether the values are all numbers from the first to the last of many, as those of individuals are."""
    low, high = facts.span
    return low in _LONGEST_RUN and high > _LONGEST_RUN[int(low)] and facts.distinct >= high - low
