"""Notes and warnings: what must be known before the figures of a risk are relied on."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

import numpy as np

from shoal.counts import some_of
from shoal.percent import percent
from shoal.risks.base import NO_CANDIDATE, Candidates, Sample
from shoal.risks.individual import Individual

_TOLERATED = 0.05
"""The share of rows without a candidate that an incomplete reference table may explain."""


def notes(sample: Sample, computed: Container[str]) -> Iterator[str]:
    """What was compared, and which of the computed measures are not reliable on this table."""
    if sample.candidates is not None:
        yield _compared(sample)
    if Individual.name in computed and 2 * int(np.count_nonzero(sample.sizes == 1)) > sample.total:
        yield (
            "More than half of the rows are unique, so the individual risk is not reliable: it is far too low if these "
            "rows are unique in the population too."
        )


def warnings(sample: Sample, unattacked: Sequence[str] = ()) -> Iterator[str]:
    """Which promises were not attacked, and why the figures against a reference table may be too low."""
    if unattacked:
        yield (
            f"The attack 'indirect' was not run on {some_of(unattacked)}, because the knowledge table is not at hand: "
            "what items reveal about its labels is not known. Hint: name the table with --knowledge, or with the plan."
        )
    if sample.candidates is None:
        return
    if absent := _absent(sample):
        yield (
            f"The reference table lacks {len(absent)} of {len(sample.classes.columns)} quasi-identifiers: "
            f"{some_of(absent)}. An intruder who knows them has fewer candidates, and the risk is larger."
        )
    if sample.candidates.is_empty:
        yield f"{NO_CANDIDATE} The attacks do without it."
    elif (share := _without_candidates(sample.candidates)) > _TOLERATED:
        yield (
            f"{percent(share)} of the rows have no candidate in the reference table, and count as rows without risk. "
            "Hint: check the spelling, types and leading zeros of its values."
        )


def _compared(sample: Sample) -> str:
    absent = _absent(sample)
    lacks = f" It lacks: {quoted(absent)}." if absent else ""
    return f"The reference table was compared on: {quoted(sample.compared)}.{lacks}"


def quoted(names: Sequence[str]) -> str:
    """All names of columns, in quotes."""
    return ", ".join(f"'{name}'" for name in names)


def _absent(sample: Sample) -> list[str]:
    """The quasi-identifiers that the reference table does not have."""
    return [name for name in sample.classes.columns if name not in sample.compared]


def _without_candidates(candidates: Candidates) -> float:
    """The share of rows that no individual of the reference table matches."""
    return int(candidates.sizes[candidates.found == 0].sum()) / int(candidates.sizes.sum())
