"""Conversion of frames: pandas, polars or pyarrow to polars, and back to the same kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import polars as pl

from shoal.errors import TableError
from shoal.table.columns import check_names, without_dictionaries


def to_polars(frame: object) -> tuple[pl.DataFrame, Callable[[pl.DataFrame], object]]:
    """The frame in polars, and a function that converts a polars frame back to the given kind.

    The conversion drops a pandas index; the conversion back drops dictionaries of categoricals. A pandas column of
    mixed types becomes text.

    >>> rows, back = to_polars(pl.LazyFrame({"age": [39, 50]}))
    >>> type(rows).__name__, type(back(rows)).__name__
    ('DataFrame', 'LazyFrame')
    """
    if isinstance(frame, pl.LazyFrame):
        return _named(frame.collect()), lambda released: without_dictionaries(released).lazy()
    if isinstance(frame, pl.DataFrame):
        return _named(frame), without_dictionaries
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(frame):
        return _from_pandas(frame), lambda released: _back(released, "pandas")
    if nw.dependencies.is_pyarrow_table(frame):
        check_names(frame.column_names, "The table")
        rows = nw.from_native(frame, eager_only=True).to_polars()
        return rows, lambda released: _back(released, "pyarrow")
    raise TableError(
        f"A {type(frame).__module__}.{type(frame).__qualname__} is not a supported table.",
        allowed="Tables are pandas, polars or pyarrow frames.",
        hint="read a file or a database with shoal.table.read.",
    )


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    check_names(frame.columns, "The table")
    return frame


def _from_pandas(frame: Any) -> pl.DataFrame:
    check_names([str(name) for name in frame.columns], "The table")
    return pl.DataFrame([_from_pandas_column(str(name), frame[name]) for name in frame.columns])


def _from_pandas_column(name: str, values: Any) -> pl.Series:
    import narwhals as nw

    if hasattr(values, "sparse"):
        values = values.sparse.to_dense()
    try:
        column: pl.Series = nw.from_native(values, series_only=True).to_polars()
        return column.alias(name)
    except (TypeError, ValueError, OverflowError, NotImplementedError):  # Arrow has no type for these values
        texts = values.map(str, na_action="ignore")
        return pl.Series(
            name, [None if missing else text for text, missing in zip(texts, values.isna(), strict=True)], pl.String
        )


def _back(frame: pl.DataFrame, kind: Literal["pandas", "pyarrow"]) -> object:
    import narwhals as nw

    table = without_dictionaries(frame).to_arrow(compat_level=pl.CompatLevel.oldest())
    return nw.from_arrow(table, backend=kind).to_native()
