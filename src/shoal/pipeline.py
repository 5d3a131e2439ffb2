"""The pipeline: read → roles and hierarchies → encode → search under models → release form → verify → report."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import forms, table
from shoal.coded.encode import LEVELS, Encoded, encode
from shoal.engines.prepare import Prepared, input_counts, prepare
from shoal.errors import OutputError, PlanError
from shoal.feasibility import explained, require_possible
from shoal.plan.plan import Plan
from shoal.progress import Progress, silent
from shoal.release.output import check_free, private_folder
from shoal.release.release import Private, Release, require
from shoal.verification.folder import sha256
from shoal.warnings import find_warnings, missing_effect


def anonymize(frame: Any, plan: Plan, *, progress: Progress = silent) -> Release:
    """A verified release of a pandas, polars or pyarrow table; `release.frame` is of the same kind."""
    given, as_given = table.to_polars(frame)
    clock = _Clock()
    draft = _draft(given, plan, clock, progress)
    progress("verify", 0.0)
    with clock.timing("verify"):
        found = draft.verified(draft.tables)
        require(found)
    return replace(draft, verification=found, timings=clock.seconds, as_given=as_given)


def anonymize_to(
    plan: Plan, folder: str | Path, *, force: bool = False, plan_text: str | None = None, progress: Progress = silent
) -> str:
    """Reads the plan's source and saves a release that was verified from its files; returns the manifest's digest."""
    folder, clock = check_free(Path(folder), force), _Clock()
    _check_spared(folder, plan)
    progress("read", 0.0)
    with ThreadPoolExecutor(2) as aside:
        loaded = aside.submit(_load_kernels)
        input_sha256 = aside.submit(_input_sha256, plan)
        with clock.timing("read"):
            frame = read_source(plan)
        loaded.result()  # numba is not to be loaded by two threads at once
        draft = _draft(frame, plan, clock, progress)
    del frame  # a million rows of text that nobody needs any more
    progress("write", 0.0)
    private = replace(draft.private, input_sha256=input_sha256.result(), plan_text=plan_text)
    return replace(draft, private=private).save(folder, force=force)


def _load_kernels() -> None:
    """Loads compiled code while the table is read: both take about as long, and reading leaves the interpreter idle.

    Numba loads most of itself when the first kernel is called.
    """
    import shoal.kernels.counting
    import shoal.kernels.cutting  # noqa: F401
    from shoal.kernels.distinct import first_places

    first_places(np.zeros(1, np.uint32), 1)


def read_source(plan: Plan) -> pl.DataFrame:
    """The table that the plan names, as it is stored."""
    if plan.data.source is None:
        raise PlanError("The plan names no source to read.", hint='set source = "…" under [data].')
    return table.read(plan.data.source, separator=plan.data.separator, query=plan.data.query)


def _input_sha256(plan: Plan) -> str | None:
    source = plan.data.source
    return None if source is None or "://" in source else sha256(Path(source))


def _check_spared(folder: Path, plan: Plan) -> None:
    """Refuses to replace a folder that holds the plan's source: it would be deleted."""
    source = plan.data.source
    if source is None or "://" in source:
        return
    for replaced in (folder, private_folder(folder)):
        if Path(source).resolve().is_relative_to(replaced.resolve()):
            raise OutputError(
                f"The release would replace '{replaced}', which holds the table.",
                hint="give the release a folder of its own.",
            )


def fitted(frame: pl.DataFrame, plan: Plan) -> tuple[Prepared, Encoded]:
    """The table as integers, if it fits the plan and the models can be met at all."""
    prepared = prepare(frame, plan)
    categories = LEVELS if plan.algorithm.recodes_by_level else plan.release.categories
    encoded = encode(prepared.frame, plan.columns, plan.data, plan.reads, categories, plan.guide)
    encoded = replace(encoded, left_out=prepared.dropped)
    require_possible(encoded, plan)
    return prepared, encoded


def _draft(frame: pl.DataFrame, plan: Plan, clock: _Clock, progress: Progress) -> Release:
    """A release that nobody has verified yet."""
    progress("encode", 0.0)
    with clock.timing("encode"):
        prepared, encoded = fitted(frame, plan)
    progress("search", 0.0)
    with clock.timing("search"), explained(encoded, plan):
        partition = plan.algorithm.partition(encoded, plan.enforced, plan.release.suppression, progress)
    progress("form", 0.0)
    with clock.timing("form"), ThreadPoolExecutor(2) as aside:
        counted = aside.submit(input_counts, prepared, plan)
        warned = aside.submit(find_warnings, prepared, encoded, partition, plan)
        form = next(cls for cls in forms.ALL if cls.kind == plan.release.form)()
        released = form.release(prepared.published, encoded, partition, plan.release.ranges, plan.sensitive)
        warnings = warned.result()
    require_no_warnings(warnings, plan)
    return Release(
        released=released,
        plan=plan,
        rows_in=prepared.rows_in,
        timings=clock.seconds,
        facts={**partition.facts, **missing_effect(encoded, partition)},
        warnings=warnings,
        private=_private(prepared, plan, released, counted.result()),
    )


def require_no_warnings(warnings: tuple[str, ...], plan: Plan) -> None:
    """Raises where a strict plan has a warning."""
    if warnings and plan.release.strict:
        raise PlanError(
            " ".join(warnings), hint="the plan is strict: change it, or set strict = false under [release]."
        )


def _private(prepared: Prepared, plan: Plan, released: forms.Released, counts: Mapping[str, pl.DataFrame]) -> Private:
    person = plan.data.person
    suppressed = {"missing values": prepared.dropped, "search": prepared.frame.height - len(released.row)}
    return Private(
        input_counts=counts,
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
