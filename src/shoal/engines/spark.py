"""The Spark engine: rows stay in Spark as codes, and only distinct values and counted rows reach the driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.coding import DistinctValues
from shoal.engines.base import CountedColumns, Repeats, Tally
from shoal.engines.columns import hashed
from shoal.engines.dictionary import Dictionary, canonical, exact_text
from shoal.engines.repeats import absent_hashes, scattered_pairs
from shoal.engines.spool import OF_VALUE, require_room
from shoal.engines.tasks import (
    TIMES,
    Coder,
    Coding,
    Finder,
    Hashed,
    Kept,
    Keyed,
    Lacking,
    Located,
    Prepared,
    Running,
    Tallied,
    TalliedByRow,
    Task,
    Values,
)
from shoal.errors import TableError
from shoal.models.evidence import COUNT
from shoal.table import Runs, as_text
from shoal.verification.regrouping import counted_rows

_KEPT_BITS = 63
"""Bits of a hash that Spark compares: its integers have a sign."""


@dataclass(frozen=True)
class CodedRows:
    """A table in Spark as a frame of coded rows, and what the driver knows of it.

    `kinds`: column → the type of its cells. `coded`: column → its dictionary, with the number of rows of each value.
    Of the other columns, the frame has hashes. `most_bytes`: the memory of the driver that counted rows may take.
    """

    frame: Any
    kinds: Mapping[str, pl.DataType]
    coded: Mapping[str, DistinctValues]
    rows: int
    most_bytes: int

    def place(self, name: str) -> int:
        """The number of a column, by which the frame knows it."""
        return list(self.kinds).index(name)

    def code(self, name: str) -> str:
        """The column of the frame with the codes, or the hashes, of a column."""
        return f"{'c' if name in self.coded else 'h'}{self.place(name)}"

    def counted(self, task: Task, schema: str) -> pl.DataFrame:
        """The results of a task, counted in Spark, and brought to the driver if they fit into its memory."""
        return collected(summed(mapped(self.frame, task, schema)), self.most_bytes)


class SparkEngine:
    """A table in Spark. The driver holds its dictionaries and its distinct rows."""

    kind: ClassVar[str] = "spark"

    def __init__(self, rows: CodedRows) -> None:
        self._rows = rows
        self._canonical = {name: _canonical(each.values) for name, each in rows.coded.items()}
        self._located = Located(Finder.of(np.zeros((0, 1), np.int32)), ())

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._rows.kinds)

    @property
    def rows(self) -> int:
        return self._rows.rows

    def distinct(self, column: str) -> DistinctValues:
        codes, values = self._canonical[column]
        counts = np.zeros(len(values), np.int64)
        np.add.at(counts, codes, self._rows.coded[column].counts)
        return DistinctValues(values, counts)

    def without(self, dropped: Mapping[str, Flags]) -> SparkEngine:
        flags = {name: each[self._canonical[name].codes] for name, each in dropped.items() if each.any()}
        if not any((each & (self._rows.coded[name].counts > 0)).any() for name, each in flags.items()):
            return self
        return SparkEngine(_without(self._rows, {self._rows.code(name): each for name, each in flags.items()}))

    def count(self, codes: Mapping[str, Int32], person: str | None = None) -> CountedColumns:
        keys = [(self._rows.code(name), of_value[self._canonical[name].codes]) for name, of_value in codes.items()]
        if person is not None:
            keys.append((self._rows.code(person), self._canonical[person].codes.astype(np.int32)))
        names = [f"k{number}" for number in range(len(keys))]
        found = self._rows.counted(Keyed(dict(zip(names, keys, strict=True))), _schema(names)).sort(names or TIMES)
        columns = found.select(names).to_numpy().T if names else np.zeros((0, 1))
        counted = CountedColumns(np.ascontiguousarray(columns, np.int32), found[TIMES].to_numpy())
        self._located = Located(Finder.of(counted.codes), tuple(keys))
        return counted

    def reference(self, column: str, texts: pl.Series, person: str | None = None) -> pl.DataFrame:
        distinct = texts.unique(maintain_order=True)
        place = _places(texts, distinct)[self._canonical[column].codes]
        keys = {"value": (self._rows.code(column), place)}
        if person is not None:
            keys["person"] = (self._rows.code(person), self._canonical[person].codes.astype(np.int32))
        pairs = summed(mapped(self._rows.frame, Keyed(keys), _schema(keys)))
        found = collected(_persons_by_value(pairs) if person is not None else pairs, self._rows.most_bytes)
        counts = found.select(distinct.gather(found["value"]).alias("value"), pl.col(TIMES).alias("count"))
        return counts.sort("value")

    def lacking(self, columns: Sequence[str], missing: Sequence[str]) -> int:
        flags = {}
        for name in columns:
            texts = as_text(self._rows.coded[name].values).str.strip_chars()
            lacks = (texts.is_null() | texts.is_in(list(missing))).fill_null(True)
            flags[self._rows.code(name)] = lacks.to_numpy()
        return int(self._rows.counted(Lacking(flags), _schema([]))[TIMES].sum() or 0)

    def raw_rows(self, columns: Sequence[str]) -> pl.DataFrame:
        values = {name: self._rows.coded[name].values for name in columns}
        keys = {
            f"k{number}": (self._rows.code(name), np.arange(len(each), dtype=np.int32))
            for number, (name, each) in enumerate(values.items())
        }
        found = self._rows.counted(Keyed(keys), _schema(keys))
        cells = [each.gather(found[key]).alias(name) for key, (name, each) in zip(keys, values.items(), strict=True)]
        return pl.DataFrame([*cells, found[TIMES].alias(COUNT)])

    def tally(self, column: str, rows: Flags) -> Tally:
        codes = self._canonical[column].codes.astype(np.int32) if column in self._canonical else None
        task = TalliedByRow(self._located, rows, self._rows.code(column), codes)
        found = self._rows.counted(task, f"row int, value bigint, {TIMES} bigint").sort("row", "value")
        value = found["value"].to_numpy()
        if codes is None:  # hashes are too large to count with
            value = np.unique(value, return_inverse=True)[1]
        return Tally(value, found["row"].to_numpy(), found[TIMES].to_numpy())

    def repeats(self, column: str, missing: Sequence[str], most: int, sample: int = 1) -> Repeats:
        coded = self._rows.coded.get(column)
        task = Hashed(
            self._rows.code(column),
            None if coded is None else hashed(coded.values).view(np.int64),
            absent_hashes(self._rows.kinds[column], missing).view(np.int64),
            2**_KEPT_BITS // sample,
        )
        schema = f"hash bigint, row int, {TIMES} bigint"
        totals = summed(mapped(self._rows.frame, task, schema))
        values, rows, sharing, among = _repeated(totals, most)
        wanted = replace(task, located=self._located, among=among)
        found = self._rows.counted(wanted, schema).sort("hash", "row") if len(among) else pl.DataFrame()
        return Repeats(values, rows, sharing, scattered_pairs(found, most))

    def regroup(self, table: Runs, columns: Sequence[str]) -> pl.DataFrame:
        return counted_rows(table, columns)


def _canonical(values: pl.Series) -> Dictionary:
    """The code, among values of which null and NaN are one, of each distinct value."""
    return canonical(Dictionary(np.arange(len(values), dtype=np.uint32), values))


def _places(texts: pl.Series, distinct: pl.Series) -> Int32:
    """int32 [texts]: the place of every text among the distinct ones."""
    known = distinct.to_frame("text").with_row_index("place")
    rows = texts.to_frame("text").join(known, on="text", how="left", nulls_equal=True, maintain_order="left")
    return rows["place"].cast(pl.Int32).to_numpy()


# -- in Spark -----------------------------------------------------------------------------------------------------


def coded_rows(frame: Any, separators: Mapping[str, str], is_coded: Mapping[str, bool], most_bytes: int) -> CodedRows:
    """The rows of a Spark frame as codes of their distinct values; `is_coded`: column → False if hashes are enough.

    `separators`: column → the separator of its items, where a set is a list. The dictionaries may take `most_bytes`.
    """
    from pyspark.sql import functions as f

    names = tuple(frame.columns)
    given = frame.select([f.col(_quoted(name)).alias(f"x{i}") for i, name in enumerate(names)])
    prepared = Prepared(names, separators)
    with explained():
        empty = prepared(pl.DataFrame(given.limit(0).toArrow()))
    coded = tuple(i for i, name in enumerate(names) if is_coded[name])
    not_text = tuple(i for i in coded if exact_text(empty[:, i]).dtype != empty[:, i].dtype)
    types = {field.name: field.dataType.simpleString() for field in given.schema.fields}
    schema = f"column int, text string, {TIMES} bigint" + "".join(f", r{i} {types[f'x{i}']}" for i in not_text)
    found = mapped(given, Values(prepared, coded, not_text), schema)
    values = found.groupBy("column", "text").agg(
        f.sum(TIMES).alias(TIMES), *(f.first(f"r{i}", ignorenulls=True).alias(f"r{i}") for i in not_text)
    )
    distinct = _dictionaries(values, names, not_text, most_bytes)
    coders = {i: Coder(each["text"].drop_nulls(), each["cell"]) for i, each in distinct.items()}
    hashes = tuple(i for i in range(len(names)) if i not in coded)
    columns = [*(f"c{i} int" for i in coded), *(f"h{i} bigint" for i in hashes), f"{TIMES} bigint"]
    rows = mapped(given, Coding(prepared, coders, hashes), ", ".join(columns)).persist()
    counts = {
        names[i]: DistinctValues(each["cell"].alias(names[i]), each[TIMES].to_numpy()) for i, each in distinct.items()
    }
    return CodedRows(rows, dict(zip(names, empty.dtypes, strict=True)), counts, _total(rows), most_bytes)


def _quoted(name: str) -> str:
    """A column name as Spark reads it: a point in it does not separate."""
    return "`" + name.replace("`", "``") + "`"


def _dictionaries(
    values: Any, names: Sequence[str], not_text: Sequence[int], most_bytes: int
) -> dict[int, pl.DataFrame]:
    """Column → `cell`, `text` and number of rows of its distinct values, by text, null last; raises if they are large."""
    from pyspark.sql import functions as f

    values = values.persist()
    try:
        size = f.sum(f.coalesce(f.octet_length("text"), f.lit(0)) + f.lit(OF_VALUE)).alias("bytes")
        with explained():
            sizes = pl.DataFrame(values.groupBy("column").agg(size).toArrow())
            require_room(
                {names[column]: used for column, used in sizes.select("column", "bytes").iter_rows()}, most_bytes
            )
            found = pl.DataFrame(values.toArrow())
    finally:
        values.unpersist()
    parts = found.sort("column", "text", nulls_last=True).partition_by("column", as_dict=True)
    return {
        int(column): part.select(pl.col(f"r{column}" if column in not_text else "text").alias("cell"), "text", TIMES)
        for (column,), part in parts.items()
    }


def _without(rows: CodedRows, dropped: Mapping[str, Flags]) -> CodedRows:
    """The rows that have no dropped code; values that no row has are gone."""
    places = {name: rows.place(name) for name in rows.coded}
    columns = [*(f"c{i} int" for i in places.values())]
    columns += [f"h{rows.place(name)} bigint" for name in rows.kinds if name not in places]
    schema = ", ".join([*columns, f"{TIMES} bigint"])
    kept = replace(rows, frame=mapped(rows.frame, Kept(dropped, {}), schema))
    tallied = kept.counted(Tallied(tuple(places.values())), f"column int, code int, {TIMES} bigint")
    coded, dense = dict[str, DistinctValues](), dict[str, Int32]()
    for name, i in places.items():
        found = tallied.filter(pl.col("column") == i).sort("code")
        used, values = found["code"].to_numpy(), rows.coded[name].values
        dense[f"c{i}"] = np.zeros(len(values), np.int32)
        dense[f"c{i}"][used] = np.arange(len(used), dtype=np.int32)
        coded[name] = DistinctValues(values.gather(used), found[TIMES].to_numpy())
    frame = mapped(rows.frame, Kept(dropped, dense), schema)
    return replace(rows, frame=frame, coded=coded, rows=_total(frame))


def _persons_by_value(pairs: Any) -> Any:
    """The number of distinct persons of each value."""
    from pyspark.sql import functions as f

    return pairs.groupBy("value").agg(f.count("*").alias(TIMES))


def _repeated(counted: Any, most: int) -> tuple[int, int, int, Int64]:
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


_SMALL = 1 << 26
"""Bytes of counted rows that always fit."""


def _total(rows: Any) -> int:
    from pyspark.sql import functions as f

    with explained():
        return int(rows.agg(f.sum(TIMES)).toArrow()[0][0].as_py() or 0)


def _schema(keys: Sequence[str] | Mapping[str, Any]) -> str:
    return ", ".join([*(f"{key} int" for key in keys), f"{TIMES} bigint"])


@contextmanager
def explained() -> Iterator[None]:
    """Raises a `TableError` in place of an error of Spark, whose message may have values of the data."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raise TableError(
            f"Spark could not compute the table ({error.getCondition() or type(error).__name__}).",
            hint="see the log of Spark for the reason.",
        ) from None
