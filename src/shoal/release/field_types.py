"""Types of released columns as Frictionless names them: each is true of every cell of the written file."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shoal.table import moments
from shoal.table.stats import stored_type

FieldType = dict[str, str]
"""The keys `type` and, if it is not the default one, `format` of a field."""

_TEXT: FieldType = {"type": "string"}
_LEXICAL = {
    "integer": r"^-?(?:0|[1-9][0-9]{0,17})$",
    "number": r"^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?$",
    "boolean": r"^(?:true|false)$",
    "date": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
}
"""Type → how every text must be written. Numbers fit in 64 bits, and codes with leading zeros are no numbers."""
_MOMENTS = {
    "%Y-%m-%d %H:%M:%S": r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$",
    "%Y-%m-%dT%H:%M:%S": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$",
    "default": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
}
"""Format of date-times → how every text must be written."""
_DECLARED = {
    "text": (),
    "integer": ("integer",),
    "real": ("number",),
    "date": ("date",),
    "datetime": ("datetime", "date"),
}
"""Type in a plan → the types that its released texts may have."""
_SAMPLE = 1_000
_ANY = ("integer", "number", "boolean", "date", "datetime")


def text_type(cells: pl.Series, *, declared: str | None, missing: Sequence[str]) -> FieldType:
    """The type of a column of a text file: the `declared` one or the narrowest, if every text is written in it.

    >>> text_type(pl.Series(["7", "", "12"]), declared=None, missing=[""])
    {'type': 'integer'}
    >>> text_type(pl.Series(["02139", "10001"]), declared=None, missing=[""])
    {'type': 'string'}
    """
    types = _ANY if declared is None else _DECLARED[declared]
    if not types or _fitting(_present(cells.head(_SAMPLE), missing), types) is None:
        return _TEXT  # most columns of text are recognized by their first cells
    texts = _present(cells, missing)
    return _TEXT if texts.is_empty() else _fitting(texts, types) or _TEXT


def _present(cells: pl.Series, missing: Sequence[str]) -> pl.Series:
    """The texts that are not missing, those of categories once each."""
    texts = (cells if cells.dtype == pl.String else cells.unique().cast(pl.String)).drop_nulls()
    return texts.filter(~texts.is_in(list(missing)))


def _fitting(texts: pl.Series, types: Sequence[str]) -> FieldType | None:
    """The first type in which all texts are written."""
    for type in types:
        if type == "datetime":
            if format := _moment_format(texts):
                return {"type": type} if format == "default" else {"type": type, "format": format}
        elif texts.str.contains(_LEXICAL[type]).all() and (type != "date" or _are_days(texts)):
            return {"type": type}
    return None


def _are_days(texts: pl.Series) -> bool:
    return moments.days(texts.unique(), moments.ISO).null_count() == 0


def _moment_format(texts: pl.Series) -> str | None:
    """The format in which all texts are date-times of the calendar."""
    for format, written in _MOMENTS.items():
        if texts.str.contains(written).all() and moments.moments(texts.unique(), moments.ISO).null_count() == 0:
            return format
    return None


def native_type(cells: pl.Series) -> FieldType:
    """The type of a column of a Parquet file: the one in which its values are stored.

    >>> native_type(pl.Series([["a"], []])), native_type(pl.Series([0.5]))
    ({'type': 'array'}, {'type': 'number'})
    """
    kind = cells.dtype
    if kind.is_integer():
        return {"type": "integer"}
    if kind.is_numeric():
        return {"type": "number"}
    if isinstance(kind, pl.List | pl.Array):
        return {"type": "array"}
    return {"type": _NATIVE.get(kind.base_type(), "string")}


_NATIVE: dict[object, str] = {pl.Boolean: "boolean", pl.Date: "date", pl.Datetime: "datetime", pl.Time: "time"}


def statistics_type(cells: pl.Series) -> FieldType:
    """The type of a column of a Stata or SPSS file, given its values with numbers as texts."""
    if cells.dtype in (pl.Date, pl.Datetime):
        return native_type(cells)
    return {"type": stored_type(cells)}
