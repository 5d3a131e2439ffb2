"""Rules: what an item model allows an intruder to believe about a class. Comparisons at a threshold are exact.

Sums of fractions with different denominators are compared as floats first, and as integers wherever floats are within
1e-9 of the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.arrays import Flags, Float64, Int64
from shoal.coded.stats import ValueCounts
from shoal.exact import product
from shoal.items.beliefs import Belief
from shoal.items.linking import Links

if TYPE_CHECKING:
    from shoal.kernels import beliefs


class Rule(Protocol):
    """Judges classes by their beliefs."""

    @property
    def kernel(self) -> beliefs.Rule:
        """The rule as kernels know it."""
        ...

    def allows(self, belief: Belief) -> bool:
        """Whether the rule allows this belief, exactly."""
        ...


@dataclass(frozen=True)
class Diversity:
    """QS (c,l)-diversity: with β sorted downwards, p1 <= c · (p_l + … + p_m).

    A class that links to some labels needs at least l of them. A class that links to nothing passes.
    """

    c: Fraction
    l: int

    @cached_property
    def kernel(self) -> beliefs.Rule:
        from shoal.kernels import beliefs

        over, under = self.c.as_integer_ratio()
        over, under = (over, under) if max(over, under) < beliefs.EXACT else (0, 0)
        return beliefs.Rule(False, float(self.c), self.l, 0.0, np.zeros(0), 0.0, over, under)

    def feasible(self, labels: int) -> bool:
        """Whether any class that links to some of this many labels passes when all of its items are removed.

        Then every label has the same share. If that fails, every class fails that links to a label at all: its tail is
        at most (m - l + 1) · p1.

        >>> Diversity(Fraction(1), 3).feasible(3), Diversity(Fraction(1, 2), 3).feasible(3)
        (True, False)
        """
        return labels == 0 or (labels >= self.l and self.c * (labels - self.l + 1) >= 1)

    def allows(self, belief: Belief) -> bool:
        return self.largest_l(belief) >= self.l or not belief.exact[0].any()

    def largest_l(self, belief: Belief) -> int:
        """The largest l for which the belief is (c,l)-diverse; 0 for none, labels + 1 if it links to nothing."""
        shares = np.sort(belief.exact[0])
        shares = shares[np.count_nonzero(shares == 0) :]
        if not len(shares):
            return belief.links.labels + 1
        tails = product(np.cumsum(shares), self.c.numerator)  # of the smallest one, the two smallest and so on
        enough = tails >= product(shares[-1:], self.c.denominator)[0]
        return len(shares) - int(np.argmax(enough)) if enough.any() else 0


@dataclass(frozen=True)
class Closeness:
    """QS t-closeness: the Euclidean distance between β of a class and the reference distribution is at most t."""

    t: Fraction
    reference: Belief

    @cached_property
    def kernel(self) -> beliefs.Rule:
        from shoal.kernels import beliefs

        alpha = self.reference.shares
        return beliefs.Rule(True, 0.0, 0, float(self.t) ** 2, alpha, float(alpha @ alpha), 0, 0)

    def allows(self, belief: Belief) -> bool:
        (own, under), (reference, below) = belief.exact, self.reference.exact
        differences = own.astype(object) * below - reference.astype(object) * under
        over = sum(int(difference) ** 2 for difference in differences)
        return over * self.t.denominator**2 <= (self.t.numerator * under * below) ** 2


def passing(rule: Rule, links: Links, counts: ValueCounts) -> Flags:
    """bool [classes]: whether the rule allows what an intruder believes about each class.

    `counts`: the sets of every class, as `ClassStats.items` counts them.
    """
    from shoal.kernels import beliefs

    verdicts, _ = beliefs.judged(*counts, *links, rule.kernel)
    passes: Flags = verdicts == beliefs.PASSES
    for number in np.flatnonzero(verdicts == beliefs.DOUBTFUL):
        passes[number] = rule.allows(belief_of(links, counts, int(number)))
    return passes


def largest_l(c: Fraction, links: Links, counts: ValueCounts) -> Int64:
    """int64 [classes]: l' of the paper, the largest l for which a class is (c,l)-diverse.

    It is 0 if there is none, and one more than there are labels if a class links to nothing.
    """
    from shoal.kernels import beliefs

    low, high = beliefs.largest_l(*counts, *links, float(c))
    rule = Diversity(c, 1)
    for number in np.flatnonzero(low != high):
        low[number] = rule.largest_l(belief_of(links, counts, int(number)))
    return low


def distances(reference: Belief, links: Links, counts: ValueCounts) -> Float64:
    """float64 [classes]: the Euclidean distance between β of each class and the reference distribution."""
    from shoal.kernels import beliefs

    rule = Closeness(Fraction(0), reference)
    squared: Float64 = beliefs.judged(*counts, *links, rule.kernel)[1]
    return np.sqrt(squared)


def belief_of(links: Links, counts: ValueCounts, number: int) -> Belief:
    """The belief about one class."""
    entries = slice(counts.offsets[number], counts.offsets[number + 1])
    sets = counts.values[entries]
    own = Links(links.bits[sets], links.sizes[sets], links.labels)
    return Belief(own, counts.counts[entries])
