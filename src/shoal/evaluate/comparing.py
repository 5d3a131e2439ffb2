"""Comparing releases of the same table: privacy, risk, information loss, error and time, side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal import table
from shoal.counts import counted, some_of
from shoal.errors import Cancelled, HierarchyError, ShoalError, TableError, did_you_mean
from shoal.estimating.query_error import query_error
from shoal.forms.anatomy import CLASS_ID
from shoal.manifest import Manifest, read_manifest
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.release import Release
from shoal.release.steward import plan_beside
from shoal.report.comparison import Compared, Comparison
from shoal.risks.measuring import Risk, Settings
from shoal.risks.releases import Source, is_release, source_of
from shoal.roles.columns import Data
from shoal.table import Runs
from shoal.verification.folder import private_folder, verify_folder

Given = str | Path | Release


def compare(*releases: Given | Mapping[str, Given], raw: Any = None, progress: Progress = silent) -> Comparison:
    """Releases side by side: folders, each of which is verified, or values of `shoal.anonymize`.

    A mapping names its releases; folders have their own names. `raw`: the input of all of them, with which the error of
    COUNT queries is measured.
    """
    given = _named(releases)
    if len(given) < 2:
        raise ShoalError("A comparison needs at least two releases.", hint="name the folders of two or more releases.")
    frame = None if raw is None else table.to_polars(raw)[0]
    found = []
    for number, (name, release) in enumerate(given):
        progress("compare", number / len(given))
        one = (
            _of_value(name, release, frame) if isinstance(release, Release) else _of_folder(name, Path(release), frame)
        )
        found.append(one)
    return Comparison(tuple(found))


def read_input(path: Path, folders: Sequence[Path]) -> pl.DataFrame:
    """The input of releases, read as the steward's plan says if one of the folders has that beside it."""
    given = (plan.data for plan in map(plan_beside, folders) if plan is not None)
    data = next(given, Data())
    return table.read(path, separator=data.separator, header=data.header, sheet=data.sheet)


def _named(releases: Sequence[Given | Mapping[str, Given]]) -> list[tuple[str, Given]]:
    """The releases with their names; folders of the same name are distinguished by their paths."""
    own = list[tuple[str, Given]]()
    for place, release in enumerate(releases):
        own += release.items() if isinstance(release, Mapping) else [(_name(place, release), release)]
    names = [name for name, _ in own]
    told = [(str(release) if names.count(name) > 1 else name, release) for name, release in own]
    if len({name for name, _ in told}) < len(told):
        raise ShoalError("Two of the releases have the same name.", hint="name every release once.")
    return told


def _name(place: int, release: Given) -> str:
    return f"release {place + 1}" if isinstance(release, Release) else Path(release).resolve().name


def _of_value(name: str, release: Release, raw: Any) -> Compared:
    source = Source(release.draft.tables, release.draft.plan, persons=release.draft.private.witness.persons)
    _require_as_many_rows(name, release.manifest, raw)
    error = None if raw is None else counts_error(raw, source.tables, source.plan)
    risk, seconds = source.risk(Settings(attacks=False)), release.steward.timings.get("total")
    return compared_as(
        name, source.plan, release.manifest, risk, seconds=seconds, error=error, columns=_columns(source)
    )


def _of_folder(name: str, folder: Path, raw: Any) -> Compared:
    if not is_release(folder):
        raise TableError(f"'{folder}' is not the folder of a release.", hint="name folders that `anonymize` wrote.")
    try:
        verification, source, manifest = verify_folder(folder), source_of(folder, None), read_manifest(folder)
        risk = source.risk(Settings(attacks=False))
    except Cancelled:
        raise
    except ShoalError as error:
        return Compared.unreadable(name, error.fact)
    problems = verification.problems or (() if verification.holds else ("a model does not hold.",))
    if not problems:
        _require_as_many_rows(name, manifest, raw)
    found = None if raw is None else _folder_error(folder, raw, source)
    return compared_as(
        name,
        source.plan,
        manifest,
        risk,
        seconds=_seconds(folder),
        error=found,
        problems=problems,
        columns=_columns(source),
    )


def _require_as_many_rows(name: str, manifest: Manifest, raw: pl.DataFrame | None) -> None:
    """Raises if an input is given that has not as many rows as the input of a release."""
    if raw is not None and raw.height != manifest.rows_in:
        raise TableError(
            f"The input has {counted(raw.height, 'row', 'rows')}, but '{name}' was made from {manifest.rows_in:,}.",
            allowed="The query error is measured for releases of the same input.",
            hint="compare the releases of each table apart, or omit --raw.",
        )


def _folder_error(folder: Path, raw: Any, source: Source) -> float:
    """The error of COUNT queries on a folder; hierarchies that it does not contain are those of the steward's plan."""
    steward = plan_beside(folder)
    columns = next(iter(source.tables.values())).columns
    plan = source.plan if steward is None else steward.for_table(columns, complete=False)
    try:
        return counts_error(raw, source.tables, plan)
    except HierarchyError as error:
        raise HierarchyError(
            f"The query error of '{folder.name}' cannot be measured. {error.fact}",
            allowed="It needs the hierarchies of the plan, and the public folder has only those that models use.",
            hint="put the private folder of the release beside it, and the hierarchy files where its plan names them.",
        ) from None


def counts_error(raw: Any, tables: Mapping[str, Runs], plan: Plan) -> float:
    """The mean relative error of COUNT queries on released tables; raises TableError if the input is another table."""
    columns = table.to_polars(raw)[0].columns
    absent = [name for name in (*plan.quasi_identifiers, *plan.sensitive) if name not in columns]
    if absent:
        raise TableError(
            f"The input has no column {some_of(absent)}, which a release has.",
            allowed="All releases were made from the same input, with every column that is no identifier.",
            hint=did_you_mean(absent[0], columns) or "name the table from which the releases were made.",
        )
    return query_error(raw, {name: runs.expanded() for name, runs in tables.items()}, plan).all


def _seconds(folder: Path) -> float | None:
    """The seconds that a release took, as its private folder says; None if that is not there, or not ours to read."""
    path = private_folder(folder.resolve()) / "steward.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["timings"]["total"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return float(found) if isinstance(found, int | float) else None


def _share(measures: Mapping[str, Any], name: str) -> float:
    """A measure of a manifest; all is lost if it does not state one, so that no release seems better for it."""
    value = measures.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    return 1.0


def _columns(source: Source) -> tuple[str, ...]:
    """The columns of a table that a release publishes; an anatomy publishes the sensitive ones apart."""
    return tuple(dict.fromkeys(name for name in (*source.main.columns, *source.plan.sensitive) if name != CLASS_ID))


def compared_as(
    name: str,
    plan: Plan,
    manifest: Manifest,
    risk: Risk,
    *,
    seconds: float | None = None,
    error: float | None = None,
    problems: tuple[str, ...] = (),
    columns: tuple[str, ...] = (),
) -> Compared:
    """One release of a comparison, by its plan, its manifest and its risk."""
    prosecutor, measures = risk.figures["prosecutor"], manifest.measures
    return Compared(
        name=name,
        algorithm=manifest.algorithm,
        form=manifest.form,
        models=manifest.models,
        rows_in=manifest.rows_in,
        rows_released=manifest.rows_released,
        classes=manifest.classes,
        highest_risk=float(prosecutor["highest"]),
        average_risk=float(prosecutor["average"]),
        ncp=_share(measures, "ncp"),
        discernibility_ratio=_share(measures, "discernibility_ratio"),
        query_error=error,
        seconds=seconds,
        problems=problems,
        quasi_identifiers=tuple(plan.quasi_identifiers),
        counts_rows=plan.data.person is not None and not risk.in_individuals,
        columns=columns,
    )
