"""Population uniques: how many individuals are unique in the population from which the table was drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample
from shoal.risks.estimators import Spectrum, pitman, slide_negative_binomial, zayatz

SMALL_SAMPLE = 0.1


class Population:
    """The estimated number of individuals who are unique in the population, and their share of it.

    The estimator follows from the sampling fraction. Up to 0.1: Pitman. Above: the smaller one of the estimates by
    slide negative binomial (SNB) and Zayatz. An estimator without a solution is replaced by Zayatz. A fraction of 1
    needs no estimate. `share_of_uniques`: the share of the table's unique rows that are unique in the population.
    Papers: Dankar, El Emam, Neisa, Roffey, Estimating the re-identification risk of clinical data sets, BMC Medical
    Informatics 12:66, 2012 (the rule); Hoshino 2001 (Pitman); Zayatz 1991; Chen, Keller-McNulty 1998 (SNB).
    """

    name: ClassVar[str] = "population_uniques"
    about: ClassVar[str] = "the estimated share of the population that is unique"
    compares: ClassVar[Comparison] = "equality"
    limits: ClassVar[Mapping[str, Limit]] = {"population_uniques": Limit("share")}

    def lacks(self, sample: Sample) -> str:
        return "" if sample.fraction is not None else "A sampling fraction is needed."

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        assert sample.fraction is not None
        spectrum = Spectrum.of(sample.sizes, sample.fraction)
        estimator, uniques = estimated(spectrum)
        unique_rows = int(np.count_nonzero(sample.sizes == 1))
        return {
            "estimator": estimator,
            "estimate": uniques,
            "share": uniques / spectrum.population,
            "share_of_uniques": min(1.0, uniques * sample.fraction / unique_rows) if unique_rows else 0.0,
            "population": spectrum.population,
            "sampling_fraction": sample.fraction,
        }


def estimated(spectrum: Spectrum) -> tuple[str, float]:
    """The estimator that the rule chooses, and its estimate of the number of population uniques."""
    if spectrum.fraction == 1 or spectrum.times_of(1) == 0:
        return "none", float(spectrum.times_of(1))
    by_zayatz = ("zayatz", zayatz(spectrum))
    if spectrum.fraction <= SMALL_SAMPLE:
        found = pitman(spectrum)
        return by_zayatz if found is None else ("pitman", found)
    found = slide_negative_binomial(spectrum)
    return by_zayatz if found is None else min(by_zayatz, ("snb", found), key=lambda each: each[1])
