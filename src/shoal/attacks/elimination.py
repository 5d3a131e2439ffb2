"""Elimination: whoever can rule out some sensitive values of a person may be left with rows that agree in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags
from shoal.attacks.base import Exposed
from shoal.coded import coded_values
from shoal.coded.stats import ClassStats, MemberStats
from shoal.errors import PromiseBroken, ShoalError
from shoal.forms.generalized import RELEASE
from shoal.labels import MISSING
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from shoal.models.hitting_sets import least_touching
from shoal.models.multi_sensitive import MultiSensitive, touchable
from shoal.plan import Plan
from shoal.verification.anatomy import verify_tables
from shoal.verification.folder import own_plan, read_tables
from shoal.verification.regrouping import canonical, counted_rows, with_classes

_PERSONS_TRIED = 500
_NODES_IN_PYTHON = 100_000
"""Searches of at most this many nodes run in plain Python, at about 10 µs per node."""


@dataclass(frozen=True)
class Elimination:
    """Finds persons of whom a sensitive value is left alone once up to `ruled_out` others are excluded.

    The intruder knows the person's class and that the person does not have those values, of whatever columns. Values
    to rule out are chosen greedily: what is found is exposed, what is not found may still be. A class whose diversity
    is l exposes nothing to an intruder who rules out up to l − 2 values.
    Paper: Gal, Chen, Gangopadhyay 2008, Theorem 1.
    """

    ruled_out: int
    columns: tuple[str, ...]

    kind: ClassVar[str] = "elimination"
    about: ClassVar[str] = "rules out values that a person does not have, until one is left"
    against: ClassVar[str] = "multi-sensitive"

    def run(self, evidence: Evidence) -> Exposed:
        from shoal.kernels.hitting import eliminations

        if not evidence.linked:
            raise ShoalError("Elimination needs to see which sensitive values share a row; an anatomy does not tell.")
        stats = _stats(evidence, self.columns)
        classes = touchable(stats, self.columns)
        fallen = eliminations(classes, self.ruled_out, _PERSONS_TRIED) <= self.ruled_out
        sizes = stats.sizes
        return Exposed(len(stats), int(fallen.sum()), int(sizes.sum()), int(sizes[fallen].sum()))

    @staticmethod
    def found_in(tables: Mapping[str, pl.DataFrame], plan: Plan) -> tuple[str, ...]:
        """Only where models guard two columns or more: else nothing is promised that ruling out values could take away,
        and a warning names the unguarded ones. The kernels take some 2 s to compile when they are first used, and
        well below a second for 30,000 rows after that, so a release is not kept waiting for what says nothing of it.
        """
        if len(plan.reads) < 2 or RELEASE not in tables:
            return ()
        return trap(evidence_of(tables[RELEASE], plan), plan.sensitive, _asked(plan)).sentences()

    @staticmethod
    def shown_on(folder: Path) -> tuple[str, ...]:
        plan = own_plan(folder)
        if len(plan.sensitive) < 2:
            return ()
        if plan.release.form == "anatomy":
            return ("The release is an anatomy: its files do not tell which sensitive values share a row.",)
        return trap_in_folder(folder).sentences()


@dataclass(frozen=True)
class Trap:
    """What per-column l-diversity hides: classes in which every column has l values and the diversity is below l.

    `exposed` are the classes of which an elimination attack that rules out l − 2 values learns a value, `trapped` those
    of them that per-column l-diversity passes.
    """

    l: int
    columns: tuple[str, ...]
    classes: int
    pass_each_column: int
    fall_together: int
    exposed: int
    trapped: int

    def sentences(self) -> tuple[str, ...]:
        """The same in words, for people to read."""
        return (
            f"{self.pass_each_column} of {self.classes} classes have at least {self.l} values of every sensitive "
            f"column ({', '.join(self.columns)}), and so pass {self.l}-diversity column by column.",
            f"{self.fall_together} of these have a diversity below {self.l} over all columns together: fewer than "
            f"{self.l} values touch all of their rows.",
            f"An intruder who rules out up to {self.l - 2} values of a person is left with a single value of some "
            f"column in {self.exposed} classes, {self.trapped} of which pass column by column.",
        )


def trap(evidence: Evidence, columns: Sequence[str], l: int) -> Trap:
    """How many classes pass l-diversity in every column and fall to elimination over all of them."""
    from shoal.kernels.hitting import eliminations

    names = tuple(columns)
    stats = _stats(evidence, names)
    each = np.ones(len(stats), np.bool_)
    for name in names:
        counts = stats.counts(name).without(stats.domain(name).missing)
        each &= np.diff(counts.offsets) >= l
    exposed = eliminations(touchable(stats, names), l - 2, _PERSONS_TRIED) <= l - 2
    return Trap(
        l,
        names,
        len(stats),
        int(each.sum()),
        int((each & exposed).sum()) + _not_diverse(stats, names, l, each & ~exposed),
        int(exposed.sum()),
        int((each & exposed).sum()),
    )


def _not_diverse(stats: ClassStats, columns: tuple[str, ...], l: int, asked: Flags) -> int:
    """How many of the `asked` classes have a diversity below l. Exposed classes need not be asked: they all do.

    Few classes are decided in plain Python, in less time than loading or compiling the kernels takes. The result is the
    same, because no search of these can exceed its budget of nodes.
    """
    model = MultiSensitive(l=l, k=1, columns=columns)
    if model.nodes_at_most * int(asked.sum()) > _NODES_IN_PYTHON:
        return int((asked & ~model.passes(stats)).sum())
    classes = touchable(stats, columns)
    failing = 0
    for c in np.flatnonzero(asked):
        tuples = classes.tuples[classes.entries[classes.offsets[c] : classes.offsets[c + 1]]]
        rows = [tuple(row) for row in (tuples + classes.starts).tolist()]
        failing += least_touching(rows, [l] * len(columns), l)[0] < l
    return failing


def trap_in_folder(folder: str | Path, l: int | None = None) -> Trap:
    """The trap in a published release, from its files; `l` is what its plan asks for unless given."""
    folder = Path(folder)
    plan = own_plan(folder)
    if plan.release.form == "anatomy":
        raise ShoalError("An anatomy does not tell which sensitive values share a row: the files do not show the trap.")
    if len(plan.sensitive) < 2:
        raise ShoalError("The release has fewer than two sensitive columns: there is nothing to combine.")
    tables = read_tables(folder, plan)
    found = verify_tables(tables, plan)
    if found.problems:
        raise PromiseBroken(" ".join(found.problems))
    evidence = evidence_of(tables["release"], plan)
    return trap(evidence, plan.sensitive, _asked(plan) if l is None else l)


def evidence_of(released: pl.DataFrame, plan: Plan) -> Evidence:
    """A generalized table as attacks see it: its classes and all sensitive columns."""
    columns = [*plan.quasi_identifiers, *plan.sensitive]
    rows, _ = with_classes(counted_rows(released, columns), plan.quasi_identifiers)
    texts = [canonical(rows[name], plan.columns[name], plan.data.absent) for name in plan.sensitive]
    return Evidence(rows.with_columns(texts), {name: SensitiveFacts(plan.columns[name]) for name in plan.sensitive})


def _asked(plan: Plan) -> int:
    """The most values that a model of the plan asks for, at least 3: with 2 there is nothing to rule out."""
    asked = [getattr(model, name, 0) for model in plan.enforced for name in ("l", "p")]
    return max([3, *(int(number) for number in asked)])


def _stats(evidence: Evidence, columns: tuple[str, ...]) -> ClassStats:
    """The classes as the search sees them."""
    rows = evidence.rows.sort(CLASS)
    values = {name: rows[name].fill_null(MISSING).to_list() for name in columns}
    settings = {name: evidence.facts[name].settings for name in columns}
    coded = coded_values(values, weight=rows[COUNT].to_list(), settings=settings)
    starts = np.flatnonzero(np.diff(rows[CLASS].to_numpy(), prepend=-1))
    return MemberStats(coded, np.arange(rows.height), np.append(starts, rows.height))
