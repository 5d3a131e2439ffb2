"""Sets of items: whether the cells of a column are sets, and by which separator."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.profiling.signs import DROP, Sign
from shoal.table.sets import DEFAULT_SEPARATOR, SEPARATORS, read_sets, set_texts

LISTS = Sign("lists of items", DROP, confidence="medium")

_LOOKED_AT = 2_000
_FEW_BARS = 0.1
_MANY = 0.3
_UNIT = "\x1f"
"""The unit separator, which hardly any item contains."""


def separator_of(values: pl.Series) -> str | None:
    """The separator of a column with these distinct texts, if its cells are sets of items; None if they are not.

    Bars separate little else. Semicolons and commas occur in any text, so the items between them must also repeat:
    in half as many items as cells, and not in the same number everywhere.

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
    if is_bar:
        return True
    items, offsets, _ = read_sets(several, separator, ())
    lengths = np.diff(offsets)
    return 2 * len(items) <= len(several) and lengths.max() > 2 and lengths.min() < lengths.max()


def as_text(column: pl.Series) -> pl.Series:
    """Lists as one text each, to count them; no value of the text is shown."""
    return set_texts(column, _UNIT)


def remark(separator: str) -> str:
    """What to do with a column of sets, which no draft can guard: that takes a table of what the items reveal."""
    how = "" if separator == DEFAULT_SEPARATOR else f' with items = "{separator}"'
    return f'it contains sets of items, for which role = "quasi-sensitive"{how} may be better'
