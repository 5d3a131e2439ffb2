"""Individual risk: the expected risk of each row in the population from which the table was drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from shoal.arrays import Float64, Int64
from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample

_BY_RECURSION = 40
_TERMS = 200


class Individual:
    """The expected value of 1/F for each row, where F is the unknown size of its class in the population.

    Given f rows of the sample, F has a negative binomial distribution with the success probability p = f/ΣW, where ΣW
    are the sampling weights of these rows, 1/fraction for each row if the plan names no weights. `highest` is the
    largest expectation, `average` its mean over all rows, and `expected_rows` the expected number of rows whose
    individual is named correctly.
    Paper: Benedetti, Franconi, Statistical and technological solutions for controlled data dissemination, NTTS 1998;
    Polettini, Seri, Guidelines for the protection of social micro-data, CASC 2004.
    """

    name: ClassVar[str] = "individual"
    about: ClassVar[str] = "the expected risk of each row in the population, from sampling weights"
    compares: ClassVar[Comparison] = "equality"
    limits: ClassVar[Mapping[str, Limit]] = {"individual": Limit("highest")}

    def lacks(self, sample: Sample) -> str:
        unknown = sample.fraction is None and sample.classes.weights is None
        return "A sampling fraction, or sampling weights (weight under [risk]), are needed." if unknown else ""

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        risk = expected_risk(sample.sizes, _population_sizes(sample))
        expected = float((risk * sample.sizes).sum())
        return {"highest": float(risk.max()), "average": expected / sample.total, "expected_rows": expected}


def _population_sizes(sample: Sample) -> Float64:
    """float64 [classes]: the estimated size of each class in the population."""
    if sample.classes.weights is not None:
        return sample.classes.weights
    assert sample.fraction is not None
    return sample.sizes / sample.fraction


def expected_risk(sizes: Int64, population_sizes: Float64) -> Float64:
    """float64 [classes]: the mean of 1/F over the negative binomial distribution of F, given f and p = f/F̂.

    The mean is p ∫₀¹ u^(f−1)/(p + (1−p)u) du. For p up to 1/2 and small f it follows from f = 1 by recursion, in which
    errors shrink; otherwise from a series in 1 − p, whose terms shrink at least by half or by 1/f.
    """
    pairs, place = np.unique(np.stack([sizes, sizes / population_sizes]), axis=1, return_inverse=True)
    risks = [_risk(int(f), min(float(p), 1.0)) for f, p in pairs.T]
    return np.array(risks)[place.reshape(-1)]


def _risk(f: int, p: float) -> float:
    q = 1 - p
    if p <= 0.5 and f <= _BY_RECURSION:
        integral = -np.log(p) / q
        for size in range(1, f):
            integral = (1 / size - p * integral) / q
        return float(p * integral)
    term, total = 1 / f, 0.0
    for m in range(1, _TERMS):
        total += term
        term *= q * m / (f + m)
    return p * total
