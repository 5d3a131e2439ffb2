"""δ-presence: how sure an intruder is that an individual of a reference table is in the released table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample, lacks_candidates


class Presence:
    """The smallest and the largest probability that an individual of the reference table is in the table.

    A class of f rows with F candidates has each of them with probability f/F. If the labels of several classes overlap
    an individual, the probability is at most the sum, and at most 1. If every individual overlaps one class, as in a
    full-domain recoding, this is the definition of the paper: the table is (`lowest`, `highest`)-present. No row
    overlaps the individuals who are `certainly_absent`.
    Paper: Nergiz, Atzori, Clifton, Hiding the presence of individuals from shared databases, SIGMOD 2007.
    """

    name: ClassVar[str] = "presence"
    about: ClassVar[str] = "how likely an individual of the reference table is in the table"
    compares: ClassVar[Comparison] = "overlap"
    limits: ClassVar[Mapping[str, Limit]] = {"presence": Limit("highest")}

    def lacks(self, sample: Sample) -> str:
        return lacks_candidates(sample)

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        assert sample.candidates is not None
        presence, times = sample.candidates.presence, sample.candidates.times
        return {
            "lowest": float(presence.min()),
            "highest": float(presence.max()),
            "certainly_absent": int(times[presence == 0].sum()),
            "individuals_at_highest": int(times[presence == presence.max()].sum()),
        }
