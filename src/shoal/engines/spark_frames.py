"""Spark frames: what the Spark engine asks of Spark itself, and how its errors are explained."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event
from typing import Any
from uuid import uuid4

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.engines.tasks import TIMES, Packed, Running, Task
from shoal.engines.tasks import summed as summed_rows
from shoal.errors import Cancelled, MissingExtra, ShoalError, TableError

_UNREAD_FILE = re.compile(
    r"\[FAILED_READ_FILE\.(?P<kind>[A-Z_]+)\] Encountered error while reading file (?P<path>\S+)\. "
)
"""How Spark says that it cannot read a file; its address has no spaces."""
_SMALL = 1 << 26
"""Bytes of counted rows that always fit."""
_LARGEST_CELL = 1 << 30
"""Bytes of an item that is sent to executors."""
_SENT = 1 << 16
"""Bytes of a task up to which it is sent with every call: a broadcast takes longer."""


@dataclass(frozen=True)
class Driver:
    """The process that receives results: how much memory they may take, and the tag of the jobs that compute them."""

    most_bytes: int
    tag: str = field(default_factory=lambda: f"shoal-{uuid4().hex}")
    _cancelled: Event = field(default_factory=Event, repr=False, compare=False)

    def counted(self, frame: Any, task: Task, schema: str, most: int) -> pl.DataFrame:
        """What a task makes of the rows of a frame, equal rows as one; `most`: the number of rows that it can make."""
        made = mapped(frame, task, schema)
        if not fits(most, len(made.columns)):
            return self.collected(summed(made))
        with self.working(frame.sparkSession):  # one stage, without a shuffle
            return summed_rows(pl.DataFrame(made.toArrow()))

    def collected(self, counted: Any) -> pl.DataFrame:
        """Counted rows, brought to the driver; raises before, if they take too much memory."""
        counted = counted.persist()
        try:
            with self.working(counted.sparkSession):
                rows = counted.count()
                if rows * 8 * len(counted.columns) > max(self.most_bytes, _SMALL):
                    raise TableError(
                        f"The table has {rows:,} distinct rows, which do not fit into the memory of the driver.",
                        hint="generalize the columns, drop some of them, or give the driver more memory.",
                    )
                return pl.DataFrame(counted.toArrow())
        finally:
            counted.unpersist()

    def total(self, rows: Any) -> int:
        """The number of rows that the rows of a frame stand for."""
        from pyspark.sql import functions as f

        with self.working(rows.sparkSession):
            return int(rows.agg(f.sum(TIMES)).toArrow()[0][0].as_py() or 0)

    @contextmanager
    def working(self, session: Any) -> Iterator[None]:
        """Marks the jobs of this thread, so that they can be cancelled, and explains their errors."""
        if self._cancelled.is_set():
            raise Cancelled("The run was cancelled.")
        tags = _Tags.of(session)
        tags.add(self.tag)
        try:
            with explained():
                yield
        except KeyboardInterrupt:
            self.cancel(session)
            raise
        finally:
            tags.remove(self.tag)

    def cancel(self, session: Any) -> None:
        """Ends the jobs of all threads, and lets no other begin."""
        self._cancelled.set()
        with suppress(Exception):  # a session that is gone has no jobs
            _Tags.of(session).cancel(self.tag)


def fits(rows: int, columns: int) -> bool:
    """Whether counted rows are so few that their size need not be checked."""
    return rows * 8 * columns <= _SMALL


def mapped(frame: Any, task: Task, schema: str) -> Any:
    """A Spark frame of what a task makes of the rows of another."""
    return frame.mapInArrow(Running(_shared(frame.sparkSession, task)), schema)


@dataclass(frozen=True)
class _Sent:
    """A value that is sent with every task, because it is small or Spark cannot broadcast it."""

    value: Task


@dataclass(frozen=True)
class _Tags:
    """Tags of the jobs that a thread starts, by which jobs of other threads are cancelled."""

    add: Callable[[str], None]
    remove: Callable[[str], None]
    cancel: Callable[[str], Any]

    @staticmethod
    def of(session: Any) -> _Tags:
        """Those of a session: without Spark Connect, tags of the session itself are not seen by other threads."""
        if _is_connected(session):
            return _Tags(session.addTag, session.removeTag, session.interruptTag)
        context = session.sparkContext
        return _Tags(context.addJobTag, context.removeJobTag, context.cancelJobsWithTag)


def _is_connected(session: Any) -> bool:
    """Whether a session is that of a server, over Spark Connect."""
    return "connect" in type(session).__module__


def _shared(session: Any, task: Task) -> Any:
    """A task that executors receive once if it is large; over Spark Connect, with every call."""
    if _is_connected(session) or len(pickle.dumps(task)) < _SENT:
        return _Sent(task)
    return session.sparkContext.broadcast(task)


def summed(frame: Any) -> Any:
    """Equal rows of a Spark frame as one, with the sum of their numbers of rows."""
    from pyspark.sql import functions as f

    return frame.groupBy([name for name in frame.columns if name != TIMES]).agg(f.sum(TIMES).alias(TIMES))


def persons_by_value(pairs: Any) -> Any:
    """The number of distinct persons of each value."""
    from pyspark.sql import functions as f

    return pairs.groupBy("value").agg(f.count("*").alias(TIMES))


def repeated(counted: Any, most: int, driver: Driver) -> tuple[int, int, int, Int64]:
    """The number of values, their rows, the rows that share a value, and the first hashes with about `most` pairs."""
    from pyspark.sql import functions as f

    shared = f.when(f.col(TIMES) > 1, f.col(TIMES)).otherwise(0)
    counted = counted.groupBy("hash").agg(f.sum(TIMES).alias(TIMES)).persist()
    try:
        with driver.working(counted.sparkSession):
            sums = counted.agg(f.count("*"), f.sum(TIMES), f.sum(shared)).toArrow()
            values, rows, sharing = (int(column[0].as_py() or 0) for column in sums.columns)
            first = pl.DataFrame(counted.filter(f.col(TIMES) > 1).orderBy("hash").limit(most).toArrow())
    finally:
        counted.unpersist()
    return values, rows, sharing, first["hash"].to_numpy()[: len(first_repeated(first[TIMES].to_numpy(), most))]


def first_repeated(times: Int64, most: int) -> Int64:
    """The first of these numbers of rows with one value, as many as have about `most` pairs of rows."""
    before = times - 1
    return times[np.cumsum(before) - before < most]


def spread(session: Any, driver: Driver, task: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """The results of a task for each item, computed in executors, in the order of the items.

    A cell of a frame cannot hold an item of more than about 1 GB, so its task runs here.
    """
    import pyarrow as pa

    packed, own = dict[int, bytes](), dict[int, Any]()
    for number, item in enumerate(items):
        if len(data := pickle.dumps(item)) <= _LARGEST_CELL:
            packed[number] = data
        else:
            own[number] = task(item)
    if packed:
        columns = {"number": pa.array(packed, pa.int32()), "item": pa.array(packed.values(), pa.binary())}
        given = session.createDataFrame(pa.table(columns)).repartitionByRange(len(packed), "number")
        own |= _unpacked(driver, mapped(given, Packed(task), "number int, item binary"))
    return (own[number] for number in sorted(own))


def _unpacked(driver: Driver, results: Any) -> dict[int, Any]:
    """The results by number. All of them are computed before the first one is fetched."""
    results = results.persist()
    try:
        with driver.working(results.sparkSession):
            results.count()
            return {row["number"]: pickle.loads(row["item"]) for row in results.toLocalIterator()}
    finally:
        results.unpersist()


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


def _explanation(error: Any) -> ShoalError:
    """What Shoal itself said in an executor, what executors lack, or else the kind of the error alone."""
    message = str(error)
    if own := re.search(r"shoal\.errors\.\w+: (.+)", message):
        return TableError(own[1])
    if file := _UNREAD_FILE.search(message):
        reason = "it does not exist any more" if file["kind"] == "FILE_NOT_EXIST" else "it is damaged, or not readable"
        return TableError(f"Spark cannot read the file {file['path']}: {reason}.", hint="write or copy it again.")
    if package := re.search(r"ModuleNotFoundError: No module named '(\w+)", message):
        return MissingExtra(f"The Python of the Spark executors lacks the package '{package[1]}'.", hint=_PYTHON)
    if program := re.search(r'Cannot run program "([^"]+)"', message):
        return MissingExtra(f"The Spark executors have no program '{program[1]}'.", hint=_PYTHON)
    if "PYTHON_VERSION_MISMATCH" in message:
        return MissingExtra("The Spark executors run another version of Python than the driver.", hint=_PYTHON)
    if "spark.driver.maxResultSize" in message:
        return TableError("Results are larger than Spark allows.", hint="raise spark.driver.maxResultSize.")
    stated = re.search(r"org\.apache\.spark\.\S*Exception: \[([A-Z_]+(?:\.[A-Z_]+)*)\] ", message)  # no cell value
    condition = getattr(error, "getCondition", lambda: None)() or (stated and stated[1])
    if condition == "UNSUPPORTED_TIME_TYPE":
        return TableError("A column has times of day.", hint="set spark.sql.timeType.enabled to true in Spark.")
    if hint := _HINTS.get(condition or ""):
        return TableError(f"Spark cannot read the table ({condition}).", hint=hint)
    if condition == "JAVA_GATEWAY_EXITED":
        return MissingExtra("Spark could not start.", hint=f"it needs Java 17 or later; {_DETAILS}")
    return TableError(
        f"Spark could not compute the table ({condition or type(error).__name__}).",
        hint=f"see the log of Spark for the reason; {_DETAILS}",
    )


_HINTS = {
    "PARQUET_TYPE_ILLEGAL": "Spark does not read all types of Parquet, such as nanoseconds: use --engine stream.",
    "COLUMN_ALREADY_EXISTS": "Spark does not tell names apart that differ in case alone: rename a column.",
}
_PYTHON = (
    "install Shoal with the same version of Python on all machines of the cluster, and name that Python in the "
    "environment variable PYSPARK_PYTHON of the driver."
)
_DETAILS = "SHOAL_DEBUG=1 shows the messages of Spark, which may contain values of your data."


def running_totals(counted: Any, group: str, order: Sequence[str], begin: str) -> Any:
    """A frame with the number of rows that come before each of its rows in its group, in column `begin`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    before = Window.partitionBy(group).orderBy(*order).rowsBetween(Window.unboundedPreceding, -1)
    return counted.withColumn(begin, f.coalesce(f.sum(TIMES).over(before), f.lit(0)))
