"""Conversion of frames: pandas, polars or pyarrow to polars, and back to the same kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from shoal.errors import TableError
from shoal.table.columns import check_names, without_dictionaries


def to_polars(frame: object) -> tuple[pl.DataFrame, Callable[[pl.DataFrame], object]]:
    """The frame in polars, and a function that converts a polars frame back to the given kind.

    The conversion drops a pandas index; the conversion back drops dictionaries of categoricals. Missing values are
    those of the library. A pandas column of
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
        dtypes = {str(name): dtype for name, dtype in frame.dtypes.items() if _is_nullable(dtype)}
        return _from_pandas(frame), lambda released: _to_pandas(released, dtypes)
    if nw.dependencies.is_pyarrow_table(frame):
        check_names(frame.column_names, "The table")
        rows = nw.from_native(frame, eager_only=True).to_polars()
        return rows, _to_arrow
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


def _is_nullable(dtype: Any) -> bool:
    """Whether a pandas type of numbers or booleans has a missing value of its own, such as Int64."""
    return hasattr(dtype, "__from_arrow__") and getattr(dtype, "kind", "") in tuple("iufb")


def _to_arrow(frame: pl.DataFrame) -> Any:
    return without_dictionaries(frame).to_arrow(compat_level=pl.CompatLevel.oldest())


def _to_pandas(frame: pl.DataFrame, dtypes: Mapping[str, Any]) -> object:
    """The frame in pandas. Numbers and booleans keep their nullable types, and get one if some are missing.

    Without it, pandas would round whole numbers to doubles.
    """
    table = _to_arrow(frame)
    columns: Any = table.to_pandas()
    for column in frame:
        if isinstance(column.dtype, pl.List):  # Arrow makes arrays of them, which do not compare like lists
            columns[column.name] = columns[column.name].map(list)
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            dtype = dtypes.get(column.name) or (_nullable(column.dtype) if column.null_count() else None)
            if dtype is not None:
                columns[column.name] = table.column(column.name).to_pandas(types_mapper=lambda _type, of=dtype: of)
    return columns


def _nullable(dtype: pl.DataType) -> Any:
    """The nullable pandas type of whole numbers or booleans; None for real numbers, whose NaN is missing."""
    import pandas

    if dtype == pl.Boolean:
        return pandas.BooleanDtype()
    return getattr(pandas, f"{dtype}Dtype")() if dtype.is_integer() and dtype != pl.Int128 else None
