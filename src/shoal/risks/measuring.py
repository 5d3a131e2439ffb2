"""The risk of a table: every measure, every attack, and the thresholds that they exceed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal import table
from shoal.arrays import Int64
from shoal.engines.spark_source import is_spark_frame
from shoal.errors import PlanError
from shoal.forms.generalized import RELEASE
from shoal.hierarchies import File
from shoal.hierarchies.protected import require_nodes
from shoal.manifest import MANIFEST
from shoal.plan import Plan, RiskSettings
from shoal.progress import Progress, silent
from shoal.risks import ALL
from shoal.risks.auditing import Counted, audit_of, with_trees
from shoal.risks.base import Candidates, Figures, RiskMeasure, Sample
from shoal.risks.classes import Classes, classes_of
from shoal.risks.counting import COUNTED, counted_frame
from shoal.risks.noting import notes, warnings
from shoal.risks.reference import candidates
from shoal.risks.unprotected import unlinked, unrestricted
from shoal.roles.columns import Column
from shoal.roles.parameters import is_finite
from shoal.verification.labels import is_readable

if TYPE_CHECKING:
    from shoal.attacks.base import Outcome

_ANATOMY = (
    "The release is an anatomy: its quasi-identifiers are exact. Re-identification figures are about who is in the "
    "table; sensitive values are protected by the classes, which the attacks measure."
)


@dataclass(frozen=True)
class Exceeded:
    """A threshold of the plan, and the figure that exceeds it."""

    threshold: str
    accepted: float
    measured: float


@dataclass(frozen=True)
class Risk:
    """The risk of a table: figures and shares, but no values.

    `figures`: measure → its figures by name, for every measure that could be computed; `not_measured`: measure → what
    it lacks. `uniques`: the rows that no other row equals. `attacks`: the outcome of every attack that applies.
    `exceeded`: the thresholds of the plan that a figure exceeds; `unchecked`: those whose figure could not be computed.
    `unattacked`: the set-valued columns whose knowledge table is not at hand, so that a promise was not attacked.
    All figures count individuals instead of rows if `individuals` is true, the prosecutor risk alone if
    `prosecutor_individuals` is. `reference_rows`: the number of rows of the
    reference table, with which some measures compare by overlap (`by_overlap`); `reference_columns`: the
    quasi-identifiers that it has. `warnings`: why figures may be too low.
    """

    rows: int
    classes: int
    uniques: int
    columns: tuple[str, ...]
    figures: Mapping[str, Mapping[str, Any]]
    not_measured: Mapping[str, str] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    exceeded: tuple[Exceeded, ...] = ()
    unchecked: tuple[str, ...] = ()
    attacks: tuple[Outcome, ...] = ()
    unattacked: tuple[str, ...] = ()
    individuals: bool = False
    prosecutor_individuals: bool = False
    reference_rows: int | None = None
    reference_columns: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def in_individuals(self) -> bool:
        """Whether the prosecutor risk counts individuals, alone or with all other figures."""
        return self.individuals or self.prosecutor_individuals

    @property
    def holds(self) -> bool:
        """Whether no threshold is exceeded and no attack beats what the models promise."""
        return not self.exceeded and all(outcome.holds for outcome in self.attacks)

    @property
    def is_judged(self) -> bool:
        """Whether there was anything to judge by: a threshold, or an attack with a bound."""
        return bool(self.thresholds) or any(outcome.bound is not None for outcome in self.attacks)

    def to_json(self) -> dict[str, Any]:
        """The risk as JSON values. Measures that were not computed are null."""
        return {
            "rows": self.rows,
            "classes": self.classes,
            "uniques": self.uniques,
            "individuals": self.individuals,
            "quasi_identifiers": list(self.columns),
            "reference_rows": self.reference_rows,
            "reference_columns": None if self.reference_columns is None else list(self.reference_columns),
            **{measure.name: self._of(measure) for measure in ALL},
            "not_measured": dict(self.not_measured),
            "attacks": [outcome.to_json() for outcome in self.attacks],
            "unattacked": list(self.unattacked),
            "thresholds": dict(self.thresholds),
            "exceeded": [vars(each) for each in self.exceeded],
            "unchecked": list(self.unchecked),
            "holds": self.holds,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def _of(self, measure: type[RiskMeasure]) -> dict[str, Any] | None:
        figures = self.figures.get(measure.name)
        return None if figures is None else {**figures, "compared_by": self._comparison(measure)}

    def _comparison(self, measure: type[RiskMeasure]) -> str:
        """How a measure compared rows: only rows of a reference table can overlap without being equal."""
        return measure.compares if self.reference_rows is not None else "equality"

    @property
    def by_overlap(self) -> tuple[str, ...]:
        """The measures whose figures compare labels with the reference table by overlap."""
        return tuple(each.name for each in ALL if each.name in self.figures and self._comparison(each) == "overlap")

    def __str__(self) -> str:
        from shoal.risks.showing import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from shoal.risks.showing import as_html

        return as_html(self)


def risk(
    frame: Any,
    plan: Plan,
    *,
    reference: Any = None,
    sampling_fraction: float | None = None,
    raw: Any = None,
    thresholds: RiskSettings | None = None,
    attacks: bool = True,
    seed: int = 0,
    progress: Progress = silent,
) -> Risk:
    """The risk of a pandas, polars, pyarrow or Spark table, raw or released, by the roles and models of a plan.

    `reference`: the intruder's table of individuals. `sampling_fraction`: the share of the population that is in the
    table. `raw`: the steward's input of a release, against which the success of attacks is checked. `thresholds`
    replaces those of the plan. Without `attacks`, only figures are computed. Samples of attacks are drawn with `seed`.
    What is computed from raw values is for the steward. Of a Spark frame, only counted rows leave Spark.

    >>> from shoal.models import KAnonymity
    >>> from shoal.roles.columns import quasi
    >>> people = pl.DataFrame({"age": [30, 30, 41], "sex": ["f", "f", "m"]})
    >>> plan = Plan(columns={"age": quasi(), "sex": quasi()}, models=[KAnonymity(k=2)])
    >>> risk(people, plan, attacks=False).figures["prosecutor"]["highest"]
    1.0
    """
    if thresholds is not None:
        plan = plan.changed(risk=thresholds)
    known, truth = (None if each is None else table.to_polars(each)[0] for each in (reference, raw))
    settings = Settings(known, sampling_fraction, attacks, seed, raw=truth, counted=is_spark_frame(frame))
    if settings.counted:
        rows, plan = counted_frame(frame, plan)
    else:
        rows = table.Runs.of(table.to_polars(frame)[0])
    found = risk_of_tables({RELEASE: rows}, plan.for_table(rows.columns, complete=False), settings, progress=progress)
    return replace(found, notes=(*found.notes, COUNTED)) if settings.counted else found


LARGEST_SEED = 2**32 - 1
"""The largest seed that every attack can use."""


@dataclass(frozen=True)
class Settings:
    """What is known besides a table, and whether it is attacked."""

    reference: pl.DataFrame | None = None
    sampling_fraction: float | None = None
    attacks: bool = True
    seed: int = 0
    earlier: Mapping[str, table.Runs] | None = None
    raw: pl.DataFrame | None = None
    counted: bool = False
    """Whether the rows were counted, so that their order is not known."""

    def __post_init__(self) -> None:
        fraction = self.sampling_fraction
        if fraction is not None and (not is_finite(fraction) or not 0 < fraction <= 1):
            raise PlanError(
                f"The sampling fraction must be a number above 0 and at most 1; got {fraction!r}.",
                hint="it is the share of the population that is in the table.",
            )
        if not 0 <= self.seed <= LARGEST_SEED:
            raise PlanError(
                "The seed of samples is out of range.",
                allowed=f"It is a whole number from 0 to {LARGEST_SEED}.",
                hint="omit it to use 0.",
            )

    def knowing(self, reference: pl.DataFrame) -> Settings:
        """The same with a reference table."""
        return replace(self, reference=reference)


def risk_of_tables(
    tables: Mapping[str, table.Runs], plan: Plan, settings: Settings, *, progress: Progress = silent
) -> Risk:
    """The risk of published tables, the main one first; a raw table is given as the table of a release."""
    main = next(iter(tables.values()))
    progress("count", 0.0)
    classes = classes_of(main, plan)
    sample = _sample(tables, classes, plan, settings, progress)
    figures, lacking = measured(sample, progress)
    given, unattacked = plan.risk.given, lacking_knowledge(main, plan) if settings.attacks else ()
    return Risk(
        rows=classes.rows,
        classes=len(classes.sizes),
        uniques=int((classes.sizes == 1).sum()),
        columns=classes.columns,
        figures=figures,
        not_measured=lacking,
        thresholds=given,
        exceeded=exceeded(figures, given),
        unchecked=tuple(key for cls in ALL if cls.name in lacking for key in cls.limits if key in given),
        attacks=_attacked(tables, plan, _usable(settings, sample), progress),
        unattacked=unattacked,
        individuals=classes.individuals,
        reference_rows=None if settings.reference is None else settings.reference.height,
        reference_columns=None if sample.candidates is None else sample.compared,
        notes=(*(() if RELEASE in tables else (_ANATOMY,)), *notes(sample, figures)),
        warnings=(
            *unrestricted(classes, plan),
            *(unlinked(main, plan) if settings.attacks else ()),
            *warnings(sample, unattacked),
        ),
    )


def risk_of_sizes(sizes: Int64, thresholds: RiskSettings, audit: Figures | None = None) -> Risk:
    """The risk that follows from the class sizes of a table, int64 [classes], and its audit alone."""
    rows = int(sizes.sum())
    classes = Classes((), (), np.zeros((0, len(sizes)), np.int32), sizes, rows)
    figures, lacking = measured(Sample(classes, at_risk=thresholds.highest, audit=audit))
    above = exceeded(figures, thresholds.given)
    unique = int((sizes == 1).sum())
    return Risk(rows, len(sizes), unique, (), figures, lacking, thresholds.given, above)


def measured(sample: Sample, progress: Progress = silent) -> tuple[dict[str, Mapping[str, Any]], dict[str, str]]:
    """The figures of every measure that can be computed, and what the others lack."""
    figures, lacking = {}, {}
    for cls in ALL:
        measure = cls()
        if reason := measure.lacks(sample):
            lacking[measure.name] = reason
        else:
            progress("risk", 0.0)
            figures[measure.name] = measure.of(sample, progress)
    return figures, lacking


def _sample(
    tables: Mapping[str, table.Runs], classes: Classes, plan: Plan, settings: Settings, progress: Progress
) -> Sample:
    found: Candidates | None = None
    if settings.reference is not None:
        found = candidates(classes, settings.reference, plan, progress)
    audit = _audit(tables, classes, plan, progress)
    return Sample(classes, settings.sampling_fraction, found, plan.risk.highest, audit)


def _audit(tables: Mapping[str, table.Runs], classes: Classes, plan: Plan, progress: Progress) -> Figures | None:
    """The disclosure audit by the classes of the other figures; in an anatomy, by those that publish sensitive values.

    None if no sensitive column has a hierarchy.
    """
    main = next(iter(tables.values()))
    names = [name for name in with_trees(plan) if RELEASE not in tables or name in main.columns]
    if not names:
        return None
    progress("disclosure", 0.0)
    for name in names:
        _require_nodes(name, plan.columns[name])
    if RELEASE not in tables or classes.of_run is None:
        return audit_of(tables, plan, names).to_json()
    counted = Counted(classes.of_run, classes.sizes, classes.individuals)
    return audit_of(tables, plan, names, counted).to_json()


def _require_nodes(name: str, column: Column) -> None:
    """Raises if a protected label is no node of the hierarchy, which would let every class pass.

    The published tree of a release has only the nodes of released values, so it may lack protected ones.
    """
    spec = column.hierarchy
    is_published = isinstance(spec, File) and (Path(spec.path).parent.parent / MANIFEST).is_file()
    if column.protected and is_readable(column) and not is_published:
        require_nodes(name, column.protected, spec)


def _usable(settings: Settings, sample: Sample) -> Settings:
    """The settings without a reference in which no row has a candidate: every link to it would fail."""
    found = sample.candidates
    return replace(settings, reference=None) if found is not None and found.is_empty else settings


def lacking_knowledge(main: table.Runs, plan: Plan) -> tuple[str, ...]:
    """The columns of a table about which a promise was made with a knowledge table that is not at hand."""
    return tuple(name for name in plan.looked_up if name in main.columns and plan.columns[name].knowledge is None)


def exceeded(figures: Mapping[str, Mapping[str, Any]], thresholds: Mapping[str, float]) -> tuple[Exceeded, ...]:
    """The thresholds that the figures of the measures exceed."""
    limits = [(measure.name, key, limit) for measure in ALL for key, limit in measure.limits.items()]
    return tuple(
        Exceeded(key, thresholds[key], figures[name][limit.figure])
        for name, key, limit in limits
        if key in thresholds and name in figures and limit.exceeded(figures[name][limit.figure], thresholds[key])
    )


def _attacked(
    tables: Mapping[str, table.Runs], plan: Plan, settings: Settings, progress: Progress
) -> tuple[Outcome, ...]:
    if not settings.attacks:
        return ()
    from shoal.attacks.running import Target, run_all

    target = Target(
        tables=tables,
        plan=plan,
        raw=settings.raw,
        reference=settings.reference,
        earlier=settings.earlier,
        seed=settings.seed,
        counted=settings.counted,
    )
    return run_all(target, progress)
