"""Released rows are put together from columns by class and by row, sorted by all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.coded.recoding import Shown
from shoal.engines.assembly import (
    ClassColumn,
    Kinds,
    RowColumn,
    assembled,
    counted_by_class,
    in_order,
    numbered_by_appearance,
    sorted_rows,
)
from shoal.table import Runs
from tests.effort import examples


def shown(codes: list[int], labels: list[str]) -> Shown:
    nothing = np.zeros(len(codes))
    return Shown(np.array(codes, np.int64), labels, nothing, nothing)


def by_row(values: list[str | None]) -> RowColumn:
    """A column of text as it stands, coded by its distinct values."""
    column = pl.Series("x", values, dtype=pl.String)
    distinct = column.unique(maintain_order=True)
    place = {value: code for code, value in enumerate(distinct.to_list())}
    codes = np.array([place[value] for value in values], np.uint32)
    ranks = distinct.rank("dense").fill_null(0).to_numpy().astype(np.int32)
    return RowColumn(codes, ranks, distinct)


def test_a_class_column_shows_labels_whose_codes_sort_as_they_do() -> None:
    column = ClassColumn("age", shown([2, 0, 3, 2], ["[9, 9]", "never shown", "*", "[1, 8]"]))
    taken = column.taken(np.array([0, 1, 2, 3, 1], np.int32))
    assert taken.name == "age"
    assert taken.cast(pl.String).to_list() == ["*", "[9, 9]", "[1, 8]", "*", "[9, 9]"]
    assert isinstance(taken.dtype, pl.Enum)
    assert taken.dtype.categories.to_list() == sorted(["*", "[9, 9]", "[1, 8]"])
    labels = taken.cast(pl.String).to_list()
    assert sorted(range(5), key=lambda i: taken.to_physical()[i]) == sorted(range(5), key=lambda i: labels[i])


def test_a_label_that_is_listed_twice_is_one_label() -> None:
    column = ClassColumn("age", shown([0, 1], ["*", "*"]))
    assert column.of_class.tolist() == [0, 0]
    assert column.taken(np.array([0, 1], np.int32)).n_unique() == 1


def test_a_column_by_value_takes_cells_by_their_code() -> None:
    texts = pl.Series(["a", None, "b"])
    column = RowColumn(np.array([2, 0, 1], np.uint32), np.array([1, 0, 2], np.int32), texts)
    rows = np.array([0, 2], np.int64)
    assert column.taken(rows).to_list() == ["b", None]
    assert column.keys(rows).tolist() == [2, 0]


@given(st.data())
@settings(max_examples=examples(60), deadline=None)
def test_all_rows_come_out_sorted_and_none_is_lost(data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 12))
    classes = data.draw(st.integers(1, 4))
    values = data.draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=rows, max_size=rows))
    labels = data.draw(st.lists(st.sampled_from(["*", "[1, 2]", "z"]), min_size=classes, max_size=classes))
    kinds = data.draw(
        st.lists(
            st.tuples(st.integers(0, classes - 1), st.integers(0, rows - 1), st.integers(1, 3)), min_size=1, max_size=8
        )
    )
    columns: dict[str, Any] = {"label": ClassColumn("label", shown(list(range(classes)), labels)), "x": by_row(values)}
    class_of, row, times = (np.array(part) for part in zip(*kinds, strict=True))
    table, place = assembled(columns, Kinds(class_of.astype(np.int32), row, times))
    expected = sorted(
        ((labels[c], values[r]) for c, r, many in kinds for _ in range(many)),
        key=lambda cells: (cells[0], cells[1] is not None, cells[1] or ""),
    )
    assert table.columns == ["label", "x"]
    assert table.expanded().with_columns(pl.col("label").cast(pl.String)).rows() == expected
    in_turn = list(dict.fromkeys(expected))
    assert table.rows.height == len(in_turn)
    assert [in_turn[p] for p in place.tolist()] == [(labels[c], values[r]) for c, r, _ in kinds]


@given(st.lists(st.integers(0, 5), max_size=30))
@settings(max_examples=examples(50), deadline=None)
def test_places_in_order_keep_equal_ones_as_they_stood(ids: list[int]) -> None:
    order = in_order(np.array(ids, np.int32), 6).tolist()
    assert order == sorted(range(len(ids)), key=lambda i: ids[i])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3000)), min_size=1, max_size=30))
@settings(max_examples=examples(50), deadline=None)
def test_rows_are_sorted_by_the_first_key_first(keys: list[tuple[int, int]]) -> None:
    columns = [np.array(column, np.int32) for column in zip(*keys, strict=True)]
    assert sorted_rows(columns).tolist() == sorted(range(len(keys)), key=lambda i: keys[i])


def test_classes_are_numbered_as_they_appear() -> None:
    assert numbered_by_appearance(np.array([2, 0, 2, 4, 0], np.int32), 5).tolist() == [2, 0, 1, 0, 3]


def test_values_are_counted_by_class() -> None:
    linked = pl.DataFrame({"ill": ["flu", None, "flu", "HIV", None], "class_id": [2, 1, 2, 1, 1]})
    found = counted_by_class(Runs.of(linked), "class_id", "ill")
    assert found.columns == ["class_id", "value", "count"]
    assert found.rows() == [(1, None, 2), (1, "HIV", 1), (2, "flu", 2)]
