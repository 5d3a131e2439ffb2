"""EMA policy 0070: the steps of an anonymisation report, with the figures of this table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from shoal.plan import Plan
from shoal.regulation.base import Line, Section, View
from shoal.regulation.contents import contents
from shoal.regulation.measured import attacks, columns, models, re_identification, thresholds, uncovered, unique_rows
from shoal.regulation.safe_harbor import KINDS

_NAMED_BY_GUIDANCE = 0.09
_NOT_DIRECT = ("B", "C")


@dataclass(frozen=True)
class Ema:
    """What an anonymisation report for published clinical data has to state, as far as a table shows it."""

    kind: ClassVar[str] = "ema"

    def of(self, table: pl.DataFrame, plan: Plan, figures: Mapping[str, Any]) -> View:
        plan = plan.for_table(table.columns, complete=False)
        return View(
            self.kind,
            "European Medicines Agency, policy 0070",
            (
                _identifiers(table, plan),
                Section(
                    "Adversaries and attacks",
                    "The report describes plausible attacks. A document that anyone may read meets any intruder.",
                    (*attacks(figures, on_values=False), *attacks(figures, on_values=True)),
                ),
                Section(
                    "Risk of re-identification",
                    f"The report states a threshold and the measured risk. The guidance names {_NAMED_BY_GUIDANCE} as "
                    "a conservative threshold for publication; the steward decides.",
                    (unique_rows(figures), *re_identification(figures), *thresholds(figures)),
                ),
                Section(
                    "Methodology",
                    "The report describes the techniques and their effect on the usefulness of the data, which the "
                    "report of a release measures as information loss.",
                    (*_methods(plan), models(plan), uncovered(plan)),
                ),
            ),
            (
                "European Medicines Agency, External guidance on the implementation of policy 0070, EMA/90915/2016, "
                "chapter 3.",
            ),
        )


def _identifiers(table: pl.DataFrame, plan: Plan) -> Section:
    """Direct identifiers that were recognized, and the quasi-identifiers of the plan."""
    found = [each for each in contents(table, plan) if _is_direct(each.sign.hipaa) and each.rows]
    present = [each.name for each in found if not each.removed]
    direct = columns("Direct identifiers that the plan keeps", present)
    return Section(
        "Direct identifiers and quasi-identifiers",
        "Direct identifiers are removed; quasi-identifiers are assessed together.",
        (
            Line(direct.what, direct.result, "found" if present else "not found", direct.details),
            _removed(plan, [each.name for each in found if each.removed]),
            columns("Quasi-identifiers", plan.quasi_identifiers),
        ),
    )


def _removed(plan: Plan, recognized: Sequence[str]) -> Line:
    """The direct identifiers that the plan removes: those of the table, and those that a release no longer has."""
    stated = [name for name, column in plan.columns.items() if column.role == "identifier"]
    line = columns("Direct identifiers that the plan removes", list(dict.fromkeys([*stated, *recognized])))
    if line.details["columns"]:
        return line
    return Line(
        line.what, "not stated in the plan. A published plan names no column that was removed.", "", line.details
    )


def _is_direct(letter: str) -> bool:
    """Whether a kind of identifier identifies by itself; places and dates are quasi-identifiers."""
    return letter in KINDS and letter not in _NOT_DIRECT


def _methods(plan: Plan) -> tuple[Line, ...]:
    suppression = plan.release.suppression
    said = f"algorithm '{plan.algorithm.kind}', form '{plan.release.form}', suppression of at most {suppression:g}."
    return (Line("Techniques", said, "", {"algorithm": plan.algorithm.kind, "form": plan.release.form}),)
