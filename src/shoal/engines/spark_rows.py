"""The rows of a Spark frame as codes: dictionaries come to the driver, coded rows stay in Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32
from shoal.coded.coding import DistinctValues
from shoal.engines.dictionary import exact_text
from shoal.engines.spark_frames import Driver, mapped
from shoal.engines.spool import OF_VALUE, require_room
from shoal.engines.tasks import TIMES, Coder, Coding, Kept, Prepared, Tallied, Task, Values, changed, in_zone

_ROWS_OF_PARTITION = 1 << 16
"""Rows for which a partition of coded rows is worth a task."""


@dataclass(frozen=True)
class CodedRows:
    """A table in Spark as a frame of coded rows, and what the driver knows of it.

    `kinds`: column → the type of its cells. `coded`: column → its dictionary, with the number of rows of each value.
    Of the other columns, the frame has hashes.
    """

    frame: Any
    kinds: Mapping[str, pl.DataType]
    coded: Mapping[str, DistinctValues]
    rows: int
    driver: Driver

    def place(self, name: str) -> int:
        """The number of a column, by which the frame knows it."""
        return list(self.kinds).index(name)

    def code(self, name: str) -> str:
        """The column of the frame with the codes, or the hashes, of a column."""
        return f"{'c' if name in self.coded else 'h'}{self.place(name)}"

    def counted(self, task: Task, schema: str) -> pl.DataFrame:
        """The results of a task, at most one for every row, counted, and brought to the driver if they fit."""
        return self.driver.counted(self.frame, task, schema, self.rows)


def coded_rows(frame: Any, separators: Mapping[str, str], is_coded: Mapping[str, bool], driver: Driver) -> CodedRows:
    """The rows of a Spark frame as codes of their distinct values; `is_coded`: column → False if hashes are enough.

    `separators`: column → the separator of its items, where a set is a list.
    """
    names = tuple(frame.columns)
    given = frame.toDF(*(f"x{i}" for i in range(len(names))))  # names may differ in case alone, or have points
    with driver.working(frame.sparkSession):
        prepared = Prepared(names, separators, frame.sparkSession.conf.get("spark.sql.session.timeZone"))
        empty = prepared(pl.DataFrame(given.limit(0).toArrow()))
    coded = tuple(i for i, name in enumerate(names) if is_coded[name])
    not_text = tuple(i for i in coded if exact_text(empty[:, i]).dtype != empty[:, i].dtype)
    with driver.working(frame.sparkSession):
        values = _values(given, Values(prepared, coded, not_text))
    distinct = _dictionaries(values, names, not_text, prepared.zone, driver)
    coders = {i: Coder(each["text"].drop_nulls(), each["cell"]) for i, each in distinct.items()}
    hashes = tuple(i for i in range(len(names)) if i not in coded)
    counts = {
        names[i]: DistinctValues(each["cell"].alias(names[i]), each[TIMES].to_numpy()) for i, each in distinct.items()
    }
    coding = mapped(given, Coding(prepared, coders, hashes), _coded_schema(coded, hashes))
    with driver.working(frame.sparkSession):
        rows = _worth_their_tasks(coding, counts).persist()
    try:
        kinds, total = dict(zip(names, empty.dtypes, strict=True)), _total(rows, counts, driver)
    except BaseException:
        rows.unpersist()
        raise
    return CodedRows(rows, kinds, counts, total, driver)


def _worth_their_tasks(rows: Any, counts: Mapping[str, DistinctValues]) -> Any:
    """The rows in fewer partitions if these are small: a task takes longer to begin than to look at a few rows."""
    if not counts:
        return rows
    return rows.coalesce(int(next(iter(counts.values())).counts.sum()) // _ROWS_OF_PARTITION + 1)


def _values(given: Any, task: Values) -> Any:
    """The distinct values of columns in Spark, with their numbers of rows."""
    from pyspark.sql import functions as f

    types = {field.name: _declared(field.dataType.simpleString()) for field in given.schema.fields}
    cells = [f"r{i}" for i in task.not_text]
    schema = [f"{cell} {types['x' + cell[1:]]}" for cell in cells]
    found = mapped(given, task, ", ".join(["`column` int", "text string", f"{TIMES} bigint", *schema]))
    firsts = [f.first(cell, ignorenulls=True).alias(cell) for cell in cells]
    return found.groupBy("column", "text").agg(f.sum(TIMES).alias(TIMES), *firsts)


def _declared(kind: str) -> str:
    """The name of a type in a schema, where `timestamp` is one of two types, as the session says."""
    return "timestamp_ltz" if kind == "timestamp" else kind


def _total(rows: Any, counts: Mapping[str, DistinctValues], driver: Driver) -> int:
    """The number of coded rows; raises if it is not that of the values."""
    found = driver.total(rows)
    for name, each in counts.items():
        if each.counts.sum() != found:
            raise changed(name)
    return found


def _coded_schema(coded: Iterable[int], hashes: Iterable[int]) -> str:
    return ", ".join([*(f"c{i} int" for i in coded), *(f"h{i} bigint" for i in hashes), f"{TIMES} bigint"])


def _dictionaries(
    values: Any, names: Sequence[str], not_text: Sequence[int], zone: str, driver: Driver
) -> dict[int, pl.DataFrame]:
    """Column → `cell`, `text`, `n` of its distinct values, by text, null last; raises before if they are too large."""
    from pyspark.sql import functions as f

    with driver.working(values.sparkSession):
        values = values.persist()
    try:
        size = f.sum(f.coalesce(f.octet_length("text"), f.lit(0)) + f.lit(OF_VALUE)).alias("bytes")
        with driver.working(values.sparkSession):
            sizes = pl.DataFrame(values.groupBy("column").agg(size).toArrow())
            require_room(
                {names[column]: used for column, used in sizes.select("column", "bytes").iter_rows()}, driver.most_bytes
            )
            found = in_zone(pl.DataFrame(values.toArrow()), zone)
    finally:
        values.unpersist()
    parts = found.sort("column", "text", nulls_last=True).partition_by("column", as_dict=True)
    return {
        int(column): part.select(pl.col(f"r{column}" if column in not_text else "text").alias("cell"), "text", TIMES)
        for (column,), part in parts.items()
    }


def rows_without(rows: CodedRows, dropped: Mapping[str, Flags]) -> CodedRows:
    """The rows that have no dropped code; values that no row has are gone."""
    places = {name: rows.place(name) for name in rows.coded}
    schema = _coded_schema(places.values(), (rows.place(name) for name in rows.kinds if name not in places))
    kept, tally = mapped(rows.frame, Kept(dropped, {}), schema), Tallied(tuple(places.values()))
    tallied = rows.driver.counted(kept, tally, f"`column` int, code int, {TIMES} bigint", rows.rows * len(places))
    coded, dense = dict[str, DistinctValues](), dict[str, Int32]()
    for name, i in places.items():
        found = tallied.filter(pl.col("column") == i).sort("code")
        used, values = found["code"].to_numpy(), rows.coded[name].values
        dense[f"c{i}"] = np.zeros(len(values), np.int32)
        dense[f"c{i}"][used] = np.arange(len(used), dtype=np.int32)
        coded[name] = DistinctValues(values.gather(used), found[TIMES].to_numpy())
    frame = mapped(rows.frame, Kept(dropped, dense), schema)
    left = next(iter(coded.values())).counts
    return replace(rows, frame=frame, coded=coded, rows=int(left.sum()))
