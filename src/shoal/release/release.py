"""Release: the published tables and the achieved privacy, as a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from shoal.counts import counted, each_once
from shoal.errors import ShoalError
from shoal.figures import Figures, PrivateFigures, PublicFigures
from shoal.labels import MISSING
from shoal.manifest import Manifest
from shoal.percent import percent
from shoal.plan import Plan
from shoal.release.draft import Draft, Private
from shoal.release.public import public_plan
from shoal.release.published import published_text
from shoal.report import Facts, Report, Step, steps_of
from shoal.table import Runs
from shoal.verification.verdicts import Verification
from shoal.warnings import serious


@dataclass(frozen=True, repr=False)
class Release:
    """A release that keeps every promise of its plan, as checked by `verification`.

    `manifest`: the description that is published. `steward`: the same with all that only the steward may know, such as
    costs, timings and warnings that come from the input. `digest`: the SHA-256 of the written manifest, which is known
    once the release was saved.
    """

    draft: Draft
    manifest: Manifest
    steward: Manifest
    verification: Verification
    digest: str | None = None
    as_given: Callable[[Runs], Any] = field(default=Runs.expanded)
    make_figures: Callable[[], Figures] = field(default=lambda: Figures(PublicFigures(), PrivateFigures()))

    @cached_property
    def figures(self) -> Figures:
        """What the reports show beyond the manifest, computed when it is first needed; the second part is private."""
        return self.make_figures()

    @cached_property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """The published tables by file name, without the extension."""
        return {name: runs.expanded() for name, runs in self.draft.tables.items()}

    @property
    def plan(self) -> Plan:
        return self.draft.plan

    @cached_property
    def frame(self) -> Any:
        """The released table, of the same kind as the input: polars, pandas, pyarrow or Spark."""
        if len(self.draft.tables) > 1:
            raise ShoalError(
                f"A release of form '{self.plan.release.form}' has {len(self.draft.tables)} tables.",
                hint="use release.frames.",
            )
        return next(iter(self.frames.values()))

    @cached_property
    def frames(self) -> dict[str, Any]:
        """The released tables by name, of the same kind as the input, with its missing values."""
        return {
            name: self.as_given(runs.with_rows(self._as_text(runs.rows))) for name, runs in self.draft.tables.items()
        }

    def _as_text(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A table with text in place of dictionaries, and null in place of the label of a missing value."""
        quasi = set(self.plan.quasi_identifiers)
        text = frame.with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String))
        return text.with_columns(pl.col(name).replace(MISSING, None) for name in frame.columns if name in quasi)

    @property
    def private(self) -> Private:
        """The steward's private data."""
        return self.draft.private

    @property
    def measures(self) -> Mapping[str, Any]:
        """The utility measures of the release, by name."""
        return self.manifest.measures

    @property
    def warnings(self) -> tuple[str, ...]:
        """Risks that no model of the plan covers. Most come from the input and are for the steward only."""
        return self.steward.warnings

    @property
    def achieved(self) -> dict[str, Any]:
        """Kind of model → what it achieves.

        If the plan has several models of a kind, their keys have the column too, and a number if that is the same.
        """
        kinds = Counter(verdict.kind for verdict in self.verification.verdicts)
        achieved: dict[str, Any] = {}
        for verdict in self.verification.verdicts:
            column = verdict.parameters.get("column")
            key = f"{verdict.kind} {column}" if kinds[verdict.kind] > 1 and column else verdict.kind
            achieved[_unused(key, achieved)] = dict(verdict.achieved)
        return achieved

    @property
    def steps(self) -> tuple[Step, ...]:
        """The specialization steps of the release; empty if its algorithm records none."""
        return tuple(steps_of(self.manifest))

    @property
    def report(self) -> Report:
        """The report of the release, which may be published."""
        return Report.of(
            Facts(self.manifest, self.figures.public, plan=published_text(public_plan(self.plan, self.draft.tables)))
        )

    @property
    def steward_report(self) -> Report:
        """The report with costs, timings and all warnings, for the steward only."""
        public, private = self.figures
        return Report.of(Facts(self.steward, public, private, self.draft.plan_text, self.digest))

    def save(self, folder: str | Path, *, force: bool = False) -> str:
        """Writes the release to `folder` and the private data to `folder`.private; returns the manifest's digest.

        Both folders appear complete or not at all. The written files are verified first.
        """
        from shoal.release.saving import save

        digest = save(self.draft, Path(folder), timings=self.steward.timings, force=force).digest
        object.__setattr__(self, "digest", digest)  # the same for every folder: it follows from the release
        return digest

    def __repr__(self) -> str:
        result = self.verification
        models = each_once(verdict.kind for verdict in result.verdicts)
        several = len(result.verdicts) > 1
        outcome = ("hold" if several else "holds") if result.holds else ("DO NOT HOLD" if several else "DOES NOT HOLD")
        verdict = f"{models} {outcome}" if models else "not verified"
        verdict += f" ({self.plan.scope.words})" if self.plan.scope is not None else ""
        if number := serious(self.draft.warnings):
            verdict += f", but {counted(number, 'serious warning', 'serious warnings')}"
        classes = counted(result.classes, "class", "classes")
        lost = f"information loss {percent(self.measures['ncp'])}" if "ncp" in self.measures else "no measures"
        return f"Release({result.rows:,} of {self.manifest.rows_in:,} rows in {classes}, {lost}; {verdict})"

    def _repr_html_(self) -> str:
        return self.steward_report.fragment()


def _unused(key: str, taken: Mapping[str, Any]) -> str:
    """The key, with the next number if it is taken."""
    return next(each for n in count(2) for each in (key, f"{key} {n}") if each not in taken)
