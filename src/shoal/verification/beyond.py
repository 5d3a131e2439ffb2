"""Contents of a published folder beyond what its tables and its plan explain: hidden keys, metadata, false roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import polars as pl

from shoal import forms
from shoal.errors import TableError
from shoal.forms.anatomy import CLASS_ID
from shoal.manifest import Manifest
from shoal.plan import Plan
from shoal.table.stats import extra_entries
from shoal.verification.reading import TableFile

_PARQUET_KEYS = {"ARROW:schema"}
"""The schema, which every writer of Parquet files adds."""
_OTHER_ROLES = {CLASS_ID: "class"}


def beyond_problems(
    files: Sequence[TableFile], plan: Plan, manifest: Mapping[str, Any], codebook: object, columns: Sequence[str]
) -> list[str]:
    """What a folder says or carries, in the files of its tables too, that does not follow from tables and plan."""
    return [
        *_key_problems(manifest, plan),
        *_role_problems(codebook, plan, columns),
        *(problem for file in files for problem in _metadata_problems(file)),
    ]


def _key_problems(manifest: Mapping[str, Any], plan: Plan) -> list[str]:
    known = {each.name for each in fields(Manifest)} - {"search", "risk", "items_removed"}  # these are not published
    unknown = len(set(manifest) - known)
    problems = [f"The manifest has {unknown} keys that no release has."] if unknown else []
    stated = {"form": plan.release.form, "algorithm": plan.algorithm.kind}
    wrong = [name for name, value in stated.items() if manifest.get(name) != value]
    return problems + [f"The manifest states another {name} than the plan." for name in wrong]


def _role_problems(codebook: object, plan: Plan, columns: Sequence[str]) -> list[str]:
    listed = codebook.get("columns") if isinstance(codebook, dict) else None
    if not isinstance(listed, dict):
        return ["The codebook lists no columns."]
    anatomy = not forms.by_kind(plan.release.form).generalizes
    expected = {name: _role(plan, name, anatomy=anatomy) for name in columns}
    stated = {name: entry.get("role") if isinstance(entry, dict) else None for name, entry in listed.items()}
    differing = [name for name in {*expected, *stated} if expected.get(name) != stated.get(name)]
    return [f"The codebook states other columns or roles than the plan: {len(differing)} differ."] if differing else []


def _role(plan: Plan, name: str, *, anatomy: bool) -> str:
    if anatomy and name in _OTHER_ROLES:
        return _OTHER_ROLES[name]
    return plan.columns[name].role if name in plan.columns else "insensitive"


def _metadata_problems(file: TableFile) -> list[str]:
    count = _EXTRA.get(file.path.suffix)
    if count is None:
        return []
    try:
        extra = count(file.path)
    except (OSError, pl.exceptions.PolarsError, TableError):
        return [f"The metadata of '{file.name}' cannot be read."]
    return [f"The file '{file.name}' has {extra} entries of metadata that no release has."] if extra else []


def _extra_of_parquet(path: Path) -> int:
    return len(set(pl.read_parquet_metadata(path)) - _PARQUET_KEYS)


_EXTRA: Mapping[str, Callable[[Path], int]] = {
    ".parquet": _extra_of_parquet,
    ".dta": extra_entries,
    ".sav": extra_entries,
}
"""Extension → the number of entries in a file beyond its table."""
