"""Elimination attack: ruling out some sensitive values of an individual may leave rows that agree in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags
from shoal.attacks.base import Attack, Exposed, Outcome, of_share
from shoal.attacks.target import Target
from shoal.coded import coded_values
from shoal.coded.stats import ClassStats, MemberStats
from shoal.counts import counted
from shoal.errors import PromiseBroken, ShoalError
from shoal.forms.generalized import RELEASE
from shoal.labels import MISSING
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from shoal.models.hitting_sets import least_touching
from shoal.models.multi_sensitive import MultiSensitive, touchable
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.table import Runs
from shoal.verification.folder import own_plan
from shoal.verification.reading import read_runs
from shoal.verification.regrouping import canonical, counted_rows, with_classes
from shoal.verification.tables import column_problems

_PERSONS_TRIED = 500
_CLASSES_TRIED = 20_000
_NODES_IN_PYTHON = 100_000
"""Searches of at most this many nodes run in plain Python, at about 10 µs per node."""


@dataclass(frozen=True)
class Elimination(Attack):
    """Finds classes in which up to `ruled_out` excluded values leave an individual with a single sensitive value.

    The intruder knows the class of the individual, and some values of any columns that the individual does not have.
    Values to rule out are chosen greedily: every exposure that is found is real, but others may be missed. A class of
    diversity l exposes nothing to an intruder who rules out up to l − 2 values.
    Paper: Gal, Chen, Gangopadhyay 2008, Theorem 1.
    """

    ruled_out: int | None = None
    """The number of values that the intruder rules out; by default, what the models of the plan should withstand."""
    columns: tuple[str, ...] = ()
    """The sensitive columns; by default, all."""

    kind: ClassVar[str] = "elimination"
    about: ClassVar[str] = "rules out values that an individual does not have, until a single value remains"
    against: ClassVar[str] = "multi-sensitive"
    knows: ClassVar[str] = "The class of the individual, and some sensitive values that the individual does not have."
    published: ClassVar[bool] = True

    def applies(self, target: Target) -> str:
        if target.is_anatomy:
            return "An anatomy does not show which sensitive values share a row."
        return "" if self._columns(target) else "The table has no sensitive column."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        columns = self._columns(target)
        ruled_out = _required_l(target.plan) - 2 if self.ruled_out is None else self.ruled_out
        sample = _sampled(target)
        attack = Elimination(ruled_out, columns)
        evidence = _evidence(sample, target.plan)
        exposed = attack.run(evidence)
        progress("whole table", 0.8)
        whole = attack.run(_as_one_class(evidence))
        return (
            of_share(
                self,
                exposed.rows_exposed,
                exposed.rows,
                baseline=float(whole.rows_exposed > 0),
                bound=_bound(target, ruled_out, columns),
                measured="The share of rows in a class where an individual is left with one value of a sensitive "
                f"column after {_values_are(ruled_out)} ruled out; the baseline takes the whole table as one class.",
                column=columns[0] if len(columns) == 1 else None,
                knows=f"The class of the individual, and {counted(ruled_out, 'value', 'values')} of the sensitive "
                "columns that the individual does not have.",
                sampled=sample.height < target.rows,
            ),
        )

    def _columns(self, target: Target) -> tuple[str, ...]:
        return self.columns or target.sensitive

    def run(self, evidence: Evidence) -> Exposed:
        from shoal.kernels.hitting import eliminations

        if not evidence.linked:
            raise ShoalError("Elimination needs to know which sensitive values share a row; an anatomy hides this.")
        columns, ruled_out = self.columns or tuple(evidence.facts), self.ruled_out or 0
        stats = _stats(evidence, columns)
        classes = touchable(stats, columns)
        exposed = eliminations(classes, ruled_out, _PERSONS_TRIED) <= ruled_out
        sizes = stats.sizes
        return Exposed(len(stats), int(exposed.sum()), int(sizes.sum()), int(sizes[exposed].sum()))

    @staticmethod
    def found_in(tables: Mapping[str, Runs], plan: Plan) -> tuple[str, ...]:
        """The results on the released table, if the models cover at least two columns.

        With fewer covered columns, no promise exists that elimination could break, and a warning names the uncovered
        ones. The kernels take about 2 s to compile on first use, and then well below a second for 30,000 rows. A
        release that the attack cannot affect does not spend this time.
        """
        if len(plan.guarded) < 2 or RELEASE not in tables:
            return ()
        found = trap(_evidence(tables[RELEASE], plan), plan.sensitive, _required_l(plan)).sentences()
        return (*found, *_partly_covered(plan))

    @staticmethod
    def shown_on(folder: Path) -> tuple[str, ...]:
        plan = own_plan(folder)
        if len(plan.sensitive) < 2:
            return ()
        if plan.release.form == "anatomy":
            return ("The release is an anatomy: its files do not show which sensitive values share a row.",)
        return trap_in_folder(folder).sentences()


def _partly_covered(plan: Plan) -> list[str]:
    """Which columns a model protects against elimination, if not all; nothing if no model does, or one covers all."""
    covered = [model.reads for model in plan.enforced if model.kind == Elimination.against]
    if not covered or any(set(plan.sensitive) <= set(reads) for reads in covered):
        return []
    promised = " and ".join(f"({', '.join(reads)})" for reads in covered)
    return [f"The model '{Elimination.against}' promises to withstand this for {promised} only, not for all of them."]


def _values_are(ruled_out: int) -> str:
    does = "is" if ruled_out == 1 else "are"
    return f"{counted(ruled_out, 'value', 'values')} that the individual does not have {does}"


def _bound(target: Target, ruled_out: int, columns: tuple[str, ...]) -> float | None:
    """0 if a model promises that as many values can be ruled out; None otherwise, or if persons are counted."""
    promised = [
        model
        for model in target.plan.enforced
        if model.kind == Elimination.against and not getattr(model, "limits", None) and set(columns) <= set(model.reads)
    ]
    withstood = max((int(getattr(model, "l", 0)) - 2 for model in promised), default=-1)
    return 0.0 if withstood >= ruled_out and target.promises_rows else None


def _sampled(target: Target) -> Runs:
    """The released rows of all classes, or of a sample of them."""
    classes = target.classes
    if len(classes) <= _CLASSES_TRIED:
        return target.main
    drawn = np.zeros(len(classes), np.bool_)
    drawn[np.random.default_rng(target.seed).choice(len(classes), _CLASSES_TRIED, replace=False)] = True
    return target.main.filtered(drawn[classes.of_run])


def _as_one_class(evidence: Evidence) -> Evidence:
    """The same rows without their classes."""
    rows = evidence.rows.drop(CLASS).group_by(pl.exclude(COUNT)).agg(pl.col(COUNT).sum())
    return Evidence(rows.with_columns(pl.lit(0, pl.UInt32).alias(CLASS)), evidence.facts)


@dataclass(frozen=True)
class Trap:
    """A risk that l-diversity by column misses: every column of a class has l values, but its diversity is below l.

    `exposed`: the number of classes in which an elimination attack that rules out l − 2 values learns a value.
    `trapped`: the number of these classes that pass l-diversity by column.
    """

    l: int
    columns: tuple[str, ...]
    classes: int
    pass_each_column: int
    fall_together: int
    exposed: int
    trapped: int

    def sentences(self) -> tuple[str, ...]:
        """The counts in sentences."""
        l, values = self.l, counted(self.l - 2, "value", "values")
        have, satisfy = ("has", "satisfies") if self.pass_each_column == 1 else ("have", "satisfy")
        below = "has" if self.fall_together == 1 else "have"
        trapped = "satisfies" if self.trapped == 1 else "satisfy"
        return (
            f"{self.pass_each_column:,} of {counted(self.classes, 'class', 'classes')} {have} at least {l} values of "
            f"every sensitive column ({', '.join(self.columns)}) and so {satisfy} {l}-diversity in each column.",
            f"{self.fall_together:,} of these classes {below} a diversity below {l} over all columns together: fewer "
            f"than {l} values cover all of their rows.",
            f"In {counted(self.exposed, 'class', 'classes')}, an intruder who rules out up to {values} of an "
            f"individual can infer a sensitive value; {self.trapped:,} of these classes {trapped} {l}-diversity in "
            "each column.",
        )


def trap(evidence: Evidence, columns: Sequence[str], l: int) -> Trap:
    """Counts the classes that pass l-diversity in every column but are exposed to elimination over all columns."""
    from shoal.kernels.hitting import eliminations

    names = tuple(columns)
    stats = _stats(evidence, names)
    each_column = np.ones(len(stats), np.bool_)
    for name in names:
        counts = stats.counts(name).without(stats.domain(name).missing)
        each_column &= np.diff(counts.offsets) >= l
    exposed = eliminations(touchable(stats, names), l - 2, _PERSONS_TRIED) <= l - 2
    return Trap(
        l,
        names,
        len(stats),
        int(each_column.sum()),
        int((each_column & exposed).sum()) + _not_diverse(stats, names, l, each_column & ~exposed),
        int(exposed.sum()),
        int((each_column & exposed).sum()),
    )


def _not_diverse(stats: ClassStats, columns: tuple[str, ...], l: int, candidates: Flags) -> int:
    """The number of candidates, bool [classes], with a diversity below l; all exposed classes have one.

    A few classes are decided in plain Python, in less time than it takes to load or compile the kernels. The result is
    the same, because no search of these can exceed its budget of nodes.
    """
    model = MultiSensitive(l=l, k=1, columns=columns)
    if model.nodes_at_most * int(candidates.sum()) > _NODES_IN_PYTHON:
        return int((candidates & ~model.passes(stats)).sum())
    classes = touchable(stats, columns)
    failing = 0
    for c in np.flatnonzero(candidates):
        tuples = classes.tuples[classes.entries[classes.offsets[c] : classes.offsets[c + 1]]]
        rows = [tuple(row) for row in (tuples + classes.starts).tolist()]
        failing += least_touching(rows, [l] * len(columns), l)[0] < l
    return failing


def trap_in_folder(folder: str | Path, l: int | None = None) -> Trap:
    """The trap in a published release, computed from its files; `l` defaults to the value of its plan."""
    folder = Path(folder)
    plan = own_plan(folder)
    if plan.release.form == "anatomy":
        raise ShoalError("An anatomy does not show which sensitive values share a row, so it cannot be attacked.")
    if len(plan.sensitive) < 2:
        raise ShoalError("The attack combines sensitive columns, and the release has fewer than two.")
    tables = read_runs(folder, plan)
    if problems := column_problems(tables[RELEASE].columns, plan):
        raise PromiseBroken(" ".join(problems))
    evidence = _evidence(tables[RELEASE], plan)
    return trap(evidence, plan.sensitive, _required_l(plan) if l is None else l)


def evidence_of(released: pl.DataFrame, plan: Plan) -> Evidence:
    """The evidence of a generalized table for attacks: its classes and all sensitive columns."""
    return _evidence(Runs.of(released), plan)


def _evidence(released: Runs, plan: Plan) -> Evidence:
    columns = [*plan.quasi_identifiers, *plan.sensitive]
    rows, _ = with_classes(counted_rows(released, columns), plan.quasi_identifiers)
    texts = [canonical(rows[name], plan.columns[name], plan.data.absent) for name in plan.sensitive]
    return Evidence(rows.with_columns(texts), {name: SensitiveFacts(plan.columns[name]) for name in plan.sensitive})


def _required_l(plan: Plan) -> int:
    """The largest l or p of the plan's models, at least 3: with 2, an intruder could rule out no value."""
    required = [getattr(model, name, 0) for model in plan.enforced for name in ("l", "p")]
    return max([3, *(int(number) for number in required)])


def _stats(evidence: Evidence, columns: tuple[str, ...]) -> ClassStats:
    """The class statistics of the evidence, as in a search."""
    rows = evidence.rows.sort(CLASS)
    values = {name: rows[name].fill_null(MISSING).to_list() for name in columns}
    settings = {name: evidence.facts[name].settings for name in columns}
    coded = coded_values(values, weight=rows[COUNT].to_list(), settings=settings)
    starts = np.flatnonzero(np.diff(rows[CLASS].to_numpy(), prepend=-1))
    return MemberStats(coded, np.arange(rows.height), np.append(starts, rows.height))
