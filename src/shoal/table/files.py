"""Reading and writing tables: text files as text, all others with their types; `sql` reads databases."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import polars as pl
from polars.exceptions import PanicException
from polars.io.plugins import register_io_source

from shoal.errors import OutputError, TableError, did_you_mean
from shoal.table import archives, excel, repeats
from shoal.table.columns import check_names, without_dictionaries
from shoal.table.delimited import read_delimited
from shoal.table.runs import Runs
from shoal.table.sql import read_sql
from shoal.table.stats import EXTENSIONS, read_stats, write_stats
from shoal.table.types import as_text

_SAFE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")

FORMATS = ("csv", "parquet", "dta", "sav")

DELIMITED = (".csv", ".tsv", ".tab", ".txt", ".data")
TABBED = (".tsv", ".tab")
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
_ROW_GROUP = 1 << 17
_ROWS_AT_ONCE = 1 << 21
"""Up to this many rows, a Parquet file is written at once."""
DAMAGE = (pl.exceptions.PolarsError, PanicException, OSError)


class _Options(NamedTuple):
    """How a file is read: its separator, whether its first line has the names of the columns, and its sheet."""

    separator: str | None
    header: bool | None
    sheet: str | None


_Reader = Callable[[Path, _Options], pl.DataFrame]


def is_url(source: str | Path) -> bool:
    """Whether a source is a URL, and not the path of a file; those of JDBC may lack the slashes.

    >>> is_url("sqlite:///visits.db"), is_url("jdbc:h2:mem:visits"), is_url("visits.csv")
    (True, True, False)
    """
    return "://" in str(source) or str(source).lower().startswith("jdbc:")


def read(
    source: str | Path,
    *,
    separator: str | None = None,
    query: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
) -> pl.DataFrame:
    """Reads the complete table of a file or a database query, unchanged, or raises a `TableError`.

    The columns of text files, which may be compressed, are String with the exact characters of the file, null if a
    field is empty. All other files and databases keep their types. Column names are distinct and not empty. A table
    without rows is accepted; see `require_rows`. `header`: False if a text file has no header line, so that its columns
    are named column_1, column_2 and so on; True if it has one, even if it looks like a row of data. `sheet`: the sheet
    of an Excel workbook.
    """
    if is_url(source):
        return read_sql(str(source), query)
    if query is not None:
        raise TableError(f"{source} is a file and takes no query.", hint="use a query with a database URL as source.")
    path = Path(source)
    if "\x00" in str(path):
        raise TableError("The path of the table has a null character.", hint="name an existing file.")
    check_file(path)
    if sheet is not None and path.suffix.lower() not in excel.EXTENSIONS:
        raise TableError(f"{path} has no sheets.", hint="omit sheet.")
    return _reader(path)(path, _Options(separator, header, sheet))


def write(frame: pl.DataFrame, path: Path, format: str) -> None:
    """Writes a file whose bytes depend on the frame's content alone; if writing fails, no file remains.

    csv: comma, UTF-8 without byte order mark, LF, quotes only where needed; null and "" are both an empty field.
    parquet: names, types and values without further metadata; categoricals as text.
    dta, sav: Stata and SPSS; canonical numbers as numbers, repeated texts as codes with value labels.
    """
    write_runs(Runs.adjacent(frame) if format == "csv" else Runs.of(frame), path, format)


def write_runs(runs: Runs, path: Path, format: str) -> None:
    """Writes a table that is given as runs: the same file as `write`, in parts if the format allows."""
    if format not in FORMATS:
        raise OutputError(f"There is no format '{format}'.", allowed=f"Formats are {', '.join(FORMATS)}.")
    writer = _writer(runs, format)
    with _all_or_nothing(path):
        writer(path)


def _writer(runs: Runs, format: str) -> Callable[[Path], None]:
    """A function that writes the table; raises before anything is written if the format cannot hold it."""
    if format == "csv":
        return lambda path: repeats.write_csv(runs.with_rows(_ready_for_csv(runs.rows)), path)
    if format == "parquet":
        return lambda path: _write_parquet(runs, path)
    return write_stats(runs.expanded(), format)


def _write_parquet(runs: Runs, path: Path) -> None:
    """Writes the row groups of a table one after the other; the bytes do not depend on its runs."""
    if runs.height <= _ROWS_AT_ONCE:
        without_dictionaries(runs.expanded()).rechunk().write_parquet(path, row_group_size=_ROW_GROUP)
        return

    def parts(*_pushed_down: object) -> Iterator[pl.DataFrame]:
        return (without_dictionaries(part.expanded()) for part in runs.parts(_ROW_GROUP))

    schema = without_dictionaries(runs.rows.head(0)).schema
    register_io_source(parts, schema=schema).sink_parquet(path, row_group_size=_ROW_GROUP, maintain_order=True)


def check_file(path: Path) -> None:
    """Raises unless there is a regular file that can be read."""
    if path.is_dir():
        raise TableError(
            f"{path} is a folder.", hint="name one file in it; shoal anonymize --engine stream reads all of them."
        )
    if not path.exists():
        names = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        raise TableError(f"There is no file {path}.", hint=did_you_mean(path.name, names))
    if not path.is_file():
        raise TableError(f"{path} is not a regular file.", hint="save the table to a file first.")
    try:
        path.open("rb").close()
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}.") from None


def unreadable(path: Path, error: BaseException) -> TableError | None:
    """The reason for which the system cannot read a file, given an error; None if its content is the reason.

    Errors of polars have no reason, so that the file is opened once more.
    """
    if not isinstance(error, OSError) or error.strerror is None:
        try:
            path.open("rb").close()
        except OSError as other:
            error = other
        else:
            return None
    return TableError(f"{path} cannot be read: {error.strerror}.", hint="check that nobody moves or replaces it.")


def _reader(path: Path) -> _Reader:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] in ([".gz"], [archives.ZIP])
    if suffixes[-1:] == [archives.ZIP]:
        suffix = Path(archives.table_in(path)).suffix.lower()
    else:
        suffix = (suffixes[-2:-1] or [".csv"])[0] if zipped else (suffixes or [""])[-1]
    if suffix in DELIMITED:
        default = "\t" if suffix in TABBED else None
        return lambda path, options: read_delimited(
            path, default if options.separator is None else options.separator, options.header
        )
    if suffix in PARQUET and not zipped:
        return _read_parquet
    if suffix in ARROW and not zipped:
        return _read_arrow
    if suffix in EXTENSIONS and not zipped:
        return _read_stats
    if suffix in excel.EXTENSIONS and not zipped:
        return _read_excel
    known = ", ".join((*DELIMITED, *PARQUET, *ARROW, *excel.EXTENSIONS, *EXTENSIONS))
    raise TableError(
        f"{path} has an unknown file extension.",
        allowed=f"Allowed extensions: {known}; text files may also be in .gz and .zip files.",
        hint="export the table as CSV or Parquet.",
    )


def _read_parquet(path: Path, options: _Options) -> pl.DataFrame:
    refuse_text_options(path, options.separator, options.header)
    try:
        frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
    except DAMAGE as error:
        damaged = TableError(f"{path} is not a valid Parquet file.", hint="write or copy it again.")
        raise unreadable(path, error) or damaged from None
    check_names(frame.columns, str(path))
    return frame


def _read_arrow(path: Path, options: _Options) -> pl.DataFrame:
    """Reads an Arrow file in the file or the stream format, which share their extensions."""
    refuse_text_options(path, options.separator, options.header)
    for reader in (pl.read_ipc, pl.read_ipc_stream):
        try:
            with path.open("rb") as handle:
                frame = reader(handle)
        except DAMAGE:
            continue
        check_names(frame.columns, str(path))
        return frame
    raise TableError(f"{path} is not a valid Arrow file.", hint="write or copy it again.")


def _read_stats(path: Path, options: _Options) -> pl.DataFrame:
    refuse_text_options(path, options.separator, options.header)
    return read_stats(path)


def _read_excel(path: Path, options: _Options) -> pl.DataFrame:
    _refuse_separator(path, options.separator)
    return excel.read_excel(path, options.sheet, options.header)


def refuse_text_options(path: Path, separator: str | None, header: bool | None) -> None:
    """Raises if options of text tables are given for a file of another kind."""
    _refuse_separator(path, separator)
    if header is False:
        raise TableError(f"{path} always has the names of its columns.", hint="omit header.")


def _refuse_separator(path: Path, separator: str | None) -> None:
    if separator is not None:
        raise TableError(f"{path} is not a text table and takes no separator.")


def _ready_for_csv(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with cells that polars writes as required: canonical text, and null for empty text."""
    frame = frame.with_columns(as_text(column) for column in frame if not _is_written_as_text(column.dtype))
    if frame.width == 1:  # most readers would skip an empty line
        return frame.select(as_text(frame.to_series()).fill_null(""))
    empty = [column.name for column in frame if _has_empty_text(column)]
    return frame.with_columns(pl.when(pl.col(name) != "").then(pl.col(name)) for name in empty)


def _is_written_as_text(dtype: pl.DataType) -> bool:
    return dtype in (pl.String, pl.Boolean) or dtype.is_integer() or isinstance(dtype, pl.Categorical | pl.Enum)


def _has_empty_text(column: pl.Series) -> bool:
    if column.dtype == pl.String:
        return bool((column.str.len_bytes() == 0).any())
    if isinstance(column.dtype, pl.Enum) and "" not in column.dtype.categories:
        return False
    return isinstance(column.dtype, pl.Categorical | pl.Enum) and "" in column.unique().cast(pl.String)


@contextmanager
def _all_or_nothing(path: Path) -> Iterator[None]:
    """Removes the file if writing fails.

    It opens the file first: the operating system reports why that fails, while polars does not.
    """
    try:
        path.open("wb").close()
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        yield
    except (OSError, pl.exceptions.PolarsError, OutputError) as error:
        if path.is_file():
            path.unlink()
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"{path} could not be written completely.", hint="check the free disk space.") from None


def file_name(column: str) -> str:
    """A file name for a column: its name if that is safe on every system, else a readable part and a hash.

    >>> file_name("diagnosis"), file_name("../Age")
    ('diagnosis', 'age-e6be2e49')
    """
    if _SAFE_NAME.fullmatch(column):
        return column
    readable = re.sub(r"[^a-z0-9]+", "-", column.lower()).strip("-")[:40]
    return f"{readable or 'column'}-{hashlib.sha256(column.encode()).hexdigest()[:8]}"
