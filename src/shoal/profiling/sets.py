"""Sets of items: whether the cells of a column are sets, and by which separator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from shoal.profiling.signs import DROP, IDENTIFIER, SENSITIVE, Sign
from shoal.table.sets import DEFAULT_SEPARATOR, SEPARATORS, read_sets, set_texts

LISTS = Sign("lists of items", DROP, confidence="medium")

_LOOKED_AT = 2_000
_FEW_BARS = 0.1
_MANY = 0.3
_MOST = 0.7
_BRACKETED = r"(?s)^\s*(?:\[.*\]|\{.*\})\s*$"
_UNIT = "\x1f"
"""The unit separator, which hardly any item contains."""


def separator_of(values: pl.Series) -> str | None:
    """The separator of a column with these distinct texts, if its cells are sets of items; None if they are not.

    Bars separate little else. Semicolons and commas occur in any text, so the items between them must also repeat:
    in half as many items as cells, and either in different numbers, or in different places of a cell. The parts of
    lists that are written as text, such as JSON, have brackets and quotes, and are no items.

    >>> separator_of(pl.Series(["fever|cough", "rash"])), separator_of(pl.Series(["Fall, at home", "Burn, at work"]))
    ('|', None)
    """
    some = values.gather_every(max(1, len(values) // _LOOKED_AT)).head(_LOOKED_AT)
    return next((separator for separator in SEPARATORS if _separates(separator, some)), None)


def _separates(separator: str, texts: pl.Series) -> bool:
    several = texts.filter(texts.str.contains(separator, literal=True))
    is_bar = separator == DEFAULT_SEPARATOR
    if not len(several) or len(several) < (_FEW_BARS if is_bar else _MANY) * len(texts):
        return False
    if several.str.contains(_BRACKETED).sum() > _MOST * len(several):
        return False
    if is_bar:
        return True
    items, offsets, _ = read_sets(several, separator, ())
    lengths = np.diff(offsets)
    if 2 * len(items) > len(several):
        return False
    return bool(lengths.max() > 2 and lengths.min() < lengths.max()) or _changes_places(items, texts, separator)


def _changes_places(items: pl.Series, texts: pl.Series, separator: str) -> bool:
    """Whether most items stand in several places of the cells, or alone as well as beside others.

    The parts of a phrase do not: in "burn, left", the side of the body is always the second part.
    """
    parts = texts.str.split(separator)
    places = pl.DataFrame({"part": parts, "place": [[*range(n)] if n > 1 else [-1] for n in parts.list.len()]})
    found = places.explode("part", "place").with_columns(pl.col("part").str.strip_chars())
    several = found.group_by("part").agg(pl.col("place").n_unique()).filter(pl.col("place") > 1)["part"]
    return int(items.is_in(several.implode()).sum()) > _MOST * len(items)


def as_text(column: pl.Series) -> pl.Series:
    """Lists as one text each, to count them; no value of the text is shown."""
    return set_texts(column, _UNIT)


def items(column: pl.Series) -> pl.Series:
    """All items of a column of lists, one after the other."""
    lists = column.arr.to_list() if isinstance(column.dtype, pl.Array) else column
    return lists.explode(empty_as_null=False, keep_nulls=False).alias(column.name)


def sign_of_lists(sign: Sign) -> Sign:
    """The sign of a column of lists whose items have this sign: they neither number nor group individuals."""
    if sign.role not in (IDENTIFIER, SENSITIVE):
        return LISTS
    return replace(sign.at_most("medium"), hierarchy={}, read_as=None, numbers=None)


def remark(separator: str) -> str:
    """What to do with a column of sets, which no draft can guard: that takes a table of what the items reveal."""
    how = "" if separator == DEFAULT_SEPARATOR else f' with items = "{separator}"'
    return f'it contains sets of items, for which role = "quasi-sensitive"{how} may be better'
