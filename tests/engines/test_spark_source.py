"""What Spark reads is what the other engines read."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.engines import spark_source
from shoal.engines.spark_source import is_spark_frame, spark_frame, sparked
from shoal.engines.stream import streamed
from shoal.errors import CannotBeMet, PlanError, ShoalError, TableError
from shoal.table import Runs
from tests.spark import needs_spark

FRAME = pl.DataFrame(
    {
        "age": [str(20 + row % 7) for row in range(50)],
        "note": [['a "b"', "x,\ny", "", "\\", "ä"][row % 5] for row in range(50)],
    }
)
PLAN = shoal.Plan(columns={"age": shoal.quasi(), "note": shoal.insensitive()}, models=[shoal.KAnonymity(k=2)])


def plan_for(source: Path | str, **settings: Any) -> shoal.Plan:
    return PLAN.changed(data=shoal.Data(source=str(source), **settings))


def test_other_frames_are_no_spark_frames() -> None:
    assert not is_spark_frame(FRAME)


def values_of(engine: Any) -> list[list[tuple[Any, int]]]:
    return [
        sorted(zip(map(str, engine.distinct(name).values), engine.distinct(name).counts.tolist(), strict=True))
        for name in engine.columns
    ]


@needs_spark
@pytest.mark.parametrize("format", ["csv", "tsv", "parquet", "folder"])
def test_files_are_read_as_by_the_stream_engine(session: Any, tmp_path: Path, format: str) -> None:
    source = tmp_path / f"t.{format}"
    if format == "parquet":
        FRAME.write_parquet(source)
    elif format == "folder":
        source.mkdir()
        for number in range(3):
            FRAME[number::3].write_csv(source / f"part-{number}.csv")
    else:
        FRAME.write_csv(source, separator="," if format == "csv" else "\t")
    with sparked(plan_for(source)) as engine, streamed(plan_for(source)) as streaming:
        assert engine.columns == streaming.columns
        assert values_of(engine) == values_of(streaming)


@needs_spark
def test_tables_of_the_catalog_orc_files_and_urls_are_read(session: Any, tmp_path: Path) -> None:
    rows = session.createDataFrame(FRAME.to_arrow())
    rows.createOrReplaceTempView("patients_of_test")
    rows.write.orc(str(tmp_path / "t.orc"))
    FRAME.write_parquet(tmp_path / "t.parquet")
    for source in (
        "patients_of_test",
        tmp_path / "t.orc",
        (tmp_path / "t.parquet").as_uri(),
        (tmp_path / "t.orc").as_uri(),
    ):
        with sparked(plan_for(source)) as engine:
            assert engine.rows == 50


@needs_spark
def test_jdbc_sources_are_read_and_their_errors_show_no_url(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "jdbc:derby:memory:clinic;create=true"
    rows = session.createDataFrame(FRAME.to_arrow())
    rows.write.format("jdbc").option("url", url).option("dbtable", "visits").save()
    query = 'select "age", "note" from visits'
    monkeypatch.setenv("SHOAL_JDBC_USER", "app")
    monkeypatch.setenv("SHOAL_JDBC_PASSWORD", "pssst")
    with sparked(plan_for(url, query=query)) as engine:
        assert engine.rows == 50
    for wrong in (url.replace("clinic;create=true", "none"), url.replace("derby", "unknown")):
        with pytest.raises(TableError) as raised, sparked(plan_for(wrong, query=query)):
            pass
        assert "memory" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgresql://host/db?user=me&password=pssst",
        "jdbc:postgresql://me:pssst@host/db",
        "jdbc:sqlserver://host;user=me;Password=pssst",
        "jdbc:oracle:thin:me/pssst@host:1521:db",
        "s3a://me:pssst@bucket/t.parquet",
        "jdbc:postgresql://host/db?p%61ssword=pssst",
        "jdbc:snowflake://host/?user=me&token=pssst",
        "jdbc:h2:mem:x;PWD=pssst",
    ],
)
def test_a_password_in_a_url_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(TableError, match="contains a password") as raised:
        spark_source._read(None, plan_for(url, query="select 1"))
    assert "pssst" not in str(raised.value)


def test_other_jdbc_urls_are_not_refused() -> None:
    for url in ("jdbc:postgresql://host:5432/db?ssl=true", "jdbc:derby:memory:clinic;create=true"):
        spark_source._require_no_password(url)


@needs_spark
def test_what_cannot_be_read_is_refused(session: Any, tmp_path: Path) -> None:
    (tmp_path / "t.arrow").write_bytes(b"")
    with pytest.raises(TableError, match="cannot be read by the Spark engine"), sparked(plan_for(tmp_path / "t.arrow")):
        pass
    with pytest.raises(PlanError, match="needs a query"), sparked(plan_for("jdbc:postgresql://host/db")):
        pass
    with pytest.raises(PlanError, match="names no source"), sparked(PLAN):
        pass
    with (
        pytest.raises(TableError, match="no rows"),
        spark_source.spark_engine(session.createDataFrame(FRAME.to_arrow()).limit(0), PLAN),
    ):
        pass


@needs_spark
def test_a_released_table_becomes_a_spark_frame(session: Any) -> None:
    runs = Runs(pl.DataFrame({"a.b": ["x", None], "c": [1, 2]}), np.array([2, 1]))
    found = spark_frame(session.createDataFrame(runs.rows.to_arrow()), runs, {})
    assert is_spark_frame(found)
    assert [tuple(row) for row in found.collect()].count(("x", 1)) == 2 and found.columns == ["a.b", "c"]


@needs_spark
def test_sets_are_lists_where_the_given_frame_has_lists(session: Any) -> None:
    given = session.createDataFrame(pl.DataFrame({"a": [["x", "y"]], "b": ["x|y"]}).to_arrow())
    runs = Runs(pl.DataFrame({"a": ["x|y", ""], "b": ["x|y", "z"]}), np.array([2, 1]))
    found = spark_frame(given, runs, {"a": "|", "b": "|", "not released": "|"})
    assert [tuple(row) for row in found.collect()] == [(["x", "y"], "x|y")] * 2 + [([], "z")]


@needs_spark
@pytest.mark.parametrize("zone", ["Etc/UTC", "Europe/Berlin"])
def test_moments_are_read_in_the_zone_of_the_session(session: Any, tmp_path: Path, zone: str) -> None:
    hours = pl.Series("age", [f"2024-07-01 {row % 5:02}:30:00" for row in range(40)]).str.to_datetime(time_unit="us")
    hours = hours.dt.replace_time_zone("Europe/Berlin")
    frame = pl.DataFrame([hours, pl.Series("note", ["flu", "rash"] * 20)])
    frame.write_parquet(tmp_path / "t.parquet")
    before = session.conf.get("spark.sql.session.timeZone")
    session.conf.set("spark.sql.session.timeZone", zone)
    try:
        with sparked(PLAN.changed(data=shoal.Data(source=str(tmp_path / "t.parquet")))) as engine:
            found = engine.distinct("age")
    finally:
        session.conf.set("spark.sql.session.timeZone", before)
    expected = frame["age"].dt.convert_time_zone(zone).unique().sort()
    assert found.values.sort().equals(expected, check_names=False) and found.counts.tolist() == [8] * 5


@needs_spark
def test_text_files_may_have_their_columns_in_another_order(session: Any, tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "a.csv")
    FRAME.select(reversed(FRAME.columns)).write_csv(tmp_path / "b.csv")
    with sparked(plan_for(tmp_path)) as engine:
        assert engine.rows == 2 * FRAME.height and list(engine.columns) == FRAME.columns


@needs_spark
def test_an_error_in_the_expression_of_a_frame_is_explained(session: Any) -> None:
    from pyspark.sql import functions as f

    given = session.createDataFrame(FRAME.to_arrow())
    wrong = given.withColumn(FRAME.columns[0], (f.lit(1) / f.lit(0)).cast("int"))
    with pytest.raises(TableError, match="Spark could not compute the table"):
        shoal.anonymize(wrong, PLAN)


@needs_spark
@pytest.mark.parametrize("fails", ["search", "cancelled"])
def test_a_run_that_ends_early_leaves_nothing(session: Any, tmp_path: Path, fails: str) -> None:
    FRAME.write_parquet(tmp_path / "t.parquet")
    plan = plan_for(tmp_path / "t.parquet")
    stored = session.sparkContext._jsc.getPersistentRDDs

    def progress(step: str, share: float = 0.0) -> None:
        if step == "form" and fails == "cancelled":
            assert stored().size() > before
            raise KeyboardInterrupt

    before = stored().size()
    with pytest.raises(CannotBeMet if fails == "search" else KeyboardInterrupt):
        plan = plan.changed(models=[shoal.KAnonymity(k=51 if fails == "search" else 2)])
        shoal.anonymize_to(plan, tmp_path / "out", engine="spark", progress=progress)
    assert stored().size() == before
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]


@needs_spark
@pytest.mark.parametrize("source", ["t.xlsx", "t.sas7bdat", "postgresql://host/db", "no.such.table"])
def test_sources_that_spark_cannot_read_are_named(session: Any, tmp_path: Path, source: str) -> None:
    if source.startswith("t."):
        (tmp_path / source).write_bytes(b"")
    with contextlib.chdir(tmp_path), pytest.raises(ShoalError) as raised, sparked(plan_for(source)):
        pass
    assert raised.value.exit_code == 2
    assert "Spark could not compute" not in str(raised.value)
