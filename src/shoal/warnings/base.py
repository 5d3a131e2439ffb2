"""What warnings are made from: the case they look at."""

from __future__ import annotations

from typing import NamedTuple

from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.engines.base import Engine
from shoal.engines.fitting import Fitted
from shoal.plan import Plan

NOTEWORTHY = 0.01
"""The least share of rows that is worth a warning."""


class Case(NamedTuple):
    """Everything a warning may look at. Without a search there are no classes, and `partition` is None."""

    fitted: Fitted
    partition: Partition | None
    plan: Plan

    @property
    def coded(self) -> Coded:
        return self.fitted.coded

    @property
    def engine(self) -> Engine:
        return self.fitted.engine
