"""k-map: how many individuals of a reference table each row may describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample


class KMap:
    """The smallest number of reference rows that overlap a row of the table: the table is k-map anonymous for this k.

    Paper: Sweeney, Computational disclosure control, PhD thesis, MIT, 2001.
    """

    name: ClassVar[str] = "k_map"
    about: ClassVar[str] = "the fewest individuals of the reference table whom a row may describe"
    compares: ClassVar[Comparison] = "overlap"
    limits: ClassVar[Mapping[str, Limit]] = {"k_map": Limit("k", least=True)}

    def lacks(self, sample: Sample) -> str:
        return "A reference table is needed." if sample.candidates is None else ""

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        assert sample.candidates is not None
        found, sizes = sample.candidates.found, sample.candidates.sizes
        return {
            "k": int(found.min()),
            "rows_with_one_candidate": int(sizes[found == 1].sum()),
            "rows_without_candidates": int(sizes[found == 0].sum()),
            "reference_rows": sample.candidates.reference_rows,
        }
