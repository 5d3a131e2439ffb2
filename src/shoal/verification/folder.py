"""A published folder: reading it back, and verifying it from its files alone."""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException

from shoal.errors import PromiseBroken, ShoalError
from shoal.forms.anatomy import QUASI_IDENTIFIERS, sensitive_table
from shoal.hierarchies import File
from shoal.plan.plan import Plan, read_plan
from shoal.table import file_name, repeats
from shoal.verification.anatomy import verify_tables
from shoal.verification.tables import Verdict, Verification, nothing_verified

MANIFEST = "manifest.json"
PLAN = "plan.toml"
REPORT = "report.html"
CODEBOOK = "codebook.json"
_RELEASE = "release"


def verify_folder(folder: str | Path, *, plan: Plan | None = None, digest: str | None = None) -> Verification:
    """Whether a published folder is whole and keeps its promises; it needs nothing but the files.

    Alone it finds accidents: a changed byte, a missing file, a promise that does not hold. With the steward's `plan` or
    the `digest` that was printed when the release was made it also finds malice: a folder whose plan and hashes were
    rewritten together. Roles and parameters then come from there, never from the folder.
    """
    folder = Path(folder)
    try:
        return _verify_folder(folder, plan, digest)
    except ShoalError as error:
        return _failed(str(error))
    except (Exception, PanicException) as error:  # whatever a damaged file provokes is a finding, never a crash
        return _failed(f"The folder cannot be read back ({type(error).__name__}).")


def _verify_folder(folder: Path, plan: Plan | None, digest: str | None) -> Verification:
    manifest = read_manifest(folder)
    problems = [*_digest_problems(folder, digest), *_file_problems(folder, manifest)]
    trusted = plan if plan is not None else own_plan(folder)
    problems += _stray_problems(folder, trusted)
    if plan is not None:
        problems += _plan_problems(own_plan(folder), plan)
    found = verify_tables(read_tables(folder, trusted), trusted)
    if not found.problems:
        problems += _claim_problems(found, manifest, counts_persons=trusted.data.person is not None)
    return replace(found, problems=(*found.problems, *problems))


def own_plan(folder: Path) -> Plan:
    """The plan a folder was published with; whoever wrote it, no file outside the folder is opened for it."""
    plan = read_plan(folder / PLAN)
    inside = folder.resolve()
    for name in plan.reads:
        spec = plan.columns[name].hierarchy
        if isinstance(spec, File) and not Path(spec.path).resolve().is_relative_to(inside):
            raise PromiseBroken(f"The {PLAN} of the release names a hierarchy of column '{name}' outside the folder.")
    return plan


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a published folder."""
    path = folder / MANIFEST
    if not path.is_file():
        raise PromiseBroken(f"'{folder}' is not a release: it has no {MANIFEST}.")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # what is no JSON, or no text
        raise PromiseBroken(f"The {MANIFEST} of '{folder}' cannot be read.") from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise PromiseBroken(f"The {MANIFEST} of '{folder}' lists no files.")
    return manifest


def read_tables(folder: Path, plan: Plan) -> dict[str, pl.DataFrame]:
    """The released tables by name, as text, or categories of text, where they are text files."""
    return {name: _read_table(folder, name, plan.release.format) for name in table_names(plan)}


def table_names(plan: Plan) -> tuple[str, ...]:
    """The names of the tables that a release of this plan has, the main one first."""
    if plan.release.form != "anatomy":
        return (_RELEASE,)
    return (QUASI_IDENTIFIERS, *(sensitive_table(column) for column in plan.sensitive))


def tree_path(column: str) -> str:
    """Where the tree of a sensitive column is, inside the folder."""
    return f"hierarchies/{file_name(column)}.csv"


def _read_table(folder: Path, name: str, format: str) -> pl.DataFrame:
    path = folder / f"{name}.{format}"
    if not path.is_file():
        raise PromiseBroken(f"The file '{path.name}' is missing.")
    try:
        return _parsed(path, name)
    except (pl.exceptions.PolarsError, csv.Error, UnicodeDecodeError, StopIteration, PanicException):
        raise PromiseBroken(f"The file '{path.name}' was changed: it is no {format.upper()} table any more.") from None


def _parsed(path: Path, name: str) -> pl.DataFrame:
    if path.suffix == ".parquet":
        return pl.read_parquet(path, glob=False, hive_partitioning=False)
    frame = repeats.read_csv(path) if name == _RELEASE else pl.read_csv(path, infer_schema=False, glob=False)
    with path.open(encoding="utf-8", newline="") as file:
        frame.columns = next(csv.reader(file, strict=True))  # polars takes quotes inside a name for two
    return frame


def sha256(path: Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hashes(folder: Path, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """The hash of every file of a folder but the manifest, by its path inside; `known` ones are not counted again."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in files}
    known = known or {}
    return {name: known.get(name) or sha256(path) for name, path in named.items() if name != MANIFEST}


def _digest_problems(folder: Path, digest: str | None) -> list[str]:
    if digest is None or sha256(folder / MANIFEST) == digest.strip().lower():
        return []
    return ["The manifest is not the one that was published: its digest differs."]


def _file_problems(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    listed, present = manifest["files"], hashes(folder)
    odd = sorted(path.name for path in folder.rglob("*") if path.is_symlink() or not (path.is_file() or path.is_dir()))
    problems = [f"'{name}' is not an ordinary file." for name in odd]
    problems += [f"The file '{name}' is missing." for name in sorted(set(listed) - set(present))]
    problems += [f"The file '{name}' is not in the manifest." for name in sorted(set(present) - set(listed))]
    both = sorted(set(present) & set(listed))
    return problems + [f"The file '{name}' was changed." for name in both if present[name] != listed[name]]


def _stray_problems(folder: Path, plan: Plan) -> list[str]:
    """Files that no release of this plan has, whatever the manifest lists."""
    tables = {f"{name}.{plan.release.format}" for name in table_names(plan)}
    known = {*tables, PLAN, REPORT, CODEBOOK, *(tree_path(name) for name in plan.reads_trees)}
    return [f"The file '{name}' is no part of such a release." for name in sorted(set(hashes(folder)) - known)]


def _plan_problems(own: Plan, plan: Plan) -> list[str]:
    """Where the plan in the folder tells its readers something else than the plan that is trusted."""
    told, trusted = _told(own), _told(plan)
    return [
        f"The {PLAN} of the release has other {what} than the plan." for what in told if told[what] != trusted[what]
    ]


def _told(plan: Plan) -> dict[str, Any]:
    """What a plan says of a promise: the models, and how the table is to be read and counted."""
    columns = plan.columns.items()
    return {
        "models": plan.enforced,
        "roles": {name: column.role for name, column in columns},
        "types and bounds": {name: (column.type, column.bottom, column.top) for name, column in columns},
        "values that count": {name: (column.missing_counts, column.protected) for name, column in columns},
        "persons": plan.data.person,
        "missing values": (sorted(plan.data.missing), plan.data.missing_rows),
        "form": plan.release,
        "algorithm": plan.algorithm,
    }


def _claim_problems(found: Verification, manifest: Mapping[str, Any], *, counts_persons: bool) -> list[str]:
    """What the manifest claims and the table does not show; figures about persons cannot be seen in it."""
    claims = {"rows_released": found.rows, "classes": found.classes}
    problems = [
        f"The manifest says {manifest.get(name)} for '{name}'; the table has {value}."
        for name, value in claims.items()
        if manifest.get(name) != value
    ]
    if manifest.get("rows_in") != found.rows + manifest.get("rows_suppressed", 0):
        problems.append("The manifest's rows do not add up: those released and suppressed are not those that went in.")
    claimed = manifest.get("models")
    if not isinstance(claimed, list) or len(claimed) != len(found.verdicts):
        return [*problems, "The manifest does not list the models of the plan."]
    for claim, verdict in zip(claimed, found.verdicts, strict=True):
        problems += _promise_problems(claim, verdict)
        problems += [] if counts_persons else _figure_problems(claim, verdict)
    return problems


def _promise_problems(claim: Mapping[str, Any], verdict: Verdict) -> list[str]:
    """Where a model in the manifest is another than the plan's, or is not said to hold."""
    promise = {
        name: value for name, value in claim.items() if name not in ("achieved", "holds", "failing_classes", "checked")
    }
    if promise != {"kind": verdict.kind, **verdict.parameters}:
        return [f"The manifest's model '{promise.get('kind')}' does not promise what the plan's '{verdict.kind}' does."]
    if claim.get("holds") is not True or claim.get("failing_classes") != 0:
        return [f"The manifest does not say that '{verdict.kind}' holds."]
    return []


def _figure_problems(claim: Mapping[str, Any], verdict: Verdict) -> list[str]:
    """Where the figures that the manifest gives for a model are not those of the table."""
    claimed = claim.get("achieved", {})
    return [
        f"The manifest's '{name}' of '{verdict.kind}' is not what the table shows."
        for name, value in verdict.achieved.items()
        if value != "not checked" and not _same_figure(claimed.get(name), value)
    ]


def _same_figure(claimed: object, found: object) -> bool:
    if isinstance(claimed, int | float) and isinstance(found, int | float):
        return math.isclose(claimed, found, rel_tol=1e-9, abs_tol=1e-12)
    return claimed == found


def _failed(problem: str) -> Verification:
    return replace(nothing_verified(), problems=(problem,))
