"""Release: the published tables and what was achieved; saved, verified, to two folders, whole or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import attacks, table
from shoal.errors import PromiseBroken, ShoalError
from shoal.forms import Released
from shoal.measures import Outcome, measure
from shoal.plan.plan import Plan
from shoal.release.codebook import codebook
from shoal.release.output import check_free, partial, private_folder, put_in_place, write_json
from shoal.release.published import write_plan
from shoal.report import Report, Step, steps_of
from shoal.verification.anatomy import verify_tables
from shoal.verification.folder import CODEBOOK, MANIFEST, PLAN, REPORT, hashes, own_plan, read_tables, sha256
from shoal.verification.tables import Verification, nothing_verified
from shoal.version import VERSION


@dataclass(frozen=True)
class Private:
    """What only the steward may see; it is written to the private folder and never published."""

    input_counts: Mapping[str, pl.DataFrame]
    persons: pl.Series | None = None
    suppressed_by_reason: Mapping[str, int] = field(default_factory=dict)
    input_sha256: str | None = None
    plan_text: str | None = None


@dataclass(frozen=True, repr=False)
class Release:
    """A table that keeps every promise of its plan, as `verification` found by regrouping it."""

    released: Released
    plan: Plan
    rows_in: int
    timings: Mapping[str, float]
    verification: Verification = field(default_factory=nothing_verified)
    warnings: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    private: Private = field(default_factory=lambda: Private({}))
    as_given: Callable[[pl.DataFrame], Any] = field(default=lambda frame: frame)

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """What is published, by file name without ending."""
        return self.released.tables

    @cached_property
    def measures(self) -> dict[str, Any]:
        """Utility figures of the release, by name; classes are counted as verification found them."""
        return measure(
            Outcome(
                columns=tuple(self.released.columns),
                rows_in=self.rows_in,
                class_rows=self.verification.sizes.to_numpy().astype(np.int64),
                rows=self.released.rows,
                loss=self.released.loss,
                level=self.released.level,
            )
        )

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

    def verified(self, tables: Mapping[str, pl.DataFrame]) -> Verification:
        """What verification finds in the tables, as given or as written, with all that is known here."""
        private = self.private
        return verify_tables(
            tables,
            self.plan,
            persons=private.persons,
            input_counts=private.input_counts,
            linked=self.released.linked,
        )

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
    def manifest(self) -> dict[str, Any]:
        """What the release says of itself; nothing in it is about the input beyond its number of rows."""
        found = {
            "shoal_version": VERSION,
            "rows_in": self.rows_in,
            "rows_released": self.verification.rows,
            "rows_suppressed": self.rows_in - self.verification.rows,
            "classes": self.verification.classes,
            "form": self.plan.release.form,
            "algorithm": self.plan.algorithm.kind,
            "models": [verdict.as_dict() for verdict in self.verification.verdicts],
            "measures": self.measures,
            "timings": {step: round(seconds, 4) for step, seconds in self.timings.items()},
            "warnings": list(self.warnings),
            "notes": list(self.verification.notes),
            **self.facts,
        }
        if self.released.levels:
            found["levels"] = dict(self.released.levels)
        differing = {name: at for name, at in self.released.by_level.items() if name not in self.released.levels}
        if differing:
            found["rows_by_level"] = {
                name: {str(each.level): each.rows for each in levels} for name, levels in differing.items()
            }
        if "steps" in found:  # its places count these values, none of which the release does not have
            found["step_values"] = {name: list(values) for name, values in self.released.values.items()}
        return found

    @property
    def steps(self) -> tuple[Step, ...]:
        """How the release came about, where its algorithm works in steps; a frame can be made of them."""
        return tuple(steps_of(self.manifest))

    @property
    def report(self) -> Report:
        return Report(self.manifest)

    def __repr__(self) -> str:
        found = self.verification
        models = ", ".join(verdict.kind for verdict in found.verdicts)
        verdict = f"{models} {'hold' if found.holds else 'DO NOT HOLD'}" if models else "not verified"
        return f"Release({found.rows:,} of {self.rows_in:,} rows in {found.classes:,} classes; {verdict})"

    def _repr_html_(self) -> str:
        return self.report.fragment()

    def save(self, folder: str | Path, *, force: bool = False) -> str:
        """Writes the release to `folder` and what is the steward's to `folder`.private; returns the manifest's digest.

        Both folders appear whole or not at all. The written files are read back and verified before that.
        """
        return save(self, Path(folder), force=force)


def save(release: Release, folder: Path, *, force: bool = False) -> str:
    """See `Release.save`."""
    folder = check_free(folder, force)
    private = private_folder(folder)
    with partial(folder) as public_part, partial(private) as private_part:
        digest = _write_public(release, public_part)
        _write_private(release, private_part, digest)
        public_part.chmod(0o755)
        put_in_place({private_part: private, public_part: folder}, folder, force)
    return digest


def _write_public(release: Release, part: Path) -> str:
    began = time.perf_counter()
    ending = release.plan.release.format
    for name, frame in release.tables.items():
        table.write(frame, part / f"{name}.{ending}", ending)
    write_plan(part, release.plan, release.released, release.private.input_counts)
    write_json(part / CODEBOOK, codebook(release.released, release.plan))
    wrote = time.perf_counter()
    with ThreadPoolExecutor(1) as aside:  # hashing leaves the interpreter to verification
        hashed = aside.submit(hashes, part)
        found = _verified(release, part)
    done = time.perf_counter()
    timings = {**release.timings, "write": wrote - began, "verify": done - wrote}
    total = sum(seconds for step, seconds in timings.items() if step != "total")
    facts = {**release.facts, **_attacked(release)}
    final = replace(release, verification=found, timings={**timings, "total": total}, facts=facts)
    final.report.save(part / REPORT)
    manifest = {**final.manifest, "files": hashes(part, hashed.result())}
    write_json(part / MANIFEST, manifest)
    return sha256(part / MANIFEST)


def _attacked(release: Release) -> dict[str, Any]:
    """What attacks find in the table that is about to be published, by kind; an anatomy gives them no linked rows."""
    if "release" not in release.tables:
        return {}
    found = {cls.kind: list(cls.found_in(release.tables["release"], release.plan)) for cls in attacks.ALL}
    told = {kind: sentences for kind, sentences in found.items() if sentences}
    return {"attacks": told} if told else {}


def _verified(release: Release, part: Path) -> Verification:
    """What verification finds in the files as they were written; a broken promise stops everything.

    It is asked twice where trees are published: as anyone will, with the published trees, and with all that is known
    here, for the published trees leave out what only the input had.
    """
    written = read_tables(part, release.plan)
    if any(frame.height != release.tables[name].height for name, frame in written.items()):
        raise PromiseBroken("The written table has another number of rows than the release. Nothing was published.")
    private, published = release.private, own_plan(part)
    if published.enforced != release.plan.enforced:
        raise PromiseBroken("The written plan does not promise what the plan does. Nothing was published.")
    if published.reads_trees:
        require(verify_tables(written, published, persons=private.persons, linked=release.released.linked))
    found = release.verified(written)
    require(found)
    return found


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


def _write_private(release: Release, part: Path, digest: str) -> None:
    private, plan = release.private, release.plan
    steward = {
        "digest": digest,
        "source": plan.data.source,
        "input_sha256": private.input_sha256,
        "seed": plan.seed,
        "timings": dict(release.timings),
        "rows_in": release.rows_in,
        "suppressed_by_reason": dict(private.suppressed_by_reason),
        "input_counts": {
            name: dict(zip(frame["value"].fill_null("").to_list(), frame["count"].to_list(), strict=True))
            for name, frame in private.input_counts.items()
        },
    }
    write_json(part / "steward.json", steward)
    text = private.plan_text if private.plan_text is not None else plan.to_toml()
    (part / PLAN).write_text(text, encoding="utf-8", newline="\n")
    for path in part.iterdir():
        path.chmod(0o600)
