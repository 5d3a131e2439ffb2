"""Evidence: all that verification may look at, and what a model finds in it.

Released rows come *counted*: as distinct rows with their number of occurrences, never one entry per row. A part of the
evidence that consists of complete classes can be judged separately, given the reference counts of all released rows.
`ClassModel.merged` combines the findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, cast

import polars as pl

from shoal.errors import TableError
from shoal.roles.columns import Column
from shoal.roles.knowledge import Knowledge
from shoal.roles.scope import Scope

CLASS, PERSON, COUNT = "\x00class", "\x00person", "\x00count"

Figure = float | int | str | None
Achieved = Mapping[str, Figure]

LOG_TOLERANCE = 1e-12
"""Logarithms that differ by no more than this count as equal. All other comparisons use whole numbers."""

_LARGEST_TOTAL = 2**31 - 1
_WIDE = 2**126
_ORDERS = {"integer": "number", "real": "number", "date": "date", "datetime": "date"}


@dataclass(frozen=True)
class SensitiveFacts:
    """The settings of a sensitive column in the plan, and the hierarchy above its values.

    `paths` maps each value to its labels, from the leaf to the top of the hierarchy. It is empty without a hierarchy.
    `knowledge`: the knowledge table of a quasi-sensitive column, if it is at hand.
    """

    settings: Column = field(default_factory=lambda: Column(role="sensitive"))
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    knowledge: Knowledge | None = None

    @property
    def missing_counts(self) -> bool:
        """Whether a missing value counts as a value."""
        return self.settings.missing_counts

    @property
    def order(self) -> str:
        """How the ordered distance sorts values: "number", "date", "text", or "tree" for the order of `paths`."""
        return "tree" if self.paths else _ORDERS.get(self.settings.type or "text", "text")


@dataclass(frozen=True)
class Evidence:
    """All that verification may look at.

    `rows`: the distinct released rows, with CLASS (from regrouping the released labels), COUNT (the number of equal
    released rows), PERSON if persons can be distinguished, every sensitive column as released text, null if missing,
    and every quasi-sensitive column as the canonical text of a set, empty for the empty set.
    `facts`: the settings of these columns, with the separator of sets (`facts[name].settings.separator`).
    `input_counts`: column → frame of `value` (null if missing) and `count` over the full input. It is known only when
    the release is made, and never published.
    `labels`: CLASS and the released quasi-identifiers of every class, if a model judges combinations of them.
    `linked`: whether the sensitive values of a row belong together. In an anatomy they do not.
    `references`: column → frame of `value` and `count` over all released rows, if `rows` is only a part of them.
    """

    rows: pl.DataFrame
    facts: Mapping[str, SensitiveFacts]
    input_counts: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    labels: pl.DataFrame | None = None
    linked: bool = True
    references: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unassigned = self.rows[CLASS].null_count()
        if unassigned:  # a join would drop these rows, and they would never be checked
            raise TableError(f"{unassigned} released rows belong to no class.", allowed="Every row needs a class.")

    @property
    def counts_persons(self) -> bool:
        """Whether sizes and counts refer to distinct persons instead of rows."""
        return PERSON in self.rows.columns

    @property
    def released_rows(self) -> int:
        """The number of released rows."""
        return int(self.rows[COUNT].sum())

    @property
    def _size(self) -> pl.Expr:
        size = pl.col(PERSON).n_unique() if self.counts_persons else pl.col(COUNT).sum()
        return size.cast(pl.Int64)

    @property
    def sizes(self) -> pl.DataFrame:
        """CLASS, `size`: the number of rows, or of distinct persons, in each class."""
        return self.rows.group_by(CLASS).agg(self._size.alias("size"))

    def counts(self, column: str) -> pl.DataFrame:
        """CLASS, `value`, `count`: the number of rows, or of distinct persons, with each value; missing is null."""
        return self.rows.group_by(CLASS, pl.col(column).alias("value")).agg(self._size.alias("count"))

    def counted(self, column: str) -> pl.DataFrame:
        """`counts` without missing values, unless the plan lets them count."""
        counts = self.counts(column)
        return counts if self.facts[column].missing_counts else counts.filter(pl.col("value").is_not_null())

    def reference(self, column: str) -> pl.DataFrame:
        """`value`, `count` over all released rows, or persons."""
        if column in self.references:
            return self.references[column]
        return self.rows.group_by(pl.col(column).alias("value")).agg(self._size.alias("count"))


@dataclass(frozen=True)
class Finding:
    """The result of checking one model: whether it holds, what was achieved, and how many classes violate it."""

    holds: bool
    achieved: Achieved
    failing: int = 0


@dataclass(frozen=True)
class Verdict:
    """The finding on one model of a plan, with the kind and the parameters of the model.

    `checked` states how the model was checked, unless it was checked from the files only. `scope`: the rows that the
    promise covers, if not all.
    """

    kind: str
    parameters: Mapping[str, Any]
    holds: bool
    achieved: Achieved
    failing: int = 0
    checked: str = ""
    scope: Scope | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Verdict:
        """Reads a verdict from a manifest, which lists the parameters beside the finding."""
        finding_keys = ("kind", "achieved", "holds", "failing_classes", "checked", "scope")
        parameters = {name: parameter for name, parameter in value.items() if name not in finding_keys}
        finding = (value.get("holds") is True, dict(value.get("achieved", {})), value.get("failing_classes", 0))
        scope = Scope.from_json(value["scope"]) if "scope" in value else None
        return cls(str(value["kind"]), parameters, *finding, str(value.get("checked", "")), scope)

    def to_json(self) -> dict[str, Any]:
        """The verdict as a manifest lists it."""
        finding = {"achieved": dict(self.achieved), "holds": self.holds, "failing_classes": self.failing}
        limits = {"checked": self.checked} if self.checked else {}
        scope = {} if self.scope is None else {"scope": self.scope.to_json()}
        return {"kind": self.kind, **self.parameters, **finding, **limits, **scope}


def small_total(total: int) -> int:
    """The total itself. Raises TableError if the product of two counts would not fit in 64 bits."""
    if total > _LARGEST_TOTAL:
        raise TableError(
            f"The table has {total} rows, too many to compare shares exactly.",
            allowed=f"At most {_LARGEST_TOTAL} rows can be compared.",
        )
    return total


def exceeds(over: pl.Series, under: pl.Series, limit: Fraction, *, or_equals: bool = False) -> pl.Series:
    """Boolean series: whether over / under > limit (or >=), exactly.

    Python integers are used where 128 bits do not suffice.

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
    """The values times the factor as Int128; None if they might not fit."""
    largest = max((abs(int(cast(int, v))) for v in (values.min(), values.max()) if v is not None), default=0)
    if max(largest, 1) * abs(factor) >= _WIDE:
        return None
    return values.to_frame("v").select(pl.col("v").cast(pl.Int128) * pl.lit(factor, dtype=pl.Int128))["v"]


def largest_ratio(over: pl.Series, under: pl.Series) -> float:
    """The largest over / under as the nearest double, for display; 0 if there is none."""
    ratios = over.cast(pl.Float64) / under.cast(pl.Float64)
    return float(cast(float, ratios.max())) if len(ratios) else 0.0


def least(numbers: pl.Series) -> int:
    """The smallest number; 0 if there is none."""
    return int(cast(int, numbers.min())) if len(numbers) else 0
