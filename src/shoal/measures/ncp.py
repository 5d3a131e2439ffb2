"""NCP, the normalized certainty penalty: the mean information loss of a cell."""

from __future__ import annotations

from typing import ClassVar

from shoal.measures.base import Outcome


class Ncp:
    """The mean over all cells of the share of the domain that a released value covers beyond one value.

    A suppressed row counts 1. A cell counts (leaves under the value - 1)/(all leaves - 1) if its hierarchy lists its
    leaves, (hi - lo)/(max - min) for a range, (values in the set - 1)/(values - 1) for a set, and the share of hidden
    characters for a prefix. Minimum, maximum and values are those of the released labels.
    Paper: Xu, Wang, Pei, Wang, Shi, Fu, Utility-based anonymization using local recoding, KDD 2006.
    """

    name: ClassVar[str] = "ncp"
    goal: ClassVar[str] = "lower"
    about: ClassVar[str] = "mean information loss of a cell, 0 to 1"

    def of(self, outcome: Outcome) -> dict[str, object]:
        by_column = outcome.mean(outcome.lost)
        return {
            "ncp": float(by_column.mean()) if len(by_column) else 0.0,
            "ncp_by_column": dict(zip(outcome.columns, by_column.tolist(), strict=True)),
        }
