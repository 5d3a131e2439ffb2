"""Tables from and to files: CSV and TSV as text, Parquet and Arrow typed as stored; database URLs go to `sql`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException

from shoal.errors import OutputError, TableError, did_you_mean
from shoal.table import repeats
from shoal.table.columns import check_names, without_dictionaries
from shoal.table.delimited import read_delimited
from shoal.table.sql import read_sql
from shoal.table.types import as_text

_SAFE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")

FORMATS = ("csv", "parquet")

_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_TABBED = (".tsv", ".tab")
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_ROW_GROUP = 1 << 17
_DAMAGE = (pl.exceptions.PolarsError, PanicException, OSError)


def read(source: str | Path, *, separator: str | None = None, query: str | None = None) -> pl.DataFrame:
    """The table of a file or of a database query, complete and unaltered, or a `TableError` that says what is wrong.

    CSV and TSV, also gzipped, come with every column as String, character for character, null where a field is empty;
    Parquet, Arrow and databases come typed as stored. Column names are unique and not empty. A table without rows is
    read; see `require_rows`.
    """
    if "://" in str(source):
        return read_sql(str(source), query)
    if query is not None:
        raise TableError(f"{source} is a file and takes no query.", hint="a query needs a database URL as its source.")
    path = Path(source)
    _check_file(path)
    return _reader(path)(path, separator)


def write(frame: pl.DataFrame, path: Path, format: str) -> None:
    """The frame as a file whose bytes follow from its content alone; nothing is left behind when writing fails.

    csv: comma, UTF-8 without byte order mark, LF, quoted only where needed; null and "" are both an empty field.
    parquet: names, types and values, nothing else; categoricals as text.
    """
    if format not in FORMATS:
        raise OutputError(f"There is no format '{format}'.", allowed=f"Formats are {', '.join(FORMATS)}.")
    with _all_or_nothing(path):
        if format == "csv":
            repeats.write_csv(_ready_for_csv(frame), path)
        else:
            without_dictionaries(frame).rechunk().write_parquet(path, row_group_size=_ROW_GROUP)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise TableError(f"{path} is a folder.", hint="name one file in it.")
    if not path.exists():
        near = [found.name for found in path.parent.iterdir()] if path.parent.is_dir() else []
        raise TableError(f"There is no file {path}.", hint=did_you_mean(path.name, near))
    if not path.is_file():
        raise TableError(f"{path} is not an ordinary file.", hint="save the table to a file first.")
    try:
        path.open("rb").close()
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}.") from None


def _reader(path: Path) -> Callable[[Path, str | None], pl.DataFrame]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    suffix = (suffixes[-2:-1] or [".csv"])[0] if zipped else (suffixes or [""])[-1]
    if suffix in _DELIMITED:
        default = "\t" if suffix in _TABBED else None
        return lambda path, separator: read_delimited(path, default if separator is None else separator)
    if suffix in _PARQUET and not zipped:
        return _read_parquet
    if suffix in _ARROW and not zipped:
        return _read_arrow
    known = ", ".join((*_DELIMITED, *_PARQUET, *_ARROW))
    raise TableError(
        f"{path} has an ending Shoal does not know.",
        allowed=f"Files end in {known}; text files may also end in .gz.",
        hint="export spreadsheets and statistics files as CSV or Parquet.",
    )


def _read_parquet(path: Path, separator: str | None) -> pl.DataFrame:
    _no_separator(path, separator)
    try:
        frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
    except _DAMAGE:
        raise TableError(f"{path} is not a sound Parquet file.", hint="write or copy it again.") from None
    check_names(frame.columns, str(path))
    return frame


def _read_arrow(path: Path, separator: str | None) -> pl.DataFrame:
    """The file format and the stream format share their endings, so both are tried."""
    _no_separator(path, separator)
    for reader in (pl.read_ipc, pl.read_ipc_stream):
        try:
            with path.open("rb") as handle:
                frame = reader(handle)
        except _DAMAGE:
            continue
        check_names(frame.columns, str(path))
        return frame
    raise TableError(f"{path} is not a sound Arrow file.", hint="write or copy it again.")


def _no_separator(path: Path, separator: str | None) -> None:
    if separator is not None:
        raise TableError(f"{path} is not a text table and takes no separator.")


def _ready_for_csv(frame: pl.DataFrame) -> pl.DataFrame:
    """Cells that polars writes as they shall stand in the file: canonical text, nothing for an empty one."""
    frame = frame.with_columns(as_text(column) for column in frame if not _writes_itself(column.dtype))
    if frame.width == 1:  # an empty line would be no row to most readers
        return frame.select(as_text(frame.to_series()).fill_null(""))
    empty = [column.name for column in frame if _has_empty_text(column)]
    return frame.with_columns(pl.when(pl.col(name) != "").then(pl.col(name)) for name in empty)


def _writes_itself(dtype: pl.DataType) -> bool:
    return dtype in (pl.String, pl.Boolean) or dtype.is_integer() or isinstance(dtype, pl.Categorical | pl.Enum)


def _has_empty_text(column: pl.Series) -> bool:
    if column.dtype == pl.String:
        return bool((column.str.len_bytes() == 0).any())
    if isinstance(column.dtype, pl.Enum) and "" not in column.dtype.categories:
        return False
    return isinstance(column.dtype, pl.Categorical | pl.Enum) and "" in column.unique().cast(pl.String)


@contextmanager
def _all_or_nothing(path: Path) -> Iterator[None]:
    """Opens the file itself first: of what goes wrong there the operating system says the reason, polars does not."""
    try:
        path.open("wb").close()
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        yield
    except (OSError, pl.exceptions.PolarsError):
        if path.is_file():
            path.unlink()
        raise OutputError(f"{path} could not be written to its end.", hint="is the disk full?") from None


def file_name(column: str) -> str:
    """A file name for a column whatever its name: plain where that is safe everywhere, else told apart by a hash.

    >>> file_name("diagnosis"), file_name("../Age")
    ('diagnosis', 'age-e6be2e49')
    """
    if _SAFE_NAME.fullmatch(column):
        return column
    readable = re.sub(r"[^a-z0-9]+", "-", column.lower()).strip("-")[:40]
    return f"{readable or 'column'}-{hashlib.sha256(column.encode()).hexdigest()[:8]}"
