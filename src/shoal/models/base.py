"""What a privacy model is: a promise stated twice, over arrays for the search and in polars for verification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.partition import ClassStats

CLASS = "\x00class"
PERSON = "\x00person"

Achieved = Mapping[str, float | int | str | None]


class Monotone(Enum):
    """What is known of a merged class, and so how far a search may prune."""

    UPWARD = "upward"
    """A passing class plus anything passes."""
    UNION = "union"
    """Two passing classes merged pass."""
    NONE = "none"


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
    `order` is "number", "date", "text" or "tree": how the ordered distance sorts its values (tree: as `paths` lists them).
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
    `input_counts`: column → frame of `value`, `count` over the whole input; only at release time, never published.
    """

    frame: pl.DataFrame
    facts: Mapping[str, SensitiveFacts]
    input_counts: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def sizes(self) -> pl.DataFrame:
        """CLASS, `size`: rows of each class, or distinct persons."""
        size = pl.col(PERSON).n_unique() if PERSON in self.frame.columns else pl.len()
        return self.frame.group_by(CLASS).agg(size.cast(pl.Int64).alias("size"))

    def counts(self, column: str) -> pl.DataFrame:
        """CLASS, `value`, `count`: how many rows (or distinct persons) of a class have a value; missing is null."""
        size = pl.col(PERSON).n_unique() if PERSON in self.frame.columns else pl.len()
        return self.frame.group_by(CLASS, pl.col(column).alias("value")).agg(size.cast(pl.Int64).alias("count"))

    def counted(self, column: str) -> pl.DataFrame:
        """`counts`, without missing values unless the plan lets them count."""
        found = self.counts(column)
        return found if self.facts[column].missing_counts else found.filter(pl.col("value").is_not_null())

    def whole(self, column: str) -> pl.DataFrame:
        """`value`, `count` over all released rows (or persons)."""
        size = pl.col(PERSON).n_unique() if PERSON in self.frame.columns else pl.len()
        return self.frame.group_by(pl.col(column).alias("value")).agg(size.cast(pl.Int64).alias("count"))


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

    @property
    def monotone(self) -> Monotone: ...

    @property
    def floor(self) -> int:
        """The smallest class that could pass."""
        ...

    @property
    def reads(self) -> tuple[str, ...]:
        """The sensitive columns the model names."""
        ...

    def passes(self, stats: ClassStats) -> NDArray[np.bool_]:
        """bool [classes]: which classes satisfy the model. For the search."""
        ...

    def holds(self, evidence: Evidence) -> Finding:
        """Re-checks the whole release straight from the definition, in polars. For verification only."""
        ...


def whole_number(model: object, name: str, value: object, least: int) -> None:
    """Refuses anything but an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise PlanError(f"{type(model).__name__} {name} must be an integer of at least {least}; got {value!r}.")


def number(
    model: object,
    name: str,
    value: object,
    *,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
) -> None:
    """Refuses anything but a finite number within the bounds."""
    bounds = [
        f"above {above}" if above is not None else "",
        f"of at least {least}" if least is not None else "",
        f"at most {most}" if most is not None else "",
    ]
    fine = isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value)
    if (
        not fine
        or (above is not None and not value > above)  # type: ignore[operator]
        or (least is not None and not value >= least)  # type: ignore[operator]
        or (most is not None and not value <= most)  # type: ignore[operator]
    ):
        allowed = " and ".join(bound for bound in bounds if bound)
        raise PlanError(f"{type(model).__name__} {name} must be a number {allowed}; got {value!r}.")


def one_of(model: object, name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuses anything but one of the allowed words."""
    if value not in allowed:
        words = ", ".join(f"'{word}'" for word in allowed)
        raise PlanError(f"{type(model).__name__} {name} must be one of {words}; got {value!r}.")


def column_name(model: object, value: object) -> None:
    """Refuses anything but a non-empty column name."""
    if not isinstance(value, str) or not value:
        raise PlanError(f"{type(model).__name__} column must be the name of a sensitive column; got {value!r}.")
