"""A release as its recipient reads it: tables with typed columns, and the codebook, plan and manifest beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from shoal import forms
from shoal.counts import counted, some_of
from shoal.errors import PromiseBroken, ShoalError, TableError, did_you_mean
from shoal.forms.anatomy import CLASS_ID, COUNT, VALUE, sensitive_table
from shoal.labels import MISSING
from shoal.manifest import MANIFEST, Manifest, read_json, read_manifest
from shoal.plan import Plan
from shoal.reading.showing import as_html
from shoal.reading.typed_labels import LabelColumn, typed_labels
from shoal.roles.columns import Column
from shoal.table import Runs, converted, typed, with_lists
from shoal.verification.folder import CODEBOOK, file_problems, own_plan
from shoal.verification.labelled import coded_cells, hierarchy, is_coded
from shoal.verification.labels import malformed
from shoal.verification.reading import read_runs

SHARE = "share"
"""The column of a joined anatomy with the share of the rows of a class that have a value."""


@dataclass(frozen=True, repr=False)
class Published:
    """A release that was read from its folder.

    `tables`: the tables by name in polars. `codebook`: the meaning of their columns and labels. `kind`: the kind of
    `frame` and `frames`, "polars", "pandas" or "arrow".
    """

    tables: Mapping[str, pl.DataFrame]
    plan: Plan
    manifest: Manifest
    codebook: Mapping[str, Any]
    kind: str = "polars"

    @cached_property
    def frame(self) -> Any:
        """The released table. A release of form `anatomy` has several: see `frames` and `joined`."""
        if len(self.tables) > 1:
            raise ShoalError(
                f"A release of form '{self.plan.release.form}' has {len(self.tables)} tables.",
                hint="use frames, or joined(column) for one sensitive column.",
            )
        return next(iter(self.frames.values()))

    @cached_property
    def frames(self) -> dict[str, Any]:
        """The released tables by name."""
        return {name: self._converted(table) for name, table in self.tables.items()}

    def joined(self, column: str | None = None) -> Any:
        """Every row of an anatomy with every value that its class has in one sensitive column.

        `share` is the number of rows of the class that have the value, divided by its rows: a row of the table appears
        once for each value, and its shares add up to 1. It says which values are possible and how frequent they are in
        the class, never which row has which value.
        """
        name = self._sensitive(column)
        main, values = next(iter(self.tables.values())), self.tables[sensitive_table(name)]
        shares = values.select(
            CLASS_ID, pl.col(VALUE).alias(name), (pl.col(COUNT) / pl.col(COUNT).sum().over(CLASS_ID)).alias(SHARE)
        )
        if SHARE in main.columns:
            raise TableError(
                f"The release has a column '{SHARE}' of its own.",
                hint="rename it before you join the tables in frames.",
            )
        return self._converted(main.join(shares, on=CLASS_ID, how="left", maintain_order="left"))

    def _sensitive(self, column: str | None) -> str:
        """The sensitive column to join; raises if it is not the only one and not named."""
        apart = [name for name in self.plan.sensitive if sensitive_table(name) in self.tables]
        if not apart:
            raise ShoalError("This release has one table, so that nothing is to be joined.", hint="use frame.")
        if column is None and len(apart) > 1:
            raise ShoalError(f"There are {len(apart)} sensitive columns: {some_of(apart)}.", hint="name one of them.")
        if column is not None and column not in apart:
            raise ShoalError(
                f"'{column}' is not a sensitive column of this release.",
                allowed=f"It has {some_of(apart)}.",
                hint=did_you_mean(column, apart),
            )
        return column or apart[0]

    def _converted(self, frame: pl.DataFrame) -> Any:
        return converted(frame, self.kind, {"codebook": json.dumps(self.codebook, ensure_ascii=False)})

    def __repr__(self) -> str:
        classes = counted(self.manifest.classes, "class", "classes")
        columns = {name: len(table.columns) for name, table in self.tables.items()}
        return f"Published({self.manifest.rows_released:,} rows in {classes}; columns by table: {columns})"

    def _repr_html_(self) -> str:
        return as_html(self)


def read_release(
    folder: str | Path, *, as_: str = "polars", verify: bool = True, digest: str | None = None, separator: str = "."
) -> Published:
    """The tables of a published folder with typed columns, `as_` "polars", "pandas" or "arrow".

    Every quasi-identifier keeps its labels, with null for a missing value. Beside it are columns with what a label
    says: `age.kind`, and for numbers and dates `age.low`, `age.high` and `age.midpoint`, for text `age.members`, and
    `age.level` if it has levels; `separator` is put between both parts of such a name. Sets are lists, and all other
    columns have the type of the plan, or the one that their values show; sensitive values are text without a type in
    the plan. With `verify`, raises PromiseBroken if a file differs from the manifest, or the manifest from its
    `digest`; `shoal.verify_folder` also checks the promises.
    """
    folder = Path(folder)
    converted(pl.DataFrame(), as_)  # a wrong kind is refused before anything is read
    _require_release(folder)
    manifest = read_manifest(folder)
    if verify and (problems := file_problems(folder, manifest, digest)):
        raise PromiseBroken(
            " ".join(problems),
            allowed="The files of a release are those that its manifest lists.",
            hint="get the release again; verify=False reads it as it is.",
        )
    plan, codebook = own_plan(folder), _read_codebook(folder)
    tables = {name: _typed(runs, name, plan, codebook, separator) for name, runs in read_runs(folder, plan).items()}
    return Published(tables, plan, manifest, codebook, as_)


def _require_release(folder: Path) -> None:
    if not folder.is_dir():
        names = [other.name for other in folder.parent.iterdir()] if folder.parent.is_dir() else []
        raise TableError(f"There is no folder '{folder}'.", hint=did_you_mean(folder.name, names))
    if not (folder / MANIFEST).is_file():
        raise TableError(
            f"'{folder}' is not the folder of a release: it has no {MANIFEST}.", hint="name the published folder."
        )


def _read_codebook(folder: Path) -> Mapping[str, Any]:
    book = read_json(folder / CODEBOOK)
    columns = book.get("columns") if isinstance(book, dict) else None
    if not isinstance(columns, dict) or not all(isinstance(entry, dict) for entry in columns.values()):
        raise PromiseBroken(f"The {CODEBOOK} of '{folder}' lists no columns.")
    for name, entry in columns.items():
        if (key := malformed(entry)) is not None:
            raise PromiseBroken(
                f"The {CODEBOOK} of '{folder}' lists no sound {key} of column '{name}'.",
                allowed="Labels are different texts; each has a whole number as its level and a number as its share.",
                hint="get the release again.",
            )
    assert isinstance(book, dict)
    return book


def _typed(runs: Runs, name: str, plan: Plan, codebook: Mapping[str, Any], separator: str) -> pl.DataFrame:
    """A released table with typed columns. Work is done on distinct cells or runs, not on rows."""
    columns: list[pl.Series] = []
    for column in runs.columns:
        settings = _settings(column, name, plan)
        if settings.role == "quasi-identifier" and forms.by_kind(plan.release.form).generalizes:
            columns += _with_meaning(runs[column], plan, codebook["columns"].get(column, {}), separator)
        else:
            columns.append(_plain(runs[column], settings, plan))
    _require_distinct([column.name for column in columns], separator)
    lists = {column: each for column, each in plan.separators.items() if column in runs.columns}
    return runs.with_rows(with_lists(pl.DataFrame(columns), lists)).expanded()


def _settings(column: str, table: str, plan: Plan) -> Column:
    """The settings of a column in one of the tables; an anatomy has columns that are not in its plan."""
    apart = (
        {} if forms.by_kind(plan.release.form).generalizes else {sensitive_table(each): each for each in plan.sensitive}
    )
    if apart and (column == CLASS_ID or (column == COUNT and table in apart)):
        return Column(role="insensitive", type="integer")
    owner = apart.get(table, column) if column == VALUE else column
    return plan.columns.get(owner, Column(role="insensitive"))


def _with_meaning(cells: pl.Series, plan: Plan, book: Mapping[str, Any], separator: str) -> list[pl.Series]:
    """A column of labels, null where a value is missing, and the columns with what they say."""
    codes, texts = _coded(cells)
    settings, name = plan.columns[cells.name], cells.name
    labels = texts.fill_null(MISSING).to_list()
    said = typed_labels(LabelColumn(name, labels, settings, hierarchy(plan, name), book))
    shown = texts.set(texts == MISSING, None).alias(name)
    beside = [column.alias(f"{name}{separator}{column.name}") for column in said]
    return [column.gather(codes) for column in (shown, *beside)]


def _plain(cells: pl.Series, settings: Column, plan: Plan) -> pl.Series:
    """A column that was released unchanged, in the type of its plan or of its values; as text if it does not fit."""
    codes, texts = _coded(cells) if is_coded(cells) or cells.dtype == pl.String else (None, cells)
    if settings.role == "quasi-sensitive":
        return cells
    values = _in_type(texts, settings, plan.data.absent)
    return (values if codes is None else values.gather(codes)).alias(cells.name)


def _in_type(values: pl.Series, settings: Column, absent: Sequence[str]) -> pl.Series:
    """Values in the declared type, or in the one that fits; sensitive ones are text, as models compare them."""
    type_ = settings.type or ("text" if settings.role == "sensitive" else None)
    try:
        return typed(values, type=type_, missing=absent).values
    except TableError:  # a column that no model reads need not have the type of its plan
        return typed(values, type="text", missing=absent).values


def _coded(cells: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The distinct cells of a column as texts, and the position of every cell among them."""
    column = cells if is_coded(cells) else cells.cast(pl.String).cast(pl.Categorical(pl.Categories.random()))
    codes, texts = coded_cells(column)
    used = pl.Series(codes).unique().sort()
    places = used.search_sorted(pl.Series(codes))
    return places, texts.gather(used).alias(cells.name)


def _require_distinct(names: Sequence[str], separator: str) -> None:
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise TableError(
            f"The release has a column '{repeated[0]}' of its own, which would also name what a label says.",
            hint=f'use another separator than {separator!r}, such as separator="__".',
        )
