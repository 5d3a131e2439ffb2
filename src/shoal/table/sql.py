"""Tables from and to PostgreSQL and SQLite through ADBC. What a server says about data is never repeated."""

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
_WHOLE_RESULT = {"adbc.sqlite.query.batch_rows": 10**9}  # the driver takes each column's type from its first batch
_UUID = r"^(.{8})(.{4})(.{4})(.{4})(.{12})$"


def read_sql(url: str, query: str | None) -> pl.DataFrame:
    """The rows of a query, typed as the database has them; nothing in the database is changed."""
    _check_url(url)
    if not query:
        raise TableError("A database needs a query.", hint='add query = "SELECT … FROM …" beside the source.')
    if urlsplit(url).scheme == _SQLITE and not _sqlite_path(url).is_file():
        raise TableError(f"There is no SQLite database {_sqlite_path(url)}.")
    with _connected(url, TableError, read_only=True) as connection, _refusals(TableError, "The query failed"):
        options = _WHOLE_RESULT if urlsplit(url).scheme == _SQLITE else {}
        with connection.cursor(adbc_stmt_kwargs=options) as cursor:
            cursor.execute(query)
            result = cursor.fetch_arrow_table()
    check_names(result.column_names, "The query's result", hint="give every expression a name with AS.")
    return pl.DataFrame([_column(name, result.column(name)) for name in result.column_names])


def write_sql(frame: pl.DataFrame, url: str, table: str, *, if_exists: str = "fail") -> None:
    """The frame as a table of the database, all rows or none; `if_exists` is fail, replace or append."""
    _check_url(url)
    if if_exists not in _MODES:
        raise OutputError(f"if_exists cannot be '{if_exists}'.", allowed=f"It is one of {', '.join(_MODES)}.")
    if not table:
        raise OutputError("A table in a database needs a name.")
    rows = without_dictionaries(frame).to_arrow(compat_level=pl.CompatLevel.oldest())
    with _connected(url, OutputError) as connection, _refusals(OutputError, f"Table '{table}' cannot be written"):
        with connection.cursor() as cursor:
            cursor.adbc_ingest(table, rows, mode=_MODES[if_exists])
        connection.commit()


def _check_url(url: str) -> None:
    """Refuses unknown databases and a password in the URL, repeating neither user nor password."""
    parts = urlsplit(url)
    if parts.scheme not in (*_POSTGRESQL, _SQLITE):
        raise TableError(
            f"'{parts.scheme}' is not a database Shoal reads.",
            allowed="Sources are files, postgresql://… and sqlite:///path.",
            hint="export the table to Parquet or CSV.",
        )
    if parts.password is not None or {"password", "sslpassword"} & parse_qs(parts.query, keep_blank_values=True).keys():
        raise TableError(
            "The database URL holds a password.",
            allowed="Passwords come from the environment, never from a plan.",
            hint="leave it out and set PGPASSWORD, or use a passfile (PGPASSFILE, ~/.pgpass).",
        )


def _sqlite_path(url: str) -> Path:
    """sqlite:///patients.db is relative to the working folder, sqlite:////data/patients.db is absolute."""
    return Path(unquote(urlsplit(url).path.removeprefix("/")))


@contextmanager
def _connected(url: str, failure: type[ShoalError], *, read_only: bool = False) -> Iterator[Any]:
    driver = _driver(_SQLITE if urlsplit(url).scheme == _SQLITE else _POSTGRESQL[0])
    try:
        connection = driver.connect(_address(url, read_only))
    except driver.Error as error:  # no row has been read yet: what the server says names hosts, users and databases
        raise failure(f"The database cannot be opened: {_first_line(error)}.") from None
    with connection:
        yield connection


def _address(url: str, read_only: bool) -> str:
    if urlsplit(url).scheme != _SQLITE:
        return url
    path = _sqlite_path(url)
    return f"file:{quote(str(path.resolve()))}?mode=ro" if read_only else str(path)


def _driver(name: str) -> ModuleType:
    try:
        return import_module(f"adbc_driver_{name}.dbapi")
    except ImportError:
        raise MissingExtra("Databases need the ADBC drivers.", hint="pip install 'shoal[sql]'") from None


@contextmanager
def _refusals(failure: type[ShoalError], what: str) -> Iterator[None]:
    """Turns a driver's error into ours. Only what it says while preparing is repeated: no row has been read by then."""
    from adbc_driver_manager import AdbcStatusCode, Error
    from pyarrow import ArrowException

    try:
        yield
    except Error as error:
        if "Failed to prepare query: " in str(error):
            raise failure(f"{what}: {_first_line(error).partition('query: ')[2]}.") from None
        if error.status_code == AdbcStatusCode.ALREADY_EXISTS:
            raise failure(f"{what}: it exists.", hint='if_exists may be "replace" or "append".') from None
        state = f" (SQLSTATE {error.sqlstate})" if error.sqlstate else ""
        raise failure(f"{what} while the database worked on the rows{state}.") from None
    except (OSError, ArrowException):
        raise failure(f"{what} while rows were transferred.") from None


def _first_line(error: Exception) -> str:
    return " ".join(str(error).splitlines()[0].split()).rstrip(".")


def _column(name: str, values: Any) -> pl.Series:
    """An Arrow column as polars has it: extension types as the text they stand for."""
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
        f"Column '{name}' of the query's result has a type Shoal does not read.",
        hint=f'cast it in the query: CAST("{name}" AS text) AS "{name}".',
    )
