"""Warnings: risks that a steward must know before publishing, with column names and counts, never with values.

A warning is one function from a `Case` to `Warning`s, and one line in `ALL`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from shoal.warnings.base import Case, Warning, serious, serious_first
from shoal.warnings.dates import ambiguous_dates
from shoal.warnings.derived import time_between_dates
from shoal.warnings.formulas import formula_cells
from shoal.warnings.header import absent_header
from shoal.warnings.identifying import identifying_columns
from shoal.warnings.items import emptied_columns
from shoal.warnings.knowledge import unfit_knowledge
from shoal.warnings.missing import missing_effect
from shoal.warnings.persons import repeated_persons
from shoal.warnings.revealing import revealing_columns
from shoal.warnings.scope import uncovered_rows
from shoal.warnings.search import missed_target, pointless_target
from shoal.warnings.sensitive import absent_values, near_continuous_sensitive, of_plan, unguarded_sensitive
from shoal.warnings.spelling import spelling_variants
from shoal.warnings.unrestricted import of_sizes, unrestricted_quasi_identifiers

__all__ = [
    "ALL",
    "Case",
    "Warning",
    "find_warnings",
    "missing_effect",
    "of_plan",
    "of_sizes",
    "serious",
    "serious_first",
]

_LISTED = 20
"""Warnings of one kind that are shown one by one."""

ALL: tuple[Callable[[Case], Iterable[Warning]], ...] = (
    absent_header,
    identifying_columns,
    repeated_persons,
    unrestricted_quasi_identifiers,
    revealing_columns,
    time_between_dates,
    unguarded_sensitive,
    uncovered_rows,
    absent_values,
    spelling_variants,
    unfit_knowledge,
    emptied_columns,
    near_continuous_sensitive,
    ambiguous_dates,
    formula_cells,
    pointless_target,
    missed_target,
)


def find_warnings(case: Case) -> tuple[Warning, ...]:
    """The risks of this release that no model of the plan covers; serious ones first."""
    kinds = [tuple(find(case)) for find in ALL]
    worst = _worst(warning for warnings in kinds for warning in warnings)
    kept = [tuple(each for each in warnings if worst.get(each.about, each) is each) for warnings in kinds]
    found = [warning for warnings in kept for warning in _first(warnings)]
    return serious_first(found)


def _worst(warnings: Iterable[Warning]) -> dict[str | None, Warning]:
    """Column → the serious warning about it of the highest rank."""
    worst: dict[str | None, Warning] = {}
    for warning in warnings:
        if warning.about is None or not warning.serious:
            continue
        if warning.about not in worst or warning.rank > worst[warning.about].rank:
            worst[warning.about] = warning
    return worst


def _first(warnings: tuple[Warning, ...]) -> tuple[Warning, ...]:
    """The first warnings of one kind, and the number of all others: a wide table may have thousands."""
    more = warnings[_LISTED:]
    if len(more) < 2:
        return warnings
    rest = Warning(
        f"{len(more):,} more columns have a warning like the last one.",
        serious=any(w.serious for w in more),
        remedy=more[0].remedy,
    )
    return (*warnings[:_LISTED], rest)
