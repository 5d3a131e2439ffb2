"""A draft: a release that is not verified yet, with what the steward knows about it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import polars as pl

from shoal.coded.record import SearchRecord
from shoal.coded.removed import RemovedItems
from shoal.engines.base import Witness
from shoal.figures import Figures, PrivateFigures, public_figures
from shoal.figures.before import Before, ClassRisk, class_risk
from shoal.figures.compared import compared_columns
from shoal.figures.errors import errors_of
from shoal.figures.private import Sizes, input_shares, released_sizes, remedied
from shoal.figures.sampling import InputSample
from shoal.forms.generalized import RELEASE
from shoal.manifest import Manifest, MissingEffect
from shoal.measures.item_loss import lost
from shoal.plan import Plan, RiskSettings
from shoal.release.public import Counts
from shoal.release.published import released_values
from shoal.risks.auditing import Audit, audit_of, with_trees
from shoal.risks.classes import classes_of, with_persons
from shoal.risks.disclosure import Disclosure
from shoal.risks.measuring import risk_of_sizes
from shoal.roles.columns import Column
from shoal.roles.knowledge import Knowledge
from shoal.statistics import Compared
from shoal.table import AS_SHOWN, Notation, Runs
from shoal.verification.anatomy import verify_tables
from shoal.verification.labelled import Labelled
from shoal.verification.tables import facts
from shoal.verification.verdicts import Verification, require
from shoal.warnings import Warning, serious


@dataclass(frozen=True)
class Private:
    """The steward's private data, written to the private folder and never published.

    `input_counts`: sensitive column → `value`, `count` in the input. `persons_in`: the number of persons in the input,
    if the plan counts them. `rule`: column → `value`, `label` of a global
    recoding. `levels`: column → the level that the search chose, which the labels may not tell. `items`: set-valued
    column → what was removed from it. `knowledge`: quasi-sensitive column → its knowledge table. `statistics`: those of
    the input and of the release. `before`: the counts of the input that the steward's report compares the release with.
    `sample`: input rows on which errors are computed; None if rows were not held in memory.
    `plan_folder`: the folder to which paths in `plan_text` are relative. `notation`: how numbers and dates are written
    in the input, by the plan or by the values.
    """

    input_counts: Mapping[str, pl.DataFrame]
    witness: Witness
    persons_in: int | None = None
    suppressed_by_reason: Mapping[str, int] = field(default_factory=dict)
    rule: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    items: Mapping[str, RemovedItems] = field(default_factory=dict)
    knowledge: Mapping[str, Knowledge] = field(default_factory=dict)
    statistics: tuple[Compared, ...] = ()
    before: Before = field(default_factory=Before)
    sample: InputSample | None = None
    input_sha256: str | None = None
    plan_text: str | None = None
    plan_folder: str | None = None
    notation: Notation = AS_SHOWN


class Twice(NamedTuple):
    """What the published tables alone show, and the full verification, with the private data."""

    shown: Verification
    full: Verification


@dataclass(frozen=True)
class Draft:
    """A release that is not verified yet."""

    tables: Mapping[str, Runs]
    plan: Plan
    counts: Counts
    record: SearchRecord
    warnings: tuple[Warning, ...]
    missing: MissingEffect | None
    private: Private
    in_parts: bool = False
    """Whether each table is written as a folder of parts."""

    @property
    def plan_text(self) -> str:
        """The plan as it was given, as TOML."""
        given = self.private.plan_text
        return given if given is not None else self.plan.to_toml()

    def verified_twice(self, tables: Mapping[str, Runs], published: Plan) -> Twice:
        """The verification of the tables alone, and the one with the private data; raises if a promise is broken."""
        shown = verify_tables(tables, published, knowledge=self.private.knowledge)
        require(shown)
        if not self._private_decides and self._same_trees(tables, published):
            return Twice(shown, shown)
        verification = self.verified(tables)
        require(verification)
        return Twice(shown, verification)

    @property
    def _private_decides(self) -> bool:
        """Whether private data can change a verdict: persons, links that are not published, or the input's values."""
        return (
            self.plan.data.person is not None
            or self.private.witness.linked is not None
            or any(model.reads_input for model in self.plan.enforced)
        )

    def _same_trees(self, tables: Mapping[str, Runs], published: Plan) -> bool:
        """Whether models learn the same about every released value from the published trees as from the plan's."""
        return all(
            _known(self.plan.columns[name], values) == _known(published.columns[name], values)
            for name in self.plan.reads_trees
            for values in [released_values(tables, name)]
        )

    def verified(self, tables: Mapping[str, Runs]) -> Verification:
        """The verification of the tables, as built or as written, with the private data."""
        witness = self.private.witness
        return verify_tables(
            tables,
            self.plan,
            persons=witness.persons,
            input_counts=self.private.input_counts,
            linked=witness.linked,
            knowledge=self.private.knowledge,
        )

    def for_steward(
        self, published: Manifest, verification: Verification, audit: Audit | None, timings: Mapping[str, float]
    ) -> Manifest:
        """The published manifest with all that only the steward may know; `audit` is the `public_audit`."""
        persons, disclosure = self.private.witness.persons, self._disclosure(audit)
        return replace(
            published,
            persons_in=self.private.persons_in,
            persons_released=None if persons is None else persons.n_unique(),
            models=verification.verdicts,
            measures={**published.measures, **self._item_loss()},
            items_removed=self.private.items,
            notes=verification.notes,
            timings={step: round(seconds, 4) for step, seconds in timings.items()},
            warnings=tuple(warning.text for warning in self.warnings),
            serious_warnings=serious(self.warnings),
            search=self.record,
            missing=self.missing,
            levels={**published.levels, **self.private.levels},
            disclosure=disclosure,
            risk=self._risk(verification, disclosure),
            statistics=self.private.statistics,
        )

    def figures(
        self, tables: Mapping[str, Runs], plan: Plan, columns: Mapping[str, Labelled], checked: Twice
    ) -> Figures:
        """The figures of both reports; `plan` is the published plan, `columns` are the labels of the tables.

        The public ones see nothing of this draft.
        """
        private, before = self.private, self.private.before
        with ThreadPoolExecutor(1) as pool:
            pending_errors = pool.submit(errors_of, private.sample, self.tables, private.witness, self.plan)
            public = public_figures(tables, plan, columns, checked.shown)
            released = public.columns
            compared = () if released is None else compared_columns(before, released, tables, columns, plan.separators)
            errors = pending_errors.result()
        own = PrivateFigures(
            columns=compared,
            risk_before=before.risk,
            risk_after=self._risk_after(checked.full),
            input_shares=input_shares(before, public.sensitive),
            warnings=remedied(self.warnings),
            suppressed=dict(private.suppressed_by_reason),
            approval=self.plan.release.approval,
            errors=errors,
        )
        return Figures(public, own)

    def _risk_after(self, verification: Verification) -> ClassRisk | None:
        """The risk of the released classes; None for an anatomy, whose quasi-identifiers are exact."""
        return None if RELEASE not in self.tables else class_risk(*released_sizes(verification))

    def _exact_sizes(self) -> Sizes:
        """The sizes of the groups of rows of an anatomy that are equal; its classes join rows that are not."""
        main = next(iter(self.tables.values()))
        plan = self.plan.changed(risk=RiskSettings())  # the column of weights may not be published
        found = classes_of(with_persons(main, self.private.witness.persons, plan), plan)
        return Sizes(found.sizes, found.individuals)

    def _disclosure(self, audit: Audit | None) -> dict[str, Any]:
        """The audit of every sensitive column with a hierarchy; the public one, if it covers them all."""
        trees = with_trees(self.plan)
        if audit is None or {each.column for each in audit.columns} != {*trees}:
            return audit_of(self.tables, self.plan, trees).to_json() if trees else {}
        return audit.to_json()

    def _item_loss(self) -> dict[str, object]:
        """The item loss of the set-valued columns; empty if there are none."""
        items = self.private.items
        return lost({name: (each.cost, each.whole) for name, each in items.items()}) if items else {}

    def _risk(self, verification: Verification, disclosure: Mapping[str, Any]) -> dict[str, Any]:
        """The risk of rows with equal released quasi-identifiers, in persons if the plan counts them."""
        if not verification.classes:
            return {}
        sizes, persons = released_sizes(verification) if RELEASE in self.tables else self._exact_sizes()
        found = risk_of_sizes(sizes, self.plan.risk, disclosure or None)
        bounded = {each.threshold: {"accepted": each.accepted, "measured": each.measured} for each in found.exceeded}
        figures = {name: {**each} for name, each in found.figures.items()}
        for detail in ("table", "columns"):  # the manifest has the audit itself under a key of its own
            figures.get(Disclosure.name, {}).pop(detail, None)
        return {**figures, "individuals": persons, "thresholds": dict(found.thresholds), "exceeded": bounded}


def _known(column: Column, released: pl.Series) -> tuple[Column, list[tuple[str, tuple[str, ...]]]]:
    """The settings of a column and the paths of its values in order: all that a model can see of its tree."""
    return column.model_copy(update={"hierarchy": None}), list(facts(column, released).paths.items())
