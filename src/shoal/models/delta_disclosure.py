"""δ-disclosure privacy: every class holds every sensitive value, at nearly its share in the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
import polars as pl

from shoal.arrays import Flags
from shoal.coded.stats import ClassStats
from shoal.models.about import About, Weak
from shoal.models.base import ColumnModel, Monotone
from shoal.models.evidence import CLASS, LOG_TOLERANCE, Evidence, Finding, small_total
from shoal.roles.parameters import number

_LARGEST_EXPONENT = 700.0
"""The exponential of a larger number exceeds every double."""


@dataclass(frozen=True)
class DeltaDisclosure(ColumnModel):
    """In every class, every value of the table has |ln(q/p)| < δ, for its share q in the class and p in the table.

    The inequality is strict: a logarithm of exactly δ fails. A class that lacks a value of the table fails too, because
    the logarithm is infinite. A missing value counts as a value.

    Monotone: UNION, because a share in merged classes lies between the two shares.
    Floor: 1 row. A class needs as many rows as the table has values, but the model does not know this number.
    Paper: Brickell, Shmatikov 2008.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"disease": ["flu", "HIV", "flu", "flu"]})
    >>> DeltaDisclosure("disease", delta=1).passes(stats_of(rows, [[0, 1], [2, 3]])).tolist()
    [True, False]
    """

    column: str
    """The column whose shares in a class are compared. Allowed: the name of a sensitive column."""
    delta: int | float
    """The bound on the logarithm of a value's share in a class over its share in the table. Allowed: numbers above 0.
    """

    kind: ClassVar[str] = "delta-disclosure"
    bounds_shares: ClassVar[bool] = True
    largest: ClassVar[tuple[str, ...]] = ("delta",)
    about: ClassVar[About] = About(
        promise=(
            "Knowing an individual's class changes the probability of any sensitive value by less than a factor of "
            "e^δ, up or down. It reveals neither that the individual has a value nor that they do not have it."
        ),
        not_protected=(
            "Identity: combine the model with k-anonymity. Similar values are not recognized as similar. Every class "
            "must hold every value, so rare values force very large classes: on most tables, little information is "
            "left for analysis."
        ),
        example=(
            "One of 10,000 patients has a certain disease. A class of 50 without a case fails for every δ, because it "
            "reveals that none of the 50 has the disease."
        ),
        paper=(
            "J. Brickell, V. Shmatikov, The cost of privacy: destruction of data-mining utility in anonymized data "
            "publishing, KDD 2008."
        ),
        sample={"column": "diagnosis", "delta": 1},
        weak=Weak(
            attack="linkage",
            parameters={"column": "diagnosis", "delta": 0.1},
            columns=("age", "zip", "diagnosis"),
            rows=tuple(
                (age, zip_code, diagnosis)
                for age, zip_code in (("31", "47602"), ("34", "47677"), ("42", "47905"), ("47", "47906"))
                for diagnosis in ("HIV", "flu")
            ),
            shows="The diagnosis is as uncertain as in the table, but every individual is one of two.",
        ),
    )

    def __post_init__(self) -> None:
        self._check_column()
        number(self, "delta", self.delta, above=0)

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION

    @property
    def floor(self) -> int:
        return 1

    @property
    def relative_to_released(self) -> bool:
        return True

    def confidence(self, value: str, share: float) -> float:
        return min(share * math.exp(min(self.delta, _LARGEST_EXPONENT)), 1.0)

    def passes(self, stats: ClassStats) -> Flags:
        counts = stats.counts(self.column)
        reference = stats.reference(self.column)
        total = small_total(int(reference.sum()))
        expected = reference[counts.values] * counts.totals[counts.class_of]
        distance = np.abs(np.log(counts.counts * total / expected))
        complete: Flags = np.diff(counts.offsets) == np.count_nonzero(reference)
        return complete & counts.every(distance < self.delta - LOG_TOLERANCE)

    def holds(self, evidence: Evidence) -> Finding:
        reference = evidence.reference(self.column).rename({"count": "reference"})
        share = pl.col("count") / pl.col("count").sum().over(CLASS)
        table_share = pl.col("reference") / reference["reference"].sum()
        classes = (
            evidence.counts(self.column)
            .join(reference, on="value", nulls_equal=True)
            .with_columns((share.log() - table_share.log()).abs().alias("distance"))
            .group_by(CLASS)
            .agg(pl.len().alias("values"), pl.col("distance").max())
        )
        incomplete = classes["values"] < len(reference)
        failing = int((incomplete | (classes["distance"] >= self.delta - LOG_TOLERANCE)).sum())
        widest = classes["distance"].max() if len(classes) else 0.0
        achieved = {"delta": None if incomplete.any() else round(cast(float, widest), 12)}
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)
