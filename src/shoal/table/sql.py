"""Reading and writing tables in PostgreSQL and SQLite through ADBC.

Error messages of a server that may quote data are never shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import polars as pl

from shoal.errors import MissingExtra, OutputError, ShoalError, TableError
from shoal.table.columns import check_names, without_dictionaries

_POSTGRESQL = ("postgresql", "postgres")
_SQLITE = "sqlite"
_MODES = {"fail": "create", "replace": "replace", "append": "append"}
_WHOLE_RESULT = {"adbc.sqlite.query.batch_rows": 10**9}  # the driver infers column types from the first batch
_UUID = r"^(.{8})(.{4})(.{4})(.{4})(.{12})$"


def read_sql(url: str, query: str | None) -> pl.DataFrame:
    """Reads the rows of a query with the types of the database; the database is not changed."""
    check_url(url)
    if not query:
        raise TableError("A database needs a query.", hint='add query = "SELECT … FROM …" next to source.')
    if urlsplit(url).scheme == _SQLITE and not _sqlite_path(url).is_file():
        raise TableError(f"There is no SQLite database {_sqlite_path(url)}.")
    with (
        _unchanged(url),
        _connected(url, TableError, read_only=True) as connection,
        _refusals(TableError, "The query failed"),
    ):
        options = _WHOLE_RESULT if urlsplit(url).scheme == _SQLITE else {}
        with connection.cursor(adbc_stmt_kwargs=options) as cursor:
            cursor.execute(query)
            result = cursor.fetch_arrow_table()
    check_names(result.column_names, "The query result", hint="give every expression a name with AS.")
    return pl.DataFrame([_column(name, result.column(name)) for name in result.column_names])


def write_sql(frame: pl.DataFrame, url: str, table: str, *, if_exists: str = "fail") -> None:
    """Writes the frame as a table of the database, all rows or none; `if_exists` is fail, replace or append."""
    check_url(url)
    if if_exists not in _MODES:
        raise OutputError(f"if_exists cannot be '{if_exists}'.", allowed=f"It is one of {', '.join(_MODES)}.")
    if not table:
        raise OutputError("A table in a database needs a name.")
    rows = without_dictionaries(frame).to_arrow(compat_level=pl.CompatLevel.oldest())
    with _connected(url, OutputError) as connection, _refusals(OutputError, f"Table '{table}' cannot be written"):
        with connection.cursor() as cursor:
            cursor.adbc_ingest(table, rows, mode=_MODES[if_exists])
        connection.commit()


def check_url(url: str) -> None:
    """Raises for unknown databases and for a password in the URL, without showing user or password."""
    parts = urlsplit(url)
    if parts.scheme not in (*_POSTGRESQL, _SQLITE):
        raise TableError(
            f"'{parts.scheme}' is not a supported database.",
            allowed="Sources are files, postgresql://… and sqlite:///path.",
            hint="read it with --engine spark, or export the table to Parquet or CSV.",
        )
    if parts.password is not None or {"password", "sslpassword"} & parse_qs(parts.query, keep_blank_values=True).keys():
        raise TableError(
            "The database URL contains a password.",
            allowed="Passwords are read from the environment, never from a plan.",
            hint="remove it and set PGPASSWORD, or use a passfile (PGPASSFILE, ~/.pgpass).",
        )


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite database, whatever characters its absolute path has."""
    return f"{_SQLITE}:///{quote(str(path))}"


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite URL; None for other databases."""
    return _sqlite_path(url) if urlsplit(url).scheme == _SQLITE else None


def _sqlite_path(url: str) -> Path:
    """The path of a SQLite URL: sqlite:///patients.db is relative, sqlite:////data/patients.db absolute."""
    return Path(unquote(urlsplit(url).path.removeprefix("/")))


@contextmanager
def _connected(url: str, failure: type[ShoalError], *, read_only: bool = False) -> Iterator[Any]:
    driver = _driver(_SQLITE if urlsplit(url).scheme == _SQLITE else _POSTGRESQL[0])
    try:
        connection = driver.connect(_address(url, read_only))
    except driver.Error as error:  # no row was read yet, so the message names only hosts, users and databases
        raise failure(f"The database cannot be opened: {_first_line(error)}.") from None
    with connection:
        yield connection


def _address(url: str, read_only: bool) -> str:
    if urlsplit(url).scheme != _SQLITE:
        return url
    path = _sqlite_path(url)
    return f"file:{quote(str(path.resolve()))}?{_reading(path.resolve())}" if read_only else str(path)


def _reading(path: Path) -> str:
    """How a SQLite database is opened so that nothing is written, neither to it nor beside it."""
    if not _lacks_wal(path):
        return "mode=ro&readonly_shm=1"
    if any(beside.is_file() and beside.stat().st_size for beside in (_beside(path, "-wal"), _beside(path, "-journal"))):
        raise TableError(
            f"The database {path} has changes that are not yet in the file itself, but beside it.",
            hint="let SQLite complete them: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'.",
        )
    return "mode=ro&immutable=1"


def _lacks_wal(path: Path) -> bool:
    """Whether SQLite would make the files of its write-ahead log beside a database that is only read."""
    try:
        with path.open("rb") as file:
            header = file.read(20)
    except OSError:  # SQLite says why
        return False
    return header[18:] == b"\2\2" and not (_beside(path, "-wal").is_file() and _beside(path, "-shm").is_file())


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


@contextmanager
def _unchanged(url: str) -> Iterator[None]:
    """Raises if a SQLite database that is read without locks, because it has no log, is changed meanwhile."""
    path = sqlite_path(url)
    if path is None or not _lacks_wal(path.resolve()):
        yield
        return
    before = path.stat()
    yield
    after = path.stat()
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
        raise TableError(f"The database {path} was changed while it was read.", hint="read it again.")


def _driver(name: str) -> ModuleType:
    try:
        return import_module(f"adbc_driver_{name}.dbapi")
    except ImportError:
        raise MissingExtra("Databases need the ADBC drivers.", hint="pip install 'shoal[sql]'") from None


@contextmanager
def _refusals(failure: type[ShoalError], what: str) -> Iterator[None]:
    """Converts a driver's error into a ShoalError.

    Its message is shown only if the preparation of the query failed, when no row was read yet.
    """
    from adbc_driver_manager import AdbcStatusCode, Error
    from pyarrow import ArrowException

    try:
        yield
    except Error as error:
        if "Failed to prepare query: " in str(error):
            raise failure(f"{what}: {_first_line(error).partition('query: ')[2]}.") from None
        if error.status_code == AdbcStatusCode.ALREADY_EXISTS:
            raise failure(f"{what}: it already exists.", hint='set if_exists to "replace" or "append".') from None
        state = f" (SQLSTATE {error.sqlstate})" if error.sqlstate else ""
        raise failure(f"{what} while the database processed the rows{state}.") from None
    except (OSError, ArrowException):
        raise failure(f"{what} while rows were transferred.") from None


def _first_line(error: Exception) -> str:
    return " ".join(str(error).splitlines()[0].split()).rstrip(".")


def _column(name: str, values: Any) -> pl.Series:
    """An Arrow column in polars, with extension types as text."""
    from pyarrow import ArrowException

    extension = getattr(values.type, "extension_name", "")
    try:
        if not extension:
            return pl.Series(name, values)
        plain = pl.Series(name, values.cast(values.type.storage_type))
        if extension == "arrow.uuid":
            return plain.bin.encode("hex").str.replace(_UUID, "$1-$2-$3-$4-$5")
        if plain.dtype == pl.String:
            return plain
    except (pl.exceptions.PolarsError, ArrowException):
        pass
    raise TableError(
        f"Column '{name}' of the query result has an unsupported type.",
        hint=f'cast it in the query: CAST("{name}" AS text) AS "{name}".',
    )
