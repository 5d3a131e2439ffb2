"""What a measure of risk sees of a table: counted classes and candidates in a reference, never a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

from shoal.arrays import Float64, Int64
from shoal.progress import Progress
from shoal.risks.classes import Classes

Comparison = Literal["equality", "overlap"]
Figures = Mapping[str, object]

NO_CANDIDATE = (
    "No row has a candidate in the reference table, so nothing can be measured against it. Hint: check the spelling, "
    "types and leading zeros of its values."
)
_NO_REFERENCE = "A reference table is needed."


class Limit(NamedTuple):
    """The figure that a threshold of the plan bounds, from above, or from below if it is a `least` figure."""

    figure: str
    least: bool = False

    def exceeded(self, figure: float, threshold: float) -> bool:
        """Whether the risk is larger than the steward accepts; a figure at the threshold is accepted.

        A figure that is no number is never accepted.
        """
        return not (figure >= threshold if self.least else figure <= threshold)


@dataclass(frozen=True)
class Candidates:
    """The individuals of a reference table whom the rows of a table may describe.

    `columns`: the quasi-identifiers that both tables have; all else refers to these alone. `sizes` int64 [classes]: the
    rows of each class of the table. `found` int64 [classes]: the reference rows whose values overlap its labels.
    `reference_rows`: the number of reference rows. `presence` float64 [distinct reference rows] and `times` int64, the
    number of rows of each: the probability that such an individual is in the table.
    """

    columns: tuple[str, ...]
    sizes: Int64
    found: Int64
    reference_rows: int
    presence: Float64
    times: Int64

    @property
    def is_empty(self) -> bool:
        """Whether no row has a candidate: the tables are written differently, or describe others."""
        return not self.found.any()


@dataclass(frozen=True)
class Sample:
    """A table whose risk is measured, as a sample of a population.

    `fraction`: the share of the population that is in the table, if known. `candidates`: those of a reference table, if
    one is given. `at_risk`: rows with a larger risk count as rows at risk. `audit`: the disclosure audit in JSON
    values, if a sensitive column has a hierarchy.
    """

    classes: Classes
    fraction: float | None = None
    candidates: Candidates | None = None
    at_risk: float | None = None
    audit: Figures | None = None

    @property
    def sizes(self) -> Int64:
        """int64 [classes]: the number of rows, or of individuals, in each class."""
        return self.classes.sizes

    @property
    def total(self) -> int:
        """The number of rows, or of individuals."""
        return int(self.classes.sizes.sum())

    @property
    def compared(self) -> tuple[str, ...]:
        """The quasi-identifiers that the reference table has too, in the order of the table."""
        known = () if self.candidates is None else self.candidates.columns
        return tuple(name for name in self.classes.columns if name in known)


def lacks_candidates(sample: Sample) -> str:
    """What a measure lacks that needs candidates in a reference table, in a sentence; empty if it lacks nothing."""
    if sample.candidates is None:
        return _NO_REFERENCE
    return NO_CANDIDATE if sample.candidates.is_empty else ""


class RiskMeasure(Protocol):
    """Figures of risk that belong together."""

    name: ClassVar[str]
    about: ClassVar[str]
    """What it measures, in one sentence."""
    compares: ClassVar[Comparison]
    """Whether rows match if their labels are equal, or if what their labels cover overlaps."""
    limits: ClassVar[Mapping[str, Limit]]
    """Threshold of the plan → the figure that it bounds."""

    def lacks(self, sample: Sample) -> str:
        """What the measure needs and the sample does not have, in a sentence; empty if nothing."""
        ...

    def of(self, sample: Sample, progress: Progress) -> Figures:
        """Figures by name, ready for JSON."""
        ...
