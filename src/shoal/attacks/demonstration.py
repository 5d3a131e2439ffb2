"""Demonstrations: what a model does not protect, shown by an attack on a small table that satisfies the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.attacks.base import Outcome
from shoal.attacks.running import run_all
from shoal.attacks.target import Target
from shoal.forms.generalized import RELEASE
from shoal.models.about import Weak
from shoal.models.base import ClassModel
from shoal.models.evidence import Verdict
from shoal.percent import percent
from shoal.plan import Plan
from shoal.roles.columns import Column, quasi, quasi_sensitive, sensitive
from shoal.roles.knowledge import Knowledge
from shoal.verification.tables import verify


@dataclass(frozen=True)
class Demonstration:
    """A small table, the verdict of the model on it, and the outcome of the attack.

    `outcome` is the one that gains most over guessing, if the attack has several.
    """

    table: pl.DataFrame
    verdict: Verdict
    outcome: Outcome
    shows: str

    def sentences(self) -> tuple[str, ...]:
        """The result in sentences."""
        outcome = self.outcome
        on = f" on '{outcome.column}'" if outcome.column else ""
        return (
            f"Attack '{outcome.kind}'{on}: success {percent(outcome.success)}, baseline "
            f"{percent(outcome.baseline)}. {outcome.measured}",
            f"The intruder knows: {outcome.knows}",
            self.shows,
        )

    def to_json(self) -> dict[str, Any]:
        """The demonstration as JSON values. Its table is made up, and no data of anyone."""
        return {
            "columns": self.table.columns,
            "rows": [list(row) for row in self.table.rows()],
            "verdict": self.verdict.to_json(),
            "attack": self.outcome.to_json(),
            "shows": self.shows,
        }


def demonstrated(model: type[ClassModel]) -> Demonstration | None:
    """Verifies the weak table of a model, and attacks it; None if the model has no such table."""
    weak = model.about.weak
    if weak is None:
        return None
    knowledge = {name: Knowledge.of(labels) for name, labels in weak.knowledge.items()}
    table = pl.DataFrame(weak.rows, schema=dict.fromkeys(weak.columns, pl.String), orient="row")
    plan = _plan(model, weak, knowledge)
    (verdict,) = verify(table, plan, knowledge=knowledge).verdicts
    outcomes = run_all(Target({RELEASE: table}, plan), only=(weak.attack,))
    outcome = max(outcomes, key=lambda each: each.success - each.baseline)
    return Demonstration(table, verdict, outcome, weak.shows)


def _plan(model: type[ClassModel], weak: Weak, knowledge: Mapping[str, Knowledge]) -> Plan:
    """The plan under which the weak table was released."""
    made = model(**weak.parameters)
    sets = {name: quasi_sensitive() for name in made.reads_items}
    columns = {name: _column(name, weak, knowledge, sets) for name in weak.columns}
    return Plan(columns=columns, models=[made])


def _column(name: str, weak: Weak, knowledge: Mapping[str, Knowledge], sets: Mapping[str, Column]) -> Column:
    if name in knowledge:
        return quasi_sensitive(knowledge_sha256=knowledge[name].sha256)
    if name in sets:
        return sets[name]
    if name in weak.sensitive:
        return sensitive(weak.hierarchies.get(name), protected=weak.protected.get(name, ()))
    return quasi(weak.hierarchies.get(name))
