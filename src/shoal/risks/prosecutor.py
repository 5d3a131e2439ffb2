"""Prosecutor risk: the intruder knows that the individual is in the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample


class Prosecutor:
    """The probability of naming the right row for an individual who is known to be in the table.

    A row of a class of size f has the risk 1/f. `highest` is the largest of these, `average` their mean, which is
    classes / rows, and `rows_at_highest` the number of rows with the highest risk. `rows_at_risk` counts the rows
    above the threshold `highest` of the plan.
    Paper: El Emam, Dankar, Protecting privacy using k-anonymity, JAMIA 15(5), 2008.
    """

    name: ClassVar[str] = "prosecutor"
    about: ClassVar[str] = "the intruder knows that the individual is in the table"
    compares: ClassVar[Comparison] = "equality"
    limits: ClassVar[Mapping[str, Limit]] = {"highest": Limit("highest"), "average": Limit("average")}

    def lacks(self, _sample: Sample) -> str:
        return ""

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        sizes, smallest = sample.sizes, int(sample.sizes.min())
        figures: dict[str, object] = {
            "highest": 1 / smallest,
            "average": len(sizes) / sample.total,
            "smallest_class": smallest,
            "rows_at_highest": smallest * int(np.count_nonzero(sizes == smallest)),
        }
        if sample.at_risk is not None:
            figures["rows_at_risk"] = int(sizes[1 / sizes > sample.at_risk].sum())
        return figures
