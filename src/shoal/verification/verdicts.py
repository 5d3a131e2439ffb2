"""The result of a verification: a verdict for every model, and other problems."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from shoal.counts import counted
from shoal.errors import PromiseBroken
from shoal.models.evidence import Verdict


@dataclass(frozen=True)
class Verification:
    """The result of re-checking a release.

    `sizes`: the number of rows of each class. `problems`: problems of tables and files, apart from the promises.
    `notes`: what could not be checked. `counted`: the counted rows with their classes that were judged, for figures
    about the same classes.
    """

    verdicts: tuple[Verdict, ...]
    rows: int
    sizes: pl.Series
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    counted: pl.DataFrame | None = field(default=None, repr=False, compare=False)

    @property
    def classes(self) -> int:
        return len(self.sizes)

    @property
    def holds(self) -> bool:
        return not self.problems and all(verdict.holds for verdict in self.verdicts)


def nothing_verified() -> Verification:
    """The result before a release is verified: no promise is known to hold."""
    return found_wrong("The release has not been verified.")


def found_wrong(*problems: str, rows: int = 0) -> Verification:
    """A verification that found problems before any promise was checked."""
    return Verification((), rows, pl.Series(dtype=pl.UInt32), problems)


def require(verification: Verification) -> None:
    """Raises unless every promise holds and there are no problems."""
    if verification.holds:
        return
    broken = [
        f"'{verdict.kind}' fails in {verdict.failing:,} of {counted(verification.classes, 'class', 'classes')}"
        for verdict in verification.verdicts
        if not verdict.holds
    ]
    problems = "; ".join([*verification.problems, *broken])
    raise PromiseBroken(f"The release does not keep its promises: {problems}. It was not published.")
