"""The tables of a database are listed with their columns, and queries for a whole table told from all others."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.table import read, sqlite_path, sqlite_url, write_sql
from shoal.table.catalog import listed, query_of, read_by

ODD = 'visits"; DROP TABLE "x'
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "a ?#%b.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {query_of('main', ODD).partition('.')[2]} (age INTEGER, zip TEXT)")
        connection.execute("CREATE VIEW adults AS SELECT 1 AS age")
        connection.commit()
    return path


def test_tables_and_views_of_sqlite_are_listed(database: Path) -> None:
    url = sqlite_url(database)
    assert sqlite_path(url) == database and sqlite_path(url.replace("sqlite", "SQLite", 1)) == database
    found = {each.name: each for each in listed(url)}
    assert found[ODD].columns == ("age", "zip") and found[ODD].kind == "table" and found[ODD].schema == "main"
    assert found["adults"].kind == "view" and read(url, query=found["adults"].query)["age"].to_list() == [1]
    assert read(url, query=found[ODD].query).columns == ["age", "zip"]


def test_a_broken_view_hides_no_table(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE VIEW broken AS SELECT * FROM gone")
        connection.commit()
    assert {each.name for each in listed(sqlite_url(database))} == {ODD, "adults", "broken"}


def test_tables_of_postgresql_are_listed(postgresql: str) -> None:
    write_sql(pl.DataFrame({"age": [39], "zip": ["02139"]}), postgresql, ODD, if_exists="replace")
    found = {(each.schema, each.name): each for each in listed(postgresql)}
    assert found["public", ODD].columns == ("age", "zip")
    assert not any(schema.startswith("pg_") or schema == "information_schema" for schema, _ in found)
    assert read(postgresql, query=found["public", ODD].query).rows() == [(39, "02139")]


@given(NAMES, NAMES)
def test_a_query_is_recognized_whatever_the_names_are(schema: str, name: str) -> None:
    assert read_by(query_of(schema, name)) == (schema, name)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "SELECT 1",
        "SELECT * FROM visits",
        'select * from "main"."visits"',
        'SELECT * FROM "main"."visits" ',
        'SELECT * FROM "main"."visits";',
        'SELECT * FROM "main"."visits", "main"."x"',
        'SELECT * FROM "main"."visits" WHERE "a" = ""',
        'SELECT * FROM "main"."visits" UNION SELECT pg_read_file("x")',
        'SELECT * FROM "pg_catalog"."pg_read_file"(\'/etc/passwd\')',
        'SELECT * FROM "main".""',
        'SELECT * FROM "main"."a"b"',
        'SELECT * FROM "main"."a\0b"',
        'SELECT * FROM "main"."\ud800"',
        "ATTACH '/etc/x.db' AS y",
    ],
)
def test_all_other_queries_are_foreign(query: str) -> None:
    assert read_by(query) is None


@pytest.mark.parametrize("name", ["", "\0", "a\0b", "\ud800"])
def test_names_that_no_table_has_are_refused(name: str) -> None:
    with pytest.raises(TableError):
        query_of("main", name)
