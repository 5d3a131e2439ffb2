"""The pipeline: read → roles and hierarchies → encode → search under models → release form → verify → report."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal import forms, table
from shoal.algorithms.base import Progress, silent
from shoal.encode import encode
from shoal.errors import PlanError
from shoal.folder import sha256
from shoal.plan import Plan
from shoal.prepare import Prepared, input_counts, prepare, require_possible
from shoal.release import Private, Release, check_free, require
from shoal.verification import verify
from shoal.warnings import find_warnings


def anonymize(frame: Any, plan: Plan, *, progress: Progress = silent) -> Release:
    """A verified release of a pandas, polars or pyarrow table; `release.frame` is of the same kind."""
    given, as_given = table.to_polars(frame)
    clock = _Clock()
    draft = _draft(given, plan, clock, progress)
    progress("verify", 0.0)
    with clock.timing("verify"):
        private = draft.private
        found = verify(draft.tables["release"], plan, persons=private.persons, input_counts=private.input_counts)
        require(found)
    return replace(draft, verification=found, timings=clock.seconds, as_given=as_given)


def anonymize_to(
    plan: Plan, folder: str | Path, *, force: bool = False, plan_text: str | None = None, progress: Progress = silent
) -> str:
    """Reads the plan's source and saves a release that was verified from its files; returns the manifest's digest."""
    folder, clock = Path(folder), _Clock()
    check_free(folder.absolute(), force)
    progress("read", 0.0)
    with clock.timing("read"):
        frame, input_sha256 = _read(plan)
    draft = _draft(frame, plan, clock, progress)
    del frame  # a million rows of text that nobody needs any more
    progress("write", 0.0)
    private = replace(draft.private, input_sha256=input_sha256, plan_text=plan_text)
    return replace(draft, private=private).save(folder, force=force)


def _read(plan: Plan) -> tuple[pl.DataFrame, str | None]:
    source = plan.data.source
    if source is None:
        raise PlanError("The plan names no source to read.", hint='set source = "…" under [data].')
    frame = table.read(source, separator=plan.data.separator, query=plan.data.query)
    return frame, sha256(Path(source)) if "://" not in source else None


def _draft(frame: pl.DataFrame, plan: Plan, clock: _Clock, progress: Progress) -> Release:
    """A release that nobody has verified yet."""
    progress("encode", 0.0)
    with clock.timing("encode"):
        prepared = prepare(frame, plan)
        encoded = encode(prepared.frame, plan.columns, plan.data, plan.reads, plan.release.categories)
        require_possible(encoded, plan)
    progress("search", 0.0)
    with clock.timing("search"):
        partition = plan.algorithm.partition(encoded, plan.enforced, plan.release.suppression, progress)
    progress("form", 0.0)
    with clock.timing("form"):
        form = next(cls for cls in forms.ALL if cls.kind == plan.release.form)()
        released = form.release(prepared.published, encoded, partition, plan.release.ranges)
        warnings = find_warnings(prepared, encoded, partition, plan)
    if warnings and plan.release.strict:
        raise PlanError(
            " ".join(warnings), hint="the plan is strict: change it, or set strict = false under [release]."
        )
    return Release(
        released=released,
        plan=plan,
        rows_in=prepared.rows_in,
        timings=clock.seconds,
        warnings=warnings,
        private=_private(prepared, plan, released),
    )


def _private(prepared: Prepared, plan: Plan, released: forms.Released) -> Private:
    person = plan.data.person
    suppressed = {"missing values": prepared.dropped, "search": prepared.frame.height - len(released.row)}
    return Private(
        input_counts=input_counts(prepared, plan),
        persons=None if person is None else prepared.frame[person].gather(released.row),
        suppressed_by_reason=suppressed,
    )


class _Clock:
    """Seconds per step of the pipeline."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[step] = time.perf_counter() - began
