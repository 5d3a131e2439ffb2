"""The generalized form: one table in which every row shows its class's labels instead of the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import labels
from shoal.coded.bands import told
from shoal.coded.boundaries import boundaries, written
from shoal.coded.encode import SET, TREE, Encoded, QuasiColumn, dictionary, distinct_rows
from shoal.coded.partition import ClassStats, Int64, Partition
from shoal.forms.base import AtLevel, Released
from shoal.models.base import ClassModel
from shoal.table import as_text

Float64 = NDArray[np.float64]
Labels = list[str]


class Described(NamedTuple):
    """One quasi-identifier of every class: codes int64 [classes] into labels, loss and level float64 [classes].

    The loss runs from 0 to 1; the level is the share of the hierarchy's height climbed, NaN where there is none.
    """

    codes: Int64
    labels: Labels
    loss: Float64
    level: Float64


class Generalized:
    """Rows of a class carry the same label in every quasi-identifier; everything else is released as it is."""

    kind: ClassVar[str] = "generalized"

    def refuses(self, models: Sequence[ClassModel], columns: Sequence[str]) -> str:
        return ""

    def release(
        self, frame: pl.DataFrame, encoded: Encoded, partition: Partition, ranges: str, sensitive: Sequence[str]
    ) -> Released:
        class_of = partition.class_of[encoded.row_of]
        kept = np.flatnonzero(class_of >= 0)
        stats = partition.stats(encoded.rows)
        described = {
            column.name: _describe(encoded, stats, partition, a, ranges) for a, column in enumerate(encoded.quasi)
        }
        table, order = _assembled(frame, described, class_of, kept)
        loss = np.stack([each.loss for each in described.values()], axis=1)
        level = np.stack([each.level for each in described.values()], axis=1)
        rows = np.bincount(class_of[kept], minlength=partition.classes).astype(np.int64)
        levels = _common_levels(encoded.names, partition)
        values = _released_values(encoded, partition, ranges)
        return Released(
            {"release": table},
            kept[order],
            encoded.names,
            rows,
            loss,
            level,
            levels,
            values,
            by_level=_by_level(described, partition, rows),
        )


def _assembled(
    frame: pl.DataFrame, described: Mapping[str, Described], class_of: Int64, kept: Int64
) -> tuple[pl.DataFrame, Int64]:
    """The kept rows as they are released, sorted by all columns, and int64 [rows]: the place of each in `kept`.

    Rows of one class that are alike in what is left unchanged are released alike: one of them stands for all.
    """
    every = len(kept) == len(frame)
    classes = class_of[kept].astype(np.int32)
    as_is = {
        name: unchanged(frame[name] if every else frame[name].gather(kept))
        for name in frame.columns
        if name not in described
    }
    kind_of, examples, rows = distinct_rows([classes, *(key for _, key in as_is.values())])
    columns, keys = [], []
    for name in frame.columns:
        if name in described:
            column, key = _labelled(name, described[name], classes[examples])
        else:
            column, key = as_is[name][0][examples], as_is[name][1][examples]
        columns.append(column)
        keys.append(key)
    places, firsts, _ = distinct_rows(keys)
    times = np.zeros(len(firsts), np.int64)
    np.add.at(times, places, rows)
    table = pl.DataFrame(columns)[firsts][np.repeat(np.arange(len(firsts)), times)]
    return table, _ordered(places[kind_of], len(firsts))


def _by_level(described: Mapping[str, Described], partition: Partition, rows: Int64) -> dict[str, tuple[AtLevel, ...]]:
    """Column → rows and labels at each level, where classes have levels."""
    if partition.levels is None:
        return {}
    found = {}
    for a, (name, column) in enumerate(described.items()):
        level_of = partition.levels[:, a]
        found[name] = tuple(
            AtLevel(
                level,
                int(rows[level_of == level].sum()),
                tuple(sorted({column.labels[code] for code in np.unique(column.codes[level_of == level]).tolist()})),
            )
            for level in np.unique(level_of).tolist()
        )
    return found


def _released_values(encoded: Encoded, partition: Partition, ranges: str) -> dict[str, tuple[str, ...]]:
    """Column → its released values in the order of its codes, where all classes are recoded alike."""
    found = {}
    for column, recoded in zip(encoded.quasi, partition.recoded or (), strict=partition.recoded is not None):
        firsts = np.flatnonzero(recoded[:, 0] == np.arange(column.size))
        shown = _recoded(column, recoded[firsts, 0], recoded[firsts, 1], ranges)
        found[column.name] = tuple(shown.labels[code] for code in shown.codes.tolist())
    return found


def _common_levels(names: tuple[str, ...], partition: Partition) -> dict[str, int]:
    """Column → level where all classes are published at the same."""
    if partition.levels is None or not partition.classes:
        return {}
    same = (partition.levels == partition.levels[0]).all(axis=0)
    levels = partition.levels[0].tolist()
    return {name: level for name, level, alike in zip(names, levels, same, strict=True) if alike}


def _labelled(name: str, found: Described, class_of: NDArray[np.int32]) -> tuple[pl.Series, NDArray[np.int32]]:
    """A column of labels, and its sort key: labels stand sorted in the dictionary, so codes sort as labels do."""
    distinct = sorted(set(found.labels))
    place = {text: number for number, text in enumerate(distinct)}
    of_class = np.array([place[text] for text in found.labels], np.int32)[found.codes]
    key = of_class[class_of]
    return pl.Series(name, key.view(np.uint32)).cat.to(pl.Enum(distinct)), key


def unchanged(column: pl.Series) -> tuple[pl.Series, NDArray[np.int32]]:
    """The column as it is, and its sort key: by text, nulls first. Whatever can be told apart has a key of its own."""
    coded = dictionary(column.cast(pl.String) if column.dtype.is_float() else column)
    ranks = as_text(coded.distinct).rank("dense").fill_null(0).to_numpy().astype(np.int32)
    return column, ranks[coded.codes]


def sorted_rows(keys: list[NDArray[np.int32]]) -> Int64:
    """int64 [rows]: the rows in ascending order of all keys, the first key first."""
    ids, firsts, _ = distinct_rows(keys)
    return _ordered(ids, len(firsts))


def _ordered(ids: NDArray[np.int32], room: int) -> Int64:
    """int64 [rows]: the rows in ascending order of their ids, all below `room`; equal ones as they stood."""
    from shoal.kernels.distinct import counting_order

    order: Int64 = counting_order(ids, room)
    return order


def _describe(encoded: Encoded, stats: ClassStats, partition: Partition, a: int, ranges: str) -> Described:
    """How each class is described in quasi-identifier a."""
    column = encoded.quasi[a]
    if partition.recoded is not None:
        ends = partition.recoded[a][encoded.columns[a, stats.order[stats.offsets[:-1]]]]
        return _recoded(column, ends[:, 0], ends[:, 1], ranges)
    if column.published == SET:
        return _sets(column, encoded, stats.order, stats.offsets, a)
    released = stats.order[stats.offsets[0] :]  # rows of no class stand before
    firsts, codes = stats.offsets[:-1] - stats.offsets[0], encoded.columns[a, released]
    low, high = np.minimum.reduceat(codes, firsts), np.maximum.reduceat(codes, firsts)
    if partition.levels is not None:
        return _at_levels(column, low, partition.levels[:, a].astype(np.int64), codes, ranges)
    if column.published == TREE:
        return _nodes(column, low, high, codes, ranges)
    if ranges == "cut" and partition.boxes is not None:
        return _boxes(column, partition.boxes[:, a, 0], partition.boxes[:, a, 1], low, high)
    return _spans(column, low, high)


def _recoded(column: QuasiColumn, low: Any, high: Any, ranges: str) -> Described:
    """The codes low to high as one value, the same in every class: nothing of the class itself shows in its label."""
    if column.published == TREE:
        return _nodes(column, low, high, np.arange(column.size), ranges)
    if column.published != SET:
        return _boxes(column, low, high, low, high) if ranges == "cut" else _spans(column, low, high)
    pairs, codes = np.unique(low.astype(np.int64) * column.size + high, return_inverse=True)
    texts = [labels.one_of(column.texts[p // column.size : p % column.size + 1]) for p in pairs.tolist()]
    loss = (high - low) / max(column.leaves - 1, 1)
    return Described(codes.reshape(-1), texts, loss, np.full(len(loss), np.nan))


def _nodes(column: QuasiColumn, low: Any, high: Any, released: Any, ranges: str) -> Described:
    """The lowest tree node above the first and last code of each class, so, depth-first as they stand, above all."""
    assert column.hierarchy is not None
    level = np.full(len(low), column.hierarchy.height, np.int64)
    for number in range(column.hierarchy.height - 1, -1, -1):
        of_leaf = column.hierarchy.levels[number].of_leaf
        level[of_leaf[low] == of_leaf[high]] = number
    return _at_levels(column, low, level, released, ranges)


def _at_levels(column: QuasiColumn, code: Any, level: Int64, released: Any, ranges: str) -> Described:
    """The node above one code of each class, at the level of that class; `released` are the codes of all rows."""
    assert column.hierarchy is not None and column.leaves_under is not None
    levels = column.hierarchy.levels
    starts = np.concatenate([[0], np.cumsum([len(each.labels) for each in levels])])
    of_leaf = np.stack([each.of_leaf for each in levels])
    texts = [labels.exact(text) for text in levels[0].labels] + [text for each in levels[1:] for text in each.labels]
    nodes = starts[level] + of_leaf[level, code]
    if column.learned:
        texts = told(column, texts, np.unique(nodes), np.unique(released), ranges)
    loss = (column.leaves_under[level, code] - 1) / max(column.leaves - 1, 1)
    return Described(nodes, texts, loss, level / column.hierarchy.height)


class _Ends(NamedTuple):
    """Per code: what is written where a range begins or ends with it, and where that lies, as positions do."""

    texts: Labels
    position: Float64


def _spans(column: QuasiColumn, low: Any, high: Any) -> Described:
    """The smallest and largest value of each class."""
    ends = _Ends(column.texts, column.position)
    return _ranges(column, low, high, ends, ends)


def _boxes(column: QuasiColumn, first: Any, last: Any, low: Any, high: Any) -> Described:
    """The boundaries of the cuts around each class, which say nobody's exact value."""
    shift = 1 if column.has_missing else 0
    alone = shift * (high == 0)  # a class of missing values alone has no boundaries
    first = np.where((alone == 0) & (low > 0), np.maximum(first, shift), first)
    return _ranges(column, np.where(alone, 0, first), np.where(alone, 0, last), *_boundaries(column))


def _ranges(column: QuasiColumn, low: Any, high: Any, lows: _Ends, highs: _Ends) -> Described:
    """Labels of the code ranges low..high; a range that mixes missing and present values can only be `*`."""
    pairs, codes = np.unique(low.astype(np.int64) * column.size + high, return_inverse=True)
    texts = []
    for pair in pairs.tolist():
        i, j = divmod(pair, column.size)
        mixed = column.has_missing and i == 0 and j > 0
        texts.append(labels.ANY if mixed else labels.span(lows.texts[i], highs.texts[j]))
    loss = np.minimum(1.0, highs.position[high] - lows.position[low])
    return Described(codes.reshape(-1), texts, loss, np.full(len(loss), np.nan))


def _boundaries(column: QuasiColumn) -> tuple[_Ends, _Ends]:
    """For every code the lower and the upper boundary of a box that begins or ends with it."""
    present = column.values.drop_nulls()
    if present.is_empty():
        return _Ends(column.texts, column.position), _Ends(column.texts, column.position)
    lows, highs = boundaries(present, column.type)
    return _ends(column, lows, "left"), _ends(column, highs, "right")


def _ends(column: QuasiColumn, ends: list[Any], side: Literal["left", "right"]) -> _Ends:
    """Boundaries as they are written, and what they lose: more than the values between them do."""
    present = column.values.drop_nulls()
    if column.leaf_numbers is not None:
        below = np.searchsorted(column.leaf_numbers, ends, side) - (side == "right")
        position = below / max(column.leaves - 1, 1)
    else:
        first, last = present.to_physical()[0], present.to_physical()[-1]
        width = _way(first, last) or 1
        position = np.clip([_way(first, number) / width for number in ends], 0.0, 1.0)
    missing = column.values.null_count()
    texts = [labels.MISSING] * missing + written(ends, present.dtype)
    return _Ends(texts, np.concatenate([np.full(missing, -1.0), position]))


def _way(first: Any, last: Any) -> Any:
    """Whole numbers apart, exactly; half of what real numbers are apart, for the whole may be infinite."""
    return last - first if isinstance(first, int) else last / 2 - first / 2


def _sets(column: QuasiColumn, encoded: Encoded, order: Int64, offsets: Int64, a: int) -> Described:
    """The set of values that occur in each class."""
    from shoal.kernels.counting import class_values

    starts, values, _ = class_values(order, offsets, encoded.columns[a], encoded.rows.weight, column.size)
    sizes = np.diff(starts)
    codes = values[starts[:-1]].astype(np.int64)  # a single value is its own label
    texts, known = [labels.exact(text) for text in column.texts], dict[bytes, int]()
    for c in np.flatnonzero(sizes > 1):
        members = values[starts[c] : starts[c + 1]]
        key = members.tobytes()
        if key not in known:
            known[key] = len(texts)
            texts.append(labels.one_of(column.texts[member] for member in members))
        codes[c] = known[key]
    loss = (sizes - 1) / max(column.leaves - 1, 1)
    return Described(codes, texts, loss, np.full(len(loss), np.nan))
