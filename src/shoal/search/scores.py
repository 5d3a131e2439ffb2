"""Scores of a specialization: what it reveals about a target, or how many pairs of rows it makes distinguishable."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np

from shoal.arrays import Float64, Int64
from shoal.errors import PlanError
from shoal.search.specialization import Specialization
from shoal.search.splits import Node
from shoal.search.target import strata

_LOGARITHMS = 1 << 20
_DIGITS = 12
"""Scores are rounded to these digits. So the order of the table decides between equal ones, not rounding errors."""
_MOST_COUNTS, _MOST_WITH_STRATA = 1 << 29, 1 << 26
"""The most counts for all columns together, and the most with which strata are distinguished. They bound memory."""


class Score(Protocol):
    """Scores specializations.

    `lasting`: whether steps on other nodes leave a score unchanged.
    """

    lasting: ClassVar[bool]

    def parts(self, node: Node, edges: Int64) -> float:
        """The score of replacing a node by these parts."""
        ...

    def cuts(self, node: Node) -> Float64 | Int64:
        """[codes - 1]: the score of cutting a node after each code."""
        ...


class Gain:
    """The bits that a step reveals about the target.

    As in the paper, it is the mean over the affected rows. With `besides`, it is the gain over all rows, in addition to
    what the sensitive columns reveal, which are released as well. Of two columns that reveal the same amount, the one
    that repeats a sensitive column is then worth less.
    """

    lasting: ClassVar[bool] = True

    def __init__(self, state: Specialization, besides: bool) -> None:
        self.state, self.besides = state, besides
        small = np.arange(1, min(state.total + 1, _LOGARITHMS), dtype=np.float64)
        self._logarithms = np.concatenate([[0.0], small * np.log2(small)])
        target = state.coded.counted.target
        assert target is not None
        self._target, self._targets = target, int(target.max()) + 1
        self._stratum = np.zeros(len(state.coded.counted), np.int32)
        counts = self._targets * sum(domain.size for domain in state.coded.quasi)
        if counts > _MOST_COUNTS:
            raise PlanError(
                f"The target has {self._targets} different values, too many to count for every value of every column.",
                hint='merge its values into fewer, or set goal = "general" under [algorithm].',
            )
        if besides and (int((of_row := strata(state.coded)).max()) + 1) * counts <= _MOST_WITH_STRATA:
            self._stratum = of_row
        self._counts: dict[int, Int64] = {}

    def parts(self, node: Node, edges: Int64) -> float:
        from shoal.kernels.specializing import entropy_total

        counts = self._tallied(node.column)
        of_parts = [counts[low:high].sum(axis=0) for low, high in pairwise(edges.tolist())]
        whole = entropy_total(np.sum(of_parts, axis=0), self._logarithms)
        gain = whole - sum(entropy_total(part, self._logarithms) for part in of_parts)
        return round(gain / self._rows(node), _DIGITS)

    def cuts(self, node: Node) -> Float64:
        from shoal.kernels.specializing import gains_cut

        gains: Float64 = gains_cut(self._tallied(node.column)[node.low : node.high + 1], self._logarithms)
        return np.round(gains / self._rows(node), _DIGITS)

    def _rows(self, node: Node) -> int:
        return self.state.total if self.besides else self.state.rows_of(node)

    def _tallied(self, a: int) -> Int64:
        """int64 [codes, strata, targets]: the rows of a column by code, stratum and target."""
        from shoal.kernels.specializing import tally

        if a not in self._counts:
            coded, targets, strata = self.state.coded, self._targets, int(self._stratum.max()) + 1
            size, joint = coded.quasi[a].size, self._stratum * targets + self._target
            counts = tally(coded.counted.quasi[a], size, joint, strata * targets, coded.counted.weight)
            self._counts[a] = counts.reshape(size, strata, targets)
        return self._counts[a]


class Pairs:
    """The pairs of rows, in both orders, that a step makes distinguishable: the decrease of discernibility.

    A score only decreases as other steps are made, so an earlier score is never too low.
    """

    lasting: ClassVar[bool] = False

    def __init__(self, state: Specialization) -> None:
        self.state = state

    def parts(self, node: Node, edges: Int64) -> float:
        return self.state.pairs_parted(node, edges)

    def cuts(self, node: Node) -> Int64:
        return self.state.pairs_cut(node)
