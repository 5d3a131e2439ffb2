"""What a privacy model is: a promise stated twice, over arrays for the search and in polars for verification."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from shoal.arrays import Flags, Int32
from shoal.coded.combinations import Bound, Table, judge
from shoal.coded.domains import SensitiveDomain
from shoal.coded.stats import ClassStats
from shoal.errors import PlanError
from shoal.models.evidence import Evidence, Figure, Finding
from shoal.roles.parameters import column_name, texts


class Monotone(Enum):
    """What is known of a merged class, and so how far a search may prune.

    Both claims are about rows. With a person column UPWARD still holds, but UNION does not: a person with rows in both
    classes is one person in their union, whose size is less than their sum. A search over persons treats UNION as NONE.
    """

    UPWARD = "upward"
    """A passing class plus anything passes."""
    UNION = "union"
    """Two passing classes merged pass."""
    NONE = "none"

    def merges(self, persons: bool) -> bool:
        """Whether passing classes merged pass; `persons`: whether persons are counted, who may have several rows."""
        return self is Monotone.UPWARD or (self is Monotone.UNION and not persons)


@dataclass(frozen=True)
class About:
    """What `shoal explain` says of a model. Plain sentences; `example` shows a class that fails and why.

    `sample`: parameters to show it with, for a sensitive column called "diagnosis".
    """

    promise: str
    not_protected: str
    example: str
    paper: str
    sample: Mapping[str, Any]


class Setting(NamedTuple):
    """What a model is to be enforced with: an algorithm, which judges whole tables or class by class, a form, which
    publishes generalized labels or exact values, and the share of rows that may be suppressed."""

    algorithm: str
    judges_tables: bool
    form: str
    generalizes: bool
    suppression: float


@runtime_checkable
class ClassModel(Protocol):
    """A model that judges one class at a time. Implementations are frozen dataclasses named after the paper's noun."""

    kind: ClassVar[str]
    about: ClassVar[About]
    counts_values: ClassVar[bool] = False
    """Whether it asks that sensitive values differ, not by how much: then it says little of nearly continuous ones."""
    judges_table: ClassVar[bool] = False
    """Whether the verdict on a class depends on what all other classes show."""
    largest: ClassVar[tuple[str, ...]] = ()
    """Achieved figures of which the largest over all classes counts; of any other the smallest does."""
    summed: ClassVar[tuple[str, ...]] = ()
    """Achieved figures that add up over classes."""

    @property
    @abstractmethod
    def monotone(self) -> Monotone: ...

    @property
    @abstractmethod
    def floor(self) -> int:
        """No class of fewer rows can pass. It counts rows: one person may have several, and so several values."""
        ...

    @property
    @abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The sensitive columns the model names; empty where they still have to be `resolved`."""
        ...

    @property
    def names_values(self) -> tuple[str, ...]:
        """The sensitive values that the promise is about, where it names them; it says nothing of any other."""
        return ()

    @property
    def reads_trees(self) -> tuple[str, ...]:
        """Those of its columns whose hierarchies, or the order of whose leaves, the promise is about: verification
        reads the trees of these only."""
        return ()

    def resolved(self, sensitive: tuple[str, ...]) -> Self:
        """The model as it is used on a table with these sensitive columns; the Plan calls it before anything else.

        Most models name their column and are returned as they are. One that means "all sensitive columns" returns a
        copy that names them, and refuses to judge anything before.
        """
        return self

    def needs(self, columns: Mapping[str, Any]) -> str:
        """What the plan's columns (by name, those of `reads`) lack for this model; empty when nothing."""
        return ""

    def refuses(self, setting: Setting) -> str:
        """Why the promise cannot be kept in this setting; empty where it can."""
        return ""

    def remedy(self, stats: ClassStats) -> str:
        """Parameters with which the whole table as one class would pass, where it does not; empty when unknown."""
        return ""

    @property
    def fails_in_persons(self) -> bool:
        """Whether a class that fails when rows are counted also fails when persons are: so rows show what is broken."""
        return self.monotone is Monotone.UPWARD

    @property
    def without_shares(self) -> Self | None:
        """What the model promises besides shares, and rows show broken where persons cannot be told apart, if any."""
        return None

    @property
    def reads_jointly(self) -> bool:
        """Whether the promise is about values of several columns in one row; where rows are unlinked, it has bounds."""
        return False

    @property
    def relative_to_released(self) -> bool:
        """Whether the promise compares a class with the released rows: then suppression changes the reference."""
        return False

    @property
    def input_binds(self) -> bool:
        """Whether a class that fails against the whole input fails whatever rows are suppressed."""
        return not self.relative_to_released

    def bound(self, domain: SensitiveDomain) -> CombinationBound | None:
        """What it bounds for intruders who know only some quasi-identifiers; None where it judges class by class."""
        return None

    def least_lost(self, stats: ClassStats, passing: Flags) -> int:
        """How many rows every finer partition must suppress, given which of these classes pass.

        A failing class of an UPWARD model has no passing part. Of a UNION model it has a failing part: if all parts
        passed, so would their union.
        """
        if self.monotone is Monotone.UPWARD:
            return int(stats.sizes[~passing].sum())
        return int(self.monotone.merges(stats.counts_persons) and not passing.all())

    @abstractmethod
    def passes(self, stats: ClassStats) -> Flags:
        """bool [classes]: which classes satisfy the model, whatever the others are. For the search."""
        ...

    def allows(self, stats: ClassStats) -> Flags:
        """bool [classes]: which classes may be released, these being all classes of the table. For the search."""
        return self.passes(stats)

    @abstractmethod
    def holds(self, evidence: Evidence) -> Finding:
        """Re-checks the whole release straight from the definition, in polars. For verification only."""
        ...

    def merged(self, findings: Sequence[Finding]) -> Finding:
        """The finding over several disjoint sets of classes, from the findings of each."""
        names = dict.fromkeys(name for finding in findings for name in finding.achieved)
        achieved = {name: self._worst(name, [each.achieved[name] for each in findings]) for name in names}
        holds = all(finding.holds for finding in findings)
        return Finding(holds=holds, achieved=achieved, failing=sum(finding.failing for finding in findings))

    def _worst(self, name: str, figures: Sequence[Figure]) -> Figure:
        """One figure for all classes; text is the same for all, and none at all is the worst."""
        numbers = [figure for figure in figures if isinstance(figure, int | float)]
        if len(numbers) < len(figures):
            return next(figure for figure in figures if not isinstance(figure, int | float))
        if name in self.summed:
            return sum(numbers)
        return max(numbers) if name in self.largest else min(numbers)


class ColumnModel(ClassModel, Protocol):
    """A model about one sensitive column, named in its field `column`."""

    column: str

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,)

    def _check_column(self) -> None:
        """Refuses anything but the name of a column."""
        column_name(self, self.column)


class ColumnsModel(ClassModel, Protocol):
    """A model about several sensitive columns at once: those it names in its field `columns`, or all of them."""

    columns: tuple[str, ...] | None

    @property
    def reads(self) -> tuple[str, ...]:
        return self.columns or ()

    def resolved(self, sensitive: tuple[str, ...]) -> Self:
        if self.columns is not None:
            return self
        if not sensitive:
            raise PlanError(
                f"{type(self).__name__} needs a sensitive column; the plan has none.",
                hint='give a column role = "sensitive".',
            )
        return replace(self, columns=sensitive)  # type: ignore[type-var]  # a protocol does not say "dataclass"

    @property
    def known_columns(self) -> tuple[str, ...]:
        """The columns to judge; refused before they are known, for judging no column at all would pass everything."""
        if self.columns is None:
            raise PlanError(
                f"{type(self).__name__} is used before its sensitive columns are known.",
                hint="name them in columns, or call resolved() with the sensitive columns of the plan.",
            )
        return self.columns

    def _check_columns(self) -> None:
        """Refuses anything but nothing or a list of names, which it keeps as a tuple."""
        if self.columns is not None:
            object.__setattr__(self, "columns", texts(self, "columns", self.columns))


class CombinationBound(NamedTuple):
    """A bound on combinations of released values, and int32 [codes] the place of every sensitive code among those
    whose share it bounds, -1 for the others."""

    bound: Bound
    listed: Int32

    @property
    def values(self) -> int:
        """How many sensitive values have a bounded share."""
        return int(self.listed.max(initial=-1)) + 1


class KnowledgeModel(ColumnModel, Protocol):
    """A model of intruders who know only some quasi-identifiers: it judges the rows that match what they know.

    A class that `passes` is safe from an intruder who knows them all: sufficient, not necessary. Suppression makes
    other combinations rarer, so it is not allowed.
    """

    judges_table: ClassVar[bool] = True

    @abstractmethod
    def bound(self, domain: SensitiveDomain) -> CombinationBound: ...

    def refuses(self, setting: Setting) -> str:
        if not setting.generalizes:
            return f"Model '{self.kind}' judges generalized values, and form '{setting.form}' publishes exact ones."
        if not setting.judges_tables:
            return (
                f"Algorithm '{setting.algorithm}' cannot enforce '{self.kind}': it judges one class at a time, and "
                "this model judges combinations of some columns over the whole table."
            )
        if setting.suppression > 0:
            return (
                f"Model '{self.kind}' cannot be combined with suppression, which makes other combinations rarer. "
                "Hint: set suppression = 0 under [release]."
            )
        return ""

    def allows(self, stats: ClassStats) -> Flags:
        """All classes or none: whether a table of these classes keeps the promise."""
        found, entries = self.bound(stats.domain(self.column)), stats.entries(self.column)
        table = Table(
            nodes=lambda: stats.labels().T[:, entries.class_of],
            weight=entries.weight,
            sensitive=found.listed[entries.codes],
            values=found.values,
            class_of=entries.class_of,
            classes=len(stats),
            groups=np.array([0, len(entries.class_of)], np.int64),
            person=entries.person,
        )
        return np.full(len(stats), judge(table, found.bound, found.bound.known).holds)
