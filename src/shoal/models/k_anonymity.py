"""k-anonymity: at least k individuals share the quasi-identifiers of every individual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.arrays import Flags
from shoal.coded.stats import ClassStats
from shoal.models.about import About, Weak
from shoal.models.base import ClassModel, Monotone
from shoal.models.evidence import Evidence, Finding, least
from shoal.roles.parameters import whole_number


@dataclass(frozen=True)
class KAnonymity(ClassModel):
    """Every class holds at least k persons.

    Monotone: UPWARD, because adding rows never lowers the number of persons in a class.
    Floor: k.
    Paper: Samarati, Sweeney 1998; Sweeney 2002.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({}, weight=[2, 1, 1])
    >>> KAnonymity(k=2).passes(stats_of(rows, [[0], [1], [1, 2]])).tolist()
    [True, False, True]
    """

    k: int
    """The smallest number of individuals in a class. Allowed: whole numbers from 2."""

    kind: ClassVar[str] = "k-anonymity"
    about: ClassVar[About] = About(
        promise="An intruder who knows an individual's quasi-identifiers finds at least k matching individuals.",
        not_protected=(
            "Attribute disclosure: if all k matching individuals share a diagnosis, the release discloses it without "
            "identifying anyone. The model also assumes that an intruder knows nothing beyond the quasi-identifiers."
        ),
        example=(
            "Four women aged [30, 39] from 476* form a class. With k = 5 it fails: an intruder narrows down a known "
            "woman to four rows. With a fifth woman it passes. If all five have HIV, their diagnosis is disclosed "
            "nevertheless."
        ),
        paper="L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002.",
        sample={"k": 5},
        weak=Weak(
            attack="homogeneity",
            parameters={"k": 3},
            columns=("age", "zip", "diagnosis"),
            rows=(
                *[("[30, 39]", "476*", "HIV")] * 3,
                *(("[40, 49]", "479*", diagnosis) for diagnosis in ("asthma", "cold", "flu")),
            ),
            shows="Nobody can tell the first three individuals apart, but all of them have HIV.",
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self, "k", self.k, 2)

    @property
    def monotone(self) -> Monotone:
        return Monotone.UPWARD

    @property
    def floor(self) -> int:
        return self.k

    @property
    def reads(self) -> tuple[str, ...]:
        return ()

    def passes(self, stats: ClassStats) -> Flags:
        return stats.sizes >= self.k

    def holds(self, evidence: Evidence) -> Finding:
        sizes = evidence.sizes["size"]
        failing = int((sizes < self.k).sum())
        return Finding(holds=failing == 0, achieved={"k": least(sizes)}, failing=failing)
