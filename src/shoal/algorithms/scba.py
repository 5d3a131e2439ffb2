"""SCBA: generalizes the rows with highly sensitive values, and publishes all others unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from shoal.algorithms.base import Algorithm
from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows
from shoal.coded.partition import Partition
from shoal.coded.recoding import Composed, Exact, Recoding
from shoal.coded.record import SearchRecord
from shoal.errors import CannotBeMet, PlanError
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.roles.parameters import column_name, number, texts
from shoal.roles.scope import Scope
from shoal.search.hiding import hidden
from shoal.search.refinement import mean_loss, mean_precision


@dataclass(frozen=True)
class Scba(Algorithm):
    """Sensitivity classes: rows with high values are generalized among themselves, all others stay exact.

    `column` is a sensitive column, and `high` are its highly sensitive values; a missing value is high too. The models
    hold for the rows with high values only. All other rows keep their exact quasi-identifiers. So anyone who is unique
    in them can be found, and whoever is not among the exact rows has a high value. `cover` reduces this second risk.
    Paper: Abad, Kinariwala, SCBA: a new sensitivity based anonymity method, 2012.
    """

    column: str
    """The sensitive column that decides which rows are generalized. Allowed: the name of a sensitive column."""
    high: tuple[str, ...]
    """The highly sensitive values of this column. A missing value is always one of them. Allowed: a list of
    texts; in a column with a type, numbers and dates match by value."""
    inner: str = "mondrian"
    """The algorithm that generalizes the rows with high values, with its default parameters. Allowed: `mondrian`,
    `k-member`, `optimal`, `incognito`, `samarati`, `pais`."""
    cover: int | float = 0.0
    """The share of the other rows that are generalized too, as members of the same classes, so that a generalized row
    no longer proves a high value. Rows that fit into no class stay exact. Allowed: numbers from 0 to 1."""

    kind: ClassVar[str] = "scba"
    forms: ClassVar[tuple[str, ...]] = ("generalized",)
    recoding: ClassVar[type[Recoding]] = Composed
    sample: ClassVar[Mapping[str, Any]] = {"column": "diagnosis", "high": ("HIV", "cancer")}
    """Example parameters, for a sensitive column called "diagnosis"."""

    def __post_init__(self) -> None:
        column_name(self, self.column)
        object.__setattr__(self, "high", texts(self, "high", self.high))
        number(self, "cover", self.cover, least=0, most=1)
        algorithm = self.algorithm
        # An instance works as its inner algorithm does.
        object.__setattr__(self, "recodes_by_level", algorithm.recodes_by_level)
        object.__setattr__(self, "suppresses", algorithm.suppresses)

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that generalizes the rows with high values."""
        every = import_module("shoal.algorithms").ALL  # not an import statement, because that module imports this one
        kinds: dict[str, type[Algorithm]] = {cls.kind: cls for cls in every if cls is not type(self)}
        if self.inner not in kinds:
            allowed = ", ".join(f"'{kind}'" for kind in kinds)
            raise PlanError(f"Scba inner must be one of {allowed}; got {self.inner!r}.")
        return kinds[self.inner]()

    @property
    def scope(self) -> Scope | None:
        return Scope(self.column, self.high)

    @property
    def weighs(self) -> bool:
        return self.algorithm.weighs

    def refuses_ranges(self, ranges: str) -> str:
        if ranges == "cut":
            return (
                'rows with low values are published exactly, but ranges = "cut" promises to publish nobody\'s exact '
                'value. Hint: set ranges = "tight" under [release].'
            )
        return self.algorithm.refuses_ranges(ranges)

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        for model in models:
            if reason := self._refused(model):
                return f"Algorithm '{self.kind}' cannot enforce '{model.kind}': {reason}"
        return self.algorithm.refuses(models, suppression, persons)

    def _refused(self, model: ClassModel) -> str:
        if model.judges_table:
            return (
                "it bounds what an intruder with partial knowledge learns from all matching rows, but most rows are "
                "published exactly. Hint: use k-anonymity or l-diversity, or another algorithm."
            )
        if model.relative_to_released or model.reads_input:
            return (
                "it compares a class with the whole table, but the promise covers only the rows with high values. "
                "Hint: use k-anonymity or l-diversity, or another algorithm."
            )
        if model.bounds_shares and self.column in model.reads:
            return (
                f"it bounds shares of values of '{self.column}', but all rows that are generalized have a high value. "
                "Hint: use l-diversity, or another algorithm."
            )
        return ""

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """Classes of rows with high values that pass every model, and a class for each combination of all others."""
        high = coded.counted.covered
        assert high is not None, "the table was not coded for this algorithm"
        inner = self._inner(coded, np.flatnonzero(high), models, suppression, seed, progress)
        taken, class_of = hidden(coded, inner, np.flatnonzero(~high), self.cover, seed)
        joined = _with_exact(coded, inner, np.flatnonzero(~high), taken, class_of)
        lost, precision = mean_loss(coded, joined), mean_precision(coded, joined)
        whole = self._of_all(coded, models, suppression, seed, progress)
        record = SearchRecord(  # costs and bounds of the inner search are about some rows only
            loss=lost,
            precision=precision,
            loss_if_all=None if whole is None else mean_loss(coded, whole),
            precision_if_all=None if whole is None else mean_precision(coded, whole),
        )
        return replace(joined, record=record)

    def _inner(
        self, coded: Coded, rows: Int64, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """The classes of some distinct rows."""
        found = self.algorithm.partition(coded.only(rows), models, suppression, seed, progress)
        return replace(found, row=rows[found.row])

    def _of_all(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition | None:
        """The classes in which the models cover all rows, to compare with; None if they cannot."""
        try:
            return self.algorithm.partition(coded, models, suppression, seed, progress)
        except CannotBeMet:
            return None


def _with_exact(coded: Coded, inner: Partition, low: Int64, taken: Int64, class_of: Int64) -> Partition:
    """The classes of rows with high values, with what was taken from low rows, and classes of equal low rows.

    low int64 [n]: distinct rows; taken int64 [n]: how many of their input rows go to the class `class_of`.
    """
    kept = coded.counted.weight[low] - taken
    exact = low[kept > 0]
    same = distinct_rows([codes[exact] for codes in coded.counted.quasi]).ids.astype(np.int64)
    row = np.concatenate([inner.row, low[taken > 0], exact])
    weight = np.concatenate([inner.weight, taken[taken > 0], kept[kept > 0]])
    place = np.concatenate([inner.class_of, class_of[taken > 0], same + inner.classes])
    order = np.argsort(place, kind="stable")
    classes = inner.classes + int(same.max(initial=-1)) + 1
    offsets = np.searchsorted(place[order], np.arange(classes + 1)).astype(np.int64)
    parts = (
        (np.arange(inner.classes), inner.recoding),
        (np.arange(inner.classes, classes), Exact()),
    )
    return Partition(row[order], offsets, weight[order], Composed(parts))
