"""The input of warnings: a plan, its table and, after a search, the partition."""

from __future__ import annotations

from typing import NamedTuple

from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.engines.base import Engine
from shoal.engines.fitting import Fitted
from shoal.plan import Plan

NOTEWORTHY = 0.01
"""The smallest share of rows that causes a warning."""


class Case(NamedTuple):
    """The input of a warning. Before a search, there are no classes and `partition` is None."""

    fitted: Fitted
    partition: Partition | None
    plan: Plan

    @property
    def coded(self) -> Coded:
        return self.fitted.coded

    @property
    def engine(self) -> Engine:
        return self.fitted.engine
