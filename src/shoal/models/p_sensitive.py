"""p-sensitive k-anonymity: every class holds k persons and p distinct values of every sensitive column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.coded.stats import ClassStats
from shoal.models.about import About, Weak
from shoal.models.evidence import CLASS, Evidence, Finding, least
from shoal.models.sensitivity import SensitivityModel


@dataclass(frozen=True)
class PSensitive(SensitivityModel):
    """Every class holds at least k persons and at least p distinct values of each of its sensitive columns.

    `columns` names the sensitive columns; by default `resolved` fills in all of them. A missing value does not count
    towards p unless the plan says so. p may not exceed k, because k rows cannot hold more than k values.

    Monotone: UPWARD, because added rows only add persons and values.
    Floor: k, which is at least p.
    Paper: Truta, Vinay 2006.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"disease": ["flu", "HIV", "flu"]})
    >>> PSensitive(p=2, k=2).resolved(("disease",)).passes(stats_of(rows, [[0, 1], [0, 2]])).tolist()
    [True, False]
    """

    p: int
    """The smallest number of different values in a class, in every column. Allowed: whole numbers from 2 to k."""
    k: int
    """The smallest number of individuals in a class. Allowed: whole numbers from 2."""
    columns: tuple[str, ...] | None = None
    """The columns that must be diverse. By default, all sensitive columns of the plan. Allowed: a list of names of
    sensitive columns."""

    kind: ClassVar[str] = "p-sensitive"
    counts_values: ClassVar[bool] = True
    about: ClassVar[About] = About(
        promise=(
            "An intruder who knows an individual's quasi-identifiers finds at least k matching individuals, with at "
            "least p values in every sensitive column."
        ),
        not_protected=(
            "Probability: one of the p values may have nearly all the rows. Meaning: p kinds of cancer are p values, "
            "but all of them disclose cancer. Several sensitive columns: each is judged separately, so a known value "
            "of one column may reveal another."
        ),
        example=(
            "The two men of a class aged [20, 30] both have diabetes. The class is 2-anonymous, but only 1-sensitive: "
            "it discloses the diagnosis of both."
        ),
        paper="T. M. Truta, B. Vinay, Privacy protection: p-sensitive k-anonymity property, ICDE Workshops 2006.",
        sample={"p": 2, "k": 5},
        weak=Weak(
            attack="elimination",
            parameters={"p": 3, "k": 4},
            columns=("age", "diagnosis", "treatment"),
            rows=(
                ("[30, 39]", "flu", "infusion"),
                ("[30, 39]", "heart disease", "medicine"),
                ("[30, 39]", "heart disease", "surgery"),
                ("[30, 39]", "ulcer", "infusion"),
                ("[40, 49]", "asthma", "inhaler"),
                ("[40, 49]", "burn", "ointment"),
                ("[40, 49]", "cold", "rest"),
                ("[40, 49]", "rash", "cream"),
            ),
            shows="Whoever knows that an individual of the first class has no heart disease knows the treatment.",
            sensitive=("diagnosis", "treatment"),
        ),
    )

    def different(self, stats: ClassStats, column: str) -> Int64:
        counts = stats.counts(column).without(stats.domain(column).missing)
        return np.diff(counts.offsets)

    def frequencies(self, whole: ClassStats, column: str) -> Int64:
        return whole.counts(column).without(whole.domain(column).missing).counts

    def holds(self, evidence: Evidence) -> Finding:
        classes = evidence.sizes
        columns = self.known_columns
        for number, column in enumerate(columns):
            distinct = evidence.counted(column).group_by(CLASS).agg(pl.len().alias(f"values {number}"))
            classes = classes.join(distinct, on=CLASS, how="left")
        fewest = pl.min_horizontal(pl.col(f"values {number}").fill_null(0) for number in range(len(columns)))
        judged = classes.select("size", fewest.alias("fewest"))
        failing = int(((judged["size"] < self.k) | (judged["fewest"] < self.p)).sum())
        achieved = {"p": least(judged["fewest"]), "k": least(judged["size"])}
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)
