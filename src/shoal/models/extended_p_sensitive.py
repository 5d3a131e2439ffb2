"""Extended p-sensitive k-anonymity: every class holds values of p protected groups, such as p kinds of disease."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.coded.stats import ClassStats
from shoal.counts import counted
from shoal.hierarchies import Icd10Cm
from shoal.models.about import About, Weak
from shoal.models.evidence import CLASS, Evidence, Finding, SensitiveFacts, least
from shoal.models.sensitivity import SensitivityModel


@dataclass(frozen=True)
class ExtendedPSensitive(SensitivityModel):
    """Every class holds at least k persons, and values from at least p protected subtrees of each sensitive column.

    The plan marks nodes in the hierarchy of a sensitive column as `protected`. This protects everything below them, and
    every value is protected in any case. The strong ancestor of a value is the highest protected node above it, or the
    value itself. Two values are different if their strong ancestors are. So with cancer protected, ten kinds of cancer
    count once. A missing value does not count unless the plan says so. p may not exceed k.

    Monotone: UPWARD, because added rows only add persons and values.
    Floor: k, which is at least p.
    Paper: Campan, Truta 2006.

    >>> from shoal.coded import coded_values, stats_of
    >>> from shoal.hierarchies.base import Hierarchy
    >>> from shoal.roles.columns import Column
    >>> tree = Hierarchy.from_paths([("flu", "flu", "*"), ("liver", "cancer", "*"), ("lung", "cancer", "*")])
    >>> rows = coded_values(
    ...     {"disease": ["liver", "lung", "flu"]},
    ...     settings={"disease": Column(role="sensitive", protected=("cancer",))},
    ...     trees={"disease": tree},
    ... )
    >>> model = ExtendedPSensitive(p=2, k=2, columns=("disease",))
    >>> model.passes(stats_of(rows, [[0, 1], [0, 2]])).tolist()
    [False, True]
    """

    p: int
    """The smallest number of different protected subtrees in a class, in every column. Allowed: whole numbers from 2 to
    k."""
    k: int
    """The smallest number of individuals in a class. Allowed: whole numbers from 2."""
    columns: tuple[str, ...] | None = None
    """The columns that must be diverse. By default, all sensitive columns of the plan. Allowed: a list of names of
    sensitive columns, each with a hierarchy."""

    kind: ClassVar[str] = "extended-p-sensitive"
    counts_values: ClassVar[bool] = True
    about: ClassVar[About] = About(
        promise=(
            "An intruder who knows an individual's quasi-identifiers finds at least k matching individuals, whose "
            "values in every sensitive column belong to at least p groups: protected nodes of its hierarchy, or values "
            "outside of them. If cancer is protected, no class has only kinds of cancer in that column."
        ),
        not_protected=(
            "Probability: one of the p groups may have nearly all the rows. Groups that are not protected: if only "
            "cancer is marked, a class may hold infections only. What the groups have in common: two protected groups "
            "may both be grave. Several sensitive columns: each is judged separately. Everyone in a class may have "
            "cancer in one of two columns of diagnoses, and a known value of one column may reveal another."
        ),
        example=(
            "A class has lung cancer, liver cancer and breast cancer: three values, so it is 3-sensitive, and everyone "
            "in it has cancer. With the node cancer protected, the three count once, and p = 2 fails."
        ),
        paper=(
            "A. Campan, T. M. Truta, Extended p-sensitive k-anonymity, Studia Universitatis Babeș-Bolyai Informatica "
            "51(2), 2006."
        ),
        sample={"p": 2, "k": 5},
        weak=Weak(
            attack="skewness",
            parameters={"p": 2, "k": 5},
            columns=("age", "zip", "diagnosis"),
            rows=(
                *(("[30, 39]", "476*", code) for code in ("C50.9", "C50.9", "C50.9", "C50.9", "J45.9")),
                *(("[40, 49]", "479*", code) for code in ("C18.9", "E11.9", "I10", "I10", "J45.9")),
            ),
            shows="Both classes hold codes outside of cancer, but four of the five individuals in the first have it.",
            hierarchies={"diagnosis": Icd10Cm()},
            protected={"diagnosis": ("C00-D49",)},
        ),
    )

    @property
    def reads_trees(self) -> tuple[str, ...]:
        return self.reads

    def needs(self, columns: Mapping[str, Any]) -> str:
        bare = [name for name, column in columns.items() if column.hierarchy is None]
        if not bare:
            return ""
        return (
            f"Model '{self.kind}' needs a hierarchy for column '{bare[0]}', in which nodes can be protected. Name only "
            'columns with a hierarchy in columns, or give this one hierarchy = { kind = "flat" }, in which every value '
            "counts as different."
        )

    def fewest_groups(self, column: str) -> int:
        return self.p

    def different(self, stats: ClassStats, column: str) -> Int64:
        domain = stats.domain(column)
        counts = stats.counts(column).without(domain.missing)
        strong = domain.strong[counts.values]
        begins = np.ones(len(strong), np.bool_)
        begins[1:] = strong[1:] != strong[:-1]  # the values of a subtree are adjacent
        begins[counts.offsets[:-1][np.diff(counts.offsets) > 0]] = True
        return counts.sums(begins)

    def frequencies(self, whole: ClassStats, column: str) -> Int64:
        domain = whole.domain(column)
        counts = whole.counts(column).without(domain.missing)
        rows = np.zeros(domain.size, np.int64)
        np.add.at(rows, domain.strong[counts.values], counts.counts)
        return rows[rows > 0]

    def counted_in(self, whole: ClassStats, column: str) -> str:
        groups = len(self.frequencies(whole, column))
        return f"the values of '{column}' lie in {counted(groups, 'protected subtree', 'protected subtrees')}"

    @property
    def alternative(self) -> str:
        return "protect narrower nodes, such as blocks or categories instead of a chapter"

    def holds(self, evidence: Evidence) -> Finding:
        classes = evidence.sizes
        columns = self.known_columns
        for number, column in enumerate(columns):
            groups = evidence.counted(column).join(_groups(evidence.facts[column]), on="value", how="left")
            seen = groups.group_by(CLASS).agg(pl.col("group").n_unique().alias(f"groups {number}"))
            classes = classes.join(seen, on=CLASS, how="left")
        fewest = pl.min_horizontal(pl.col(f"groups {number}").fill_null(0) for number in range(len(columns)))
        judged = classes.select("size", fewest.alias("fewest"))
        failing = int(((judged["size"] < self.k) | (judged["fewest"] < self.p)).sum())
        achieved = {"p": least(judged["fewest"]), "k": least(judged["size"])}
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)


def _groups(facts: SensitiveFacts) -> pl.DataFrame:
    """`value` and its `group`, the strong ancestor. A missing value has none, which is a group as well."""
    groups = {value: _strong(path, facts.settings.protected) for value, path in facts.paths.items()}
    return pl.DataFrame(
        {"value": list(groups), "group": list(groups.values())}, schema={"value": pl.String, "group": pl.String}
    )


def _strong(path: Sequence[str], protected: Sequence[str]) -> str:
    """The highest protected node on the way from a value to the top, with its height, or the value itself."""
    marked = [height for height, label in enumerate(path) if label in protected]
    height = max(marked, default=0)
    return f"{height} {path[height]}"
