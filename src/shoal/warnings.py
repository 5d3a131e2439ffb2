"""What a steward must see before publishing, by column name and share of rows."""

from __future__ import annotations

from shoal.encode import Encoded
from shoal.partition import Partition
from shoal.plan import Plan
from shoal.prepare import Prepared


def find_warnings(prepared: Prepared, encoded: Encoded, partition: Partition, plan: Plan) -> tuple[str, ...]:
    """Everything about this release that no model of the plan takes care of."""
    named = set(plan.reads)
    return tuple(
        f"Sensitive column '{name}' is named by no model: it is released unguarded."
        for name in plan.sensitive
        if name not in named
    )
