"""Classes are rows with equal values, of raw tables and releases alike."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given

import shoal
from shoal.errors import PlanError, TableError
from shoal.risks.classes import counted_classes
from tests.risks.tables import ROWS, Rows, frame_of, plan_of


@given(ROWS)
def test_sizes_equal_counted_rows(rows: Rows) -> None:
    frame = frame_of(rows)
    classes = counted_classes(frame, plan_of(frame.columns))
    labels = [
        tuple(classes.labels[place][code] for place, code in enumerate(codes)) for codes in classes.codes.T.tolist()
    ]
    assert dict(zip(labels, classes.sizes.tolist(), strict=True)) == dict(Counter(rows))
    assert classes.rows == len(rows)


@given(ROWS)
def test_classes_by_some_columns_are_those_of_a_table_with_these_columns(rows: Rows) -> None:
    frame = frame_of(rows)
    some = frame.columns[::-1][:2]
    on = counted_classes(frame, plan_of(frame.columns)).on(some)
    own = counted_classes(frame, plan_of(some))
    assert on.columns == own.columns and on.sizes.tolist() == own.sizes.tolist()
    assert on.codes.tolist() == own.codes.tolist()


def test_values_that_are_written_differently_are_equal() -> None:
    frame = pl.DataFrame({"age": ["30", "30.0", " 30 ", "?", None, "NA"]})
    plan = plan_of(["age"]).changed(columns={"age": shoal.quasi(type="integer")})
    assert sorted(counted_classes(frame, plan).sizes.tolist()) == [3, 3]


def test_labels_of_a_release_are_compared_as_text() -> None:
    frame = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "30", "*"]})
    plan = plan_of(["age"]).changed(columns={"age": shoal.quasi(type="integer")})
    assert sorted(counted_classes(frame, plan).sizes.tolist()) == [1, 1, 2]


def test_individuals_count_once_in_a_class() -> None:
    frame = pl.DataFrame({"age": [30, 30, 30, 41], "id": ["a", "a", "b", "b"]})
    plan = plan_of(["age"], data=shoal.Data(person="id", unlisted="drop"))
    classes = counted_classes(frame, plan)
    assert classes.individuals and classes.rows == 4
    assert sorted(classes.sizes.tolist()) == [1, 2]
    assert not counted_classes(frame.drop("id"), plan).individuals


def test_without_quasi_identifiers_all_rows_are_one_class() -> None:
    plan = shoal.Plan(columns={"ill": shoal.sensitive()}, models=[shoal.LDiversity("ill", l=2)])
    classes = counted_classes(pl.DataFrame({"ill": ["a", "b"]}), plan)
    assert classes.sizes.tolist() == [2] and classes.codes.shape == (0, 1)


def test_a_missing_column_and_an_empty_table_are_refused() -> None:
    with pytest.raises(PlanError, match="no column 'zip'"):
        counted_classes(pl.DataFrame({"zipp": ["1"]}), plan_of(["zip"]))
    with pytest.raises(TableError):
        counted_classes(pl.DataFrame({"zip": pl.Series([], dtype=pl.String)}), plan_of(["zip"]))
