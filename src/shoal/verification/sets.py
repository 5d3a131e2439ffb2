"""Checks of set-valued columns: released cells are canonical sets, and show items of their input rows truly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int64
from shoal.counts import counted
from shoal.labels import MISSING
from shoal.plan import Plan
from shoal.roles.columns import Column
from shoal.table import Runs, canonical_sets, set_texts
from shoal.verification.labels import is_readable


def set_problems(released: Runs, plan: Plan) -> list[str]:
    """Cells of set-valued columns that are not written as sets are: items ascending, each once, without blanks."""
    problems = []
    for name, separator in plan.separators.items():
        if name in released.columns:
            distinct, rows = _counted(released, name, separator)
            odd = distinct.ne_missing(canonical_sets(distinct, separator, plan.data.absent)).to_numpy()
            if wrong := int(rows[odd].sum()):
                cells = counted(wrong, "cell that is no canonical set", "cells that are no canonical sets")
                problems.append(f"Column '{name}' has {cells} of items.")
            elif not _are_labels(released, name, plan.columns[name]):
                problems.append(f"Column '{name}' has items that its hierarchy does not have.")
    return problems


def _are_labels(released: Runs, name: str, settings: Column) -> bool:
    """Whether all items of a released column are labels of its hierarchy, if it has one that can be read."""
    if settings.hierarchy is None or not is_readable(settings):
        return True
    items = [*item_counts(released, name, settings.separator)]
    return bool(settings.hierarchy.placed(items).known) if items else True


def _counted(released: Runs, name: str, separator: str) -> tuple[pl.Series, Int64]:
    """The distinct texts of a column, null for the empty set, and int64 the number of rows of each."""
    texts = set_texts(released[name], separator)
    cells = texts.set(texts == MISSING, None).alias("text").to_frame()
    counts = released.with_rows(cells).counted("text")
    return counts["text"], counts["rows"].to_numpy()


def released_sets(column: pl.Series, separator: str) -> pl.Series:
    """The texts of released sets, empty for the empty set."""
    return set_texts(column, separator).fill_null(MISSING).alias(column.name)


def added_items(
    raw: pl.Series, released: pl.Series, value: Int64, cell: Int64, column: Column, missing: Sequence[str] = ()
) -> Flags:
    """bool [pairs]: whether a released cell has an item that the raw cell of its input row does not have.

    `value` and `cell` int64 [pairs]: the positions of the raw and of the released cells. The parts of both are compared
    as they are written, apart from blanks around them. If the column has a hierarchy, a part may also be a label above
    an item; texts that mean `missing` are no items.
    """
    separator = column.separator
    given, shown = (set_texts(column, separator).fill_null(MISSING) for column in (raw, released))
    differing = np.flatnonzero((given.gather(value) != shown.gather(cell)).to_numpy())
    parts = [_parts(each, separator) for each in (given.gather(value[differing]), shown.gather(cell[differing]))]
    if column.hierarchy is not None:
        parts[0] = _with_labels(parts[0], _parts(given, separator)["part"], column, missing)
    wrong = parts[1].join(parts[0], on=["place", "part"], how="anti")["place"].unique().to_numpy()
    added = np.zeros(len(value), np.bool_)
    added[differing[wrong]] = True
    return added


def _with_labels(parts: pl.DataFrame, every: pl.Series, column: Column, missing: Sequence[str]) -> pl.DataFrame:
    """`place`, `part`: the items of each text, and the labels above them in the hierarchy of all items."""
    items = every.filter(~every.is_in(list(missing))).unique().sort()
    if items.is_empty():
        return parts
    tree = column.hierarchy.build(items)
    paths = pl.DataFrame({"part": tree.leaves, "label": [list(tree.path(leaf)) for leaf in range(len(tree.leaves))]})
    above = parts.join(paths, on="part").select("place", part="label").explode("part")
    return pl.concat([parts, above])


def item_counts(released: Runs, name: str, separator: str) -> dict[str, int]:
    """Item → the number of rows of a released column that have it, in the order of the items."""
    parts = _parts(set_texts(released[name], separator).fill_null(MISSING), separator)
    rows = pl.Series("rows", released.times).gather(parts["place"])
    counts = parts.with_columns(rows).group_by("part").agg(pl.col("rows").sum()).sort("part")
    return dict(zip(counts["part"].to_list(), counts["rows"].to_list(), strict=True))


def item_entry(released: Runs, name: str, separator: str) -> dict[str, Any]:
    """What the codebook says about a released set-valued column."""
    rows = item_counts(released, name, separator)
    return {"separator": separator, "distinct_items": len(rows), "items": [*rows], "rows": [*rows.values()]}


def item_problems(released: Runs, plan: Plan, codebook: Mapping[str, Any]) -> list[str]:
    """Differences between the items of a released table and those that its codebook lists."""
    listed = codebook.get("columns", {})
    return [
        f"The codebook does not list the items of column '{name}'."
        for name, separator in plan.separators.items()
        if {**listed.get(name, {}), **item_entry(released, name, separator)} != listed.get(name)
    ]


def _parts(texts: pl.Series, separator: str) -> pl.DataFrame:
    """`place`, `part`: the parts of each text without surrounding blanks, apart from empty ones."""
    split = pl.DataFrame({"part": texts.str.split(separator)}).with_row_index("place").explode("part")
    return split.with_columns(pl.col("part").str.strip_chars()).filter(pl.col("part") != MISSING)
