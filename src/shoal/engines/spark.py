"""The Spark engine: rows stay in Spark as codes, and only distinct values and counted rows reach the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.coding import DistinctValues
from shoal.coded.partition import Partition
from shoal.engines.base import CountedColumns, Published, Repeats, Tally
from shoal.engines.columns import hashed
from shoal.engines.dictionary import Dictionary, canonical
from shoal.engines.repeats import absent_hashes, scattered_pairs
from shoal.engines.spark_frames import (
    first_repeated,
    fits,
    mapped,
    persons_by_value,
    repeated,
    schema_of,
    spread,
    summed,
)
from shoal.engines.spark_publishing import SparkTrace, publish
from shoal.engines.spark_rows import CodedRows, rows_without
from shoal.engines.tasks import TIMES, Finder, Hashed, Keyed, Lacking, Located, TalliedByRow
from shoal.forms.base import Layout
from shoal.models.evidence import COUNT
from shoal.table import Runs, as_text
from shoal.verification.faithful import Pairs
from shoal.verification.regrouping import counted_rows

_KEPT_BITS = 63
"""Bits of a hash that Spark compares: its integers have a sign."""
_TALLIED_COLUMNS = 4
"""Columns of a tally: the number of its column, row, value and number of rows."""


class SparkEngine:
    """A table in Spark. The driver holds its dictionaries and its distinct rows."""

    kind: ClassVar[str] = "spark"
    in_parts: ClassVar[bool] = True

    def __init__(self, rows: CodedRows) -> None:
        self._rows = rows
        self._canonical = {name: _canonical(each.values) for name, each in rows.coded.items()}
        self._located = Located(Finder.of(np.zeros((0, 1), np.int32)), ())
        self._weight = np.zeros(0, np.int64)
        self._tallies = dict[bytes, dict[str, pl.DataFrame]]()
        self._lock = Lock()

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
        return SparkEngine(rows_without(self._rows, {self._rows.code(name): each for name, each in flags.items()}))

    def count(self, codes: Mapping[str, Int32], person: str | None = None) -> CountedColumns:
        keys = self._keys(codes)
        if person is not None:
            keys.append((self._rows.code(person), self._canonical[person].codes.astype(np.int32)))
        counted = self._counted(keys)
        self._tallies.clear()
        self._located, self._weight = Located(Finder.of(counted.codes), tuple(keys)), counted.weight
        return counted

    def joint(self, codes: Mapping[str, Int32]) -> CountedColumns:
        return self._counted(self._keys(codes))

    def _keys(self, codes: Mapping[str, Int32]) -> list[tuple[str, Int32]]:
        """Each column of the frame with the code of each of its values."""
        return [(self._rows.code(name), of_value[self._canonical[name].codes]) for name, of_value in codes.items()]

    def _counted(self, keys: Sequence[tuple[str, Int32]]) -> CountedColumns:
        """The distinct combinations of codes."""
        names = [f"k{number}" for number in range(len(keys))]
        found = self._rows.counted(Keyed(dict(zip(names, keys, strict=True))), schema_of(names)).sort(names or TIMES)
        columns = found.select(names).to_numpy().T if names else np.zeros((0, 1))
        return CountedColumns(np.ascontiguousarray(columns, np.int32), found[TIMES].to_numpy())

    def reference(self, column: str, texts: pl.Series, person: str | None = None) -> pl.DataFrame:
        if person is None:  # the dictionary has the counts
            rows = pl.DataFrame([texts.alias("value"), pl.Series("count", self.distinct(column).counts)])
            return rows.group_by("value").agg(pl.col("count").sum()).sort("value")
        distinct = texts.unique(maintain_order=True)
        place = _places(texts, distinct)[self._canonical[column].codes]
        keys = {
            "value": (self._rows.code(column), place),
            "person": (self._rows.code(person), self._canonical[person].codes.astype(np.int32)),
        }
        pairs = summed(mapped(self._rows.frame, Keyed(keys), schema_of(keys)))
        found = self._rows.driver.collected(persons_by_value(pairs))
        counts = found.select(distinct.gather(found["value"]).alias("value"), pl.col(TIMES).alias("count"))
        return counts.sort("value")

    def lacking(self, columns: Sequence[str], missing: Sequence[str]) -> int:
        flags = {}
        for name in columns:
            texts = as_text(self._rows.coded[name].values).str.strip_chars()
            lacks = (texts.is_null() | texts.is_in(list(missing))).fill_null(True)
            flags[self._rows.code(name)] = lacks.to_numpy()
        return int(self._rows.counted(Lacking(flags), schema_of([]))[TIMES].sum() or 0)

    def raw_rows(self, columns: Sequence[str]) -> pl.DataFrame:
        values = {name: self._rows.coded[name].values for name in columns}
        keys = {
            f"k{number}": (self._rows.code(name), np.arange(len(each), dtype=np.int32))
            for number, (name, each) in enumerate(values.items())
        }
        found = self._rows.counted(Keyed(keys), schema_of(keys))
        cells = [each.gather(found[key]).alias(name) for key, (name, each) in zip(keys, values.items(), strict=True)]
        return pl.DataFrame([*cells, found[TIMES].alias(COUNT)])

    def tally(self, column: str, rows: Flags) -> Tally:
        with self._lock:
            found = self._tallied(column, rows).sort("row", "value")
        value = found["value"].to_numpy()
        if column not in self._canonical:  # hashes are too large to count with
            value = np.unique(value, return_inverse=True)[1]
        return Tally(value, found["row"].to_numpy(), found[TIMES].to_numpy())

    def _tallied(self, column: str, rows: Flags) -> pl.DataFrame:
        """The counted values of a column in the chosen distinct rows; where they are few, one pass tallies all columns.

        In a small table, the pass is over all rows, from which those of any other choice are taken.
        """
        for chosen in (np.ones_like(rows), rows):
            if fits(int(self._weight[chosen].sum()) * len(self.columns), _TALLIED_COLUMNS):
                if (key := chosen.tobytes()) not in self._tallies:
                    self._tallies[key] = self._tally_of(self.columns, chosen)
                found = self._tallies[key][column]
                return found.filter(pl.Series(rows[found["row"].to_numpy()]))
        return self._tally_of([column], rows)[column]

    def _tally_of(self, columns: Sequence[str], rows: Flags) -> dict[str, pl.DataFrame]:
        codes = {name: each.codes.astype(np.int32) for name, each in self._canonical.items()}
        task = TalliedByRow(self._located, rows, tuple((self._rows.code(name), codes.get(name)) for name in columns))
        schema = f"`column` int, `row` int, `value` bigint, {TIMES} bigint"
        most = min(self._rows.rows, int(self._weight[rows].sum())) * len(columns)
        found = self._rows.driver.counted(self._rows.frame, task, schema, most)
        return {name: found.filter(pl.col("column") == number) for number, name in enumerate(columns)}

    def repeats(self, column: str, missing: Sequence[str], most: int, sample: int = 1) -> Repeats:
        coded = self._rows.coded.get(column)
        task = Hashed(
            self._rows.code(column),
            None if coded is None else hashed(coded.values).view(np.int64),
            absent_hashes(self._rows.kinds[column], missing).view(np.int64),
            2**_KEPT_BITS // sample,
        )
        schema = f"hash bigint, `row` int, {TIMES} bigint"
        if fits(self._rows.rows, _TALLIED_COLUMNS):
            found = self._rows.counted(replace(task, located=self._located), schema)
            return _repeats_of(found, most)
        totals = summed(mapped(self._rows.frame, task, schema))
        values, rows, sharing, among = repeated(totals, most, self._rows.driver)
        wanted = replace(task, located=self._located, among=among)
        found = self._rows.counted(wanted, schema).sort("hash", "row") if len(among) else pl.DataFrame()
        return Repeats(values, rows, sharing, scattered_pairs(found, most))

    def publish(self, partition: Partition, layout: Layout, person: str | None = None) -> Published:
        return publish(self._rows, self._canonical, self._located, self._weight, partition, layout, person)

    def behind(self, run: SparkTrace, runs: int) -> Int64:
        return run.behind(runs)

    def pairs(self, column: str, cells: pl.Series, run: SparkTrace) -> Pairs:
        return run.pairs(column, self._canonical[column].codes, cells)

    def differing(self, column: str, cells: pl.Series, run: SparkTrace) -> int:
        return run.differing(column, cells)

    def other_persons(self, person: str, persons: pl.Series, times: Int64, run: SparkTrace) -> int:
        return run.other_persons(person, persons, times)

    def each(self, task: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        return spread(self._rows.frame.sparkSession, self._rows.driver, task, items)

    def regroup(self, table: Runs, columns: Sequence[str]) -> pl.DataFrame:
        return counted_rows(table, columns)


def _repeats_of(counted: pl.DataFrame, most: int) -> Repeats:
    """How the values of a column repeat, of all of which the hash, the distinct row and the number are given."""
    by_hash = counted.group_by("hash").agg(pl.col(TIMES).sum())
    again = by_hash.filter(pl.col(TIMES) > 1).sort("hash")
    among = again["hash"].head(len(first_repeated(again.head(most)[TIMES].to_numpy(), most)))
    found = counted.filter(pl.col("hash").is_in(among.implode())).sort("hash", "row")
    rows, sharing = int(by_hash[TIMES].sum()), int(again[TIMES].sum())
    return Repeats(by_hash.height, rows, sharing, scattered_pairs(found, most))


def _canonical(values: pl.Series) -> Dictionary:
    """The code, among values of which null and NaN are one, of each distinct value."""
    return canonical(Dictionary(np.arange(len(values), dtype=np.uint32), values))


def _places(texts: pl.Series, distinct: pl.Series) -> Int32:
    """int32 [texts]: the place of every text among the distinct ones."""
    known = distinct.to_frame("text").with_row_index("place")
    rows = texts.to_frame("text").join(known, on="text", how="left", nulls_equal=True, maintain_order="left")
    return rows["place"].cast(pl.Int32).to_numpy()
