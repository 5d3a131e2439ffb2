"""What Spark executors do with rows: polars and numpy on Arrow batches, by the code of the other engines.

A task is a value that is called with a frame and returns a frame. It needs no Spark, so it is sent to executors whole.
Coded frames have the codes of column i in `c<i>`, int32, the hashes of column i in `h<i>`, int64, and in `n`, int64,
the number of rows that each of their rows stands for.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.keys import packed
from shoal.engines.columns import hashed, unequal, wrong_codes
from shoal.engines.dictionary import exact_text
from shoal.errors import TableError
from shoal.table import with_set_texts

TIMES = "n"
_ROWS = 1 << 18
"""Rows that a task looks at at once. Spark's own batches have 10,000, too few for equal rows to meet."""

Task = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True)
class Running:
    """A task as Spark calls it: an iterator of Arrow batches in, one out.

    `shared` has the task as its `value`: a broadcast variable, so that each executor receives it once.
    """

    shared: Any

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        task: Task = self.shared.value
        for joined in _joined(batches):
            frame = pl.from_arrow(joined)
            assert isinstance(frame, pl.DataFrame)
            yield from _as_spark(task(frame), dict(zip(joined.schema.names, joined.schema.types, strict=True)))


@dataclass(frozen=True)
class Packed:
    """A task for single items: each row has the `number` of an item and the item, or its result, pickled."""

    task: Callable[[Any], Any]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        done = [pickle.dumps(self.task(pickle.loads(item))) for item in frame["item"]]
        return pl.DataFrame([frame["number"], pl.Series("item", done, pl.Binary)])


def _joined(batches: Iterator[Any]) -> Iterator[Any]:
    """Tables of consecutive batches that are large enough to be worth a task."""
    import pyarrow as pa

    waiting, rows = list[Any](), 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= _ROWS:
            yield pa.Table.from_batches(waiting)
            waiting, rows = [], 0
    if rows:
        yield pa.Table.from_batches(waiting)


def _as_spark(frame: pl.DataFrame, given: Mapping[str, Any]) -> Iterator[Any]:
    """The batches of a frame in the types that Spark has: `r<i>` has the type of the given `x<i>`."""
    import pyarrow as pa

    table = frame.rechunk().to_arrow()
    kinds = [
        given.get(f"x{field.name.removeprefix('r')}") or _KINDS[frame.schema[field.name]](pa) for field in table.schema
    ]
    yield from table.cast(pa.schema(list(zip(table.schema.names, kinds, strict=True)))).to_batches()


_KINDS: Mapping[pl.DataType, Callable[[Any], Any]] = {
    pl.Int32(): lambda pa: pa.int32(),
    pl.Int64(): lambda pa: pa.int64(),
    pl.String(): lambda pa: pa.string(),
    pl.Binary(): lambda pa: pa.binary(),
}


def summed(frame: pl.DataFrame) -> pl.DataFrame:
    """Equal rows as one, with the sum of their numbers of rows."""
    keys = [name for name in frame.columns if name != TIMES]
    return frame.group_by(keys).agg(pl.col(TIMES).sum()) if keys else frame.select(pl.col(TIMES).sum())


# -- coding -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Prepared:
    """The columns `x<i>` of a Spark frame by their names, with text in place of lists, and moments in one `zone`."""

    names: tuple[str, ...]
    separators: Mapping[str, str]
    zone: str = "UTC"

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        named = frame.rename(dict(zip(frame.columns, self.names, strict=True)))
        return with_set_texts(in_zone(named, self.zone), self.separators)


def in_zone(frame: pl.DataFrame, zone: str) -> pl.DataFrame:
    """A frame whose moments are in a time zone: Spark names the zone of a session in several ways."""
    moments = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Datetime) and kind.time_zone]
    return frame.with_columns(pl.col(name).dt.convert_time_zone(zone) for name in moments)


@dataclass(frozen=True)
class Values:
    """The distinct cells of columns: `column`, `text`, `n`, and the cell itself in `r<i>` unless it is text."""

    prepared: Prepared
    coded: tuple[int, ...]
    not_text: tuple[int, ...]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        frame = self.prepared(frame)
        found = pl.concat([self._of(i, frame[:, i]) for i in self.coded], how="diagonal")
        return found.select("column", "text", TIMES, *(f"r{i}" for i in self.not_text))

    def _of(self, i: int, column: pl.Series) -> pl.DataFrame:
        texts = pl.DataFrame([exact_text(column).alias("text"), pl.Series("row", np.arange(len(column)))])
        found = texts.group_by("text").agg(pl.len().cast(pl.Int64).alias(TIMES), pl.col("row").first())
        cells = [column.gather(found["row"]).alias(f"r{i}")] if i in self.not_text else []
        return found.select(pl.lit(i, pl.Int32).alias("column"), "text", TIMES).with_columns(cells)


@dataclass(frozen=True)
class Coder:
    """A column's dictionary: `texts`, those of its distinct values apart from null, and `distinct`, with null last."""

    texts: pl.Series
    distinct: pl.Series

    @cached_property
    def _kind(self) -> pl.Enum:
        return pl.Enum(self.texts)

    def codes(self, column: pl.Series) -> Int32:
        """int32 [n]: the code of every cell; raises unless each stands for its cell."""
        texts = exact_text(column)
        coded = texts.cast(self._kind, strict=False)  # a strict cast would name the value in its error
        if coded.null_count() > texts.null_count() or (texts.null_count() and len(self.texts) == len(self.distinct)):
            raise changed(column.name)
        codes: Int32 = coded.to_physical().cast(pl.Int32).fill_null(len(self.texts)).to_numpy()
        if unequal(column, self.distinct, codes):
            raise wrong_codes(column.name)
        return codes


def changed(name: str) -> TableError:
    return TableError(
        f"Column '{name}' has other values than when it was first read.",
        allowed="A Spark frame must have the same rows whenever it is computed.",
        hint="write the frame to a table, and read that.",
    )


@dataclass(frozen=True)
class Coding:
    """The codes of some columns and the hashes of others; without hashes, equal rows of a batch are one."""

    prepared: Prepared
    coders: Mapping[int, Coder]
    hashed: tuple[int, ...]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        frame = self.prepared(frame)
        codes = [pl.Series(f"c{i}", coder.codes(frame[:, i])) for i, coder in self.coders.items()]
        hashes = [pl.Series(f"h{i}", hashed(frame[:, i]).view(np.int64)) for i in self.hashed]
        rows = pl.DataFrame([*codes, *hashes, pl.Series(TIMES, np.ones(frame.height, np.int64))])
        return rows if hashes else summed(rows)


# -- on coded rows ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kept:
    """The rows in which no code is dropped, with other codes: `dropped` and `codes` have an array for some columns."""

    dropped: Mapping[str, Flags]
    codes: Mapping[str, Int32]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        keep = np.ones(frame.height, np.bool_)
        for name, flags in self.dropped.items():
            keep &= ~flags[frame[name].to_numpy()]
        kept = frame.filter(pl.Series(keep))
        return kept.with_columns(pl.Series(name, new[kept[name].to_numpy()]) for name, new in self.codes.items())


@dataclass(frozen=True)
class Tallied:
    """The number of rows of each code of some columns: `column`, `code`, `n`."""

    columns: tuple[int, ...]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        return pl.concat(
            summed(frame.select(pl.lit(i, pl.Int32).alias("column"), pl.col(f"c{i}").alias("code"), TIMES))
            for i in self.columns
        )


@dataclass(frozen=True)
class Keyed:
    """Counted combinations of columns, each given by another name and the new code of each of its codes."""

    keys: Mapping[str, tuple[str, Int32]]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        keys = [pl.Series(key, codes[frame[name].to_numpy()]) for key, (name, codes) in self.keys.items()]
        return summed(pl.DataFrame([*keys, frame[TIMES]]))


@dataclass(frozen=True)
class Lacking:
    """The rows with a flagged code in at least one column, counted."""

    flags: Mapping[str, Flags]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        lacking = np.zeros(frame.height, np.bool_)
        for name, flags in self.flags.items():
            lacking |= flags[frame[name].to_numpy()]
        return summed(frame.filter(pl.Series(lacking)).select(TIMES))


@dataclass(frozen=True)
class Finder:
    """Finds coded rows among distinct ones, which are sorted.

    Codes are packed into keys of 64 bits. `levels` are the columns that fit into one key, with the distinct keys,
    ascending; the place of a key among them is packed with the columns of the next level.
    """

    sizes: tuple[int, ...]
    levels: tuple[tuple[int, int, Int64], ...]

    @staticmethod
    def of(codes: Int32) -> Finder:
        """The finder of distinct rows: int32 [columns, d]."""
        sizes = tuple(int(column.max(initial=0)) + 1 for column in codes)
        parts, levels = list[slice](), list[tuple[int, int, Int64]]()

        def extend(keys: Int64, part: slice) -> None:
            parts.append(part)
            for a in range(part.start, part.stop):
                keys *= sizes[a]
                keys += codes[a]

        def compress(keys: Int64, _room: int) -> tuple[Int64, int]:
            distinct, places = np.unique(keys, return_inverse=True)
            levels.append((parts[-1].start, parts[-1].stop, distinct))
            return places, len(distinct)

        keys, _ = packed(sizes, codes.shape[1], extend, compress)
        return Finder(sizes, (*levels, (parts[-1].start, parts[-1].stop, np.unique(keys))))

    def rows(self, columns: Sequence[Int32], length: int) -> Int32:
        """int32 [length]: the place of every row among the distinct ones, -1 if it is not among them."""
        keys, known = np.zeros(length, np.int64), np.ones(length, np.bool_)
        for begin, end, distinct in self.levels:
            for a in range(begin, end):
                keys = keys * self.sizes[a] + columns[a]
                known &= columns[a] < self.sizes[a]
            places = np.minimum(np.searchsorted(distinct, keys), max(len(distinct) - 1, 0))
            known &= distinct[places] == keys if len(distinct) else False
            keys = places
        return np.where(known, keys, -1).astype(np.int32)


@dataclass(frozen=True)
class Located:
    """Finds the distinct row of every coded row: `keys` are the counted columns, with the new code of each code."""

    finder: Finder
    keys: tuple[tuple[str, Int32], ...]

    def rows(self, frame: pl.DataFrame) -> Int32:
        """int32 [n]: the distinct row of every row; raises if one was not counted."""
        rows = self.finder.rows([codes[frame[name].to_numpy()] for name, codes in self.keys], frame.height)
        if (rows < 0).any():
            raise TableError("The table has other rows than when they were counted.", hint="write it, and read that.")
        return rows


@dataclass(frozen=True)
class TalliedByRow:
    """The values of columns in the chosen distinct rows, counted: `column`, `row`, `value`, `n`.

    `columns`: for each, its name in the frame, and the new code of each of its codes, None for hashes.
    """

    located: Located
    chosen: Flags
    columns: tuple[tuple[str, Int32 | None], ...]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        rows = self.located.rows(frame)
        chosen = self.chosen[rows]
        picked, rows = frame.filter(pl.Series(chosen)), rows[chosen]
        return pl.concat(self._of(number, picked, rows) for number in range(len(self.columns)))

    def _of(self, number: int, frame: pl.DataFrame, rows: Int32) -> pl.DataFrame:
        name, codes = self.columns[number]
        value = frame[name].to_numpy() if codes is None else codes[frame[name].to_numpy()].astype(np.int64)
        found = summed(pl.DataFrame([pl.Series("row", rows), pl.Series("value", value), frame[TIMES]]))
        return found.select(pl.lit(number, pl.Int32).alias("column"), "row", "value", TIMES)


@dataclass(frozen=True)
class Hashed:
    """The hashes of a column below `end`, without those of missing cells: `hash`, of 63 bits, `row`, `n`.

    `hashes`: those of the column's codes, None if it is stored as hashes. `located`: None if rows are not wanted.
    `among`: the hashes that are wanted, None for all.
    """

    column: str
    hashes: Int64 | None
    absent: Int64
    end: int
    located: Located | None = None
    among: Int64 | None = None

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        cells = frame[self.column].to_numpy()
        whole = cells if self.hashes is None else self.hashes[cells]
        half = (whole.view(np.uint64) >> np.uint64(1)).astype(np.int64)
        wanted = (half < self.end) & ~np.isin(whole, self.absent)
        if self.among is not None:
            wanted &= np.isin(half, self.among)
        rows = np.zeros(frame.height, np.int32) if self.located is None else self.located.rows(frame)
        found = pl.DataFrame([pl.Series("hash", half), pl.Series("row", rows), frame[TIMES]])
        return summed(found.filter(pl.Series(wanted)))
