"""Spark frames: what the Spark engine asks of Spark itself, and how its errors are explained."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.engines.tasks import TIMES, Running, Task
from shoal.errors import TableError

_SMALL = 1 << 26
"""Bytes of counted rows that always fit."""


def mapped(frame: Any, task: Task, schema: str) -> Any:
    """A Spark frame of what a task makes of the rows of another."""
    return frame.mapInArrow(Running(_shared(frame.sparkSession, task)), schema)


@dataclass(frozen=True)
class _Sent:
    """A value that is sent with every task, where Spark cannot broadcast it."""

    value: Task


def _shared(session: Any, task: Task) -> Any:
    """A task that executors receive once; over Spark Connect, with every call."""
    return _Sent(task) if "connect" in type(session).__module__ else session.sparkContext.broadcast(task)


def summed(frame: Any) -> Any:
    """Equal rows of a Spark frame as one, with the sum of their numbers of rows."""
    from pyspark.sql import functions as f

    return frame.groupBy([name for name in frame.columns if name != TIMES]).agg(f.sum(TIMES).alias(TIMES))


def collected(counted: Any, most_bytes: int) -> pl.DataFrame:
    """Counted rows, brought to the driver; raises before, if they take more than `most_bytes` of memory."""
    counted = counted.persist()
    try:
        with explained():
            rows = counted.count()
            if rows * 8 * len(counted.columns) > max(most_bytes, _SMALL):
                raise TableError(
                    f"The table has {rows:,} distinct rows, which do not fit into the memory of the driver.",
                    hint="generalize the columns, drop some of them, or give the driver more memory.",
                )
            return pl.DataFrame(counted.toArrow())
    finally:
        counted.unpersist()


def total(rows: Any) -> int:
    """The number of rows that the rows of a frame stand for."""
    from pyspark.sql import functions as f

    with explained():
        return int(rows.agg(f.sum(TIMES)).toArrow()[0][0].as_py() or 0)


def persons_by_value(pairs: Any) -> Any:
    """The number of distinct persons of each value."""
    from pyspark.sql import functions as f

    return pairs.groupBy("value").agg(f.count("*").alias(TIMES))


def repeated(counted: Any, most: int) -> tuple[int, int, int, Int64]:
    """The number of values, their rows, the rows that share a value, and the first hashes with about `most` pairs."""
    from pyspark.sql import functions as f

    shared = f.when(f.col(TIMES) > 1, f.col(TIMES)).otherwise(0)
    counted = counted.groupBy("hash").agg(f.sum(TIMES).alias(TIMES))
    with explained():
        sums = counted.agg(f.count("*"), f.sum(TIMES), f.sum(shared)).toArrow()
        values, rows, sharing = (int(column[0].as_py() or 0) for column in sums.columns)
        first = pl.DataFrame(counted.filter(f.col(TIMES) > 1).orderBy("hash").limit(most).toArrow())
    before = first[TIMES].to_numpy() - 1
    return values, rows, sharing, first["hash"].to_numpy()[np.cumsum(before) - before < most]


def schema_of(keys: Iterable[str]) -> str:
    """The columns of counted combinations: int32 keys, and the number of rows."""
    return ", ".join([*(f"`{key}` int" for key in keys), f"{TIMES} bigint"])


@contextmanager
def explained() -> Iterator[None]:
    """Raises a `TableError` in place of an error of Spark, whose message may have values of the data."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise _explanation(error) from None


def _explanation(error: Any) -> TableError:
    """What Shoal itself said in an executor, or else the kind of the error alone."""
    if own := re.search(r"shoal\.errors\.\w+: (.+)", str(error)):
        return TableError(own[1])
    condition = getattr(error, "getCondition", lambda: None)()
    return TableError(
        f"Spark could not compute the table ({condition or type(error).__name__}).",
        hint="see the log of Spark for the reason.",
    )


def running_totals(counted: Any, group: str, order: Sequence[str], begin: str) -> Any:
    """A frame with the number of rows that come before each of its rows in its group, in column `begin`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    before = Window.partitionBy(group).orderBy(*order).rowsBetween(Window.unboundedPreceding, -1)
    return counted.withColumn(begin, f.coalesce(f.sum(TIMES).over(before), f.lit(0)))
