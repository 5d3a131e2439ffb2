"""Marketer risk: the intruder links as many rows as possible and does not mind errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample, lacks_candidates
from shoal.risks.journalist import row_risks


class Marketer:
    """The expected share of rows that are linked to the right individual, if every row is linked.

    Of the f rows of a class that are linked at random to F candidates, f/max(F, f) are expected to be right, and none
    without candidates (F = 0). Without a reference table, the candidates are the individuals of the table itself, and
    the share is classes / rows.
    Paper: Dankar, El Emam, A method for evaluating marketer re-identification risk, PAIS 2010.
    """

    name: ClassVar[str] = "marketer"
    about: ClassVar[str] = "the expected share of rows that are linked correctly if all are linked"
    compares: ClassVar[Comparison] = "overlap"
    limits: ClassVar[Mapping[str, Limit]] = {"marketer": Limit("success")}

    def lacks(self, sample: Sample) -> str:
        return "" if sample.candidates is None else lacks_candidates(sample)

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        if sample.candidates is None:
            return {"success": len(sample.sizes) / sample.total, "expected_rows": len(sample.sizes)}
        expected = float((row_risks(sample.candidates) * sample.candidates.sizes).sum())
        return {"success": expected / sample.total, "expected_rows": expected}
