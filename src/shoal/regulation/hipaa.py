"""HIPAA: the Safe Harbor list of identifiers, and the figures of which an expert determination needs to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from shoal.plan import Plan
from shoal.regulation.base import Line, Section, View
from shoal.regulation.contents import contents
from shoal.regulation.measured import attacks, columns, models, re_identification, uncovered, unique_rows
from shoal.regulation.safe_harbor import SMALL_ZIP3, checked

_SAFE_HARBOR = (
    "Eighteen kinds of identifiers of the individual, relatives, employers and household members have to be removed. "
    "Columns are recognized by name and by the form of their values; what is not recognized is not found."
)
_EXPERT = (
    "An expert determines that the risk of re-identification by an anticipated recipient is very small, and documents "
    "methods and results. The rule states no number."
)
_KNOWLEDGE = Line(
    "Actual knowledge",
    "not checked. Safe Harbor also requires that nothing known about the remaining information identifies an "
    "individual.",
    "check",
)


@dataclass(frozen=True)
class Hipaa:
    """Which identifiers of the Safe Harbor list a table holds, and the risk that an expert would assess."""

    kind: ClassVar[str] = "hipaa"

    def of(self, table: pl.DataFrame, plan: Plan, figures: Mapping[str, Any]) -> View:
        plan = plan.for_table(table.columns, complete=False)
        tops = {name: float(c.top) for name, c in plan.columns.items() if isinstance(c.top, int | float)}
        listed = (*checked(contents(table, plan), tops), _KNOWLEDGE)
        expert = (
            columns("Quasi-identifiers", plan.quasi_identifiers),
            columns("Sensitive columns", plan.sensitive),
            models(plan),
            unique_rows(figures),
            *re_identification(figures),
            *attacks(figures, on_values=False),
            *attacks(figures, on_values=True),
            uncovered(plan),
        )
        return View(
            self.kind,
            "HIPAA Privacy Rule, de-identification",
            (
                Section("Safe Harbor, 45 CFR 164.514(b)(2)", _SAFE_HARBOR, listed),
                Section("Expert determination, 45 CFR 164.514(b)(1)", _EXPERT, expert),
            ),
            (
                "45 CFR 164.514(b).",
                "Department of Health and Human Services, Guidance regarding methods for de-identification of "
                "protected health information, 26 November 2012.",
                f"The {len(SMALL_ZIP3)} three-digit ZIP areas of at most 20,000 inhabitants are those of the census of "
                "2000 in this guidance; more recent census data takes precedence.",
            ),
        )
