"""A published folder: reading it back, and verifying it from its files alone."""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException

from shoal import forms
from shoal.errors import PromiseBroken, ShoalError
from shoal.forms.generalized import RELEASE
from shoal.hierarchies import File
from shoal.manifest import MANIFEST, Manifest, read_manifest
from shoal.models.evidence import Verdict
from shoal.plan import Plan, read_plan
from shoal.table import file_name, repeats
from shoal.verification.anatomy import verify_tables
from shoal.verification.verdicts import Verification, found_wrong

PLAN = "plan.toml"
REPORT = "report.html"
CODEBOOK = "codebook.json"


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
        return found_wrong(str(error))
    except (Exception, PanicException) as error:  # whatever a damaged file provokes is a finding, never a crash
        return found_wrong(f"The folder cannot be read back ({type(error).__name__}).")


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


def read_tables(folder: Path, plan: Plan) -> dict[str, pl.DataFrame]:
    """The released tables by name, as text, or categories of text, where they are text files."""
    return {name: _read_table(folder, name, plan.release.format) for name in table_names(plan)}


def table_names(plan: Plan) -> tuple[str, ...]:
    """The names of the tables that a release of this plan has, the main one first."""
    return forms.by_kind(plan.release.form).tables(plan.sensitive)


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
    frame = repeats.read_csv(path) if name == RELEASE else pl.read_csv(path, infer_schema=False, glob=False)
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


def _file_problems(folder: Path, manifest: Manifest) -> list[str]:
    listed, present = manifest.files, hashes(folder)
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
    """Where the plan in the folder says something else than the trusted plan."""
    promised, trusted = _promised(own), _promised(plan)
    different = [what for what in promised if promised[what] != trusted[what]]
    return [f"The {PLAN} of the release has other {what} than the plan." for what in different]


def _promised(plan: Plan) -> dict[str, Any]:
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


def _claim_problems(found: Verification, manifest: Manifest, *, counts_persons: bool) -> list[str]:
    """What the manifest claims and the table does not show; figures about persons cannot be seen in it."""
    claims = {"rows_released": (manifest.rows_released, found.rows), "classes": (manifest.classes, found.classes)}
    problems = [
        f"The manifest says {claimed} for '{name}'; the table has {value}."
        for name, (claimed, value) in claims.items()
        if claimed != value
    ]
    if manifest.rows_in != found.rows + manifest.rows_suppressed:
        problems.append("The manifest's rows do not add up: released and suppressed rows are not the input's.")
    if len(manifest.models) != len(found.verdicts):
        return [*problems, "The manifest does not list the models of the plan."]
    for claim, verdict in zip(manifest.models, found.verdicts, strict=True):
        problems += _promise_problems(claim, verdict)
        problems += [] if counts_persons else _figure_problems(claim, verdict)
    return problems


def _promise_problems(claim: Verdict, verdict: Verdict) -> list[str]:
    """Where a model in the manifest is another than the plan's, or is not said to hold."""
    if (claim.kind, claim.parameters) != (verdict.kind, verdict.parameters):
        return [f"The manifest's model '{claim.kind}' does not promise what the plan's '{verdict.kind}' does."]
    if claim.holds is not True or claim.failing != 0:
        return [f"The manifest does not say that '{verdict.kind}' holds."]
    return []


def _figure_problems(claim: Verdict, verdict: Verdict) -> list[str]:
    """Where the figures that the manifest gives for a model are not those of the table."""
    return [
        f"The manifest's '{name}' of '{verdict.kind}' is not what the table shows."
        for name, value in verdict.achieved.items()
        if value != "not checked" and not _same_figure(claim.achieved.get(name), value)
    ]


def _same_figure(claimed: object, found: object) -> bool:
    if isinstance(claimed, int | float) and isinstance(found, int | float):
        return math.isclose(claimed, found, rel_tol=1e-9, abs_tol=1e-12)
    return claimed == found
