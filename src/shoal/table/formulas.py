"""Cells that a spreadsheet would run as formulas, and an apostrophe in front of them that prevents it."""

from __future__ import annotations

import polars as pl
from polars import selectors

_STARTS = r"^'*[=+\-@\t\r](?s:.)"
_NUMBER = r"^'*[+-]?(?:[0-9][0-9.,]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s?%?$"


def are_formulas(texts: pl.Series) -> pl.Series:
    """Which texts a spreadsheet would run: those that begin with = + - @, a tab or CR, and are not numbers.

    Apostrophes in front do not count, so that an escaped text can be told from one that began with an apostrophe.

    >>> are_formulas(pl.Series(["=1+1", "-5", "-", "+2.5e3", "@A1", "a=b", None])).to_list()
    [True, False, False, False, True, False, False]
    """
    starts = texts.str.contains(_STARTS).fill_null(False)
    return starts & ~texts.str.contains(_NUMBER).fill_null(False) if starts.any() else starts


def escaped(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with an apostrophe in front of every text that a spreadsheet would run.

    >>> escaped(pl.DataFrame({"note": ["=1+1", "'=1", "x"]}))["note"].to_list()
    ["'=1+1", "''=1", 'x']
    """
    return frame.with_columns(_replaced(texts, flags, "'" + texts) for texts, flags in _with_formulas(frame))


def unescaped(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame without the apostrophes that `escaped` added; its inverse.

    >>> unescaped(pl.DataFrame({"note": ["'=1+1", "''=1", "x"]}))["note"].to_list()
    ['=1+1', "'=1", 'x']
    """
    return frame.with_columns(
        _replaced(texts, flags, texts.str.strip_prefix("'")) for texts, flags in _with_formulas(frame)
    )


def _with_formulas(frame: pl.DataFrame) -> list[tuple[pl.Series, pl.Series]]:
    """The text columns with formulas, as text, and which of their cells are formulas."""
    texts = frame.select(selectors.string() | selectors.categorical() | selectors.enum())
    found = [(column, _flags(column)) for column in texts]
    return [(column.cast(pl.String), flags) for column, flags in found if flags.any()]


def _flags(column: pl.Series) -> pl.Series:
    """Which cells are formulas; categories are looked at once each."""
    if column.dtype == pl.String:
        return are_formulas(column)
    distinct = column.unique().cast(pl.String)
    formulas = distinct.filter(are_formulas(distinct))
    return column.cast(pl.String).is_in(formulas.implode()).fill_null(False) if len(formulas) else pl.Series([False])


def _replaced(texts: pl.Series, flags: pl.Series, by: pl.Series) -> pl.Series:
    return texts.zip_with(~flags, by)
