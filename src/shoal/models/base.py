"""What a privacy model is: a promise stated twice, over arrays for the search and in polars for verification."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, Protocol, Self, cast, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.coded.combinations import Bound, Table, judge
from shoal.coded.partition import ClassStats, Int32, SensitiveCodes
from shoal.errors import PlanError, TableError
from shoal.roles.parameters import texts

CLASS = "\x00class"
PERSON = "\x00person"

Achieved = Mapping[str, float | int | str | None]

LOG_TOLERANCE = 1e-12
"""How close two logarithms must be to count as equal; everything else is compared in whole numbers."""

_LARGEST_TOTAL = 2**31 - 1
_WIDE = 2**126


class Monotone(Enum):
    """What is known of a merged class, and so how far a search may prune.

    Both claims speak of rows. With a person column UPWARD still holds, but UNION does not: a person with rows in both
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
    """What `shoal explain` tells of a model. Plain sentences; `example` shows a class that fails and why."""

    promise: str
    not_protected: str
    example: str
    paper: str


@dataclass(frozen=True)
class SensitiveFacts:
    """What the plan says of a sensitive column, for verification.

    `paths` maps a value to its labels from itself to the top of its hierarchy, empty when it has none.
    `order` is "number", "date", "text" or "tree": how the ordered distance sorts values (tree: as `paths` lists them).
    """

    missing_counts: bool = False
    order: str = "text"
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    protected: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """All that verification may look at.

    `frame`: one row per released row, CLASS (its class, found by regrouping the released labels), PERSON where persons
    can be told apart, and every sensitive column as released text, null where missing.
    `input_counts`: column → frame of `value` (null where missing), `count` over the whole input; only at release time,
    never published.
    `labels`: the released quasi-identifiers of the same rows, where a model judges what is known of them. Rows of one
    class have the same.
    `linked`: whether the values of a row belong together. In an anatomy they do not: only those of each column do.
    """

    frame: pl.DataFrame
    facts: Mapping[str, SensitiveFacts]
    input_counts: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    labels: pl.DataFrame | None = None
    linked: bool = True

    def __post_init__(self) -> None:
        lost = self.frame[CLASS].null_count()
        if lost:  # a join would leave such rows out, and they would never be checked
            raise TableError(f"{lost} released rows belong to no class.", allowed="Every row needs a class.")

    @property
    def _size(self) -> pl.Expr:
        size = pl.col(PERSON).n_unique() if PERSON in self.frame.columns else pl.len()
        return size.cast(pl.Int64)

    @property
    def sizes(self) -> pl.DataFrame:
        """CLASS, `size`: rows of each class, or distinct persons."""
        return self.frame.group_by(CLASS).agg(self._size.alias("size"))

    def counts(self, column: str) -> pl.DataFrame:
        """CLASS, `value`, `count`: how many rows (or distinct persons) of a class have a value; missing is null."""
        return self.frame.group_by(CLASS, pl.col(column).alias("value")).agg(self._size.alias("count"))

    def counted(self, column: str) -> pl.DataFrame:
        """`counts`, without missing values unless the plan lets them count."""
        found = self.counts(column)
        return found if self.facts[column].missing_counts else found.filter(pl.col("value").is_not_null())

    def whole(self, column: str) -> pl.DataFrame:
        """`value`, `count` over all released rows (or persons)."""
        return self.frame.group_by(pl.col(column).alias("value")).agg(self._size.alias("count"))


@dataclass(frozen=True)
class Finding:
    """What verification found: does the promise hold, what was achieved, how many classes break it."""

    holds: bool
    achieved: Achieved
    failing: int = 0


@runtime_checkable
class ClassModel(Protocol):
    """A model that judges one class at a time. Implementations are frozen dataclasses named after the paper's noun."""

    kind: ClassVar[str]
    about: ClassVar[About]
    judges: ClassVar[str] = "classes"
    """What the promise is about: "classes", or "knowledge" (see KnowledgeModel)."""
    counts_values: ClassVar[bool] = False
    """Whether it asks that sensitive values differ, not by how much: then it says little of nearly continuous ones."""

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
        knows the trees of these alone."""
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
        """Whether the promise compares a class with the released rows, so that leaving rows out moves the yardstick."""
        return False

    @property
    def input_binds(self) -> bool:
        """Whether a class that fails against the whole input fails whatever rows are left out of the release."""
        return not self.relative_to_released

    def least_lost(self, stats: ClassStats, passing: NDArray[np.bool_]) -> int:
        """How many rows every finer partition must leave out, given which of these classes pass.

        A failing class of an UPWARD model has no passing part. Of a UNION model it has a failing part: if all parts
        passed, so would their union.
        """
        if self.monotone is Monotone.UPWARD:
            return int(stats.sizes[~passing].sum())
        return int(self.monotone.merges(stats.rows.person is not None) and not passing.all())

    @abstractmethod
    def passes(self, stats: ClassStats) -> NDArray[np.bool_]:
        """bool [classes]: which classes satisfy the model. For the search."""
        ...

    @abstractmethod
    def holds(self, evidence: Evidence) -> Finding:
        """Re-checks the whole release straight from the definition, in polars. For verification only."""
        ...


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


@runtime_checkable
class KnowledgeModel(ClassModel, Protocol):
    """A model of intruders who know only some of the quasi-identifiers: it judges cells, the rows that share the
    released values of some columns. A class that `passes` is safe from one who knows them all: enough, not needed.

    Leaving rows out makes other cells smaller, so it is not combined with suppression.
    """

    judges: ClassVar[str] = "knowledge"

    @property
    @abstractmethod
    def bound(self) -> Bound:
        """What every cell must keep, for the search to count by."""
        ...

    @abstractmethod
    def listed(self, sensitive: SensitiveCodes) -> Int32:
        """int32 [codes]: the place of every sensitive code among those whose share is bounded, -1 for the others."""
        ...

    def allows(self, nodes: Int32, stats: ClassStats) -> bool:
        """Whether a table of these classes keeps the promise. nodes int32 [classes, columns]: what each class shows."""
        sensitive, rows = stats.rows.sensitive[self.reads[0]], stats.rows
        listed = self.listed(sensitive)
        class_of = np.repeat(np.arange(len(stats), dtype=np.int32), np.diff(stats.offsets))
        table = Table(
            nodes=lambda: nodes.T[:, class_of],
            weight=rows.weight[stats.order],
            sensitive=listed[sensitive.codes[stats.order]],
            values=int(listed.max(initial=-1)) + 1,
            class_of=class_of,
            classes=len(stats),
            groups=np.array([0, len(class_of)], np.int64),
            person=None if rows.person is None else rows.person[stats.order],
        )
        return judge(table, self.bound, self.bound.known).holds


def small_total(total: int) -> int:
    """The total itself; refused where the product of two counts would no longer fit 64 bits."""
    if total > _LARGEST_TOTAL:
        raise TableError(
            f"The table has {total} rows, too many to compare shares exactly.",
            allowed=f"At most {_LARGEST_TOTAL} rows are compared at once.",
        )
    return total


def exceeds(over: pl.Series, under: pl.Series, limit: Fraction, *, or_equals: bool = False) -> pl.Series:
    """Boolean series: over / under > limit (or >=), exact; Python integers take over where 128 bits would not do.

    >>> exceeds(pl.Series([1, 3]), pl.Series([5, 10]), Fraction(1, 5)).to_list()
    [False, True]
    """
    left, right = _times(over, limit.denominator), _times(under, limit.numerator)
    if left is not None and right is not None:
        return left >= right if or_equals else left > right
    pairs = zip(over.to_list(), under.to_list(), strict=True)
    n, d = limit.numerator, limit.denominator
    return pl.Series([a * d >= b * n if or_equals else a * d > b * n for a, b in pairs], dtype=pl.Boolean)


def _times(values: pl.Series, factor: int) -> pl.Series | None:
    largest = max((abs(int(cast(int, v))) for v in (values.min(), values.max()) if v is not None), default=0)
    if max(largest, 1) * abs(factor) >= _WIDE:
        return None
    return values.to_frame("v").select(pl.col("v").cast(pl.Int128) * pl.lit(factor, dtype=pl.Int128))["v"]


def largest_ratio(over: pl.Series, under: pl.Series) -> float:
    """The largest over / under as the nearest double, for people to read; 0 when there is none."""
    ratios = over.cast(pl.Float64) / under.cast(pl.Float64)
    return float(cast(float, ratios.max())) if len(ratios) else 0.0


def least(numbers: pl.Series) -> int:
    """The smallest number, 0 when there is none."""
    return int(cast(int, numbers.min())) if len(numbers) else 0
