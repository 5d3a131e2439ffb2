"""GDPR: the three risks of opinion 05/2014 of the Article 29 Working Party (WP216), each with the figures for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from shoal.plan import Plan
from shoal.regulation.base import Line, Section, View
from shoal.regulation.contents import contents
from shoal.regulation.measured import attacks, columns, models, re_identification, uncovered, unique_rows


@dataclass(frozen=True)
class Gdpr:
    """Whether individuals can be singled out, linked or inferred about, as far as a table shows it."""

    kind: ClassVar[str] = "gdpr"

    def of(self, table: pl.DataFrame, plan: Plan, figures: Mapping[str, Any]) -> View:
        plan = plan.for_table(table.columns, complete=False)
        return View(
            self.kind,
            "GDPR, anonymisation techniques (WP216)",
            (
                Section(
                    "Singling out",
                    "Some or all records that identify an individual can be isolated.",
                    (
                        columns("Quasi-identifiers", plan.quasi_identifiers),
                        unique_rows(figures),
                        *re_identification(figures),
                    ),
                ),
                Section(
                    "Linkability",
                    "Records of the same individual, or of the same group, can be linked, in one table or in two.",
                    (_linking(table, plan), *attacks(figures, on_values=False)),
                ),
                Section(
                    "Inference",
                    "The value of an attribute can be deduced, with significant probability, from other attributes.",
                    (models(plan), *attacks(figures, on_values=True), uncovered(plan)),
                ),
            ),
            (
                "Article 29 Data Protection Working Party, Opinion 05/2014 on anonymisation techniques, WP216, "
                "10 April 2014.",
                "Regulation (EU) 2016/679, recital 26.",
            ),
        )


def _linking(table: pl.DataFrame, plan: Plan) -> Line:
    """Columns that number individuals or records, and so link tables that hold the same numbers."""
    found = [each.name for each in contents(table, plan) if each.sign.numbers is not None and not each.removed]
    line = columns("Columns that number individuals or records", found)
    return Line(line.what, line.result, "found" if found else "not found", line.details)
