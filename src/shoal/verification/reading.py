"""Reading the tables of a published folder: each is one file, or a folder of parts."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import polars as pl
from polars.exceptions import PanicException

from shoal import forms
from shoal.counts import counted
from shoal.errors import PromiseBroken, TableError
from shoal.forms.generalized import RELEASE
from shoal.plan import Plan
from shoal.table import Runs, as_text, check_names, parts, read, repeats, unescaped, with_set_texts

_BYTES_AT_ONCE = 1 << 26
"""Larger text files are read in batches."""
_CELLS_AT_ONCE = 1 << 24
"""Parquet files with more cells are read in batches."""
_ROWS_AT_ONCE = 1 << 19
"""Rows of a batch of a Parquet file."""


class TableFile(NamedTuple):
    """A file with a table, or with a part of one. `name` is its path inside the folder of the release."""

    path: Path
    name: str
    is_main: bool

    @property
    def is_part(self) -> bool:
        return "/" in self.name


class Reader(Protocol):
    """What reads the files of tables: this process, or several at once."""

    def runs(self, files: Sequence[TableFile]) -> Iterator[Runs]:
        """The rows of every file, in the order of the files; raises PromiseBroken if one is damaged."""
        ...

    def hashes(self, paths: Sequence[Path]) -> list[str]:
        """The hexadecimal SHA-256 of every file."""
        ...


@dataclass(frozen=True)
class Files:
    """Reads one file after the other; with `in_batches`, also small files in batches."""

    in_batches: bool = False

    def runs(self, files: Sequence[TableFile]) -> Iterator[Runs]:
        return (parsed_file(file, in_batches=self.in_batches) for file in files)

    def hashes(self, paths: Sequence[Path]) -> list[str]:
        return [sha256(path) for path in paths]


IN_ORDER = Files()


def sha256(path: Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_runs(folder: Path, plan: Plan, reader: Reader = IN_ORDER) -> dict[str, Runs]:
    """The released tables by name; text and numbers are text or categories of text, except in Parquet files.

    Formulas are as they were before the release escaped them, so that labels and values mean the same. Sets, which are
    lists in Parquet files, are texts.
    """
    tables = {name: _read_table(table_files(folder, name, plan), reader) for name in table_names(plan)}
    escapes = plan.release.escape_formulas and plan.release.format == "csv"
    tables = {name: runs.with_rows(unescaped(runs.rows)) for name, runs in tables.items()} if escapes else tables
    return {name: runs.with_rows(with_set_texts(runs.rows, plan.separators)) for name, runs in tables.items()}


def table_names(plan: Plan) -> tuple[str, ...]:
    """The names of the tables in a release of this plan, the main table first."""
    return forms.by_kind(plan.release.form).tables(plan.sensitive)


def table_files(folder: Path, name: str, plan: Plan) -> list[TableFile]:
    """The file of a table, or its parts in their order; raises if one is missing, or if there are both."""
    format = plan.release.format
    file, parted = folder / f"{name}.{format}", folder / name
    is_parted = format in parts.FORMATS and parted.is_dir()
    if is_parted and file.exists():
        raise PromiseBroken(f"The release has both '{file.name}' and the folder '{name}'. A table is one of them.")
    paths = _parts(parted, format) if is_parted else [file]
    named = [TableFile(path, path.relative_to(folder).as_posix(), name == RELEASE) for path in paths]
    for each in named:
        if not each.path.is_file():
            raise PromiseBroken(f"The file '{each.name}' is missing.")
    return named


def _parts(folder: Path, format: str) -> list[Path]:
    """The parts of a table; they are numbered without gaps, so that a missing one is noticed."""
    names = parts.part_names([path.name for path in folder.iterdir()], format)
    return [folder / name for name in names or [parts.part_name(0, format)]]


def _read_table(files: Sequence[TableFile], reader: Reader) -> Runs:
    if not files[0].is_part:
        return next(reader.runs(files))
    return repeats.joined_parts(_checked(files, reader.runs(files)))


def _checked(files: Sequence[TableFile], read_parts: Iterable[Runs]) -> Iterator[Runs]:
    """The parts of a table; raises unless they have the same columns, and as many rows as parts have."""
    first: Runs | None = None
    for number, (file, part) in enumerate(zip(files, read_parts, strict=True)):
        first = first or part
        if _kinds(part) != _kinds(first):
            raise PromiseBroken(f"The file '{file.name}' has other columns than the first part of its table.")
        is_last = number == len(files) - 1
        if part.height > parts.ROWS or (not is_last and part.height < parts.ROWS) or (number and not part.height):
            raise PromiseBroken(
                f"The file '{file.name}' has {counted(part.height, 'row', 'rows')}; every part has {parts.ROWS:,}, "
                "and the last one what is left."
            )
        yield part


def _kinds(part: Runs) -> list[tuple[str, pl.DataType]]:
    """The columns of a part with their types; texts may be coded."""
    return [(name, pl.String() if isinstance(kind, pl.Enum) else kind) for name, kind in part.rows.schema.items()]


def parsed_file(file: TableFile, *, in_batches: bool = False) -> Runs:
    """The rows of a file with a table or a part of one; raises PromiseBroken if it is damaged."""
    try:
        runs = _parsed(file, in_batches)
    except (pl.exceptions.PolarsError, csv.Error, UnicodeDecodeError, StopIteration, PanicException, TableError):
        format = file.path.suffix.removeprefix(".").upper()
        raise PromiseBroken(f"The file '{file.name}' was changed: it is not a valid {format} table.") from None
    check_names(runs.columns, f"The file '{file.name}'")
    return runs


def _parsed(file: TableFile, in_batches: bool) -> Runs:
    path = file.path
    if path.suffix == ".parquet":
        return _parsed_parquet(path, in_batches)
    if path.suffix != ".csv":
        frame = read(path)
        numbers = [column for column in frame if column.dtype.is_numeric() or column.dtype == pl.Null]
        return Runs.of(frame.with_columns(as_text(column) for column in numbers))  # they are compared as texts
    if in_batches or file.is_main or path.stat().st_size > _BYTES_AT_ONCE:
        runs = repeats.read_csv(path, in_batches=in_batches)
    else:
        runs = Runs.of(pl.read_csv(path, infer_schema=False, glob=False))
    with path.open(encoding="utf-8", newline="") as text:
        names = next(csv.reader(text, strict=True))  # polars reads a quote inside a name as two
    runs.rows.columns = names
    return runs


def _parsed_parquet(path: Path, in_batches: bool) -> Runs:
    """The table of a Parquet file. Its size says little about its rows: sorted rows take almost no space."""
    scanned = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    cells = int(scanned.select(pl.len()).collect().item()) * len(scanned.collect_schema())
    if not in_batches and cells <= _CELLS_AT_ONCE:
        return Runs.of(pl.read_parquet(path, glob=False, hive_partitioning=False))
    return repeats.coded_runs(scanned.collect_batches(chunk_size=_ROWS_AT_ONCE, maintain_order=True))
