"""Sets of items: the cells of a set-valued column, as text with a separator or as lists.

The items of a cell are its parts without surrounding blanks; empty parts, missing values and repetitions do not count.
A missing cell is the empty set. The canonical text of a set has its items in the order of their texts, joined by the
separator, so that equal sets are equal texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Int32, Int64
from shoal.counts import counted
from shoal.errors import TableError
from shoal.table.types import as_text

DEFAULT_SEPARATOR = "|"
SEPARATORS = (DEFAULT_SEPARATOR, ";", ",")
"""The separators by which sets are recognized."""


class Sets(NamedTuple):
    """The sets of a column: set s holds the items `members[offsets[s]:offsets[s+1]]`.

    `items`: the distinct items as text, ascending. offsets int64 [sets + 1], members int32, ascending within a set.
    """

    items: pl.Series
    offsets: Int64
    members: Int32

    @property
    def lists(self) -> pl.Series:
        """The items of each set, as a list of texts."""
        import pyarrow as pa

        flat: Any = self.items.gather(self.members).to_arrow()
        listed = pl.Series(pa.LargeListArray.from_arrays(pa.array(self.offsets, pa.int64()), flat))
        return listed.cast(pl.List(pl.String)).alias(self.items.name)

    def texts(self, separator: str) -> pl.Series:
        """The canonical text of each set, null if it is empty."""
        return _joined(self.lists, separator)

    def rows_of_items(self, rows: Int64) -> Int64:
        """int64 [items]: the rows whose set has each item; `rows` int64 [sets]: those of each set.

        >>> read_sets(pl.Series(["a|b", "b", None]), "|", ()).rows_of_items(np.array([5, 2, 9])).tolist()
        [5, 7]
        """
        found = np.zeros(len(self.items), np.int64)
        np.add.at(found, self.members, np.repeat(rows, np.diff(self.offsets)))
        return found


def read_sets(column: pl.Series, separator: str, missing: Sequence[str]) -> Sets:
    """The set of every cell of a column of texts or lists.

    >>> sets = read_sets(pl.Series(["b | a", None, "a|a|?"]), "|", ["?"])
    >>> sets.items.to_list(), sets.offsets.tolist(), sets.members.tolist()
    (['a', 'b'], [0, 2, 2, 3], [0, 1, 0])
    """
    lists = set_texts(column, separator).fill_null("").str.split(separator)
    lengths = lists.list.len().to_numpy().astype(np.int64)
    codes, distinct = _encoded(lists.explode(empty_as_null=False, keep_nulls=False))
    parts = distinct.str.strip_chars()
    is_item = ~(parts.is_in(list(missing)) | (parts == ""))
    items = parts.filter(is_item).unique().sort().alias(column.name)
    of_part = np.full(len(parts), -1, np.int64)
    of_part[is_item.to_numpy()] = items.search_sorted(parts.filter(is_item)).to_numpy() if len(items) else 0
    row, item = np.repeat(np.arange(len(column)), lengths), of_part[codes]
    keys = _ascending((row * max(len(items), 1) + item)[item >= 0])
    row, members = np.divmod(keys, max(len(items), 1))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(column)))])
    return Sets(items, offsets.astype(np.int64), members.astype(np.int32))


def canonical_sets(column: pl.Series, separator: str, missing: Sequence[str] = ()) -> pl.Series:
    """The canonical text of every cell, null if it is the empty set.

    >>> canonical_sets(pl.Series(["fever| cough", "", "cough|fever|cough"]), "|").to_list()
    ['cough|fever', None, 'cough|fever']
    """
    return read_sets(column, separator, missing).texts(separator)


def set_texts(column: pl.Series, separator: str) -> pl.Series:
    """A column of sets as text: lists are joined in their order, and all other types keep their text.

    Raises if an item of a list contains the separator: its text would read as several items.
    """
    if not isinstance(column.dtype, pl.List | pl.Array):
        return as_text(column)
    lists = column.arr.to_list() if isinstance(column.dtype, pl.Array) else column
    flat = as_text(lists.explode(empty_as_null=False, keep_nulls=False).alias(column.name)).fill_null("")
    if divided := int(flat.str.contains(separator, literal=True).sum()):
        raise TableError(
            f"Column '{column.name}' has lists with {counted(divided, 'item that contains', 'items that contain')} the "
            f"separator {separator!r}.",
            allowed="An item must not contain the separator of its column.",
            hint='choose another one, such as items = ";".',
        )
    lengths = lists.list.len().fill_null(0).to_numpy().astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    texts = Sets(flat, offsets, np.arange(len(flat), dtype=np.int32)).texts(separator)
    # A list of one empty item must not read as an empty list, which has no item.
    hollow = pl.Series((lengths > 0) & texts.is_null().to_numpy())
    return texts.set(hollow, separator).alias(column.name)


def with_set_texts(frame: pl.DataFrame, separators: Mapping[str, str]) -> pl.DataFrame:
    """The frame with text in place of lists in some columns: column → its separator."""
    listed = [name for name in separators if name in frame.columns and is_list(frame[name])]
    return frame.with_columns(set_texts(frame[name], separators[name]) for name in listed)


def with_lists(frame: pl.DataFrame, separators: Mapping[str, str]) -> pl.DataFrame:
    """The frame with lists in place of the texts of sets in some columns: column → its separator."""
    present = [name for name in separators if name in frame.columns]
    return frame.with_columns(read_sets(frame[name], separators[name], ()).lists for name in present)


def is_list(column: pl.Series) -> bool:
    """Whether the cells of a column are lists."""
    return isinstance(column.dtype, pl.List | pl.Array)


def _joined(lists: pl.Series, separator: str) -> pl.Series:
    """Lists of texts, joined in their order; null if nothing remains."""
    texts = lists.list.join(separator)
    return texts.set(texts == "", None)


def _ascending(keys: Int64) -> Int64:
    """The distinct keys, ascending; those of canonical sets are so already."""
    if len(keys) < 2 or (keys[1:] > keys[:-1]).all():
        return keys
    keys = np.sort(keys)  # np.unique hashes integers, which takes ten times as long
    distinct: Int64 = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    return distinct


def _encoded(parts: pl.Series) -> tuple[Int64, pl.Series]:
    """int64 [n]: the position of every text among the distinct ones, and these."""
    coded = parts.cast(pl.Categorical(pl.Categories.random()))
    present = coded.unique()
    places = present.to_physical().to_numpy()
    of_code = np.zeros(int(places.max(initial=0)) + 1, np.int64)
    of_code[places] = np.arange(len(present))
    return of_code[coded.to_physical().to_numpy()], present.cast(pl.String)
