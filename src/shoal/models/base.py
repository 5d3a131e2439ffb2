"""Privacy models: each states its promise twice, over arrays for the search and in polars for verification."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from shoal.arrays import Flags, Int32
from shoal.coded.combinations import Bound, Table, judge
from shoal.coded.domains import SensitiveDomain
from shoal.coded.stats import ClassStats
from shoal.errors import PlanError
from shoal.models.about import About
from shoal.models.evidence import Evidence, Figure, Finding
from shoal.roles.parameters import column_name, texts


class Monotone(Enum):
    """What is known about merged classes. It decides how far a search may prune.

    Both properties refer to rows. With a person column, UPWARD still holds but UNION does not: a person with rows in
    both classes counts once in their union, so the union is smaller than the sum of both. A search that counts persons
    treats UNION as NONE.
    """

    UPWARD = "upward"
    """A passing class still passes after any rows are added to it."""
    UNION = "union"
    """Two passing classes that are merged pass."""
    NONE = "none"

    def merges(self, persons: bool) -> bool:
        """Whether merged passing classes pass.

        `persons`: whether persons are counted instead of rows. A person may have several rows.
        """
        return self is Monotone.UPWARD or (self is Monotone.UNION and not persons)


class Setting(NamedTuple):
    """The setting in which a model is to be enforced.

    `judges_tables`: whether the algorithm judges whole tables or one class at a time. `generalizes`: whether the form
    publishes generalized labels or exact values. `suppression`: the share of rows that may be suppressed. `persons`:
    whether persons are counted, who may have several rows.
    """

    algorithm: str
    judges_tables: bool
    form: str
    generalizes: bool
    suppression: float
    persons: bool


@runtime_checkable
class ClassModel(Protocol):
    """A model that judges one class at a time.

    Implementations are frozen dataclasses, named after the model as its paper names it.
    """

    kind: ClassVar[str]
    about: ClassVar[About]
    counts_values: ClassVar[bool] = False
    """Whether the model requires that sensitive values differ, but not by how much.

    Such a model hardly protects a nearly continuous column, in which almost every value is different.
    """
    bounds_shares: ClassVar[bool] = False
    """Whether the model bounds the share of a sensitive value in a class."""
    judges_table: ClassVar[bool] = False
    """Whether the verdict on a class depends on the labels of all other classes."""
    removes_items: ClassVar[bool] = False
    """Whether the promise is kept by removing items after the search, which then need not know the model."""
    largest: ClassVar[tuple[str, ...]] = ()
    """Achieved figures whose maximum over all classes counts. For all other figures the minimum counts."""
    summed: ClassVar[tuple[str, ...]] = ()
    """Achieved figures that are summed over all classes."""

    @property
    @abstractmethod
    def monotone(self) -> Monotone:
        """What is known about merged classes under this model."""
        ...

    @property
    @abstractmethod
    def floor(self) -> int:
        """The smallest number of rows with which a class can pass.

        It counts rows, not persons: one person may have several rows, and so several values.
        """
        ...

    @property
    @abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The sensitive columns that the model names; empty if they are not `resolved` yet."""
        ...

    @property
    def reads_items(self) -> tuple[str, ...]:
        """The quasi-sensitive columns whose items the promise is about."""
        return ()

    @property
    def names_values(self) -> tuple[str, ...]:
        """The sensitive values to which the promise is limited; empty if it covers all values."""
        return ()

    def naming(self, values: tuple[str, ...]) -> ClassModel:
        """The model with the values that it names replaced by these; itself if it names none."""
        return self

    @property
    def reads_trees(self) -> tuple[str, ...]:
        """The columns of which the promise depends on the hierarchy, or on the order of its leaves.

        Verification reads the hierarchies of these columns only.
        """
        return ()

    def resolved(self, sensitive: tuple[str, ...]) -> Self:
        """The model as it applies to a table with these sensitive columns.

        The plan calls it before anything else. Most models name their column and return themselves. A model of all
        sensitive columns returns a copy that names them, and judges nothing before that.
        """
        return self

    def needs(self, columns: Mapping[str, Any]) -> str:
        """What the columns of the plan lack for this model; empty if they lack nothing.

        `columns`: the columns in `reads` and `reads_items`, by name.
        """
        return ""

    def refuses(self, setting: Setting) -> str:
        """Why the promise cannot be kept in this setting; empty if it can."""
        return ""

    def counted_in(self, whole: ClassStats, column: str) -> str:
        """What the model counts in a column of the table, for an error; empty if it counts values or their rows."""
        return ""

    @property
    def alternative(self) -> str:
        """What to change in the plan if no parameters of the model hold on a table; empty for removing the model."""
        return ""

    def remedy(self, stats: ClassStats) -> str:
        """Parameters with which all rows pass as a single class; empty if unknown.

        Called only if the model fails there.
        """
        return ""

    @property
    def fails_in_persons(self) -> bool:
        """Whether a class that fails when rows are counted also fails when persons are counted.

        If so, a table without persons can show that the promise is broken.
        """
        return self.monotone is Monotone.UPWARD

    @property
    def without_shares(self) -> Self | None:
        """The part of the promise that does not depend on shares; None if there is none.

        If persons cannot be distinguished, rows can still show that this part is broken.
        """
        return None

    @property
    def reads_jointly(self) -> bool:
        """Whether the promise concerns values of several columns in the same row.

        A release that does not link these values shows only bounds on what was achieved.
        """
        return False

    @property
    def relative_to_released(self) -> bool:
        """Whether the promise compares a class with the released rows.

        If so, suppression changes the reference distribution.
        """
        return False

    @property
    def input_binds(self) -> bool:
        """Whether a class that fails against the full input fails whichever rows are suppressed."""
        return not self.relative_to_released

    @property
    def reads_input(self) -> bool:
        """Whether the promise is also about the distribution in the input, which is not published."""
        return False

    def fewest_values(self, column: str) -> int:
        """The fewest different values of a column in a class under the promise; 1 if it is unbounded.

        A missing value is one of them only if the plan lets it count.
        """
        return 1

    def fewest_groups(self, column: str) -> int:
        """The fewest different protected subtrees of a column in a class under the promise; 1 if it is unbounded."""
        return 1

    def sensitivity(self, column: str) -> int:
        """The p of p-sensitivity, basic or extended, that the model promises for a column; 1 if it promises none."""
        return 1

    def confidence(self, value: str, share: float) -> float:
        """The largest share of a value in a class under the promise, given its share in the released rows.

        1 if it is unbounded. Attacks compare this with what they achieve. The search and verification do not use it.
        """
        return 1.0

    def bound(self, domain: SensitiveDomain) -> CombinationBound | None:
        """The bound on combinations, against intruders who know only some quasi-identifiers.

        None if the model judges class by class.
        """
        return None

    def most_classes(self, whole: ClassStats) -> int | None:
        """The most classes of a table that can pass together, whichever rows are suppressed; None if unknown.

        `whole`: the table as a single class.
        """
        return None

    def least_lost(self, stats: ClassStats, passing: Flags) -> int:
        """The fewest rows that every finer partition must suppress, given which of these classes pass.

        Under an UPWARD model, a failing class has no passing part, so all of its rows are lost. Under a UNION model, it
        has at least one failing part: if all parts passed, so would their union.
        """
        if self.monotone is Monotone.UPWARD:
            return int(stats.sizes[~passing].sum())
        return int(self.monotone.merges(stats.counts_persons) and not passing.all())

    @abstractmethod
    def passes(self, stats: ClassStats) -> Flags:
        """bool [classes]: which classes satisfy the model, regardless of all other classes. For the search."""
        ...

    def allows(self, stats: ClassStats) -> Flags:
        """bool [classes]: which classes may be released if they are all classes of the table. For the search."""
        return self.passes(stats)

    @abstractmethod
    def holds(self, evidence: Evidence) -> Finding:
        """Re-checks the full release directly from the definition, in polars. For verification only."""
        ...

    def merged(self, findings: Sequence[Finding]) -> Finding:
        """Combines the findings on disjoint sets of classes into one finding."""
        names = dict.fromkeys(name for finding in findings for name in finding.achieved)
        achieved = {name: self._worst(name, [finding.achieved[name] for finding in findings]) for name in names}
        holds = all(finding.holds for finding in findings)
        return Finding(holds=holds, achieved=achieved, failing=sum(finding.failing for finding in findings))

    def _worst(self, name: str, figures: Sequence[Figure]) -> Figure:
        """The figure for all classes together.

        A text is the same in all findings. A figure that is missing in one of them is the worst.
        """
        numbers = [figure for figure in figures if isinstance(figure, int | float)]
        if len(numbers) < len(figures):
            return next(figure for figure in figures if not isinstance(figure, int | float))
        if name in self.summed:
            return sum(numbers)
        return max(numbers) if name in self.largest else min(numbers)


class ColumnModel(ClassModel, Protocol):
    """A model of one sensitive column, named in its field `column`."""

    column: str

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,)

    def _check_column(self) -> None:
        """Raises PlanError unless `column` is the name of a column."""
        column_name(self, self.column)


class ColumnsModel(ClassModel, Protocol):
    """A model of several sensitive columns: those named in its field `columns`, or all of them."""

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
        return replace(self, columns=sensitive)  # type: ignore[type-var]  # a protocol is no dataclass

    @property
    def known_columns(self) -> tuple[str, ...]:
        """The columns to judge.

        Raises PlanError if they are not known yet, because a model that judges no column would pass every class.
        """
        if self.columns is None:
            raise PlanError(
                f"{type(self).__name__} is used before its sensitive columns are known.",
                hint="name them in columns, or call resolved() with the sensitive columns of the plan.",
            )
        return self.columns

    def _check_columns(self) -> None:
        """Raises PlanError unless `columns` is None or a list of names, which it stores as a tuple."""
        if self.columns is not None:
            object.__setattr__(self, "columns", texts(self, "columns", self.columns))


class CombinationBound(NamedTuple):
    """A bound on combinations of released values, and the sensitive values whose share it bounds.

    `listed` int32 [codes]: the position of each sensitive code among the bounded values, -1 for all others.
    """

    bound: Bound
    listed: Int32

    @property
    def values(self) -> int:
        """The number of sensitive values with a bounded share."""
        return int(self.listed.max(initial=-1)) + 1


class KnowledgeModel(ColumnModel, Protocol):
    """A model of intruders who know only some quasi-identifiers: it judges the matching rows.

    A class that `passes` is safe from an intruder who knows all quasi-identifiers, which is sufficient but not
    necessary: the rows that match any knowledge are a union of whole classes. So algorithms that judge one class at a
    time can enforce the model too, unless a union of passing classes may fail because persons are counted. Suppression
    is refused, because it makes other combinations rarer.
    """

    judges_table: ClassVar[bool] = True

    @abstractmethod
    def bound(self, domain: SensitiveDomain) -> CombinationBound: ...

    def refuses(self, setting: Setting) -> str:
        if not setting.generalizes:
            return f"Model '{self.kind}' judges generalized values, but form '{setting.form}' publishes exact ones."
        if not setting.judges_tables and not self.monotone.merges(setting.persons):
            return (
                f"Algorithm '{setting.algorithm}' cannot enforce '{self.kind}' with this bound on shares: it judges "
                "one class at a time, but the plan counts persons, and a person with rows in several matching classes "
                "counts once, so that a share may exceed those of the classes."
            )
        if setting.suppression > 0:
            return (
                f"Model '{self.kind}' cannot be combined with suppression, which makes other combinations rarer. "
                "Hint: set suppression = 0 under [release]."
            )
        return ""

    def allows(self, stats: ClassStats) -> Flags:
        """bool [classes]: True for every class if a table of these classes keeps the promise, else for none."""
        combination_bound, entries = self.bound(stats.domain(self.column)), stats.entries(self.column)
        table = Table(
            nodes=lambda: stats.labels().T[:, entries.class_of],
            weight=entries.weight,
            sensitive=combination_bound.listed[entries.codes],
            values=combination_bound.values,
            class_of=entries.class_of,
            classes=len(stats),
            groups=np.array([0, len(entries.class_of)], np.int64),
            person=entries.person,
        )
        return np.full(len(stats), judge(table, combination_bound.bound, combination_bound.bound.known).holds)
