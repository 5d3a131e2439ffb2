"""Columns on disk: codes of one type per column, written batch by batch and memory-mapped afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from shoal.arrays import Codes, Flags, Int64, UInt32, UInt64
from shoal.coded.keys import KeyCounts
from shoal.engines.columns import hashed, parts, unequal, wrong_codes
from shoal.engines.dictionary import Dictionary, exact_text
from shoal.errors import TableError

_WIDTHS: tuple[type[np.unsignedinteger[Any]], ...] = (np.uint8, np.uint16, np.uint32)
_MANY = 1 << 22
"""Rows that are copied at once."""
OF_VALUE = 48
"""Bytes that a distinct value takes besides its text."""
_SMALL = 1 << 26
"""Bytes of dictionaries that always fit."""


def _created(path: Path) -> BinaryIO:
    """A new file that nobody else may read."""
    path.touch(mode=0o600)
    return path.open("wb")


class _File:
    """Codes in a file, in the narrowest type that holds all of them. The largest number of a type stands for null."""

    def __init__(self, path: Path) -> None:
        self._path, self._width, self.rows = path, 0, 0
        self._file = _created(path)

    def append(self, codes: UInt32, null: Flags | None, size: int) -> None:
        """Adds codes, all below `size`, apart from those that are null."""
        while size > np.iinfo(_WIDTHS[self._width]).max and self._width < len(_WIDTHS) - 1:
            self._widen()
        narrow = codes.astype(_WIDTHS[self._width])
        if null is not None:
            narrow[null] = np.iinfo(narrow.dtype).max
        narrow.tofile(self._file)
        self.rows += len(codes)

    def _widen(self) -> None:
        self._file.close()
        narrow, none = self._mapped("r"), np.iinfo(_WIDTHS[self._width]).max
        wider = self._path.with_suffix(".wider")
        self._width += 1
        with _created(wider) as file:
            for part in parts(self.rows, _MANY):
                codes = narrow[part].astype(_WIDTHS[self._width])
                codes[narrow[part] == none] = np.iinfo(codes.dtype).max
                codes.tofile(file)
        wider.replace(self._path)
        self._file = self._path.open("ab")

    def _mapped(self, mode: Any) -> Codes:
        if not self.rows:  # an empty file cannot be mapped
            return np.zeros(0, _WIDTHS[self._width])
        return np.asarray(np.memmap(self._path, _WIDTHS[self._width], mode, shape=(self.rows,)))

    def finished(self, null_code: int | None) -> Codes:
        """The codes, memory-mapped, with a code in place of null, if there is any."""
        self._file.close()
        if null_code is None:
            return self._mapped("r")
        while null_code > np.iinfo(_WIDTHS[self._width]).max:
            self._widen()
            self._file.close()
        codes = self._mapped("r+")
        for part in parts(self.rows, _MANY):
            some = codes[part]
            some[some == np.iinfo(some.dtype).max] = null_code
        return codes


class _Coder:
    """A column that is coded batch by batch against a dictionary that grows."""

    def __init__(self, path: Path, name: str, dtype: pl.DataType) -> None:
        self._file, self._kind = _File(path), pl.Categorical(pl.Categories.random())
        self._distinct = pl.Series(name, [None], dtype=dtype)  # null is always the last
        self._alive = pl.Series(dtype=self._kind)  # polars forgets the texts of a type that no column has
        self._has_null = False
        self.size, self.bytes = 0, 0

    def add(self, column: pl.Series) -> None:
        from shoal.kernels.distinct import first_places

        texts = exact_text(column)
        categories = texts.cast(self._kind)
        self._alive = categories.head(1)
        coded = categories.to_physical()
        null = coded.is_null().to_numpy() if coded.null_count() else None
        self._has_null = self._has_null or null is not None
        codes = coded.fill_null(0).to_numpy()
        largest = coded.max()
        size = max(self.size, largest + 1 if isinstance(largest, int) else 0)
        if size > self.size:
            present = codes if null is None else np.where(null, size, codes).astype(np.uint32)
            firsts = first_places(present, size + 1)[self.size : size]
            self._distinct = pl.concat(
                [self._distinct[: self.size], column.gather(firsts), self._distinct[self.size :]]
            )
            self.bytes += int(texts.gather(firsts).str.len_bytes().sum()) + OF_VALUE * len(firsts)
            self.size = size
        self._check(column, codes, null)
        self._file.append(codes, null, self.size + 1)

    def _check(self, column: pl.Series, codes: UInt32, null: Flags | None) -> None:
        """Raises unless the codes stand for the cells: afterwards, the cells are known by their codes alone."""
        distinct = self._distinct
        of_cell = codes if null is None else np.where(null, self.size, codes)
        if any(unequal(column[part], distinct, of_cell[part]) for part in parts(len(column))):
            raise wrong_codes(column.name)

    def finished(self) -> Dictionary:
        distinct = self._distinct if self._has_null else self._distinct[:-1]
        return Dictionary(self._file.finished(self.size if self._has_null else None), distinct.rechunk())


class _Hasher:
    """A column of which only hashes are kept: nothing is published of it, and it may have a value for every row."""

    def __init__(self, path: Path) -> None:
        self._path, self._rows = path, 0
        self._file = _created(path)

    def add(self, column: pl.Series) -> None:
        hashes = hashed(column)
        hashes.tofile(self._file)
        self._rows += len(hashes)

    def finished(self) -> UInt64:
        self._file.close()
        mapped = np.memmap(self._path, np.uint64, "r", shape=(self._rows,)) if self._rows else np.zeros(0, np.uint64)
        return np.asarray(mapped)


class SpooledColumns:
    """The columns of a table on disk. Of some, only the hashes of their cells are known."""

    def __init__(
        self,
        folder: Path,
        schema: dict[str, pl.DataType],
        coded: dict[str, Dictionary],
        hashes: dict[str, UInt64],
        rows: int,
    ) -> None:
        self._folder, self._schema = folder, schema
        self._coded, self._hashes, self._rows = coded, hashes, rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._schema)

    @property
    def rows(self) -> int:
        return self._rows

    def coded(self, name: str) -> Dictionary:
        """The codes of a column; of one whose hashes alone are known, the values are these hashes."""
        if name not in self._coded:
            self._coded[name] = _by_hash(self._hashes[name])
        return self._coded[name]

    def checked(self, name: str) -> Dictionary:
        return self.coded(name)  # every batch was compared when it was written

    def hashes(self, name: str) -> UInt64:
        if name in self._hashes:
            return self._hashes[name]
        codes, distinct = self._coded[name]
        of_value, found = hashed(distinct), np.empty(self.rows, np.uint64)
        for part in parts(self.rows, _MANY):
            found[part] = of_value[codes[part]]
        return found

    def kind(self, name: str) -> pl.DataType:
        return self._schema[name]

    def picked(self, keep: Flags) -> SpooledColumns:
        """The rows that are kept, bool [n], in files of their own; values that no kept row has are gone."""
        rows = int(np.count_nonzero(keep))
        coded, hashes = dict[str, Dictionary](), dict[str, UInt64]()
        for number, name in enumerate(self._schema):
            path = self._folder / f"kept-{number}"
            if name in self._hashes:
                hashes[name] = _copied(self._hashes[name], keep, path)
            else:
                coded[name] = _dense(_copied(self._coded[name].codes, keep, path, "r+"), self._coded[name].distinct)
        return SpooledColumns(self._folder, self._schema, coded, hashes, rows)

    def kept_rows(self, keep: Flags) -> Int64:
        """int64: the numbers of the rows that are kept, on disk."""
        path = self._folder / "kept-rows"
        with _created(path) as file:
            for part in parts(self.rows, _MANY):
                (np.flatnonzero(keep[part]) + part.start).astype(np.int64).tofile(file)
        return np.asarray(np.memmap(path, np.int64, "r")) if keep.any() else np.zeros(0, np.int64)


def spooled(
    batches: Iterable[pl.DataFrame], folder: Path, only_hashed: Callable[[str], bool], most_bytes: int
) -> SpooledColumns:
    """Writes the columns of a table to a folder, batch by batch.

    `only_hashed`: whether nothing but the hashes of a column is needed. Raises if the dictionaries take more than
    `most_bytes` of memory.
    """
    schema: dict[str, pl.DataType] = {}
    coders: dict[str, _Coder] = {}
    hashers: dict[str, _Hasher] = {}
    rows = 0
    for batch in batches:
        if not schema:
            schema = dict(batch.schema)
            paths = {name: folder / f"column-{number}" for number, name in enumerate(schema)}
            hashers = {name: _Hasher(path) for name, path in paths.items() if only_hashed(name)}
            coders = {name: _Coder(path, name, schema[name]) for name, path in paths.items() if name not in hashers}
        rows += batch.height
        for name, column in (hashers | coders).items():
            if batch.height:
                column.add(batch[name])
        require_room({name: coder.bytes for name, coder in coders.items()}, most_bytes)
    coded = {name: coder.finished() for name, coder in coders.items()}
    return SpooledColumns(folder, schema, coded, {name: each.finished() for name, each in hashers.items()}, rows)


def require_room(used: Mapping[str, int], most_bytes: int) -> None:
    """Raises if the dictionaries of columns, column → bytes, take more than `most_bytes` of memory."""
    if sum(used.values()) <= max(most_bytes, _SMALL):
        return
    largest = max(used, key=lambda name: used[name])
    raise TableError(
        f"The distinct values of the columns do not fit in memory; column '{largest}' needs the most.",
        allowed="Memory must hold every distinct value of the columns that are released.",
        hint=f"if '{largest}' has a value of its own in nearly every row, give it the role drop or identifier.",
    )


def _by_hash(hashes: UInt64) -> Dictionary:
    """Codes by hash. Two bits are left out, so that keys stay positive and below 2 to the power of 62."""
    found, codes = KeyCounts(), np.empty(len(hashes), np.uint32)
    for part in parts(len(hashes), _MANY):
        codes[part] = found.add((hashes[part] >> np.uint64(2)).astype(np.int64), 1 << 62, part.start)
    ranks = found.ranks.astype(np.uint32)
    for part in parts(len(hashes), _MANY):
        codes[part] = ranks[codes[part]]
    return Dictionary(codes, pl.Series(found.keys))


def _copied(column: Any, keep: Flags, path: Path, mode: Any = "r") -> Any:
    """The kept rows of a column in a file of their own."""
    with _created(path) as file:
        for part in parts(len(keep), _MANY):
            column[part][keep[part]].tofile(file)
    return np.asarray(np.memmap(path, column.dtype, mode)) if keep.any() else np.zeros(0, column.dtype)


def _dense(codes: Codes, distinct: pl.Series) -> Dictionary:
    """Codes of the values that occur, in the order of their first appearance, with null as the last; in place."""
    firsts = np.full(len(distinct), len(codes), np.int64)
    for part in parts(len(codes), _MANY):
        values, places = np.unique(codes[part], return_index=True)
        firsts[values] = np.minimum(firsts[values], places + part.start)
    used, null = np.flatnonzero(firsts < len(codes)), distinct.is_null().to_numpy()
    order = used[np.lexsort((firsts[used], null[used]))]
    dense = np.zeros(len(distinct), codes.dtype)
    dense[order] = np.arange(len(order))
    for part in parts(len(codes), _MANY):
        codes[part] = dense[codes[part]]
    return Dictionary(codes, distinct.gather(order))
