"""k-map: how many individuals of a reference table each row may describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample, lacks_candidates


class KMap:
    """The smallest number of reference rows that overlap a row of the table: the table is k-map anonymous for this k.

    A row without a candidate makes `k` 0: it violates the definition, although nobody of the reference can be named for
    it, so that journalist and marketer risk count it as 0. `k_of_matched_rows` is the smallest number over the rows
    that have a candidate.
    Paper: Sweeney, Computational disclosure control, PhD thesis, MIT, 2001.
    """

    name: ClassVar[str] = "k_map"
    about: ClassVar[str] = "the fewest individuals of the reference table whom a row may describe"
    compares: ClassVar[Comparison] = "overlap"
    limits: ClassVar[Mapping[str, Limit]] = {"k_map": Limit("k", least=True)}

    def lacks(self, sample: Sample) -> str:
        return lacks_candidates(sample)

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        assert sample.candidates is not None
        found, sizes = sample.candidates.found, sample.candidates.sizes
        return {
            "k": int(found.min()),
            "k_of_matched_rows": int(found[found > 0].min()),
            "rows_with_one_candidate": int(sizes[found == 1].sum()),
            "rows_without_candidates": int(sizes[found == 0].sum()),
            "reference_rows": sample.candidates.reference_rows,
        }
