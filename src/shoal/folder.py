"""A published folder: reading it back, and verifying it from its files alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import PromiseBroken, ShoalError
from shoal.plan import Plan, read_plan
from shoal.verification import Verification, nothing_verified, verify

MANIFEST = "manifest.json"
PLAN = "plan.toml"


def verify_folder(folder: str | Path, *, plan: Plan | None = None, digest: str | None = None) -> Verification:
    """Whether a published folder is whole and keeps its promises; it needs nothing but the files.

    Alone it finds accidents: a changed byte, a missing file, a promise that does not hold. With the steward's `plan` or
    the `digest` that was printed when the release was made it also finds malice: a folder whose plan and hashes were
    rewritten together. Roles and parameters then come from there, never from the folder.
    """
    folder = Path(folder)
    try:
        return _verify_folder(folder, plan, digest)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, pl.exceptions.PolarsError) as error:
        return _failed(f"The folder cannot be read back ({type(error).__name__}).")
    except ShoalError as error:
        return _failed(str(error))


def _verify_folder(folder: Path, plan: Plan | None, digest: str | None) -> Verification:
    manifest = read_manifest(folder)
    problems = [*_digest_problems(folder, digest), *_file_problems(folder, manifest)]
    trusted = plan if plan is not None else read_plan(folder / PLAN)
    tables = read_tables(folder, trusted.release.format)
    found = verify(tables["release"], trusted)
    if not found.problems:
        problems += _claim_problems(found, manifest)
    return replace(found, problems=(*found.problems, *problems))


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a published folder."""
    path = folder / MANIFEST
    if not path.is_file():
        raise PromiseBroken(f"'{folder}' is not a release: it has no {MANIFEST}.")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise PromiseBroken(f"The {MANIFEST} of '{folder}' lists no files.")
    return manifest


def read_tables(folder: Path, format: str) -> dict[str, pl.DataFrame]:
    """The released tables by name, as text where they are text files."""
    path = folder / f"release.{format}"
    if not path.is_file():
        raise PromiseBroken(f"The file '{path.name}' is missing.")
    return {"release": pl.read_parquet(path) if format == "parquet" else pl.read_csv(path, infer_schema=False)}


def sha256(path: Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hashes(folder: Path) -> dict[str, str]:
    """The hash of every file of a folder but the manifest, by its path inside."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in files}
    return {name: sha256(path) for name, path in named.items() if name != MANIFEST}


def _digest_problems(folder: Path, digest: str | None) -> list[str]:
    if digest is None or sha256(folder / MANIFEST) == digest.strip().lower():
        return []
    return ["The manifest is not the one that was published: its digest differs."]


def _file_problems(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    listed, present = manifest["files"], hashes(folder)
    problems = [f"The file '{name}' is missing." for name in sorted(set(listed) - set(present))]
    problems += [f"The file '{name}' is not in the manifest." for name in sorted(set(present) - set(listed))]
    both = sorted(set(present) & set(listed))
    return problems + [f"The file '{name}' was changed." for name in both if present[name] != listed[name]]


def _claim_problems(found: Verification, manifest: Mapping[str, Any]) -> list[str]:
    """What the manifest claims and the table does not show."""
    claims = {"rows_released": found.rows, "classes": found.classes}
    return [
        f"The manifest says {manifest.get(name)} for '{name}'; the table has {value}."
        for name, value in claims.items()
        if manifest.get(name) != value
    ]


def _failed(problem: str) -> Verification:
    return replace(nothing_verified(), problems=(problem,))
