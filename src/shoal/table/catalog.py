"""The tables and views of a database, and the query that reads one of them completely."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from shoal.errors import TableError
from shoal.table.sql import read_sql, sqlite_path

_WHOLE = re.compile(r'SELECT \* FROM "((?:[^"]|"")+)"\."((?:[^"]|"")+)"')
_SQLITE_NAMES = """
SELECT 'main' AS "schema", s.name AS "name", s.type AS "kind", {column} AS "column" FROM sqlite_master AS s {joined}
WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY s.name {order}
"""
_SQLITE = _SQLITE_NAMES.format(column="p.name", joined="JOIN pragma_table_info(s.name) AS p", order=", p.cid")
_SQLITE_WITHOUT_COLUMNS = _SQLITE_NAMES.format(column="NULL", joined="", order="")
_POSTGRESQL = """
SELECT n.nspname::text AS "schema", c.relname::text AS "name", a.attname::text AS "column",
  CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS "kind"
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
ORDER BY n.nspname, c.relname, a.attnum
"""


@dataclass(frozen=True)
class Listed:
    """A table or view of a database, with the names of its columns, in order."""

    schema: str
    name: str
    kind: str
    columns: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """The query that reads it completely."""
        return query_of(self.schema, self.name)


def listed(url: str) -> list[Listed]:
    """The tables and views that the user of a database may read, without those of the database itself, by name."""
    if sqlite_path(url) is None:
        rows = read_sql(url, _POSTGRESQL)
    else:
        try:
            rows = read_sql(url, _SQLITE)
        except TableError:  # one view that refers to a table that is gone is enough
            rows = read_sql(url, _SQLITE_WITHOUT_COLUMNS)
    grouped = rows.group_by("schema", "name", "kind", maintain_order=True).agg(pl.col("column").drop_nulls())
    return [Listed(schema, name, kind, tuple(columns)) for schema, name, kind, columns in grouped.iter_rows()]


def query_of(schema: str, name: str) -> str:
    """The query that reads a table completely; whatever its names contain, they are names in it and nothing else.

    >>> query_of("main", 'the "new" visits')
    'SELECT * FROM "main"."the ""new"" visits"'
    """
    return f"SELECT * FROM {_quoted(schema)}.{_quoted(name)}"


def read_by(query: str) -> tuple[str, str] | None:
    """The schema and name of the table that a query reads completely; None if it is any other query.

    >>> read_by('SELECT * FROM "main"."visits"'), read_by('SELECT * FROM "main"."visits"; SELECT 1')
    (('main', 'visits'), None)
    """
    match = _WHOLE.fullmatch(query)
    if match is None:
        return None
    schema, name = (part.replace('""', '"') for part in match.groups())
    try:
        return (schema, name) if query_of(schema, name) == query else None
    except TableError:
        return None


def _quoted(name: str) -> str:
    if not name or "\0" in name or not _is_text(name):
        raise TableError("The name of a table is empty, or contains a character that names do not have.")
    return '"' + name.replace('"', '""') + '"'


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # half of a character
        return False
    return True
