from __future__ import annotations

from datetime import date, datetime
from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import TableError
from shoal.table import as_text, converted, to_polars

MARKER = "Zebulon-4711"

ROWS = {"age": [39, 50, 39], "zip": ["02139", "00501", None]}
KINDS = [pd.DataFrame(ROWS), pl.DataFrame(ROWS), pl.LazyFrame(ROWS), pa.table(ROWS)]


@pytest.mark.parametrize("frame", KINDS, ids=lambda frame: type(frame).__module__)
def test_the_same_kind_comes_back(frame: Any) -> None:
    rows, back = to_polars(frame)
    assert isinstance(rows, pl.DataFrame)
    assert rows.to_dict(as_series=False) == ROWS
    returned = back(rows.select("zip"))
    assert type(returned) is type(frame)
    assert to_polars(returned)[0].to_dict(as_series=False) == {"zip": ROWS["zip"]}


@pytest.mark.parametrize("frame", KINDS, ids=lambda frame: type(frame).__module__)
def test_unused_categories_do_not_travel_back(frame: Any) -> None:
    _, back = to_polars(frame)
    for dtype in (pl.Categorical, pl.Enum(["f", "m", MARKER])):
        released = pl.DataFrame({"sex": pl.Series(["f", "m", MARKER], dtype=dtype)}).head(2)
        returned: Any = back(released)
        if isinstance(returned, pl.LazyFrame):
            returned = returned.collect()
        if isinstance(returned, pd.DataFrame):
            assert returned["sex"].dtype == pd.Series(["f"]).dtype
            assert isinstance(returned.index, pd.RangeIndex)
        elif isinstance(returned, pa.Table):
            assert pa.types.is_large_string(returned.schema.field("sex").type)
            assert returned.schema.metadata is None
        else:
            assert returned.schema["sex"] == pl.String


@pytest.mark.parametrize(
    "index", [[2, 0, 1], [7, 7, 7], ["b", "a", None], pd.MultiIndex.from_product([["x"], [1, 2, 3]])]
)
def test_a_pandas_index_never_matters(index: Any) -> None:
    rows, back = to_polars(pd.DataFrame(ROWS, index=index))
    assert rows.to_dict(as_series=False) == ROWS
    assert list(back(rows).index) == [0, 1, 2]  # type: ignore[attr-defined]


def test_pandas_columns_keep_their_types() -> None:
    frame = pd.DataFrame(
        {
            "i": [1, 2],
            "f": [1.0, None],
            "n": pd.array([1, None], dtype="Int64"),
            "b": [True, False],
            "c": pd.Categorical(["x", "y"]),
            "t": pd.to_datetime(["2020-01-01", None]),
            "d": [date(2020, 1, 1), None],
            "o": pd.Series(["a", None], dtype=object),
        }
    )
    rows, _ = to_polars(frame)
    assert [dtype.base_type() for dtype in rows.dtypes] == [
        pl.Int64,
        pl.Float64,
        pl.Int64,
        pl.Boolean,
        pl.Categorical,
        pl.Datetime,
        pl.Date,
        pl.String,
    ]
    assert rows["t"].to_list() == [datetime(2020, 1, 1), None]
    assert rows["f"].to_list() == [1.0, None]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1, "x", None, 2.5], ["1", "x", None, "2.5"]),
        (["x", float("nan"), pd.NA, 3], ["x", None, None, "3"]),
        ([True, "yes", pd.NaT], ["True", "yes", None]),
        ([date(2020, 1, 1), "never", 1], ["2020-01-01", "never", "1"]),
    ],
)
def test_a_pandas_column_of_mixed_types_becomes_text(values: list[Any], text: list[str | None]) -> None:
    rows, _ = to_polars(pd.DataFrame({"m": pd.Series(values, dtype=object)}))
    assert rows["m"].to_list() == text
    assert rows["m"].dtype == pl.String


def test_a_pandas_column_that_arrow_does_not_know_becomes_text() -> None:
    assert to_polars(pd.DataFrame({"z": [1j, 2j]}))[0]["z"].to_list() == ["1j", "2j"]


def test_columns_named_by_numbers_get_text_names() -> None:
    assert to_polars(pd.DataFrame([[1, 2]]))[0].columns == ["0", "1"]


def test_extension_columns_are_refused_when_their_text_is_needed() -> None:
    rows, _ = to_polars(pd.DataFrame({"p": pd.period_range("2020", periods=2, freq="M")}))
    with pytest.raises(TableError, match="Column 'p' contains"):
        as_text(rows["p"])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[MARKER, MARKER]], columns=["a", "a"]),
        pd.DataFrame([[MARKER, MARKER]], columns=["1", 1]),
        pa.Table.from_arrays([pa.array([MARKER]), pa.array([MARKER])], names=["a", "a"]),
    ],
)
def test_repeated_names_are_refused(frame: Any) -> None:
    with pytest.raises(TableError, match="1 repeated column name:") as caught:
        to_polars(frame)
    assert MARKER not in str(caught.value)


@pytest.mark.parametrize("frame", [pd.DataFrame(), pl.DataFrame(), pl.LazyFrame(), pa.table({})])
def test_a_frame_without_columns_is_refused(frame: Any) -> None:
    with pytest.raises(TableError, match="no columns"):
        to_polars(frame)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame({"": [MARKER]}), pl.DataFrame({"": [MARKER]}), pa.table({"": [MARKER]})]
)
def test_an_empty_name_is_refused(frame: Any) -> None:
    with pytest.raises(TableError, match="without a name"):
        to_polars(frame)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
@pytest.mark.parametrize("name", ["*", "^a.*$"])
def test_a_name_that_reads_as_a_pattern_is_refused(kind: Any, name: str) -> None:
    with pytest.raises(TableError, match="reads as a pattern"):
        to_polars(kind({name: [MARKER], "a": [MARKER]}))


@pytest.mark.parametrize("frame", [{"a": [MARKER]}, [MARKER], None, pl.Series([MARKER]), pd.Series([MARKER]), MARKER])
def test_other_kinds_are_refused(frame: Any) -> None:
    with pytest.raises(TableError, match="pandas, polars or pyarrow") as caught:
        to_polars(frame)
    assert MARKER not in str(caught.value)


def test_a_sparse_pandas_column_is_taken_as_the_dense_one() -> None:
    frame = pd.DataFrame(
        {
            "count": pd.arrays.SparseArray([0, 0, 1]),
            "share": pd.arrays.SparseArray([0.5, None, 0.25]),
            "text": pd.arrays.SparseArray(["a", None, "b"]),
        }
    )
    rows, _ = to_polars(frame)
    assert rows.rows() == [(0, 0.5, "a"), (0, None, None), (1, 0.25, "b")]


def test_whole_numbers_of_any_size_come_from_pandas_as_text() -> None:
    assert to_polars(pd.DataFrame({"n": [10**30, None]}))[0]["n"].to_list() == [str(10**30), None]


def test_missing_values_come_back_as_those_of_pandas() -> None:
    frame = pd.DataFrame(
        {
            "whole": pd.array([2**53 + 1, None, 3], dtype="Int64"),
            "full": pd.array([1, 2, 3], dtype="Int16"),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "share": pd.array([0.5, None, 1.0], dtype="Float64"),
            "real": [0.5, float("nan"), 1.0],
            "plain": [1, 2, 3],
            "text": ["a", None, ""],
            "at": pd.to_datetime(["2020-01-01", None, "2020-01-03"]),
        }
    )
    rows, back = to_polars(frame)
    returned: Any = back(rows)
    assert returned.dtypes.to_dict() == frame.dtypes.to_dict()
    assert returned.isna().equals(frame.isna())
    assert returned["whole"][0] == 2**53 + 1 and returned["whole"][1] is pd.NA and returned["flag"][1] is pd.NA
    labels: Any = back(rows.with_columns(pl.lit("[1, 2]").alias("whole")))
    assert list(labels["whole"]) == ["[1, 2]"] * 3


def test_whole_numbers_are_not_rounded_because_others_are_missing() -> None:
    _, back = to_polars(pd.DataFrame({"x": [1]}))
    returned: Any = back(pl.DataFrame({"x": [2**53 + 1, None], "y": [True, None]}))
    assert returned["x"][0] == 2**53 + 1 and returned["x"][1] is pd.NA and returned["y"][1] is pd.NA


@pytest.mark.parametrize("of", [list, tuple, set, frozenset, np.array])
def test_pandas_cells_with_several_items_become_lists(of: Any) -> None:
    cells = [["b", "a"], None, ["a"], []]
    frame = pd.DataFrame({"s": pd.Series([None if cell is None else of(cell) for cell in cells], dtype=object)})
    rows, back = to_polars(frame)
    assert rows["s"].dtype == pl.List(pl.String)
    assert [None if cell is None else set(cell) for cell in rows["s"].to_list()] == [{"a", "b"}, None, {"a"}, set()]
    assert type(cast(pd.DataFrame, back(rows))["s"][0]) is list


def test_items_of_mixed_types_become_text() -> None:
    cells = pd.Series([["a", 1, None], (2.5,), frozenset({"b"})], dtype=object)
    assert to_polars(pd.DataFrame({"s": cells}))[0]["s"].to_list() == [["a", "1", None], ["2.5"], ["b"]]


@pytest.mark.parametrize("cells", [[["SECRET"], "SECRET"], [frozenset({"SECRET"}), 1, None]])
def test_lists_beside_other_values_are_refused(cells: list[Any]) -> None:
    with pytest.raises(TableError, match="1 of its values is a list or set, and 1 is not") as raised:
        to_polars(pd.DataFrame({"s": pd.Series(cells, dtype=object)}))
    assert "SECRET" not in str(raised.value)


def test_arrow_lists_are_read_and_views_of_lists_are_refused() -> None:
    cells = [["SECRET", "a"], None, []]
    for kind in (pa.list_(pa.string()), pa.large_list(pa.string()), pa.list_(pa.dictionary(pa.int32(), pa.string()))):
        assert to_polars(pa.table({"s": pa.array(cells, kind)}))[0]["s"].to_list() == cells
    with pytest.raises(TableError, match="Column 's' has the Arrow type list_view") as raised:
        to_polars(pa.table({"n": [1, 2, 3], "s": pa.array(cells, pa.list_view(pa.string()))}))
    assert "SECRET" not in str(raised.value)


@pytest.mark.parametrize(
    "cells",
    [
        [{"SECRET": 1}, "x"],
        [pd.Series(["SECRET"]), pd.Series(["a", "b"])],
        [{"SECRET": 1}.keys(), {"a": 1}.keys()],
        [np.array("SECRET"), np.array("a")],
        [np.array([["SECRET", "b"]]), np.array([["c", "d"]])],
        [[["SECRET"], "b"], ["c"]],
    ],
)
def test_cells_with_parts_that_are_no_items_are_refused(cells: list[Any]) -> None:
    with pytest.raises(TableError, match="Column 's' has a value of type") as raised:
        to_polars(pd.DataFrame({"s": pd.Series(cells, dtype=object)}))
    assert "SECRET" not in str(raised.value)


def test_missing_items_of_mixed_types_stay_missing() -> None:
    cells = pd.Series([["a", 1, float("nan")], (pd.NA, "b")], dtype=object)
    assert to_polars(pd.DataFrame({"s": cells}))[0]["s"].to_list() == [["a", "1", None], [None, "b"]]


def test_a_frame_is_converted_with_its_metadata() -> None:
    rows = pl.DataFrame({"n": [1, None], "day": [date(2020, 1, 2), None], "of": [["a"], None]})
    assert converted(rows, "polars") is rows
    arrow = converted(rows, "arrow", {"book": "{}"})
    assert arrow.schema.metadata == {b"book": b"{}"} and arrow.schema.field("day").type == pa.date32()
    pandas = converted(rows, "pandas", {"book": "{}"})
    assert pandas.attrs == {"book": "{}"}
    assert [str(dtype) for dtype in pandas.dtypes][:2] == ["Int64", "datetime64[us]"]
    assert pandas["of"][0] == ["a"]


def test_an_unknown_kind_of_frame_is_refused() -> None:
    with pytest.raises(TableError, match=r"There is no kind of frame 'panda'.*did you mean 'pandas'"):
        converted(pl.DataFrame(), "panda")
