"""Databases in the studio: SQLite files in the folders, allowed servers, and no query but for whole tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import ShoalError, TableError
from shoal.studio.databases import Databases, Server
from shoal.studio.places import Places
from shoal.studio.problems import Refused
from shoal.studio.project import Project
from shoal.studio.service import Studio
from shoal.studio.states import State
from shoal.studio.workspace import Workspace
from shoal.table import sqlite_url, write_sql
from shoal.table.catalog import query_of
from tests.studio.tables import ROWS, plan_of, write_clinic

ODD = 'clinic"; ATTACH'
QUERY = query_of("main", ODD)


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A database in an allowed folder, and the same outside it."""
    for name in ("data", "secret"):
        (tmp_path / name).mkdir()
        frame = pl.read_csv(write_clinic(tmp_path))
        write_sql(frame, sqlite_url(tmp_path / name / "clinic.db"), ODD)
    return tmp_path / "data" / "clinic.db"


@pytest.fixture
def studio(tmp_path: Path, clinic: Path) -> Iterator[Studio]:
    project = Project.open(tmp_path / "p")
    studio = Studio(project, Places.of(project.folder, [clinic.parent]))
    yield studio
    studio.close()


def plan_with(source: str, query: str) -> str:
    escaped = query.replace("\\", "\\\\").replace('"', '\\"')
    return plan_of(source).replace("[columns.age]", f'query = "{escaped}"\n\n[columns.age]', 1)


def done(studio: Studio, job_id: str) -> dict[str, Any]:
    job = studio.jobs.wait(job_id, 120)
    assert job.state is State.DONE, job.failure
    return studio.jobs.result(job_id)


def test_from_a_table_of_sqlite_to_a_release_and_the_same_again(studio: Studio, clinic: Path, tmp_path: Path) -> None:
    from shoal.pipeline import anonymize_to
    from shoal.plan import read_plan

    workspace = Workspace(studio)
    found = done(studio, studio.tables("../data/clinic.db").id)
    assert found["source"] == sqlite_url(clinic.resolve())
    assert [(each["name"], each["columns"]) for each in found["tables"]] == [(ODD, ["age", "ill"])]
    workspace.open(found["source"], query=found["tables"][0]["query"])
    workspace.look()
    sample = done(studio, workspace.job("sample").id)  # type: ignore[union-attr]
    assert sample["row_count"] == ROWS and workspace.source_name == f"main.{ODD}"
    workspace.collect()
    done(studio, workspace.job("profile").id)  # type: ignore[union-attr]
    workspace.collect()
    assert workspace.plan.problem is None and workspace.plan.data["query"] == QUERY
    run = workspace.run("first")
    done(studio, run.job)
    run = studio.project.run(run.id)
    again = anonymize_to(read_plan(run.plan_path), tmp_path / "again")
    assert again.digest == run.summary["digest"]
    assert done(studio, studio.contents(run.id).id)["columns"]
    workspace.suggest(budget=2, risk={"highest": 0.5})
    assert done(studio, workspace.job("suggest").id)["proposed"]  # type: ignore[union-attr]
    workspace.use_suggested()
    assert workspace.plan.problem is None and workspace.plan.data["query"] == QUERY


def test_a_relative_url_is_written_in_full(studio: Studio, clinic: Path) -> None:
    """For the process of a run has a folder of its own."""
    plan, text = studio.plan(plan_with("sqlite:///../data/clinic.db", QUERY))
    assert plan.data.source == sqlite_url(clinic.resolve()) and f'source = "{plan.data.source}"' in text
    assert studio.plan(text)[1] == text


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM clinic",
        "SELECT readfile('/etc/passwd')",
        f"{QUERY} UNION SELECT 1, 2",
        'SELECT * FROM "main"."clinic"; ATTACH "/etc/x" AS y',
        query_of("pg_catalog", "pg_authid"),
        query_of("information_schema", "tables"),
        "",
    ],
)
def test_no_other_query_is_run(studio: Studio, query: str) -> None:
    with pytest.raises(Refused, match="whole tables"):
        studio.anonymize(plan_with("sqlite:///../data/clinic.db", query))
    with pytest.raises(Refused, match="whole tables"):
        studio.sample("sqlite:///../data/clinic.db", query=query)
    assert studio.project.runs() == () and studio.jobs.jobs() == ()


def test_no_file_outside_the_folders_is_a_database(studio: Studio, clinic: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret" / "clinic.db"
    (clinic.parent / "link.db").symlink_to(secret)
    (clinic.parent / "beside.db").write_bytes(clinic.read_bytes())
    (clinic.parent / "beside.db-wal").symlink_to(secret)
    named = [str(secret), f"sqlite:///{secret}", f"SQLITE:///{secret}", "sqlite:///../secret/clinic.db"]
    named += ["sqlite:///%2e%2e/secret/clinic.db", f"sqlite:///{clinic.parent}/link.db", f"sqlite://host/{secret}"]
    named += [
        "../data/link.db",
        "../data/beside.db",
        "sqlite:///",
        "jdbc:sqlite:x",
        "file:///etc/passwd",
        "mysql://h/d",
    ]
    for each in named:
        with pytest.raises(ShoalError):
            studio.tables(each)
        if ":" in each:  # else it is the path of a file, which takes no query
            with pytest.raises(ShoalError):
                studio.anonymize(plan_with(each, QUERY))
    assert studio.jobs.jobs() == ()


def test_a_file_takes_no_query(studio: Studio, tmp_path: Path) -> None:
    write_clinic(tmp_path / "data")
    job = studio.jobs.wait(studio.sample("../data/clinic.csv", query=QUERY).id, 60)
    assert job.state is State.FAILED and job.failure and "takes no query" in job.failure.error


def databases(tmp_path: Path, *allowed: str, any_server: bool = False) -> Databases:
    return Databases.of(Places.of(tmp_path), allowed, any_server=any_server)


def test_a_team_reads_allowed_servers_only(tmp_path: Path) -> None:
    team = databases(tmp_path, "postgresql://db.example.org", "postgres://a@other:6000/registry?sslmode=require")
    assert team.url("postgres://u@DB.example.org:5432/x") == "postgresql://u@db.example.org/x"
    whole = "postgresql://a@other:6000/registry?sslmode=require"
    for named in ("postgresql://other:6000", "postgresql://a@other:6000/registry", whole):
        assert team.url(named) == whole
    for named in (
        "postgresql://evil/x",
        "postgresql://db.example.org:5433/x",
        "postgresql://b@other:6000/registry",
        "postgresql://other:6000/another",
        "postgresql://other:6000?sslmode=disable",
        "postgresql://db.example.org/x?host=evil",
        "postgresql:///x",
    ):
        with pytest.raises(Refused):
            team.url(named)
    with pytest.raises(Refused):
        databases(tmp_path).url("postgresql://db.example.org/x")


@pytest.mark.parametrize(
    "named",
    [
        "postgresql://h/x?host=evil",
        "postgresql://h/x?sslmode=require&passfile=/etc/passwd",
        "postgresql://h,evil/x",
        "postgresql://%2Fvar%2Frun/x",
        "postgresql://h:x/y",
        "postgresql://h/x%3Dy",
        "postgresql://h/x#y",
        "postgresql://u%00@h/x",
        "postgresql://[h]/x",
    ],
)
def test_unusual_urls_are_refused_everywhere(tmp_path: Path, named: str) -> None:
    with pytest.raises((Refused, ValueError) if "[h]" in named else Refused):
        databases(tmp_path, any_server=True).url(named)


def test_usual_urls_are_written_in_one_way(tmp_path: Path) -> None:
    own = databases(tmp_path, any_server=True)
    for named in (
        "postgresql://h/x?sslmode=require",
        "postgresql:///x",
        "postgresql://u%40v@[::1]:99/x",
        "postgresql://h/",
    ):
        assert own.url(named) == named and Server.of(named).url == named
    with pytest.raises(TableError, match="contains a password") as raised:
        own.url("postgresql://u:hunter2@h/x")
    assert "hunter2" not in str(raised.value)


def test_an_operator_allows_servers_only(tmp_path: Path) -> None:
    for wrong in ("sqlite:///x.db", "db.example.org"):
        with pytest.raises(ShoalError, match="--allow-database"):
            databases(tmp_path, wrong)


def test_a_table_of_postgresql_is_released(postgresql: str, tmp_path: Path) -> None:
    write_sql(pl.read_csv(write_clinic(tmp_path)), postgresql, "studio clinic", if_exists="replace")
    project = Project.open(tmp_path / "p")
    places = Places.of(project.folder)
    studio = Studio(project, places, databases=Databases.of(places, [postgresql]))
    try:
        found = done(studio, studio.tables(postgresql).id)
        query = next(each["query"] for each in found["tables"] if each["name"] == "studio clinic")
        assert done(studio, studio.sample(found["source"], query=query).id)["row_count"] == ROWS
        run = studio.anonymize(plan_with(found["source"], query))
        done(studio, run.job)
    finally:
        studio.close()


def test_a_file_that_is_no_database_is_explained(studio: Studio, clinic: Path) -> None:
    (clinic.parent / "text.db").write_text("patient 4711\n" * 400, encoding="utf-8")
    job = studio.jobs.wait(studio.tables("../data/text.db").id, 60)
    assert job.state is State.FAILED and job.failure and "4711" not in str(job.failure)
    with closing(sqlite3.connect(clinic)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (1,)


@pytest.mark.parametrize(
    "name", ["pragma_database_list", "pragma_compile_options", "dbstat", "sqlite_master", "sqlite_schema", "none"]
)
def test_tables_that_are_not_listed_are_refused(studio: Studio, name: str) -> None:
    query = query_of("main", name)
    with pytest.raises(Refused, match="no table or view"):
        studio.sample("sqlite:///../data/clinic.db", query=query)
    with pytest.raises(Refused, match="no table or view"):
        studio.anonymize(plan_with("sqlite:///../data/clinic.db", query))
    assert studio.project.runs() == () and studio.jobs.jobs() == ()


def test_nothing_is_written_beside_a_database(studio: Studio, clinic: Path) -> None:
    with closing(sqlite3.connect(clinic)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    before = clinic.read_bytes()
    assert before[18:20] == b"\2\2"
    done(studio, studio.tables("../data/clinic.db").id)
    assert done(studio, studio.sample("sqlite:///../data/clinic.db", query=QUERY).id)["row_count"] == ROWS
    assert [path.name for path in clinic.parent.iterdir()] == ["clinic.db"] and clinic.read_bytes() == before
