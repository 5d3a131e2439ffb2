"""Reading a published folder, and verifying it from its files alone."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException

from shoal.counts import counted
from shoal.errors import EngineError, KnowledgeNeeded, PromiseBroken, ShoalError
from shoal.exact import fraction
from shoal.forms.anatomy import CLASS_ID
from shoal.hierarchies import File
from shoal.labels import MISSING
from shoal.manifest import MANIFEST, Manifest, read_json, read_manifest
from shoal.models.evidence import Verdict
from shoal.plan import Plan, read_plan
from shoal.plan.files import files_read_by
from shoal.table import Runs, file_name
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
from shoal.verification.reading import IN_ORDER, Reader, read_runs, sha256, table_files, table_names
from shoal.verification.sets import item_problems
from shoal.verification.verdicts import Verification, found_wrong

PLAN = "plan.toml"
REPORT = "report.html"
REPORT_JSON = "report.json"
CODEBOOK = "codebook.json"
DATAPACKAGE = "datapackage.json"
CITATION = "CITATION.cff"
PRIVATE = ".private"


def private_folder(folder: Path) -> Path:
    """The private folder of the steward, next to the published folder."""
    return folder.with_name(folder.name + PRIVATE)


def verify_folder(
    folder: str | Path,
    *,
    plan: Plan | None = None,
    digest: str | None = None,
    knowledge: KnowledgeFiles = (),
    reader: Reader = IN_ORDER,
) -> Verification:
    """Checks that a published folder is complete and keeps its promises, from its files alone.

    Without further arguments, this detects accidents: a changed byte, a missing file, a promise that does not hold.
    With the steward's `plan` or the `digest` that was printed when the release was made, it also detects malice: a
    folder whose plan and hashes were rewritten together. Roles and parameters then come from the given plan, never
    from the folder. `knowledge`: the file of a knowledge table that the release does not contain or, if there are
    several, column → file; a list has files, each `FILE` or `COLUMN=FILE`. Raises KnowledgeNeeded if one is missing.
    `reader` reads the tables; it changes no finding.
    """
    folder = Path(folder)
    try:
        return _verify_folder(folder, plan, digest, knowledge, reader)
    except (KnowledgeNeeded, EngineError):  # nothing is wrong with the folder
        raise
    except ShoalError as error:
        return found_wrong(str(error))
    except OSError as error:
        return found_wrong(_unreadable(folder, error))
    except (Exception, PanicException) as error:  # a damaged file is a finding, never a crash
        return found_wrong(f"The folder cannot be read ({type(error).__name__}).")


def _verify_folder(
    folder: Path, plan: Plan | None, digest: str | None, knowledge: KnowledgeFiles, reader: Reader
) -> Verification:
    manifest = read_manifest(folder)
    problems = file_problems(folder, manifest, digest, reader)
    if plan is not None and plan.roles:
        plan = plan.for_table([*own_plan(folder).columns], complete=False)
    trusted = plan if plan is not None else own_plan(folder)
    problems += _stray_problems(folder, trusted)
    tables = read_runs(folder, trusted, reader)
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
        files = [file for name in table_names(trusted) for file in table_files(folder, name, trusted)]
        problems += beyond_problems(files, trusted, read_json(folder / MANIFEST), codebook, published)
    notes = (*verification.notes, *_line_break_notes(tables))
    return replace(verification, problems=(*verification.problems, *problems), notes=notes)


def _unreadable(folder: Path, error: OSError) -> str:
    """Which file of the folder the system cannot read, and why, as far as the error tells."""
    reason = error.strerror or "the operating system gave no reason"
    path = Path(str(error.filename or folder))
    kind, name = ("folder", folder.name) if path == folder else ("file", os.path.relpath(path, folder))
    return f"The {kind} '{name}' cannot be read: {reason}."


def own_plan(folder: Path) -> Plan:
    """The plan with which a folder was published; it may not refer to files outside the folder."""
    plan = read_plan(folder / PLAN)
    inside = folder.resolve()
    for what, path in files_read_by(plan):
        if not path.resolve().is_relative_to(inside):
            raise PromiseBroken(f"The {PLAN} of the release names the {what}, outside the folder.")
    return plan


def tree_path(column: str) -> str:
    """The path of a sensitive column's hierarchy inside the folder."""
    return f"hierarchies/{file_name(column)}.csv"


def hashes(folder: Path, known: Mapping[str, str] | None = None, reader: Reader = IN_ORDER) -> dict[str, str]:
    """Path → hash of every file in a folder except the manifest; `known` hashes are not computed again."""
    known, named = known or {}, _files(folder)
    unknown = [name for name in named if name not in known]
    found = dict(zip(unknown, reader.hashes([named[name] for name in unknown]), strict=True))
    return {name: known.get(name) or found[name] for name in named}


def _files(folder: Path) -> dict[str, Path]:
    """Path inside the folder → path of every file except the manifest."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in files}
    return {name: path for name, path in named.items() if name != MANIFEST}


def _digest_problems(folder: Path, digest: str | None) -> list[str]:
    if digest is None or sha256(folder / MANIFEST) == digest.strip().lower():
        return []
    return ["The manifest is not the one that was published: its digest differs."]


def file_problems(folder: Path, manifest: Manifest, digest: str | None = None, reader: Reader = IN_ORDER) -> list[str]:
    """Files that differ from the manifest, and a manifest that differs from its `digest`, if it is given."""
    return [*_digest_problems(folder, digest), *_file_problems(folder, manifest, reader)]


def _file_problems(folder: Path, manifest: Manifest, reader: Reader) -> list[str]:
    listed, present = manifest.files, hashes(folder, reader=reader)
    odd = sorted(path.name for path in folder.rglob("*") if path.is_symlink() or not (path.is_file() or path.is_dir()))
    problems = [f"'{name}' is not a regular file." for name in odd]
    problems += [f"The file '{name}' is missing." for name in sorted(set(listed) - set(present))]
    problems += [f"The file '{name}' is not in the manifest." for name in sorted(set(present) - set(listed))]
    both = sorted(set(present) & set(listed))
    return problems + [f"The file '{name}' was changed." for name in both if present[name] != listed[name]]


def _stray_problems(folder: Path, plan: Plan) -> list[str]:
    """Files and folders that do not belong to a release of this plan, even if the manifest lists them."""
    tables = {file.name for name in table_names(plan) for file in table_files(folder, name, plan)}
    files = (PLAN, REPORT, REPORT_JSON, CODEBOOK, DATAPACKAGE, CITATION)
    known = {*tables, *files, *(tree_path(name) for name in plan.reads_trees)}
    known |= {knowledge_path(name) for name in published_knowledge(plan)}
    parents = {parent.as_posix() for name in known for parent in Path(name).parents}
    folders = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_dir()}
    strays = [f"The file '{name}'" for name in sorted(set(_files(folder)) - known)]
    strays += [f"The folder '{name}'" for name in sorted(folders - parents)]
    return [f"{stray} does not belong to a release of this plan." for stray in strays]


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
        "algorithm": plan.algorithm,
        **plan.release.promised.model_dump(),
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
