"""What warnings are made from: the case they look at, and how they tell a share."""

from __future__ import annotations

from typing import NamedTuple

from shoal.coded.encode import Encoded
from shoal.coded.partition import Partition
from shoal.engines.prepare import Prepared
from shoal.plan.plan import Plan

NOTEWORTHY = 0.01
"""The least share of rows that is worth a warning."""


class Case(NamedTuple):
    """Everything a warning may look at."""

    prepared: Prepared
    encoded: Encoded
    partition: Partition
    plan: Plan


def percent(share: float) -> str:
    """A share for people to read: whole percents, one digit below ten of them.

    >>> percent(0.254), percent(0.0123), percent(0.0002)
    ('25 %', '1.2 %', 'less than 0.1 %')
    """
    if share < 0.001:
        return "less than 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"
