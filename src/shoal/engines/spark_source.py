"""Sources of the Spark engine: a Spark frame, or what a plan names, read by Spark or by polars in executors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import numpy as np
import polars as pl

from shoal.engines.choosing import MOST_OF_MEMORY, memory
from shoal.engines.fitting import published_columns, require_columns
from shoal.engines.spark import SparkEngine
from shoal.engines.spark_frames import Driver, explained
from shoal.engines.spark_rows import coded_rows
from shoal.engines.spark_session import require_spark, spark_session
from shoal.errors import PlanError, TableError
from shoal.plan import Plan
from shoal.table import Runs, with_lists
from shoal.table.batches import files_of, read_batches
from shoal.table.columns import check_names
from shoal.table.files import DELIMITED, PARQUET

_JDBC = {"user": "SHOAL_JDBC_USER", "password": "SHOAL_JDBC_PASSWORD"}
"""Options of a JDBC source that are read from the environment."""
_READ = "It reads text tables, Parquet and ORC files, JDBC sources (jdbc:…) and tables of the catalog."


def is_spark_frame(frame: object) -> bool:
    """Whether a value is a Spark frame; pyspark is not imported to find out."""
    return any(each.__module__.startswith("pyspark.sql") and each.__name__ == "DataFrame" for each in type(frame).mro())


@contextmanager
def spark_engine(frame: Any, plan: Plan) -> Iterator[SparkEngine]:
    """The rows of a Spark frame as codes, which Spark stores until the end.

    Of columns that are not released, only hashes are stored, apart from the persons that the plan counts.
    """
    check_names(frame.columns, "The Spark frame")
    plan = plan.for_table(frame.columns)
    require_columns(frame.columns, plan)
    needed = {*published_columns(frame.columns, plan), plan.data.person}
    is_coded = {name: name in needed for name in frame.columns}
    driver = Driver(int(MOST_OF_MEMORY * memory()))
    try:
        rows = coded_rows(frame, plan.separators, is_coded, driver)
        try:
            if not rows.rows:
                raise TableError("The table has no rows.")
            yield SparkEngine(rows)
        finally:
            rows.frame.unpersist()
    except BaseException:  # other threads may still compute
        driver.cancel(frame.sparkSession)
        raise


@contextmanager
def sparked(plan: Plan, master: str | None = None) -> Iterator[SparkEngine]:
    """The table that the plan names as its source, in the session that runs or in one at this master."""
    if plan.data.source is None:
        raise PlanError("The plan names no source to read.", hint='set source = "…" under [data].')
    require_spark(master)
    with spark_session(master) as session:
        with explained():
            frame = _read(session, plan)
        with spark_engine(frame, plan) as engine:
            yield engine


def spark_frame(given_as: Any, runs: Runs, separators: Mapping[str, str]) -> Any:
    """A released table as a Spark frame; its equal rows are repeated in Spark.

    `separators`: column → the separator of its items, which are lists where the given frame has lists.
    """
    from pyspark.sql import functions as f

    session = given_as.sparkSession
    kinds = {field.name: field.dataType.typeName() for field in given_as.schema.fields}
    lists = {name: each for name, each in separators.items() if kinds.get(name) == "array" and name in runs.columns}
    names = [f"x{i}" for i in range(len(runs.columns))]
    columns = with_lists(runs.rows, lists).rename(dict(zip(runs.columns, names, strict=True)))
    given = session.createDataFrame(columns.with_columns(pl.Series("n", runs.times.astype(np.int32))).to_arrow())
    rows = given.select(f.explode(f.array_repeat(f.lit(0), f.col("n"))).alias("one"), *names)
    return rows.drop("one").toDF(*runs.columns)


def _read(session: Any, plan: Plan) -> Any:
    """The source as a Spark frame."""
    source = str(plan.data.source)
    if source.lower().startswith("jdbc:"):
        return _queried(session, source, plan.data.query)
    if "://" in source:
        return _remote(session, source)
    path = Path(source)
    if not path.exists():
        return _table(session, path.name)  # a plan file stands before the name as before a path
    if path.suffix.lower() == ".orc":
        return session.read.orc(source)
    files = files_of(source)
    suffix = files[0].suffix.lower()
    if suffix in PARQUET:
        return session.read.parquet(*(str(file) for file in files))
    if suffix in DELIMITED:
        return _text(session, files, plan)
    raise TableError(f"{source} cannot be read by the Spark engine.", allowed=_READ)


def _remote(session: Any, url: str) -> Any:
    """Parquet and ORC files, and folders with such a name, in a file system that Spark knows, such as s3a or hdfs."""
    _require_no_password(url)
    suffix = PurePosixPath(url).suffix.lower()
    if suffix in PARQUET:
        return session.read.parquet(url)
    if suffix == ".orc":
        return session.read.orc(url)
    raise TableError(
        f"The Spark engine does not read this {url.partition(':')[0]}:// source.",
        allowed="URLs of files end with .parquet or .orc; those of databases begin with jdbc:.",
    )


def _table(session: Any, name: str) -> Any:
    """A table of the catalog."""
    from pyspark.errors import PySparkException

    exists = False
    with suppress(PySparkException):  # not every text is a name
        exists = session.catalog.tableExists(name)
    if not exists:
        raise TableError(f"There is neither a file nor a table of the catalog called '{name}'.", allowed=_READ)
    return session.table(name)


def _queried(session: Any, url: str, query: str | None) -> Any:
    """The rows of a query, read by the JDBC driver that Spark has."""
    _require_no_password(url)
    if query is None:
        raise PlanError("A JDBC source needs a query.", hint='set query = "select …" under [data].')
    known = {name: os.environ[variable] for name, variable in _JDBC.items() if variable in os.environ}
    return session.read.format("jdbc").options(**known).option("url", url).option("query", query).load()


_SECRET = re.compile(r"(password|passwd|pwd|token|secret|credential)\s*=|[:/][^/@]*[:/][^/@]+@", re.IGNORECASE)
"""A password in a URL, as a parameter or beside the user."""


def _require_no_password(url: str) -> None:
    """Raises for a password in a URL, without showing it: plans and private manifests have the source."""
    if _SECRET.search(unquote(url)):
        raise TableError(
            "The URL of the source contains a password.",
            allowed="Passwords are read from the environment, never from a plan.",
            hint=f"remove user and password from it; for jdbc:, set {' and '.join(_JDBC.values())}.",
        )


@dataclass(frozen=True)
class _Parsed:
    """Parses the text tables at the given paths, in an executor, as the other engines do."""

    columns: tuple[str, ...]
    separator: str | None
    header: bool | None

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        schema = pa.schema([(f"x{i}", pa.string()) for i in range(len(self.columns))])
        for paths in batches:
            for path in paths.column(0).to_pylist():
                for frame in read_batches(path, separator=self.separator, header=self.header):
                    if sorted(frame.columns) != sorted(self.columns):
                        raise TableError(f"{path} has other columns than the first file.")
                    table = frame.select(self.columns).rechunk().to_arrow().rename_columns(schema.names)
                    yield from table.cast(schema).to_batches()


def _text(session: Any, files: list[Path], plan: Plan) -> Any:
    """Text tables, one for each task; Spark's own reader has other rules for quotes and empty text."""
    data = plan.data
    columns = tuple(next(read_batches(files[0], separator=data.separator, header=data.header)).columns)
    paths = session.createDataFrame([(str(file.absolute()),) for file in files], "path string")
    schema = ", ".join(f"x{i} string" for i in range(len(columns)))
    parsed = paths.repartition(len(files)).mapInArrow(_Parsed(columns, data.separator, data.header), schema)
    return parsed.toDF(*columns)
