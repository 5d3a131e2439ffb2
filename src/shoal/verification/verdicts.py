"""The result of a verification: a verdict for every model, and other problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from shoal.counts import counted, some_of
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

    @property
    def not_checked(self) -> list[str]:
        """The figures that could not be checked from the files alone."""
        columns: dict[tuple[str, str], list[str]] = {}
        for verdict in self.verdicts:
            for name, value in verdict.achieved.items():
                if value == "not checked":
                    listed = columns.setdefault((name.replace("_", " "), verdict.kind), [])
                    listed += [str(verdict.parameters["column"])] if "column" in verdict.parameters else []
        return [f"{name} of '{kind}'" + (f" for {some_of(of)}" if of else "") for (name, kind), of in columns.items()]

    def to_json(self) -> dict[str, Any]:
        """The findings as JSON values."""
        return {
            "holds": self.holds,
            "rows_released": self.rows,
            "classes": self.classes,
            "models": [verdict.to_json() for verdict in self.verdicts],
            "problems": list(self.problems),
            "notes": list(self.notes),
            "not_checked": self.not_checked,
        }

    def _repr_html_(self) -> str:
        from shoal.verification.wording import as_html

        return as_html(self)


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
