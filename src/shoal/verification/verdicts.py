"""What verification finds: a verdict for every model, and what is wrong besides."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.models.evidence import Verdict


@dataclass(frozen=True)
class Verification:
    """What re-checking a release found. `sizes` are the rows of its classes. `problems`: what is wrong with tables and
    files, promises aside. `notes`: what could not be checked."""

    verdicts: tuple[Verdict, ...]
    rows: int
    sizes: pl.Series
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> int:
        return len(self.sizes)

    @property
    def holds(self) -> bool:
        return not self.problems and all(verdict.holds for verdict in self.verdicts)


def nothing_verified() -> Verification:
    """What is known of a release before verification: nothing, so nothing holds."""
    return found_wrong("The release has not been verified.")


def found_wrong(*problems: str, rows: int = 0) -> Verification:
    """A verification that ended with problems before any promise was checked."""
    return Verification((), rows, pl.Series(dtype=pl.UInt32), problems)
