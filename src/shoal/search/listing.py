"""Searches that list the recodings of a lattice one by one, and what they require."""

from __future__ import annotations

from shoal.errors import PlanError
from shoal.search.lattice import Lattice

LISTED_AT_MOST = 1_000_000
"""The largest lattice for searches that visit its nodes one by one."""


def require_listable(kind: str, lattice: Lattice) -> None:
    """Raises PlanError if listing recodings and inferring what holds above them is unsound, or takes too long."""
    if not lattice.monotone:
        raise PlanError(
            f"Algorithm '{kind}' needs models that still hold when classes are merged.",
            hint="use 'optimal', which does not need this.",
        )
    if lattice.size > LISTED_AT_MOST:
        raise PlanError(
            f"Algorithm '{kind}' would have to list {lattice.size} recodings.",
            allowed=f"It lists at most {LISTED_AT_MOST}.",
            hint="use 'optimal' with a budget, or use fewer columns or levels.",
        )
