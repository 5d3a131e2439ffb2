"""Saving a release: writes two folders, complete or not at all, and verifies the written files."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import polars as pl

from shoal import hierarchies, table
from shoal.errors import PromiseBroken
from shoal.figures import Figures
from shoal.manifest import MANIFEST, Manifest
from shoal.plan import Plan
from shoal.release.citation import citation
from shoal.release.codebook import codebook
from shoal.release.datapackage import datapackage
from shoal.release.draft import Draft
from shoal.release.output import (
    check_free,
    check_spared,
    list_private_files,
    partial,
    put_in_place,
    write_json,
)
from shoal.release.public import attacked, public_audit, public_manifest, public_plan
from shoal.release.published import write_plan
from shoal.release.steward import kept_hierarchies
from shoal.report import Facts, Report
from shoal.roles.knowledge import load_knowledge
from shoal.verification.faithful import require_faithful, same_runs
from shoal.verification.folder import (
    CITATION,
    CODEBOOK,
    DATAPACKAGE,
    PLAN,
    REPORT,
    REPORT_JSON,
    hashes,
    own_plan,
    private_folder,
)
from shoal.verification.knowledge import published_knowledge
from shoal.verification.labelled import labelled
from shoal.verification.labels import label_problems
from shoal.verification.reading import read_runs, sha256
from shoal.verification.verdicts import Verification


class Written(NamedTuple):
    """The written manifest, the steward's, the digest of the written file, the full verification, and the figures."""

    manifest: Manifest
    steward: Manifest
    digest: str
    verification: Verification
    figures: Figures


def save(
    draft: Draft,
    folder: Path,
    *,
    timings: Mapping[str, float],
    force: bool = False,
    require_true: Callable[[], None] = lambda: None,
) -> Written:
    """Writes a release to `folder` and the private data to `folder`.private, if every promise holds.

    `require_true` waits for a check that is still running, and raises if it failed.
    """
    folder = check_free(folder, force)
    check_spared(folder, draft.plan)
    private = private_folder(folder)
    with partial(folder) as public_part, partial(private) as private_part:
        written = _write_public(draft, public_part, timings, require_true)
        _write_private(draft, private_part, written, folder.name)
        list_private_files(private_part)
        public_part.chmod(0o755)
        put_in_place({private_part: private, public_part: folder}, folder, force)
    return written


def _write_public(draft: Draft, part: Path, timings: Mapping[str, float], require_true: Callable[[], None]) -> Written:
    began = time.perf_counter()
    for name, runs in draft.tables.items():
        _write_table(runs.with_rows(_as_written(runs.rows, draft.plan)), part / name, draft)
    plan = public_plan(draft.plan, draft.tables)
    write_plan(part, plan, draft.tables, draft.private.knowledge)
    wrote = time.perf_counter()
    require_true()
    with ThreadPoolExecutor(2) as pool:  # hashing, comparing and most of an attack release the interpreter lock
        hashed = pool.submit(hashes, part)
        tables, published = read_runs(part, draft.plan), own_plan(part)
        compared = pool.submit(_require_same_tables, draft.tables, tables)
        _require_same_models(draft.plan, published)
        _require_readable_knowledge(published)
        checked = draft.verified_twice(tables, published)
        columns = labelled(tables, plan)
        compared.result()
        require_faithful(label_problems(columns, plan))
        attacks = pool.submit(attacked, tables, plan)
        audit = public_audit(tables, plan, checked.shown)
        manifest = public_manifest(tables, plan, draft.counts, columns, checked.shown, audit)
        figures = draft.figures(tables, plan, columns, checked)
    known = hashed.result()
    manifest = replace(manifest, attacks=attacks.result())
    write_json(part / CODEBOOK, codebook(tables, plan, columns))
    write_json(part / DATAPACKAGE, datapackage(part, tables, plan, columns, known))
    _write_citation(part, plan)
    manifest = replace(manifest, files=hashes(part, known))
    _write_report(Facts(manifest, figures.public, plan=_read(part / PLAN)), part)
    manifest = replace(manifest, files=hashes(part, manifest.files))
    write_json(part / MANIFEST, manifest.to_json())
    steps = {step: seconds for step, seconds in timings.items() if step != "total"}
    steps |= {"write": wrote - began, "verify": time.perf_counter() - wrote}
    steward = draft.for_steward(manifest, checked.full, audit, {**steps, "total": sum(steps.values())})
    return Written(manifest, steward, sha256(part / MANIFEST), checked.full, figures)


def _write_citation(part: Path, plan: Plan) -> None:
    text = citation(plan.release.provenance)
    if text is not None:
        (part / CITATION).write_text(text, encoding="utf-8", newline="\n")


def _write_table(runs: table.Runs, place: Path, draft: Draft) -> None:
    """Writes a table as one file, or as a folder of parts if the engine publishes them and the format has them."""
    format = draft.plan.release.format
    if draft.in_parts and format in table.parts.FORMATS:
        table.parts.write_parts(runs, place, format)
    else:
        table.write_runs(runs, place.with_name(f"{place.name}.{format}"), format)


def _as_written(frame: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """A released table as its file has it: sets as lists where files have lists, and escaped formulas."""
    if plan.release.format == "parquet":
        return table.with_lists(frame, plan.separators)
    return table.escaped(frame) if plan.release.escape_formulas and plan.release.format == "csv" else frame


def _require_same_tables(released: Mapping[str, table.Runs], written: Mapping[str, table.Runs]) -> None:
    different = [name for name, runs in written.items() if not same_runs(released[name], runs)]
    if different:
        raise PromiseBroken(f"The written table '{different[0]}' differs from the release. Nothing was published.")


def _require_same_models(plan: Plan, published: Plan) -> None:
    if published.enforced != plan.enforced:
        raise PromiseBroken("The models of the written plan differ from those of the plan. Nothing was published.")


def _require_readable_knowledge(published: Plan) -> None:
    """Raises unless every published knowledge table reads as the one whose hash the published plan has."""
    absent = published.data.absent
    tables = {name: load_knowledge(name, published.columns[name], absent) for name in published_knowledge(published)}
    if not all(tables.values()):
        raise PromiseBroken("A knowledge table of the written plan is missing. Nothing was published.")


def _write_report(facts: Facts, part: Path) -> None:
    """Writes a report as a page and as JSON, from which the page follows."""
    report = Report.of(facts)
    for name in (REPORT, REPORT_JSON):
        (part / name).write_text(report.content(Path(name).suffix), encoding="utf-8", newline="\n")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write_private(draft: Draft, part: Path, written: Written, folder: str) -> None:
    private, plan, steward = draft.private, draft.plan, written.steward
    facts = {
        "digest": written.digest,
        "source": plan.data.source,
        "plan_folder": private.plan_folder,
        "input_sha256": private.input_sha256,
        "seed": plan.seed,
        **{name: value for name, value in steward.to_json().items() if name != "files"},
        "notation": {part: written for part, written in private.notation._asdict().items() if written is not None},
        "suppressed_by_reason": dict(private.suppressed_by_reason),
        "input_counts": {
            name: dict(zip(frame["value"].fill_null("").to_list(), frame["count"].to_list(), strict=True))
            for name, frame in private.input_counts.items()
            if name in plan.sensitive
        },
    }
    write_json(part / "steward.json", facts)
    text = draft.plan_text
    (part / PLAN).write_text(text, encoding="utf-8", newline="\n")
    _write_report(Facts(steward, *written.figures, plan=text, digest=written.digest, folder=folder), part)
    _keep_hierarchies(part, plan)
    for path in part.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _keep_hierarchies(part: Path, plan: Plan) -> None:
    """Copies the hierarchy files of the plan, which may change before the recoding is applied to other rows."""
    for name, path in kept_hierarchies(part, plan).items():
        path.parent.mkdir(exist_ok=True)
        hierarchies.write(plan.columns[name].hierarchy.tree(pl.Series(dtype=pl.String)), path)
