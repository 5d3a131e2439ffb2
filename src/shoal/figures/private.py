"""Private figures: what only the steward's report shows, because it needs the input or concerns the steward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from shoal.arrays import Int64
from shoal.figures.before import Before, ClassRisk
from shoal.figures.compared import ComparedColumn
from shoal.figures.errors import Errors
from shoal.figures.sensitive import SensitiveColumn
from shoal.models.evidence import CLASS, PERSON
from shoal.verification.verdicts import Verification
from shoal.warnings import Warning


@dataclass(frozen=True)
class Remedied:
    """A warning, and what to do about it."""

    fact: str
    remedy: str
    serious: bool


@dataclass(frozen=True)
class PrivateFigures:
    """Figures that need the input, or that only the steward may know.

    `input_shares`: sensitive column → value → its share of the input. `suppressed`: reason → rows. `approval`: as in
    the plan.
    """

    columns: tuple[ComparedColumn, ...] = ()
    risk_before: ClassRisk | None = None
    risk_after: ClassRisk | None = None
    input_shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    warnings: tuple[Remedied, ...] = ()
    suppressed: Mapping[str, int] = field(default_factory=dict)
    approval: Mapping[str, str] = field(default_factory=dict)
    errors: Errors | None = None


class Sizes(NamedTuple):
    """int64 [classes]: the rows of each released class, or its distinct persons if `persons`."""

    sizes: Int64
    persons: bool


def released_sizes(verification: Verification) -> Sizes:
    """The sizes of the released classes, in persons if `verification` distinguishes them."""
    counted = verification.counted
    if counted is None or PERSON not in counted.columns:
        return Sizes(verification.sizes.cast(pl.Int64).to_numpy(), persons=False)
    of_class = pl.col(PERSON).n_unique().cast(pl.Int64).alias("size")
    return Sizes(counted.group_by(CLASS, maintain_order=True).agg(of_class)["size"].to_numpy(), persons=True)


def input_shares(before: Before, sensitive: Sequence[SensitiveColumn]) -> dict[str, dict[str, float]]:
    """Sensitive column → each value that the public figures name → its share of the input."""
    shares = {}
    for column in sensitive:
        given = before.columns.get(column.name)
        if given is not None and (total := int(given.rows.sum())):
            rows = dict(zip(given.labels, given.rows.tolist(), strict=True))
            shares[column.name] = {each.value: rows.get(each.value, 0) / total for each in column.values}
    return shares


def remedied(warnings: Sequence[Warning]) -> tuple[Remedied, ...]:
    """The warnings with their remedies."""
    return tuple(Remedied(each.fact, each.remedy, each.serious) for each in warnings)
