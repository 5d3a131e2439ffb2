"""Release: the published tables and what was achieved, as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import PromiseBroken, ShoalError
from shoal.manifest import Manifest
from shoal.plan import Plan
from shoal.release.draft import Draft, Private
from shoal.report import Report, Step, steps_of
from shoal.verification.verdicts import Verification


@dataclass(frozen=True, repr=False)
class Release:
    """A table that keeps every promise of its plan, as `verification` found by regrouping it.

    `manifest`: what the release says of itself. `digest`: the SHA-256 of the manifest as it was written, where the
    release was saved when it was made.
    """

    draft: Draft
    manifest: Manifest
    verification: Verification
    digest: str | None = None
    as_given: Callable[[pl.DataFrame], Any] = field(default=lambda frame: frame)

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """What is published, by file name without ending."""
        return self.draft.tables

    @property
    def plan(self) -> Plan:
        return self.draft.plan

    @cached_property
    def frame(self) -> Any:
        """The released table, of the kind that was given: polars, pandas or pyarrow."""
        if len(self.tables) > 1:
            raise ShoalError(
                f"A release as '{self.plan.release.form}' has {len(self.tables)} tables.", hint="use release.frames."
            )
        return next(iter(self.frames.values()))

    @cached_property
    def frames(self) -> dict[str, Any]:
        """The released tables by name, of the kind that was given."""
        text = pl.col(pl.Enum, pl.Categorical).cast(pl.String)
        return {name: self.as_given(frame.with_columns(text)) for name, frame in self.tables.items()}

    @property
    def private(self) -> Private:
        """What only the steward may see."""
        return self.draft.private

    @property
    def measures(self) -> Mapping[str, Any]:
        """Utility figures of the release, by name."""
        return self.manifest.measures

    @property
    def warnings(self) -> tuple[str, ...]:
        """Risks that no model of the plan covers."""
        return self.manifest.warnings

    @property
    def achieved(self) -> dict[str, Any]:
        """What every model achieves on the released table, by kind; several of a kind are told apart by column."""
        found: dict[str, Any] = {}
        for verdict in self.verification.verdicts:
            column = verdict.parameters.get("column")
            key = f"{verdict.kind} {column}" if verdict.kind in found and column else verdict.kind
            found[key] = dict(verdict.achieved)
        return found

    @property
    def steps(self) -> tuple[Step, ...]:
        """How the release came about, where its algorithm works in steps; a frame can be made of them."""
        return tuple(steps_of(self.manifest))

    @property
    def report(self) -> Report:
        """The release described for people to read."""
        return Report(self.manifest)

    def save(self, folder: str | Path, *, force: bool = False) -> str:
        """Writes the release to `folder` and the steward's part to `folder`.private; returns the manifest's digest.

        Both folders appear whole or not at all. The written files are read back and verified before that.
        """
        from shoal.release.saving import save

        return save(self.draft, Path(folder), timings=self.manifest.timings, force=force).digest

    def __repr__(self) -> str:
        found = self.verification
        models = ", ".join(verdict.kind for verdict in found.verdicts)
        verdict = f"{models} {'hold' if found.holds else 'DO NOT HOLD'}" if models else "not verified"
        return f"Release({found.rows:,} of {self.manifest.rows_in:,} rows in {found.classes:,} classes; {verdict})"

    def _repr_html_(self) -> str:
        return self.report.fragment()


def require(found: Verification) -> None:
    """Raises unless everything holds."""
    if found.holds:
        return
    broken = [
        f"'{verdict.kind}' fails in {verdict.failing} of {found.classes} classes"
        for verdict in found.verdicts
        if not verdict.holds
    ]
    raise PromiseBroken(
        "The release does not keep its promises: " + "; ".join([*found.problems, *broken]) + ". It was not published."
    )
