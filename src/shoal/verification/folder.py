"""Reading a published folder, and verifying it from its files alone."""

from __future__ import annotations

import csv
import hashlib
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException

from shoal import forms
from shoal.counts import counted
from shoal.errors import KnowledgeNeeded, PromiseBroken, ShoalError, TableError
from shoal.exact import fraction
from shoal.forms.anatomy import CLASS_ID
from shoal.forms.generalized import RELEASE
from shoal.hierarchies import File
from shoal.labels import MISSING
from shoal.manifest import MANIFEST, Manifest, read_json, read_manifest
from shoal.models.evidence import Verdict
from shoal.plan import Plan, read_plan
from shoal.table import Runs, as_text, check_names, file_name, read, repeats, unescaped, with_set_texts
from shoal.verification.anatomy import verify_tables
from shoal.verification.beyond import beyond_problems
from shoal.verification.knowledge import (
    KnowledgeFiles,
    gathered,
    knowledge_path,
    knowledge_problems,
    named_files,
    published_knowledge,
)
from shoal.verification.labelled import labelled
from shoal.verification.labels import is_readable, label_problems
from shoal.verification.ordering import is_sorted
from shoal.verification.sets import item_problems
from shoal.verification.verdicts import Verification, found_wrong

PLAN = "plan.toml"
REPORT = "report.html"
_BYTES_AT_ONCE = 1 << 26
"""Larger text files are read in batches."""
_CELLS_AT_ONCE = 1 << 24
"""Parquet files with more cells are read in batches."""
_ROWS_AT_ONCE = 1 << 19
"""Rows of a batch of a Parquet file."""
CODEBOOK = "codebook.json"


def verify_folder(
    folder: str | Path, *, plan: Plan | None = None, digest: str | None = None, knowledge: KnowledgeFiles = ()
) -> Verification:
    """Checks that a published folder is complete and keeps its promises, from its files alone.

    Without further arguments, this detects accidents: a changed byte, a missing file, a promise that does not hold.
    With the steward's `plan` or the `digest` that was printed when the release was made, it also detects malice: a
    folder whose plan and hashes were rewritten together. Roles and parameters then come from the given plan, never
    from the folder. `knowledge`: the file of a knowledge table that the release does not contain or, if there are
    several, column → file; a list has files, each `FILE` or `COLUMN=FILE`. Raises KnowledgeNeeded if one is missing.
    """
    folder = Path(folder)
    try:
        return _verify_folder(folder, plan, digest, knowledge)
    except KnowledgeNeeded:  # nothing is wrong with the folder
        raise
    except ShoalError as error:
        return found_wrong(str(error))
    except (Exception, PanicException) as error:  # a damaged file is a finding, never a crash
        return found_wrong(f"The folder cannot be read ({type(error).__name__}).")


def _verify_folder(folder: Path, plan: Plan | None, digest: str | None, knowledge: KnowledgeFiles) -> Verification:
    manifest = read_manifest(folder)
    problems = [*_digest_problems(folder, digest), *_file_problems(folder, manifest)]
    if plan is not None and plan.roles:
        plan = plan.for_table([*own_plan(folder).columns], complete=False)
    trusted = plan if plan is not None else own_plan(folder)
    problems += _stray_problems(folder, trusted)
    tables = read_runs(folder, trusted)
    if plan is not None:
        released = [name for name in next(iter(tables.values())).columns if name != CLASS_ID]
        problems += _plan_problems(own_plan(folder), plan.listing(released))
    looked_up = gathered(trusted, named_files(trusted, knowledge))
    if other := knowledge_problems(own_plan(folder), looked_up):
        return found_wrong(*problems, *other)
    verification = verify_tables(tables, trusted, knowledge=looked_up)
    if not verification.problems:
        problems += _claim_problems(verification, manifest)
        problems += [*_count_problems(tables, manifest, trusted), *_order_problems(tables, trusted)]
        columns = labelled(tables, trusted, readable=is_readable)
        codebook = read_json(folder / CODEBOOK)
        problems += label_problems(columns, trusted, codebook)
        problems += item_problems(next(iter(tables.values())), trusted, codebook)
        main = next(iter(tables.values())).columns
        published = [*main, *(name for name in trusted.sensitive if name not in main)]
        problems += beyond_problems(folder, trusted, read_json(folder / MANIFEST), codebook, published)
    notes = (*verification.notes, *_line_break_notes(tables))
    return replace(verification, problems=(*verification.problems, *problems), notes=notes)


def own_plan(folder: Path) -> Plan:
    """The plan with which a folder was published; it may not refer to files outside the folder."""
    plan = read_plan(folder / PLAN)
    inside = folder.resolve()
    for name in plan.reads:
        spec = plan.columns[name].hierarchy
        if isinstance(spec, File) and not Path(spec.path).resolve().is_relative_to(inside):
            raise PromiseBroken(f"The {PLAN} of the release names a hierarchy of column '{name}' outside the folder.")
    for name in plan.quasi_sensitive:
        if not Path(plan.columns[name].knowledge or folder).resolve().is_relative_to(inside):
            raise PromiseBroken(f"The {PLAN} of the release names knowledge of column '{name}' outside the folder.")
    return plan


def read_tables(folder: Path, plan: Plan) -> dict[str, pl.DataFrame]:
    """The released tables by name, with all their rows; see `read_runs`."""
    return {name: runs.expanded() for name, runs in read_runs(folder, plan).items()}


def read_runs(folder: Path, plan: Plan) -> dict[str, Runs]:
    """The released tables by name; text and numbers are text or categories of text, except in Parquet files.

    Formulas are as they were before the release escaped them, so that labels and values mean the same. Sets, which are
    lists in Parquet files, are texts.
    """
    tables = {name: _read_table(folder, name, plan.release.format) for name in table_names(plan)}
    escapes = plan.release.escape_formulas and plan.release.format == "csv"
    tables = {name: runs.with_rows(unescaped(runs.rows)) for name, runs in tables.items()} if escapes else tables
    return {name: runs.with_rows(with_set_texts(runs.rows, plan.separators)) for name, runs in tables.items()}


def table_names(plan: Plan) -> tuple[str, ...]:
    """The names of the tables in a release of this plan, the main table first."""
    return forms.by_kind(plan.release.form).tables(plan.sensitive)


def tree_path(column: str) -> str:
    """The path of a sensitive column's hierarchy inside the folder."""
    return f"hierarchies/{file_name(column)}.csv"


def _read_table(folder: Path, name: str, format: str) -> Runs:
    path = folder / f"{name}.{format}"
    if not path.is_file():
        raise PromiseBroken(f"The file '{path.name}' is missing.")
    try:
        runs = _parsed(path, name)
    except (pl.exceptions.PolarsError, csv.Error, UnicodeDecodeError, StopIteration, PanicException, TableError):
        raise PromiseBroken(f"The file '{path.name}' was changed: it is not a valid {format.upper()} table.") from None
    check_names(runs.columns, f"The file '{path.name}'")
    return runs


def _parsed(path: Path, name: str) -> Runs:
    if path.suffix == ".parquet":
        return _parsed_parquet(path)
    if path.suffix != ".csv":
        frame = read(path)
        numbers = [column for column in frame if column.dtype.is_numeric() or column.dtype == pl.Null]
        return Runs.of(frame.with_columns(as_text(column) for column in numbers))  # they are compared as texts
    if name == RELEASE or path.stat().st_size > _BYTES_AT_ONCE:
        runs = repeats.read_csv(path)
    else:
        runs = Runs.of(pl.read_csv(path, infer_schema=False, glob=False))
    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file, strict=True))  # polars reads a quote inside a name as two
    runs.rows.columns = names
    return runs


def _parsed_parquet(path: Path) -> Runs:
    """The table of a Parquet file. Its size says little about its rows: sorted rows take almost no space."""
    scanned = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    cells = int(scanned.select(pl.len()).collect().item()) * len(scanned.collect_schema())
    if cells <= _CELLS_AT_ONCE:
        return Runs.of(pl.read_parquet(path, glob=False, hive_partitioning=False))
    return repeats.coded_runs(scanned.collect_batches(chunk_size=_ROWS_AT_ONCE, maintain_order=True))


def sha256(path: Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hashes(folder: Path, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Path → hash of every file in a folder except the manifest; `known` hashes are not computed again."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in files}
    known = known or {}
    return {name: known.get(name) or sha256(path) for name, path in named.items() if name != MANIFEST}


def _digest_problems(folder: Path, digest: str | None) -> list[str]:
    if digest is None or sha256(folder / MANIFEST) == digest.strip().lower():
        return []
    return ["The manifest is not the one that was published: its digest differs."]


def _file_problems(folder: Path, manifest: Manifest) -> list[str]:
    listed, present = manifest.files, hashes(folder)
    odd = sorted(path.name for path in folder.rglob("*") if path.is_symlink() or not (path.is_file() or path.is_dir()))
    problems = [f"'{name}' is not a regular file." for name in odd]
    problems += [f"The file '{name}' is missing." for name in sorted(set(listed) - set(present))]
    problems += [f"The file '{name}' is not in the manifest." for name in sorted(set(present) - set(listed))]
    both = sorted(set(present) & set(listed))
    return problems + [f"The file '{name}' was changed." for name in both if present[name] != listed[name]]


def _stray_problems(folder: Path, plan: Plan) -> list[str]:
    """Files that do not belong to a release of this plan, even if the manifest lists them."""
    tables = {f"{name}.{plan.release.format}" for name in table_names(plan)}
    known = {*tables, PLAN, REPORT, CODEBOOK, *(tree_path(name) for name in plan.reads_trees)}
    known |= {knowledge_path(name) for name in published_knowledge(plan)}
    return [
        f"The file '{name}' does not belong to a release of this plan." for name in sorted(set(hashes(folder)) - known)
    ]


def _plan_problems(own: Plan, plan: Plan) -> list[str]:
    """Differences between the plan in the folder and the trusted plan."""
    promised, trusted = _promised(own), _promised(plan)
    different = [part for part in promised if promised[part] != trusted[part]]
    return [f"The {PLAN} of the release differs from the given plan: {part}." for part in different]


def _promised(plan: Plan) -> dict[str, Any]:
    """The parts of a plan that define its promises: the models, and how the table is read and counted."""
    columns = plan.columns.items()
    return {
        "models": plan.enforced,
        "roles": {name: column.role for name, column in columns},
        "hierarchies": {name: _hierarchy(plan, name) for name in plan.columns},
        "types and bounds": {name: (column.type, column.bottom, column.top) for name, column in columns},
        "finest and coarsest levels": {name: (column.finest, column.coarsest) for name, column in columns},
        "separators of items": plan.separators,
        "published knowledge": published_knowledge(plan),
        "values that count": {name: (column.missing_counts, column.protected) for name, column in columns},
        "persons": plan.data.person,
        "unlisted columns": plan.data.unlisted,
        "missing values": (sorted(plan.data.missing), plan.data.missing_rows),
        "form": plan.release,
        "algorithm": plan.algorithm,
    }


def _hierarchy(plan: Plan, name: str) -> object:
    """The specification of a hierarchy; files lie elsewhere in a release, and what verification needs is in it."""
    given = plan.columns[name].hierarchy
    return None if given is None else "file" if isinstance(given, File) or name in plan.reads_trees else given


def _claim_problems(verification: Verification, manifest: Manifest) -> list[str]:
    """Claims of the manifest that the table contradicts."""
    claims = {
        "rows_released": (manifest.rows_released, verification.rows),
        "classes": (manifest.classes, verification.classes),
    }
    problems = [
        f"The manifest states {claimed} for '{name}'; the table has {value}."
        for name, (claimed, value) in claims.items()
        if claimed != value
    ]
    if manifest.rows_in != verification.rows + manifest.rows_suppressed:
        problems.append("The row counts of the manifest do not add up: released + suppressed is not the input.")
    if len(manifest.models) != len(verification.verdicts):
        return [*problems, "The manifest does not list the models of the plan."]
    for claim, verdict in zip(manifest.models, verification.verdicts, strict=True):
        problems += _promise_problems(claim, verdict)
        problems += _figure_problems(claim, verdict)
    return problems


def _count_problems(tables: Mapping[str, Runs], manifest: Manifest, plan: Plan) -> list[str]:
    """Row counts that the plan does not allow: too many suppressed rows, or missing values that it drops."""
    dropped, suppressed = manifest.rows_dropped, manifest.rows_suppressed - manifest.rows_dropped
    if dropped < 0 or suppressed < 0 or (dropped and plan.data.missing_rows != "drop"):
        return ["The manifest states more or fewer rows left out for missing values than there can be."]
    limit = math.floor(fraction(plan.release.suppression) * (manifest.rows_in - dropped))
    many = counted(suppressed, "row was", "rows were")
    problems = [f"{many} suppressed; the plan allows {limit:,}."] if suppressed > limit else []
    if plan.data.missing_rows == "drop":
        listed = {*plan.quasi_identifiers, *plan.sensitive}
        cells = [runs[name].cast(pl.String) for runs in tables.values() for name in runs.columns if name in listed]
        gone = [column.name for column in cells if column.is_null().any() or (column == MISSING).any()]
        problems += [f"Column '{name}' has missing values, which the plan drops." for name in gone]
    return problems


def _line_break_notes(tables: Mapping[str, Runs]) -> list[str]:
    """Cells with line breaks, which may look like rows of their own where the file is read as plain text."""
    notes = []
    for runs in tables.values():
        for column in runs.rows.select(pl.col(pl.String, pl.Categorical, pl.Enum)):
            broken = column.cast(pl.String).str.contains(r"[\r\n]").fill_null(False).to_numpy()
            rows = int(runs.times[broken].sum())
            if rows:
                notes.append(f"{rows} cells of column '{column.name}' contain a line break: each is one cell, no row.")
    return notes


def _order_problems(tables: Mapping[str, Runs], plan: Plan) -> list[str]:
    """A main table whose rows are not sorted, and which may therefore tell something by their order."""
    name, main = next(iter(tables.items()))
    cells = main.rows if plan.release.form == "generalized" else main.rows.drop(CLASS_ID)
    return [] if is_sorted(cells) else [f"The rows of '{name}' are not in their order."]


def _promise_problems(claim: Verdict, verdict: Verdict) -> list[str]:
    """Problems of a model in the manifest: it differs from the plan's model, or is not stated to hold."""
    if (claim.kind, claim.parameters) != (verdict.kind, verdict.parameters):
        return [f"The model '{claim.kind}' of the manifest differs from the model '{verdict.kind}' of the plan."]
    if claim.holds is not True or claim.failing != 0:
        return [f"The manifest does not state that '{verdict.kind}' holds."]
    return []


def _figure_problems(claim: Verdict, verdict: Verdict) -> list[str]:
    """Figures of a model in the manifest that differ from those of the table."""
    return [
        f"The '{name}' of '{verdict.kind}' in the manifest differs from that of the table."
        for name, value in verdict.achieved.items()
        if value != "not checked" and not _same_figure(claim.achieved.get(name), value)
    ]


def _same_figure(claimed: object, computed: object) -> bool:
    if isinstance(claimed, int) and abs(claimed) > sys.float_info.max:
        return False  # no figure of a table is that large, and no double holds it
    if isinstance(claimed, int | float) and isinstance(computed, int | float):
        return math.isclose(claimed, computed, rel_tol=1e-9, abs_tol=1e-12)
    return claimed == computed
