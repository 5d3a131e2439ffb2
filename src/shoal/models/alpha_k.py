"""(α,k)-anonymity: every class holds at least k persons, and no sensitive value has a share above α."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags
from shoal.coded.stats import ClassStats
from shoal.exact import at_most, fraction
from shoal.hierarchies import Prefix
from shoal.models.about import About, Weak
from shoal.models.base import ColumnModel, Monotone
from shoal.models.evidence import CLASS, Evidence, Finding, exceeds, largest_ratio, least
from shoal.roles.parameters import number, values, whole_number


@dataclass(frozen=True)
class AlphaK(ColumnModel):
    """Every class holds at least k persons, and no bounded sensitive value has a share above α in it.

    The share is the number of persons with the value, divided by the size of the class. `values` lists the sensitive
    values to bound, as texts or numbers; by default every value is bounded. If the column has a type, numbers and dates
    match by value; without one, texts match literally, so that 1 and 1.0 differ. A missing value is bounded only if the
    plan lets it count and no values are listed. It always counts towards the size of the class.

    Monotone: UNION, because a share in merged classes lies between the two shares.
    Floor: k. α does not raise it, because a value that is not bounded may fill a class.
    Paper: Wong, Li, Fu, Wang 2006.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"disease": ["flu", "HIV", "flu"]})
    >>> AlphaK("disease", alpha=0.5, k=2).passes(stats_of(rows, [[0, 1], [0, 2]])).tolist()
    [True, False]
    """

    column: str
    """The column whose values are bounded. Allowed: the name of a sensitive column."""
    alpha: int | float
    """The largest share of a bounded value in a class. Allowed: numbers above 0, up to 1."""
    k: int
    """The smallest number of individuals in a class. Allowed: whole numbers from 1."""
    values: tuple[str | int | float, ...] | None = None
    """The values whose share is bounded. By default, every value is bounded. Allowed: a list of values of the column,
    as texts or numbers."""

    kind: ClassVar[str] = "alpha-k"
    bounds_shares: ClassVar[bool] = True
    counts_values: ClassVar[bool] = True
    largest: ClassVar[tuple[str, ...]] = ("alpha",)
    about: ClassVar[About] = About(
        promise=(
            "An intruder who knows an individual's quasi-identifiers finds at least k matching individuals, and infers "
            "any sensitive value (or any listed one, if values are listed) with a confidence of at most α."
        ),
        not_protected=(
            "Values that are not listed, and missing values. Similar values: with α = 0.5, a class passes in which "
            "half of the patients have lung cancer and half have liver cancer, although all of them have cancer. "
            "Relative frequency: the share is not compared with that in the table, so a disease of 1 % of all patients "
            "may reach a share of α in a class."
        ),
        example=(
            "Three of the five patients of a class have HIV. With α = 0.5 the class fails, because 3/5 is above 1/2, "
            "although it holds k = 5 individuals and several diagnoses."
        ),
        paper=(
            "R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, (α, k)-anonymity: an enhanced k-anonymity model for "
            "privacy-preserving data publishing, KDD 2006."
        ),
        sample={"column": "diagnosis", "alpha": 0.5, "k": 5},
        weak=Weak(
            attack="similarity",
            parameters={"column": "diagnosis", "alpha": 0.5, "k": 4},
            columns=("age", "zip", "diagnosis"),
            rows=(
                *(("[30, 39]", "476*", diagnosis) for diagnosis in ("C22", "C22", "C34", "C34")),
                *(("[40, 49]", "479*", diagnosis) for diagnosis in ("I21", "I21", "J10", "J10")),
            ),
            shows="No diagnosis has more than half of a class, but everyone in the first class has cancer (C).",
            hierarchies={"diagnosis": Prefix(steps=(1,))},
        ),
    )

    def __post_init__(self) -> None:
        self._check_column()
        number(self, "alpha", self.alpha, above=0, most=1)
        whole_number(self, "k", self.k, 1)
        if self.values is not None:
            object.__setattr__(self, "values", values(self, "values", self.values))

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION

    @property
    def floor(self) -> int:
        return self.k

    def confidence(self, value: str, share: float) -> float:
        return float(self.alpha) if self.values is None or value in map(str, self.values) else 1.0

    @property
    def without_shares(self) -> AlphaK:
        return replace(self, alpha=1)

    @property
    def names_values(self) -> tuple[str, ...]:
        return tuple(map(str, self.values or ()))

    def naming(self, values: tuple[str, ...]) -> AlphaK:
        return replace(self, values=values)

    def least_lost(self, stats: ClassStats, passing: Flags) -> int:
        """At least (c − αn)/(1 − α) rows of a class of n rows, c of them with the same bounded value.

        The rows that are kept contain this value at a share of at most α. A class below k is lost entirely.
        """
        if stats.counts_persons or self.alpha >= 1:
            return super().least_lost(stats, passing)
        counts, sizes = stats.counts(self.column), stats.sizes
        bounded = self._bounded(stats)[counts.values]
        excess = (counts.counts - self.alpha * sizes[counts.class_of]) / (1 - self.alpha) - 1e-6
        lost = np.zeros(len(stats), np.float64)
        np.maximum.at(lost, counts.class_of[bounded], np.ceil(excess[bounded]))
        lost = np.where(sizes < self.k, sizes, np.maximum(lost, 1))
        return int(lost[~passing].sum())

    def passes(self, stats: ClassStats) -> Flags:
        counts = stats.counts(self.column)
        bounded = self._bounded(stats)
        alpha = fraction(self.alpha)
        size_of_entry = stats.sizes[counts.class_of]
        within_alpha = at_most(counts.counts, alpha.denominator, size_of_entry, alpha.numerator)
        return counts.every(within_alpha | ~bounded[counts.values]) & (stats.sizes >= self.k)

    def _bounded(self, stats: ClassStats) -> Flags:
        """bool [codes]: which sensitive values have a bounded share."""
        sensitive = stats.domain(self.column)
        bounded = np.ones(len(sensitive.labels), np.bool_)
        if self.values is not None:
            bounded = np.isin(np.array(sensitive.labels, object), np.array(self.names_values, object))
        if sensitive.missing >= 0:
            bounded[sensitive.missing] = False
        return bounded

    def holds(self, evidence: Evidence) -> Finding:
        sizes = evidence.sizes
        bounded = evidence.counted(self.column).join(sizes, on=CLASS)
        if self.values is not None:
            bounded = bounded.filter(pl.col("value").is_in(self.names_values))
        too_frequent = bounded.filter(exceeds(bounded["count"], bounded["size"], fraction(self.alpha)))
        too_small = sizes.filter(pl.col("size") < self.k)
        failing = pl.concat([too_frequent[CLASS], too_small[CLASS]]).n_unique()
        achieved = {"alpha": largest_ratio(bounded["count"], bounded["size"]), "k": least(sizes["size"])}
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)
