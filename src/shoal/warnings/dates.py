"""Dates that are read as text because their days and months could be swapped."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.table.moments import are_ambiguous
from shoal.warnings.base import Case, Warning


def ambiguous_dates(case: Case) -> Iterator[Warning]:
    """Warns of quasi-identifiers whose dates are not generalized as dates."""
    for domain in case.coded.quasi:
        undeclared = domain.type == "text" and domain.settings.type is None
        if undeclared and are_ambiguous(domain.values.drop_nulls()):
            remedy = 'Set dates = "day-first" or "month-first" under [data].'
            yield Warning(
                f"Column '{domain.name}' contains dates whose days and months could be swapped, and is read as text. "
                f"{remedy}",
                remedy=remedy,
            )
