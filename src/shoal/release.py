"""Release: the published tables, what was achieved, and how they are saved: two folders, whole or not at all."""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import attacks, hierarchies, table
from shoal.anatomized import verify_tables
from shoal.errors import OutputError, PromiseBroken, ShoalError
from shoal.folder import MANIFEST, PLAN, hashes, own_plan, read_tables, sha256
from shoal.forms import Released
from shoal.forms.anatomy import CLASS_ID, VALUE, sensitive_table
from shoal.measures import Outcome, measure
from shoal.plan import Plan
from shoal.report import Report
from shoal.verification import Verification, facts, nothing_verified
from shoal.version import VERSION


@dataclass(frozen=True)
class Private:
    """What only the steward may see; it is written to the private folder and never published."""

    input_counts: Mapping[str, pl.DataFrame]
    persons: pl.Series | None = None
    suppressed_by_reason: Mapping[str, int] = field(default_factory=dict)
    input_sha256: str | None = None
    plan_text: str | None = None


@dataclass(frozen=True)
class Release:
    """A table that keeps every promise of its plan, as `verification` found by regrouping it."""

    released: Released
    plan: Plan
    rows_in: int
    timings: Mapping[str, float]
    verification: Verification = field(default_factory=nothing_verified)
    warnings: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    private: Private = field(default_factory=lambda: Private({}), repr=False)
    as_given: Callable[[pl.DataFrame], Any] = field(default=lambda frame: frame, repr=False)

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """What is published, by file name without ending."""
        return self.released.tables

    @cached_property
    def measures(self) -> dict[str, Any]:
        """Utility figures of the release, by name; classes are counted as verification found them."""
        return measure(
            Outcome(
                columns=tuple(self.released.columns),
                rows_in=self.rows_in,
                class_rows=self.verification.sizes.to_numpy().astype(np.int64),
                rows=self.released.rows,
                loss=self.released.loss,
                level=self.released.level,
            )
        )

    @cached_property
    def frame(self) -> Any:
        """The released table, of the kind that was given: polars, pandas or pyarrow."""
        if len(self.tables) > 1:
            raise ShoalError(
                f"A release as '{self.plan.release.form}' has {len(self.tables)} tables.", hint="use release.frames."
            )
        return next(iter(self.frames.values()))

    @cached_property
    def frames(self) -> dict[str, Any]:
        """The released tables by name, of the kind that was given."""
        text = pl.col(pl.Enum, pl.Categorical).cast(pl.String)
        return {name: self.as_given(frame.with_columns(text)) for name, frame in self.tables.items()}

    def verified(self, tables: Mapping[str, pl.DataFrame]) -> Verification:
        """What verification finds in the tables, as given or as written, with all that is known here."""
        private = self.private
        return verify_tables(
            tables,
            self.plan,
            persons=private.persons,
            input_counts=private.input_counts,
            linked=self.released.linked,
        )

    @property
    def achieved(self) -> dict[str, Any]:
        """What every model achieves on the released table, by kind; several of a kind are told apart by column."""
        found: dict[str, Any] = {}
        for verdict in self.verification.verdicts:
            column = verdict.parameters.get("column")
            key = f"{verdict.kind} {column}" if verdict.kind in found and column else verdict.kind
            found[key] = dict(verdict.achieved)
        return found

    @property
    def manifest(self) -> dict[str, Any]:
        """What the release says of itself; nothing in it is about the input beyond its number of rows."""
        found = {
            "shoal_version": VERSION,
            "rows_in": self.rows_in,
            "rows_released": self.verification.rows,
            "rows_suppressed": self.rows_in - self.verification.rows,
            "classes": self.verification.classes,
            "form": self.plan.release.form,
            "algorithm": self.plan.algorithm.kind,
            "models": [verdict.as_dict() for verdict in self.verification.verdicts],
            "measures": self.measures,
            "timings": {step: round(seconds, 4) for step, seconds in self.timings.items()},
            "warnings": list(self.warnings),
            "notes": list(self.verification.notes),
            **self.facts,
        }
        if self.released.levels:
            found["levels"] = dict(self.released.levels)
        differing = {name: at for name, at in self.released.by_level.items() if name not in self.released.levels}
        if differing:
            found["rows_by_level"] = {
                name: {str(each.level): each.rows for each in levels} for name, levels in differing.items()
            }
        if "steps" in found:  # its places count these values, none of which the release does not have
            found["step_values"] = {name: list(values) for name, values in self.released.values.items()}
        return found

    @property
    def report(self) -> Report:
        return Report(self.manifest)

    def _repr_html_(self) -> str:
        return self.report.fragment()

    def save(self, folder: str | Path, *, force: bool = False) -> str:
        """Writes the release to `folder` and what is the steward's to `folder`.private; returns the manifest's digest.

        Both folders appear whole or not at all. The written files are read back and verified before that.
        """
        return save(self, Path(folder), force=force)


def save(release: Release, folder: Path, *, force: bool = False) -> str:
    """See `Release.save`."""
    folder = check_free(folder, force)
    private = private_folder(folder)
    with _partial(folder) as public_part, _partial(private) as private_part:
        digest = _write_public(release, public_part)
        _write_private(release, private_part, digest)
        public_part.chmod(0o755)
        _put_in_place({private_part: private, public_part: folder})
    return digest


def private_folder(folder: Path) -> Path:
    return folder.with_name(folder.name + ".private")


def check_free(folder: Path, force: bool) -> Path:
    """The folder's full path; refuses one that holds something, unless it may be replaced, before any work is done."""
    if "\0" in str(folder):
        raise OutputError("The name of the folder to write to holds a NUL character.")
    try:
        folder = folder.parent.resolve() / folder.name if folder.name not in ("", "..") else folder.resolve()
        _check_free(folder, force)
    except OSError as error:
        raise OutputError(f"The release cannot be written to '{folder}' ({error.strerror}).") from None
    return folder


def _check_free(folder: Path, force: bool) -> None:
    if Path.cwd().is_relative_to(folder):  # it would be moved away with all it holds
        raise OutputError(f"The release cannot take the place of '{folder}'.", hint="name a folder of its own.")
    for place in (folder, private_folder(folder)):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise OutputError(f"'{place}' exists and is not a folder.")
        if not force and place.exists() and any(place.iterdir()):
            raise OutputError(f"The folder '{place}' is not empty.", hint="choose another, or replace it with --force.")
    parent = folder.parent
    if not parent.is_dir():
        raise OutputError(f"There is no folder '{parent}' to write into.", hint="create it first.")
    if not os.access(parent, os.W_OK):
        raise OutputError(f"The folder '{parent}' cannot be written to.")


def _write_public(release: Release, part: Path) -> str:
    began = time.perf_counter()
    ending = release.plan.release.format
    for name, frame in release.tables.items():
        table.write(frame, part / f"{name}.{ending}", ending)
    _write_plan(release, part)
    _write_json(part / "codebook.json", codebook(release))
    wrote = time.perf_counter()
    found = _verified(release, part)
    done = time.perf_counter()
    timings = {**release.timings, "write": wrote - began, "verify": done - wrote}
    total = sum(seconds for step, seconds in timings.items() if step != "total")
    facts = {**release.facts, **_attacked(release)}
    final = replace(release, verification=found, timings={**timings, "total": total}, facts=facts)
    final.report.save(part / "report.html")
    manifest = {**final.manifest, "files": hashes(part)}
    _write_json(part / MANIFEST, manifest)
    return sha256(part / MANIFEST)


def _attacked(release: Release) -> dict[str, Any]:
    """What attacks find in the table that is about to be published, by kind; an anatomy gives them no linked rows."""
    if "release" not in release.tables:
        return {}
    found = {cls.kind: list(cls.found_in(release.tables["release"], release.plan)) for cls in attacks.ALL}
    told = {kind: sentences for kind, sentences in found.items() if sentences}
    return {"attacks": told} if told else {}


def _verified(release: Release, part: Path) -> Verification:
    """What verification finds in the files as they were written; a broken promise stops everything.

    It is asked twice where trees are published: as anyone will, with the published trees, and with all that is known
    here, for the published trees leave out what only the input had.
    """
    written = read_tables(part, release.plan)
    if any(frame.height != release.tables[name].height for name, frame in written.items()):
        raise PromiseBroken("The written table has another number of rows than the release. Nothing was published.")
    private, published = release.private, own_plan(part)
    if published.enforced != release.plan.enforced:
        raise PromiseBroken("The written plan does not promise what the plan does. Nothing was published.")
    if any(published.columns[name].hierarchy for name in published.reads):
        require(verify_tables(written, published, persons=private.persons, linked=release.released.linked))
    found = release.verified(written)
    require(found)
    return found


def require(found: Verification) -> None:
    """Raises unless everything holds."""
    if found.holds:
        return
    broken = [
        f"'{verdict.kind}' fails in {verdict.failing} of {found.classes} classes"
        for verdict in found.verdicts
        if not verdict.holds
    ]
    raise PromiseBroken(
        "The release does not keep its promises: " + "; ".join([*found.problems, *broken]) + ". It was not published."
    )


def published_tables(release: Release) -> dict[str, Any]:
    """The plan as it is published: it names no source, query, seed or weight, and only what verification needs."""
    from shoal.plan import to_tables

    tables = to_tables(release.plan)
    data = tables.get("data", {})
    for key in ("source", "query", "separator"):
        data.pop(key, None)
    tables["data"] = data
    tables["algorithm"].pop("seed", None)
    for name, column in tables["columns"].items():
        column.pop("weight", None)
        column.pop("knowledge", None)
        column.update(_published_hierarchy(release, name))
    return tables


def _published_hierarchy(release: Release, name: str) -> dict[str, Any]:
    """Only sensitive hierarchies are needed to verify; of the others the kind is told, not the leaves."""
    spec = release.plan.columns[name].hierarchy
    if spec is None:
        return {}
    if name in release.plan.reads:
        return {"hierarchy": {"kind": "file", "path": _tree_path(name), "separator": ";"}}
    if isinstance(spec, hierarchies.File):
        return {"hierarchy": {"kind": "file", "path": Path(spec.path).name}}
    return {}


def _tree_path(column: str) -> str:
    return f"hierarchies/{table.file_name(column)}.csv"


def _write_plan(release: Release, part: Path) -> None:
    import tomli_w

    (part / PLAN).write_text(tomli_w.dumps(published_tables(release)), encoding="utf-8", newline="\n")
    for name in release.plan.reads:
        if release.plan.columns[name].hierarchy is not None:
            path = part / _tree_path(name)
            path.parent.mkdir(exist_ok=True)
            hierarchies.write(_released_tree(release, name), path)


def _released_tree(release: Release, name: str) -> hierarchies.Hierarchy:
    """The tree over the released values alone, as high as the one that was searched with.

    Leaves that only the input had stay with the steward, and so do labels that they had a part in, such as the members
    of a learned group: nodes are then numbered instead.
    """
    column, private = release.plan.columns[name], release.private
    released = _released_values(release, name).cast(pl.String)
    released = released.set(released == "", None)
    alone = facts(column, released).paths
    seen = facts(column, released, *(counts["value"] for key, counts in private.input_counts.items() if key == name))
    paths = {value: seen.paths[value] for value in seen.paths if value in alone}
    tree = hierarchies.Hierarchy.from_paths(paths.values())
    return tree if paths == alone else tree.numbered()


def _released_values(release: Release, name: str) -> pl.Series:
    """The values of a sensitive column as they are published, in whatever table."""
    main = release.released.main
    return main[name] if name in main.columns else release.tables[sensitive_table(name)][VALUE]


def codebook(release: Release) -> dict[str, Any]:
    """Every released column: role, type, and the labels or the level that occur; nothing that is not in the release."""
    book: dict[str, Any] = {}
    frame = release.released.main
    apart = [name for name in release.plan.sensitive if name not in frame.columns]
    for name in [*frame.columns, *apart]:
        settings = release.plan.columns.get(name)
        entry: dict[str, Any] = {"role": settings.role if settings else "insensitive"}
        if name in apart:
            entry["table"] = sensitive_table(name)
        elif apart and name == CLASS_ID:
            entry["role"] = "class"
        if settings is not None and settings.role == "quasi-identifier":
            entry.update(_labels(frame[name]))
            coded = {"top": settings.top, "bottom": settings.bottom}
            entry.update({key: str(bound) for key, bound in coded.items() if bound is not None})
            entry.update(_levels(release.released, name))
        book[name] = entry
    return {"columns": book, "labels": _LABEL_HELP}


def _levels(released: Released, name: str) -> dict[str, Any]:
    """The level of a column; where rows differ in it, how many rows have each, and with which labels."""
    if name in released.levels:
        return {"level": released.levels[name]}
    found = [
        {"level": each.level, "rows": each.rows, "labels": list(each.labels[:_SHOWN_LABELS])}
        for each in released.by_level.get(name, ())
    ]
    return {"levels": found} if found else {}


_SHOWN_LABELS = 1000
_LABEL_HELP = {
    "[a, b]": "any value from a to b, both included",
    "{a, b}": "one of the listed values",
    "*": "any value",
    "\\x": "the value x itself, although it looks like one of the above",
    "": "missing",
}


def _labels(column: pl.Series) -> dict[str, Any]:
    labels = column.cast(pl.String).unique().sort()
    shown = labels.head(_SHOWN_LABELS).to_list()
    return {"labels": shown, "distinct_labels": len(labels)}


def _write_private(release: Release, part: Path, digest: str) -> None:
    private, plan = release.private, release.plan
    steward = {
        "digest": digest,
        "source": plan.data.source,
        "input_sha256": private.input_sha256,
        "seed": plan.seed,
        "timings": dict(release.timings),
        "rows_in": release.rows_in,
        "suppressed_by_reason": dict(private.suppressed_by_reason),
        "input_counts": {
            name: dict(zip(frame["value"].fill_null("").to_list(), frame["count"].to_list(), strict=True))
            for name, frame in private.input_counts.items()
        },
    }
    _write_json(part / "steward.json", steward)
    text = private.plan_text if private.plan_text is not None else plan.to_toml()
    (part / PLAN).write_text(text, encoding="utf-8", newline="\n")
    for path in part.iterdir():
        path.chmod(0o600)


def _write_json(path: Path, value: Any) -> None:
    text = json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _plain(value: Any) -> Any:
    """The value in JSON's own kinds: numpy's numbers as Python's, and null for what is no number."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextlib.contextmanager
def _partial(folder: Path) -> Iterator[Path]:
    """A folder beside the real one to write into; gone afterwards whatever happens, as is what a killed run left."""
    part = folder.with_name(f".{folder.name}.partial")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        yield part
    except OSError as error:
        raise OutputError(
            f"The release cannot be written to '{folder}' ({error.strerror or type(error).__name__}).",
            allowed="Nothing was left behind.",
        ) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _put_in_place(places: Mapping[Path, Path]) -> None:
    """Renames finished folders to their names, all or none; what was there goes once everything is in place."""
    with contextlib.ExitStack() as undo:
        for part, folder in places.items():
            old = _replaced(folder)
            shutil.rmtree(old, ignore_errors=True)
            if folder.exists():
                folder.rename(old)
                undo.callback(old.rename, folder)
            part.rename(folder)
            undo.callback(folder.rename, part)
        undo.pop_all()
    for folder in places.values():
        shutil.rmtree(_replaced(folder), ignore_errors=True)


def _replaced(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.replaced")
