"""Conversion of frames: pandas, polars or pyarrow to polars, and back to the same kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from polars import selectors
from polars.exceptions import PanicException

from shoal.counts import counted
from shoal.errors import MissingExtra, TableError, did_you_mean
from shoal.table.columns import check_names, without_dictionaries

_COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)
"""The types of cells that have several items."""
_TEXTS = (str, bytes, bytearray)
KINDS = ("polars", "pandas", "arrow")
"""The kinds of frames to which a table can be converted."""


def to_polars(frame: object) -> tuple[pl.DataFrame, Callable[[pl.DataFrame], object]]:
    """The frame in polars, and a function that converts a polars frame back to the given kind.

    The conversion drops a pandas index; the conversion back drops dictionaries of categoricals. Missing values are
    those of the library. A pandas column of mixed types becomes text, and one of lists, tuples, sets or arrays becomes
    lists.

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
        return _from_arrow(frame), _to_arrow
    raise TableError(
        f"A {type(frame).__module__}.{type(frame).__qualname__} is not a supported table.",
        allowed="Tables are pandas, polars or pyarrow frames.",
        hint="read a file or a database with shoal.table.read.",
    )


def converted(frame: pl.DataFrame, kind: str, metadata: Mapping[str, str] | None = None) -> Any:
    """A polars frame as "polars", "pandas" or "arrow".

    `metadata` becomes the `attrs` of a pandas frame and the metadata of an Arrow schema; polars has no place for it.
    Dates become date-times in pandas, which has no type for them.

    >>> converted(pl.DataFrame({"age": [39]}), "arrow", {"source": "ward 3"}).schema.metadata
    {b'source': b'ward 3'}
    """
    if kind not in KINDS:
        raise TableError(
            f"There is no kind of frame {kind!r}.",
            allowed=f"Frames are {', '.join(KINDS)}.",
            hint=did_you_mean(kind, KINDS),
        )
    if kind == "polars":
        return frame
    if kind == "arrow":
        return _to_arrow(frame).replace_schema_metadata(dict(metadata or {}))
    _require_pandas()
    result: Any = _to_pandas(frame.with_columns(selectors.date().cast(pl.Datetime("us"))), {})
    result.attrs.update(metadata or {})
    return result


def _require_pandas() -> None:
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise MissingExtra("A pandas frame needs pandas.", hint="pip install pandas, or use polars or arrow.") from None


def _from_arrow(table: Any) -> pl.DataFrame:
    return pl.DataFrame([_from_arrow_column(name, table.column(name)) for name in table.column_names])


def _from_arrow_column(name: str, values: Any) -> pl.Series:
    import narwhals as nw

    try:
        column: pl.Series = nw.from_native(values, series_only=True).to_polars()
    except (pl.exceptions.PolarsError, PanicException, NotImplementedError):
        raise TableError(
            f"Column '{name}' has the Arrow type {values.type}, which is not supported.",
            allowed="Columns contain text, numbers, booleans, dates, times, or lists of these.",
            hint="cast it, such as list views to lists.",
        ) from None
    return column.alias(name)


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
        if (several := _lists(name, values)) is not None:
            return several
        texts = values.map(str, na_action="ignore")
        return pl.Series(
            name, [None if missing else text for text, missing in zip(texts, values.isna(), strict=True)], pl.String
        )


def _lists(name: str, values: Any) -> pl.Series | None:
    """Cells with several items, such as sets, as lists of texts; None if no cell has several.

    Raises if other cells do not: the text of a list would pass for a single item.
    """
    present = [cell for cell, missing in zip(values, values.isna(), strict=True) if not missing]
    several = sum(map(_has_items, present))
    _refuse_parts(name, [item for cell in present for item in (cell if _has_items(cell) else [cell])])
    if not several:
        return None
    if several < len(present):
        are = counted(several, "of its values is a list or set", "of its values are lists or sets")
        others = len(present) - several
        raise TableError(
            f"Column '{name}': {are}, and {others:,} {'is' if others == 1 else 'are'} not.",
            allowed="A column has lists or sets in all of its cells, or in none.",
            hint="write all cells as lists, or as text with a separator.",
        )
    return pl.Series(name, [_items(cell) if _has_items(cell) else None for cell in values], pl.List(pl.String))


def _has_items(cell: Any) -> bool:
    """Whether a cell has several items in one row."""
    return isinstance(cell, _COLLECTIONS) and getattr(cell, "ndim", 1) == 1


def _refuse_parts(name: str, cells: Sequence[Any]) -> None:
    """Raises if a cell or item has parts, such as a dictionary, whose text would show them as one value."""
    kind = next((type(cell) for cell in cells if isinstance(cell, Collection) and not isinstance(cell, _TEXTS)), None)
    if kind is not None:
        raise TableError(
            f"Column '{name}' has a value of type {kind.__name__}.",
            allowed="Columns contain text, numbers, booleans, dates or times, or lists or sets of these.",
            hint="convert it to text, or to lists without parts of their own.",
        )


def _items(cell: Any) -> list[str | None]:
    """The items of a cell as texts, None if missing. Those of a set are sorted."""
    import pandas

    texts = [None if pandas.isna(item) else str(item) for item in cell]
    return sorted(texts, key=str) if isinstance(cell, set | frozenset) else texts


def _is_nullable(dtype: Any) -> bool:
    """Whether a pandas type of numbers or booleans has a missing value of its own, such as Int64."""
    return hasattr(dtype, "__from_arrow__") and getattr(dtype, "kind", "") in tuple("iufb")


def _to_arrow(frame: pl.DataFrame) -> Any:
    return without_dictionaries(frame).to_arrow(compat_level=pl.CompatLevel.oldest())


def _to_pandas(frame: pl.DataFrame, dtypes: Mapping[str, Any]) -> object:
    """The frame in pandas. Numbers and booleans keep their nullable types, and get one if some are missing.

    Without it, pandas would round whole numbers to doubles.
    """
    lists = [column for column in frame if isinstance(column.dtype, pl.List)]
    # Arrow makes arrays of lists, which do not compare like lists, and takes seconds for a million of them.
    table = _to_arrow(frame.with_columns(pl.lit(None).alias(column.name) for column in lists))
    columns: Any = table.to_pandas()
    for column in lists:
        columns[column.name] = _list_cells(column)
    for column in frame:
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            dtype = dtypes.get(column.name) or (_nullable(column.dtype) if column.null_count() else None)
            if dtype is not None:
                columns[column.name] = table.column(column.name).to_pandas(types_mapper=lambda _type, of=dtype: of)
    return columns


def _list_cells(column: pl.Series) -> Any:
    """The cells of a column of lists as a pandas column; distinct cells are converted once, and then copied."""
    import pandas

    groups = column.alias("cells").to_frame().with_row_index("row").group_by("cells").agg("row")
    code_of = np.zeros(len(column), np.int64)
    code_of[groups["row"].explode(keep_nulls=False).to_numpy()] = np.repeat(
        np.arange(len(groups)), groups["row"].list.len().to_numpy()
    )
    distinct = [list(cell) if cell is not None else None for cell in groups["cells"].to_list()]
    return pandas.Series([None if (cell := distinct[code]) is None else cell.copy() for code in code_of], dtype=object)


def _nullable(dtype: pl.DataType) -> Any:
    """The nullable pandas type of whole numbers or booleans; None for real numbers, whose NaN is missing."""
    import pandas

    if dtype == pl.Boolean:
        return pandas.BooleanDtype()
    return getattr(pandas, f"{dtype}Dtype")() if dtype.is_integer() and dtype != pl.Int128 else None
