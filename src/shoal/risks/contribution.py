"""Contribution of columns: how well each column, pair of columns and the whole set tell rows apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import ClassVar

import numpy as np

from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample
from shoal.risks.classes import Classes, summed

PAIRED = 30
"""At most this many columns are combined in pairs: those with the most values."""


class Contribution:
    """Distinction and separation of every quasi-identifier, of pairs and of all of them together.

    `distinction` is distinct combinations / rows: the share of rows that could be told apart at most. `separation` is
    the share of all pairs of rows that differ in the columns. `uniques` counts the rows that the columns make unique,
    and `uniques_without` those that the other columns still make unique.
    Paper: Motwani, Xu, Efficient algorithms for masking and finding quasi-identifiers, VLDB workshop SDM 2007.
    """

    name: ClassVar[str] = "columns"
    about: ClassVar[str] = "how well columns and pairs of columns tell rows apart"
    compares: ClassVar[Comparison] = "equality"
    limits: ClassVar[Mapping[str, Limit]] = {}

    def lacks(self, sample: Sample) -> str:
        return "" if sample.classes.columns else "The plan has no quasi-identifiers."

    def of(self, sample: Sample, progress: Progress) -> Figures:
        classes = sample.classes
        sets = [(place,) for place in range(len(classes.columns))] + _pairs(classes)
        found = []
        for number, places in enumerate(sets):
            progress("risk", number / len(sets))
            found.append(_apart(classes, places))
        for place, each in enumerate(found[: len(classes.columns)]):
            others = [other for other in range(len(classes.columns)) if other != place]
            each["uniques_without"] = _apart(classes, others)["uniques"] if others else 0
        every = _apart(classes, range(len(classes.columns)))
        return {"together": every, "single": found[: len(classes.columns)], "pairs": found[len(classes.columns) :]}


def _pairs(classes: Classes) -> list[tuple[int, ...]]:
    by_values = sorted(range(len(classes.columns)), key=lambda place: -len(classes.labels[place]))
    return list(combinations(sorted(by_values[:PAIRED]), 2))


def _apart(classes: Classes, places: Sequence[int]) -> dict[str, object]:
    """The figures of a set of columns."""
    _, sizes = summed([classes.codes[place] for place in places], classes.sizes)
    total = int(sizes.sum())
    together = int((sizes * (sizes - 1)).sum())
    return {
        "columns": [classes.columns[place] for place in places],
        "distinction": len(sizes) / total,
        "separation": 1 - together / (total * (total - 1)) if total > 1 else 0.0,
        "uniques": int(np.count_nonzero(sizes == 1)),
    }
