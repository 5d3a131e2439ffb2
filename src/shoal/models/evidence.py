"""Evidence: all that verification may look at, and what a model finds in it.

Released rows come *counted*: distinct rows and how often each occurs, never one entry per row. A part of the evidence
that holds whole classes can be judged by itself, given the reference counts of all released rows; `ClassModel.merged`
puts the findings together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, cast

import polars as pl

from shoal.errors import TableError
from shoal.roles.columns import Column

CLASS, PERSON, COUNT = "\x00class", "\x00person", "\x00count"

Figure = float | int | str | None
Achieved = Mapping[str, Figure]

LOG_TOLERANCE = 1e-12
"""How close two logarithms must be to count as equal; everything else is compared in whole numbers."""

_LARGEST_TOTAL = 2**31 - 1
_WIDE = 2**126
_ORDERS = {"integer": "number", "real": "number", "date": "date"}


@dataclass(frozen=True)
class SensitiveFacts:
    """What the plan says of a sensitive column, `settings`, and the tree above its values.

    `paths` maps a value to its labels from itself to the top of its hierarchy, empty when it has none.
    """

    settings: Column = field(default_factory=lambda: Column(role="sensitive"))
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def missing_counts(self) -> bool:
        """Whether a missing value counts as a value."""
        return self.settings.missing_counts

    @property
    def order(self) -> str:
        """How the ordered distance sorts values: "number", "date", "text", or "tree", as `paths` lists them."""
        return "tree" if self.paths else _ORDERS.get(self.settings.type or "text", "text")


@dataclass(frozen=True)
class Evidence:
    """All that verification may look at.

    `rows`: distinct released rows: CLASS (found by regrouping the released labels), COUNT (how many released rows are
    alike), PERSON where persons can be told apart, and every sensitive column as released text, null where missing.
    `input_counts`: column → frame of `value` (null where missing), `count` over the whole input; known only when the
    release is made, never published. `labels`: CLASS and the released quasi-identifiers of every class, where a model
    judges what is known of them. `linked`: whether the values of a row belong together; in an anatomy only those of
    each column do. `references`: column → `value`, `count` over all released rows, where `rows` are a part of them.
    """

    rows: pl.DataFrame
    facts: Mapping[str, SensitiveFacts]
    input_counts: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    labels: pl.DataFrame | None = None
    linked: bool = True
    references: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lost = self.rows[CLASS].null_count()
        if lost:  # a join would leave such rows out, and they would never be checked
            raise TableError(f"{lost} released rows belong to no class.", allowed="Every row needs a class.")

    @property
    def counts_persons(self) -> bool:
        return PERSON in self.rows.columns

    @property
    def released_rows(self) -> int:
        """How many released rows there are."""
        return int(self.rows[COUNT].sum())

    @property
    def _size(self) -> pl.Expr:
        size = pl.col(PERSON).n_unique() if self.counts_persons else pl.col(COUNT).sum()
        return size.cast(pl.Int64)

    @property
    def sizes(self) -> pl.DataFrame:
        """CLASS, `size`: rows of each class, or distinct persons."""
        return self.rows.group_by(CLASS).agg(self._size.alias("size"))

    def counts(self, column: str) -> pl.DataFrame:
        """CLASS, `value`, `count`: how many rows (or distinct persons) of a class have a value; missing is null."""
        return self.rows.group_by(CLASS, pl.col(column).alias("value")).agg(self._size.alias("count"))

    def counted(self, column: str) -> pl.DataFrame:
        """`counts`, without missing values unless the plan lets them count."""
        counts = self.counts(column)
        return counts if self.facts[column].missing_counts else counts.filter(pl.col("value").is_not_null())

    def reference(self, column: str) -> pl.DataFrame:
        """`value`, `count` over all released rows (or persons)."""
        if column in self.references:
            return self.references[column]
        return self.rows.group_by(pl.col(column).alias("value")).agg(self._size.alias("count"))


@dataclass(frozen=True)
class Finding:
    """What verification found: whether the promise holds, what was achieved, how many classes break it."""

    holds: bool
    achieved: Achieved
    failing: int = 0


@dataclass(frozen=True)
class Verdict:
    """A finding about one model of a plan, with its kind and parameters. `checked` says how, where that was not from
    the files alone."""

    kind: str
    parameters: Mapping[str, Any]
    holds: bool
    achieved: Achieved
    failing: int = 0
    checked: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Verdict:
        """The verdict as a manifest lists it: parameters stand beside what was found."""
        own = ("kind", "achieved", "holds", "failing_classes", "checked")
        parameters = {name: each for name, each in value.items() if name not in own}
        found = (value.get("holds") is True, dict(value.get("achieved", {})), value.get("failing_classes", 0))
        return cls(str(value["kind"]), parameters, *found, str(value.get("checked", "")))

    def to_json(self) -> dict[str, Any]:
        """The verdict as a manifest lists it."""
        found = {"achieved": dict(self.achieved), "holds": self.holds, "failing_classes": self.failing}
        return {"kind": self.kind, **self.parameters, **found, **({"checked": self.checked} if self.checked else {})}


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
