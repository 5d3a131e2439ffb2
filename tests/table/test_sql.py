from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from shoal.errors import MissingExtra, OutputError, TableError
from shoal.table import read, sql, typed, write_sql

MARKER = "Zebulon-4711"

FRAME = pl.DataFrame(
    {
        "age": [39, None, 2**60],
        "zip": ["02139", "00501", None],
        "cost": [1.5, None, 2.0],
        "sex": pl.Series(["f", "m", "f"], dtype=pl.Categorical),
        "stage": pl.Series(["I", None, "II"], dtype=pl.Enum(["I", "II"])),
    }
)
PLAIN = FRAME.with_columns(pl.col("sex", "stage").cast(pl.String))


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 't.db'}" if request.param == "sqlite" else request.getfixturevalue("postgresql")


def refusal(source: str, query: str | None, *words: str) -> str:
    with pytest.raises(TableError) as caught:
        read(source, query=query)
    assert MARKER not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    for word in words:
        assert word in str(caught.value)
    return str(caught.value)


def test_a_frame_is_written_and_read_back(url: str) -> None:
    write_sql(FRAME, url, "patients", if_exists="replace")
    assert read(url, query="SELECT * FROM patients").equals(PLAIN)
    write_sql(FRAME, url, "patients", if_exists="append")
    assert read(url, query="SELECT * FROM patients").height == 6
    with pytest.raises(OutputError, match="'patients' cannot be written: it already exists"):
        write_sql(FRAME, url, "patients")
    write_sql(FRAME.head(1), url, "patients", if_exists="replace")
    assert read(url, query="SELECT * FROM patients").equals(PLAIN.head(1))


def test_names_are_taken_as_they_are(url: str) -> None:
    odd = pl.DataFrame({'a "quoted" name': ["x"], "select": ["y"]})
    write_sql(odd, url, 'odd"; DROP TABLE x; --', if_exists="replace")
    assert read(url, query='SELECT * FROM "odd""; DROP TABLE x; --"').equals(odd)


def test_a_result_without_rows_keeps_its_columns(url: str) -> None:
    write_sql(FRAME, url, "patients", if_exists="replace")
    frame = read(url, query="SELECT zip, sex FROM patients WHERE 1 = 0")
    assert (frame.columns, frame.height) == (["zip", "sex"], 0)


def test_reading_changes_nothing(url: str) -> None:
    write_sql(FRAME, url, "patients", if_exists="replace")
    with pytest.raises(TableError):
        read(url, query="DELETE FROM patients")
    assert read(url, query="SELECT * FROM patients").height == 3


def test_a_wrong_query_is_explained_by_what_the_database_says_of_its_words(url: str) -> None:
    write_sql(FRAME, url, "patients", if_exists="replace")
    refusal(url, "SELECT * FROM patient", "The query failed", "patient")
    refusal(url, "SELECT agee FROM patients", "agee")
    refusal(url, "SELEC 1", "SELEC")
    refusal(url, "SELECT age, age FROM patients", "columns 1, 2", "1 repeated column name:")
    for query in (None, ""):
        refusal(url, query, "needs a query", "SELECT")


def test_a_failed_write_says_nothing_of_the_rows_and_leaves_the_table(url: str) -> None:
    write_sql(pl.DataFrame({"a": [1]}), url, "numbers", if_exists="replace")
    with pytest.raises(OutputError) as caught:
        write_sql(pl.DataFrame({"a": [2], "b": [MARKER]}), url, "numbers", if_exists="append")
    assert MARKER not in str(caught.value)
    assert read(url, query="SELECT a FROM numbers")["a"].to_list() == [1]


def test_write_arguments_are_checked(url: str) -> None:
    with pytest.raises(OutputError, match="fail, replace, append"):
        write_sql(FRAME, url, "t", if_exists="maybe")
    with pytest.raises(OutputError, match="needs a name"):
        write_sql(FRAME, url, "")


@pytest.mark.parametrize(
    "source",
    [
        f"postgresql://user:{MARKER}@127.0.0.1/db",
        f"postgres://user:{MARKER}@127.0.0.1/db",
        f"postgresql://user@127.0.0.1/db?password={MARKER}",
        f"postgresql://127.0.0.1/db?sslmode=require&sslpassword={MARKER}",
        "postgresql://user:@127.0.0.1/db",
    ],
)
def test_a_password_in_the_url_is_refused_and_not_repeated(source: str) -> None:
    refusal(source, "SELECT 1", "PGPASSWORD", "passfile")
    with pytest.raises(TableError, match="PGPASSWORD") as caught:
        write_sql(FRAME, source, "t")
    assert MARKER not in str(caught.value)


@pytest.mark.parametrize("source", ["mysql://127.0.0.1/db", "https://example.org/t.csv", "s3://bucket/t.parquet"])
def test_other_sources_are_refused(source: str) -> None:
    refusal(source, "SELECT 1", "postgresql://", "sqlite:///")


@pytest.mark.parametrize("scheme", ["sqlite:///x.db", "postgresql://127.0.0.1/db"])
def test_a_missing_extra_is_named(scheme: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.db").touch()
    for name in ("adbc_driver_sqlite", "adbc_driver_postgresql"):
        monkeypatch.setitem(sys.modules, f"{name}.dbapi", None)
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra) as caught:
        read(scheme, query="SELECT 1")
    assert "pip install 'shoal[sql]'" in str(caught.value)


def test_sqlite_paths_are_relative_with_three_slashes_and_absolute_with_four(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_sql(FRAME, "sqlite:///a%20b.db", "t")
    assert (tmp_path / "a b.db").is_file()
    assert read(f"sqlite:///{tmp_path / 'a b.db'}", query="SELECT age FROM t").height == 3
    refusal("sqlite:///absent.db", "SELECT 1", "no SQLite database absent.db")
    assert not (tmp_path / "absent.db").exists()


def test_a_file_that_is_no_sqlite_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.db").write_text(MARKER * 1000)
    refusal(f"sqlite:///{tmp_path / 't.db'}", "SELECT * FROM t")


def test_sqlite_columns_of_mixed_types_become_text_however_late_they_mix(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.executemany("INSERT INTO t VALUES (?)", [*[(n,) for n in range(5000)], (None,), ("x",)])
    values = read(f"sqlite:///{tmp_path / 't.db'}", query="SELECT a FROM t")["a"]
    assert values.to_list() == [*map(str, range(5000)), None, "x"]


def test_postgresql_types_are_read_as_what_they_stand_for(postgresql: str) -> None:
    query = """
        SELECT 1.50::numeric AS n, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid AS u, '{"a": 1}'::jsonb AS j,
               date '2020-01-02' AS d, true AS b, 7::smallint AS s, '02139'::char(5) AS c, timestamp '2020-01-02' AS t
    """
    frame = read(postgresql, query=query)
    assert [typed(column, type=None, missing=[]).values.to_list() for column in frame] == [
        [1.5],
        ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
        ['{"a": 1}'],
        [date(2020, 1, 2)],
        ["true"],
        [7],
        ["02139"],
        [date(2020, 1, 2)],
    ]


@pytest.mark.parametrize("expression", ["inet '10.0.0.1'", "interval '1 month'", "point '(1,2)'"])
def test_postgresql_types_without_faithful_text_are_refused(postgresql: str, expression: str) -> None:
    refusal(postgresql, f"SELECT {expression} AS x", "Column 'x'", 'CAST("x" AS text)')


def test_postgresql_infinite_dates_are_refused_when_typed(postgresql: str) -> None:
    for kind in ("date", "timestamp", "timestamptz"):
        frame = read(postgresql, query=f"SELECT 'infinity'::{kind} AS x")
        with pytest.raises(TableError, match="1 dates outside the calendar"):
            typed(frame["x"], type=None, missing=[])


def test_an_error_about_cells_does_not_show_them(postgresql: str) -> None:
    write_sql(pl.DataFrame({"a": ["1", MARKER]}), postgresql, "cells", if_exists="replace")
    refusal(postgresql, "SELECT a::int FROM cells", "SQLSTATE 22P02")


def test_a_database_that_cannot_be_reached_is_explained(postgresql: str) -> None:
    server = postgresql.rpartition("/")[0]
    refusal(f"{server}/absent", "SELECT 1", "cannot be opened", 'database "absent" does not exist')
    refusal("postgresql://shoal@127.0.0.1:1/postgres", "SELECT 1", "cannot be opened", "refused")
    with pytest.raises(OutputError, match="cannot be opened"):
        write_sql(FRAME, f"{server}/absent", "t")


@pytest.fixture
def logging(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a database with a write-ahead log, whose only row is still in the log."""
    (tmp_path / "wal").mkdir()
    connection = sqlite3.connect(tmp_path / "wal" / "t.db")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (1)")
    connection.commit()
    yield connection
    connection.close()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows_of(folder: Path) -> int:
    return read(f"sqlite:///{folder / 't.db'}", query="SELECT * FROM t").height


def test_reading_writes_nothing_beside_a_database_with_a_write_ahead_log(
    logging: sqlite3.Connection, tmp_path: Path
) -> None:
    """Neither while another program has it open, nor after that was killed, nor after it was closed."""
    folder, killed = tmp_path / "wal", tmp_path / "killed"
    shutil.copytree(folder, killed)
    for place in (folder, killed):
        before = contents(place)
        assert len(before) == 3 and rows_of(place) == 1 and contents(place) == before
    logging.close()
    before = contents(folder)
    assert [*before] == ["t.db"] and rows_of(folder) == 1 and contents(folder) == before
    (folder / "t.db-wal").touch()
    assert rows_of(folder) == 1 and len(contents(folder)) == 2


def test_a_log_without_its_index_is_refused_with_the_remedy(logging: sqlite3.Connection, tmp_path: Path) -> None:
    (tmp_path / "copied").mkdir()
    for name in ("t.db", "t.db-wal"):
        shutil.copy(tmp_path / "wal" / name, tmp_path / "copied")
    before = contents(tmp_path / "copied")
    refusal(f"sqlite:///{tmp_path / 'copied' / 't.db'}", "SELECT * FROM t", "not yet in the file", "wal_checkpoint")
    assert contents(tmp_path / "copied") == before


def test_a_change_during_reading_without_locks_is_noticed(
    logging: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logging.close()
    file = tmp_path / "wal" / "t.db"

    def late(*_given: object, **_also: object) -> object:
        with sqlite3.connect(file) as other:
            other.execute("CREATE TABLE u (a)")
        other.close()
        return connected(*_given, **_also)  # type: ignore[arg-type]

    connected = sql._connected
    monkeypatch.setattr(sql, "_connected", late)
    refusal(f"sqlite:///{file}", "SELECT * FROM t", "was changed while it was read")
