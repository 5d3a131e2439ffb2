"""Journalist risk: the intruder searches a public table for whoever a row describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from shoal.arrays import Float64
from shoal.progress import Progress
from shoal.risks.base import Candidates, Comparison, Figures, Limit, Sample, lacks_candidates


class Journalist:
    """The probability of naming the right individual of the reference table for a row.

    A row of a class of f rows with F candidates in the reference has the risk 1/max(F, f): the individual is one of F,
    and if fewer candidates than rows were found, at most F of the f rows are in the reference at all. Without
    candidates it is 0. `highest` and `average` are over all rows. `rows_without_candidates`: no individual of the
    reference can be linked to them.
    Paper: El Emam, Dankar, Protecting privacy using k-anonymity, JAMIA 15(5), 2008.
    """

    name: ClassVar[str] = "journalist"
    about: ClassVar[str] = "the intruder looks a row up in the reference table"
    compares: ClassVar[Comparison] = "overlap"
    limits: ClassVar[Mapping[str, Limit]] = {"journalist": Limit("highest")}

    def lacks(self, sample: Sample) -> str:
        needs = "A reference table is needed; without one, journalist risk is at most prosecutor risk."
        return needs if sample.candidates is None else lacks_candidates(sample)

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        assert sample.candidates is not None
        risk, sizes = row_risks(sample.candidates), sample.candidates.sizes
        return {
            "highest": float(risk.max(initial=0.0)),
            "average": float((risk * sizes).sum() / sizes.sum()),
            "rows_without_candidates": int(sizes[sample.candidates.found == 0].sum()),
            "columns": list(sample.candidates.columns),
        }


def row_risks(candidates: Candidates) -> Float64:
    """float64 [classes]: the risk of a row of each class."""
    most = np.maximum(candidates.found, candidates.sizes).astype(np.float64)
    return np.where(candidates.found == 0, 0.0, 1 / most)
